"""Recordings as files in memory: the input of a case, before and after it is damaged."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from pathlib import Path

from isrproof.specs.formats import envelopes, layouts

from lab import RECORDED, RECORDED_KRAFT
from tests.shapes import enveloped, in_layout, recorded

Files = Mapping[str, bytes]
"""Contents by path."""
TEXT, ENVELOPE, METADATA = "text", "envelope", "metadata"
"""Sorts of subjects: logs as brokers write them, in an envelope, and metadata logs of KRaft."""
_SMALL = {
    RECORDED: (
        *("failover-elsewhere-0.10.2.2-kill", "failover-elsewhere-2.0.0-kill", "failover-elsewhere-2.3.1-term"),
        *("failover-on-leader-2.0.0-kill", "failover-on-leader-2.0.0-term", "failover-on-leader-2.2.2-kill"),
        *("failover-on-leader-2.3.1-kill", "zombie-2.8.2", "isr-flap-2.8.2"),
    ),
    RECORDED_KRAFT: ("failover-3.5.2", "reassign-3.9.1", "jbod-3.7.2", "grow-4.4.0", "elr-4.0.0", "elr-4.1.0"),
}
_METADATA = ("*/metadata/*", "*/meta.properties", "*/bootstrap.checkpoint")
IN_ENVELOPES = RECORDED / "failover-on-leader-2.0.0-kill"
"""The recording whose lines are put in envelopes."""


@cache
def names(sort: str, every: bool) -> tuple[str, ...]:
    """Return the names of the subjects of a sort; `every`: of all recordings, else of small ones."""
    if sort == ENVELOPE:
        return tuple(f"{envelope}/{layout}" for envelope, layout in product(envelopes(), layouts()))
    folder = RECORDED if sort == TEXT else RECORDED_KRAFT
    found = sorted(path.parent.name for path in folder.glob("*/manifest.json"))
    return tuple(found) if every else _SMALL[folder]


@cache
def subject(sort: str, name: str) -> Files:
    """Return the files of a subject."""
    if sort == ENVELOPE:
        return _in_envelope(*name.split("/"))
    if sort == TEXT:
        return _read(RECORDED / name, ["*/*.log*"])
    return _read(RECORDED_KRAFT / name, _METADATA)


def _read(recording: Path, patterns: Iterable[str]) -> Files:
    found = {}
    for path in sorted(path for pattern in patterns for path in recording.glob(pattern)):
        shown, raw = path.relative_to(recording).as_posix(), path.read_bytes()
        if raw:
            found[shown.removesuffix(".gz")] = gzip.decompress(raw) if path.suffix == ".gz" else raw
    return found


def _in_envelope(envelope: str, layout: str) -> Files:
    """Return the state changes of a controller that took over, in one file."""
    said = [each for each in recorded(IN_ENVELOPES) if each.broker == "broker-4" and each.log == "state-change"]
    lines = ['"host","@timestamp","@message"'] if envelope == "csv" else []
    for each in said:
        lines += enveloped(envelopes()[envelope], each, in_layout(layouts()[layout], each))
    return {"exported.log": "".join(f"{line}\n" for line in lines).encode()}


def written(files: Files, folder: Path) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
