"""A damaged recording: damage is counted and reported; the rest is judged as before."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.traces.sources.text import LONGEST

from tests import engines
from tests.recordings import FAILOVER, RECORDED

LOG = Path("broker-4") / "state-change.log"
Reading = Callable[[list[Path]], list[dict[str, Any]]]
each_engine = pytest.mark.parametrize("reading", [engines.reference, engines.columns], ids=["python", "columns"])


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(FAILOVER, tmp_path / "copy")
    return tmp_path / "copy"


def change(log: Path, line: int, old: str, new: str) -> None:
    lines = log.read_text(encoding="utf-8").split("\n")
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    log.write_text("\n".join(lines), encoding="utf-8")


def place_of(log: Path, text: str) -> int:
    return next(n for n, line in enumerate(log.read_text(encoding="utf-8").split("\n"), start=1) if text in line)


def report_of(reading: Reading, path: Path) -> dict[str, Any]:
    (report,) = reading([path])
    return json.loads(json.dumps(report).replace(str(path), "LOGS"))  # type: ignore[no-any-return]


@cache
def clean() -> dict[str, Any]:
    return report_of(engines.reference, FAILOVER)


@pytest.mark.full(every=5)
@each_engine
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("to OnlineReplica", "to OnlinaReplica", "'OnlinaReplica' as to_state of replica-moved: "),
        ("partition t-", "partition t\0-", "'t\\x00' as topic of replica-moved: "),
        ("epoch=2", "epoch=99999999999999999999", "'99999999999999999999' as controller_epoch of replica-moved: "),
    ],
)
def test_a_corrupt_word_is_an_unknown_line_that_is_named(
    copy: Path, reading: Reading, old: str, new: str, told: str
) -> None:
    line = place_of(copy / LOG, "to OnlineReplica")
    change(copy / LOG, line, old, new)
    report = report_of(reading, copy)
    (unknown,) = report["coverage"]["top_unknown"]
    assert unknown["count"] == 1
    assert unknown["template"].startswith(told)
    assert report["coverage"]["unknown"] == 1
    assert {finding["rule"] for finding in report["findings"]} <= {"KR401"}
    assert report == report_of(engines.reference, copy)


def test_a_corrupt_word_is_no_crash(copy: Path) -> None:
    change(copy / LOG, place_of(copy / LOG, "to OnlineReplica"), "to OnlineReplica", "to OnlinaReplica")
    shown = CliRunner().invoke(main, ["audit", "--engine", "python", str(copy)])
    assert shown.exit_code in (1, 3)
    assert "'OnlinaReplica' as to_state of replica-moved" in shown.stdout


@pytest.mark.full(every=2)
@each_engine
def test_a_request_whose_time_is_corrupt_is_of_no_process(tmp_path: Path, reading: Reading) -> None:
    """It says of the controller what it says; when, nobody knows."""
    taken = "INFO [Broker id=1] Add 2 partitions and deleted 0 partitions from metadata cache in response to "
    taken += "UpdateMetadata request sent by controller 1 epoch {} with correlation id {} (state.change.logger)\n"
    times = ("2026-11-23 12:38:55,829", "2026-11-23 12:38855,848", "2026-11-23 12:38:56,001")
    log = tmp_path / "state-change.log"
    log.write_text("".join(f"[{time}] {taken.format(1 + n, n)}" for n, time in enumerate(times)))
    assert report_of(reading, log)["coverage"]["unknown"] == 0


def recoded(encoding: str) -> Callable[[bytes], bytes]:
    return lambda content: content.decode().encode(encoding)


def coloured(content: bytes) -> bytes:
    return content.replace(b" TRACE ", b" \x1b[32mTRACE\x1b[0m ").replace(b"[Controller", b"\x1b[1m[Controller")


WAYS = {
    **{name: recoded(name) for name in ("utf-8-sig", "utf-16", "utf-16-be", "utf-32")},
    "coloured": coloured,
    "crlf": lambda content: content.replace(b"\n", b"\r\n"),
}


@pytest.mark.full(every=5)
@each_engine
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_a_log_is_encoded_in_changes_nothing(copy: Path, reading: Reading, way: Callable[[bytes], bytes]) -> None:
    for log in copy.glob("*/*.log"):
        log.write_bytes(way(log.read_bytes()))
    assert report_of(reading, copy) == clean()


@pytest.mark.full(every=2)
@each_engine
def test_a_line_that_is_cut_is_a_gap_and_the_rest_is_judged(copy: Path, reading: Reading) -> None:
    """The line that the finding needs is there; the one that is cut is of another partition's."""
    log = copy / LOG
    whole = log.read_text(encoding="utf-8")
    (copy / LOG).write_text(whole + whole.split("\n")[20][:60], encoding="utf-8")
    report = report_of(reading, copy)
    assert report["coverage"]["unknown"] == 1
    assert [f["rule"] for f in report["findings"]] == [f["rule"] for f in clean()["findings"]]


