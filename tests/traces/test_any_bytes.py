"""Any bytes, given to any reader: it gives an answer, or a problem of that file, never another exception."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import time
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit_command
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.baseline import read_baseline
from isrproof.specs.errors import IsrproofError
from isrproof.specs.formats import envelopes, layouts
from isrproof.traces.events.layouts import layout
from isrproof.traces.metadata import files as metadata_files
from isrproof.traces.sources import compression

from lab import RECORDED, RECORDED_KRAFT
from tests import metadata_damage
from tests.fuzz.subjects import ENVELOPE, subject
from tests.mangled_bytes import flipped

LOG = (RECORDED / "failover-on-leader-2.0.0-kill" / "broker-4" / "state-change.log").read_bytes()
NODE = RECORDED_KRAFT / "failover-3.5.2" / "node-1"
OUTPUTS = {
    "topics": b"Topic: t\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: min.insync.replicas=2\n"
    b"\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\tElr: 2\tLastKnownElr: \n",
    "quorum": b"NodeId\tDirectoryId\tLogEndOffset\tLag\tLastFetchTimestamp\tLastCaughtUpTimestamp\tStatus\n"
    b"1\tAAAAAAAAAAAAAAAAAAAAAA\t99\t0\t1700000000000\t1700000000000\tLeader\n",
    "reassignment": b"Status of partition reassignment:\nReassignment of partition t-0 is still in progress.\n",
}
"""Output of Kafka's tools that shows a state."""


def tar(name: str, data: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        header = tarfile.TarInfo(name)
        header.size = len(data)
        archive.addfile(header, io.BytesIO(data))
    return made.getvalue()


def zipped(name: str, data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return made.getvalue()


PACKED: Mapping[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "xz": lzma.compress, "bzip2": bz2.compress}
"""The writer of each compression that is read; zstd's library is not always there."""
ARCHIVES = {"tar": tar, "zip": zipped}


def seeds() -> dict[str, tuple[str, bytes]]:
    """The name of a file for each reader, and bytes that it understands."""
    found = {f"envelope {id}": ("exported.log", subject(ENVELOPE, f"{id}/kafka")["exported.log"]) for id in envelopes()}
    found |= {
        f"layout {id}": ("exported.log", subject(ENVELOPE, f"{next(iter(envelopes()))}/{id}")["exported.log"])
        for id in layouts()
    }
    found |= {f"compressed by {kind}": ("a.log", pack(LOG)) for kind, pack in PACKED.items()}
    found |= {f"archive {kind}": (f"a.{kind}", pack("b/state-change.log", LOG)) for kind, pack in ARCHIVES.items()}
    found |= {f"output {name}": ("shown.txt", data) for name, data in OUTPUTS.items()}
    for path in sorted(NODE.rglob("*")):
        known = metadata_files.named(str(path)) if path.is_file() else None
        if known is not None:
            found[f"metadata {known.kind}"] = (path.name, path.read_bytes())
    found["metadata quorum-state"] = ("quorum-state", b'{"leaderId":1,"leaderEpoch":2,"votedId":-1,"data_version":1}')
    found["dump"] = ("dump.txt", lzma.decompress(next(iter(sorted(NODE.glob("*.dump.xz")))).read_bytes())[:60_000])
    return found


SEEDS = seeds()


def changed(data: bytes, dice: random.Random) -> bytes:
    """Return bytes that are nearly these."""
    at = dice.randrange(len(data) + 1)
    huge = dice.choice(
        (b"9" * 6_000, b"-1", b"9" * 19, b"[" * 20_000, b"\0" * 5_000, b'{"a":' * 9_000, b"\xff\xfe", b"")
    )
    way = dice.choice(("flip", "cut", "insert", "twice", "digits", *(metadata_damage.WAYS if len(data) > 200 else ())))
    if way == "flip":
        return flipped(dice, data, data) if data else data
    if way == "cut":
        return data[:at]
    if way == "insert":
        return data[:at] + huge + data[at:]
    if way == "twice":
        return data[:at] + data[at // 2 :]
    if way == "digits":
        digits = [place for place, byte in enumerate(data) if chr(byte).isdigit()] or [0]
        there = dice.choice(digits)
        return data[:there] + huge + data[there + 1 :]
    try:
        return metadata_damage.WAYS[way](dice, data)
    except (IndexError, ValueError):  # they are no batches
        return data[:at]


def test_each_reader_has_a_seed() -> None:
    assert {f"envelope {id}" for id in envelopes()} | {f"layout {id}" for id in layouts()} <= SEEDS.keys()
    assert {*compression._MARKS.values()} - PACKED.keys() == {"zstd"}
    records = {f"metadata {kind}" for kind in ("segment", "quorum-state", "properties")}
    assert records <= SEEDS.keys()


@pytest.mark.slow(every=3)
@pytest.mark.full(every=12)
@pytest.mark.parametrize("reader", SEEDS)
def test_any_bytes_give_an_answer_or_a_problem(reader: str, tmp_path: Path) -> None:
    name, data = SEEDS[reader]
    dice = random.Random(reader)
    for number in range(6):
        folder = tmp_path / f"{number}" / "__cluster_metadata-0"
        folder.mkdir(parents=True)
        (folder / name).write_bytes(changed(data, dice))
        began = time.process_time()
        try:
            answer = audit_command([str(folder)], Options(engine="python", timeline=True), "json")
            code, problem = answer.code, answer.problem or ""
        except IsrproofError as error:
            code, problem = 2, str(error)
        assert code in range(4)
        assert "defect of isrproof" not in problem
        assert time.process_time() - began < 20


@pytest.mark.parametrize("seed", range(3))
def test_any_baseline_is_read_or_refused(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    whole = b'{"findings": [{"rule": "KR101", "entity": {}, "fingerprint": "x"}], "clusters": []}'
    for _ in range(40):
        (tmp_path / "baseline.json").write_bytes(changed(whole, dice))
        with suppress(IsrproofError):
            read_baseline(tmp_path / "baseline.json")


@pytest.mark.parametrize("seed", range(3))
def test_any_pattern_is_a_layout_or_refused(seed: int) -> None:
    dice = random.Random(seed)
    parts = ("%d", "%p", "%m", "%c{1}", "%t", "%x", "%-5p", "%", "%%", "%d{", "}", " ", "[", "]", "(", "*", "\\", "%n")
    for _ in range(300):
        pattern = "".join(dice.choices(parts, k=dice.randrange(1, 12)))
        try:
            made = layout(pattern)
        except IsrproofError:
            continue
        began = time.process_time()
        for text in ("a " * 5_000, "[" * 10_000, LOG[:200].decode() * 20):
            made.normal(text)
        assert time.process_time() - began < 2, pattern