@pytest.mark.full(every=2)
@each_engine
def test_nul_from_a_crash_is_an_unknown_line(copy: Path, reading: Reading) -> None:
    log = copy / LOG
    log.write_bytes(log.read_bytes() + b"\0" * 5_000 + b"\n")
    report = report_of(reading, copy)
    assert report["coverage"]["unknown"] == 1
    assert report["verdict"] == "illegal"


@pytest.mark.full
@pytest.mark.spark
def test_spark_reads_them_as_the_reference_does(tmp_path: Path) -> None:
    """All in one audit, each a cluster of its own."""
    pytest.importorskip("pyspark")
    log = (FAILOVER / LOG).read_bytes()
    damaged = {
        **{name: way(log) for name, way in WAYS.items()},
        "word": log.replace(b"to OnlineReplica", b"to OnlinaReplica", 1),
        "number": log.replace(b"epoch=2", b"epoch=99999999999999999999", 1),
        "topic": log.replace(b"partition t-", b"partition t\0-", 1),
        "no text": log.replace(b"partition t-", b"partition t\xed\xa0\x80\xf0-"),
        "state of another machine": log.replace(b"to OnlineReplica", b"to OnlinePartition"),
        "hole": b"\0" * 5_000 + log,
        "cut": log[: len(log) // 2],
        "colour in a topic": log.replace(b"partition t-", b"partition \x1b[1mt\x1b[0m-"),
        "endless": log + b"[2026-11-21 20:24:36,000] INFO " + b"x" * (LONGEST + 9) + b"\n" + log,
    }
    for name, content in damaged.items():
        (tmp_path / f"{name}.log").write_bytes(content)
    (tmp_path / os.fsdecode(b"caf\xe9.log")).write_bytes(log)
    paths = sorted(tmp_path.iterdir())
    found, expected = engines.spark(paths), engines.reference(paths)
    for path, one, other in zip(paths, found, expected, strict=True):
        assert one == other, path
    assert len({json.dumps(report["coverage"]) for report in found}) > 6


def test_each_numbers_the_lives_of_a_cluster_from_one() -> None:
    shown = CliRunner().invoke(main, ["audit", "--engine", "python", "--json", "--each", str(FAILOVER),
                                      str(RECORDED / "deposed-2.3.1")])  # fmt: skip
    for cluster in json.loads(shown.stdout)["clusters"]:
        numbers = [life["life"] for life in cluster["lives"]]
        assert numbers == [*range(1, len(numbers) + 1)]
        assert {row["life"] for row in (*cluster["findings"], *cluster["releases"])} <= set(numbers)


def test_a_release_that_contradicts_the_wording_is_warned_of() -> None:
    arguments = ["audit", "--engine", "python", str(FAILOVER)]
    for release, count in (("2.0.0", 0), ("1.1", 0), ("2.4", 4)):
        shown = CliRunner().invoke(main, [*arguments, "--release", release]).stdout
        assert shown.count(f"which --release {release} contradicts") == count, release
    assert "contradicts" not in CliRunner().invoke(main, arguments).stdout


@each_engine
def test_what_no_line_of_a_log_prints_is_missing_from_it_and_no_crash(tmp_path: Path, reading: Reading) -> None:
    """A few lines of 0.11 that are left of a log: none prints an ISR."""
    said = (
        "changed partition [life,2] state from OnlinePartition to OfflinePartition",
        "started leader election for partition [life,2]",
        "elected leader 1 for Offline partition [life,2]",
    )
    lines = (
        f"[2026-11-21 20:58:04,91{number}] TRACE Controller 1 epoch 1 {text} (state.change.logger)\n"
        for number, text in enumerate(said)
    )
    (tmp_path / "state-change.log").write_text("".join(lines))
    report = report_of(reading, tmp_path)
    assert report["coverage"]["understood"] == 3
    assert report == report_of(engines.reference, tmp_path)
