"""Repeated lines are read once; their number and place are reported, and they are no sign of anything else."""

from __future__ import annotations

import gzip
import re
import shutil
from collections.abc import Collection, Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.doubt.sign import PLACE, STREAM
from isrproof.checker.audit.doubt.signs.follow_ups import follow_ups, shown
from isrproof.checker.audit.doubt.signs.own_requests import begun_anew, numbered
from isrproof.checker.audit.files.file import LogFile
from isrproof.checker.audit.history.foreign_epochs import ForeignEpoch
from isrproof.checker.audit.history.spans import Span
from isrproof.checker.audit.history.statements import Run
from isrproof.checker.audit.lines import CACHED, CREATED, ELECTED, LEADER_AND_ISR_SENT, UPDATE_METADATA_SENT
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.table.columns import ColumnTable
from isrproof.checker.audit.table.protocol import Row, Tables
from isrproof.checker.audit.table.rows import PythonTable

from tests.recordings import RECORDED

NOTE = re.compile(r"(?P<file>\S+): (?P<n>\d+) lines about partitions are there twice.* \(lines (\d+) to (\d+)\)")


def audited(folder: Path, engine: str = "python") -> Report:
    (report,) = audit([str(folder)], Options(engine=engine))
    return report


@cache
def audited_once(name: str, engine: str = "python") -> Report:
    return audited(RECORDED / name, engine)


def text_of(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def copied(name: str, folder: Path, twice: Iterable[str]) -> tuple[Path, dict[str, int]]:
    """A recording of which some files stand twice in one; and by file how many lines it had."""
    shutil.copytree(RECORDED / name, folder)
    lines = {}
    for file in twice:
        path = folder / file
        text = text_of(path)
        lines[str(path)] = text.count(b"\n")
        path.write_bytes(gzip.compress(text * 2, mtime=0) if path.suffix == ".gz" else text * 2)
    return folder, lines


def logs_of(name: str) -> list[str]:
    return [str(path.relative_to(RECORDED / name)) for path in sorted((RECORDED / name).rglob("*.log*"))]


@pytest.mark.full
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("engine", ["columns", "python"])
@pytest.mark.parametrize(("first", "last"), [(0.2, 0.4), (0.5, 0.6)])
def test_what_is_sent_again_at_the_end_of_a_file_is_not_out_of_order(
    first: float, last: float, engine: str, tmp_path: Path
) -> None:
    name, file = "chaos-1.1.1-2", "broker-3/state-change.log"
    folder, _ = copied(name, tmp_path / name, ())
    lines = text_of(folder / file).splitlines(keepends=True)
    again = lines[int(first * len(lines)) : int(last * len(lines))]
    (folder / file).write_bytes(b"".join((*lines, *again)))
    once, twice = audited_once(name, engine), audited(folder, engine)
    assert [(f.rule, f.verdict, f.line) for f in twice.findings] == [(f.rule, f.verdict, f.line) for f in once.findings]
    assert not any("times go back" in note for note in twice.notes)


# Each made something doubtful before: numbers of requests that begin anew (zombie), an epoch of another and creations
# below it (chaos, zombie), whole requests out of turn (lifecycle).
@pytest.mark.full(every=3)
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("engine", ["python", "columns"])
@pytest.mark.parametrize("name", ["lifecycle-2.8.2", "chaos-1.1.1-2", "zombie-2.0.0", "reassign-2.8.2"])
def test_all_files_twice_in_one_change_nothing(name: str, engine: str, tmp_path: Path) -> None:
    folder, lines = copied(name, tmp_path / name, logs_of(name))
    once, twice = audited_once(name, engine), audited(folder, engine)
    assert (twice.verdict, twice.counts, twice.checked.assumption) == (
        once.verdict,
        once.counts,
        once.checked.assumption,
    )
    assert [(f.rule, f.verdict, f.line, f.message) for f in twice.findings] == [
        (f.rule, f.verdict, f.line, f.message) for f in once.findings
    ]
    found = [match for note in twice.notes if (match := NOTE.match(note))]
    assert found
    for match in found:
        own = lines[match["file"]]
        assert own < int(match[3]) < int(match[4]) <= 2 * own


def test_one_file_twice_in_one_is_told_with_how_many_and_where(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    log = tmp_path / "a" / "state-change.log"
    log.write_text(
        "[2018-09-01 10:00:00,000] TRACE [Broker id=1] Received LeaderAndIsr request PartitionState(controllerEpoch=1,"
        " leader=1, leaderEpoch=0, isr=1,2, zkVersion=0, replicas=1,2, isNew=true) correlation id 1 from controller 3"
        " epoch 1 for partition t-0 (state.change.logger)\n"
        "[2018-09-01 10:00:00,001] TRACE [Broker id=1] Handling LeaderAndIsr request correlationId 1 from controller 3"
        " epoch 1 starting the become-leader transition for partition t-0 (state.change.logger)\n"
    )
    once = audited(tmp_path / "a")
    assert not [note for note in once.notes if "twice" in note]
    log.write_text(log.read_text() * 2)
    (note,) = audited(tmp_path / "a").notes
    what = "2 lines about partitions are there twice, to the millisecond; read once (lines 3 to 4)"
    assert note == f"{log}: {what}. Whether brokers answer requests in full is not judged there"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:3]))
    (note,) = audited(tmp_path / "a").notes
    what = "line 3 is there twice, to the millisecond; read once"
    assert note == f"{log}: {what}. Whether brokers answer requests in full is not judged there"


@pytest.mark.full(every=4)
@pytest.mark.parametrize("name", ["lifecycle-2.8.2", "isr-flap-0.11.0.3", "stale-broker-2.0.0", "reassign-2.3.1"])
def test_requests_to_several_brokers_and_replicas_of_one_partition_are_no_lines_that_stand_twice(name: str) -> None:
    assert not [note for note in audited_once(name).notes if "twice" in note]


@pytest.mark.full(every=13)
@pytest.mark.slow(every=5)
@pytest.mark.parametrize(
    ("line", "below"), [(n, end) for n in (32, 38, 40, 62, 68, 86, 91) for end in (84, 108, 126, 153) if n < end]
)
def test_a_request_that_is_told_once_more_later_is_no_request_out_of_turn(
    line: int, below: int, tmp_path: Path
) -> None:
    """Lines about whole requests, which name no partition: of epoch 1, and of epoch 2 from line 85 on."""
    folder, _ = copied("stale-broker-3.5.2", tmp_path / "log", ())
    log = folder / "broker-1" / "state-change.log"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join([*lines[:below], lines[line - 1], *lines[below:]]))
    codes = [[f.rule for f in each.findings] for each in (audited_once("stale-broker-3.5.2"), audited(folder))]
    assert codes[0] == codes[1]


def _taken(number: int, line: int, ts: int, partition: int = 0) -> Row:
    where = {"file": 0, "controller": 1, "controller_epoch": 1, "speaker": 1}
    return where | {
        "row": "leader-and-isr-received",
        "topic": "t",
        "partition": partition,
        "correlation_id": number,
        "ts": ts,
        "line": line,
    }


def _anew(rows: list[Row], tables: Tables) -> frozenset[int]:
    """The clusters in which numbers begin anew, of rows looked at by partition."""
    where = {"cluster": 0, "file": 0, "first": 1, "last": 200, "controller": 1, "epoch": 1, "life": 1, "until": 200}
    others = {field.name: 0 for field in fields(Span) if field.name not in where}
    span = Span(**where, **others)  # type: ignore[arg-type]
    parts = ([row for row in rows if row["partition"] == partition] for partition in (0, 1))
    return begun_anew([row for part in parts for row in numbered(tables.of_rows(part), [span])])


@pytest.fixture(params=[PythonTable, ColumnTable])
def tables(request: pytest.FixtureRequest) -> Tables:
    made: Tables = request.param
    return made


def test_numbers_of_requests_that_rise_begin_nothing(tables: Tables) -> None:
    rows = [_taken(1, 10, 100), _taken(1, 11, 101, partition=1), _taken(2, 12, 102), _taken(4, 20, 103)]
    assert not _anew(rows, tables)
    # A file that is there twice in one.
    assert not _anew([*rows, *(row | {"line": row["line"] + 100} for row in rows)], tables)


def test_numbers_that_fall_are_of_a_life_that_began_anew(tables: Tables) -> None:
    assert _anew([_taken(1, 10, 100), _taken(2, 12, 102), _taken(1, 20, 110, partition=1)], tables) == {0}
    assert _anew([_taken(2, 10, 100), _taken(1, 12, 102)], tables) == {0}


def test_a_number_that_a_partition_has_twice_is_of_a_life_that_began_anew(tables: Tables) -> None:
    assert _anew([_taken(1, 10, 100), _taken(1, 20, 110)], tables) == {0}
    assert not _anew([_taken(1, 10, 100), _taken(1, 20, 100)], tables)


_PRINTED = {
    "elected": ELECTED,
    "asked": LEADER_AND_ISR_SENT,
    "sent": UPDATE_METADATA_SENT,
    "cached": CACHED,
    "created": CREATED,
}


def _printed(kind: str, partition: int, *lines: int) -> list[Row]:
    """The lines in which a controller, or its broker, prints a state of a partition."""
    tenure = {STREAM: 0, "controller": 1, "controller_epoch": 1}
    state = {"topic": "t", "partition": partition, "leader": 1, "leader_epoch": 0, "isr": (1,)}
    online = {"to_state": "OnlinePartition"} if kind == "elected" else {}
    return [{"row": _PRINTED[kind][0]} | tenure | state | online | {PLACE: line} for line in lines]


@pytest.mark.parametrize(
    "rows",
    [
        # Cached more often than it was sent: one of these lines stands twice.
        [*_printed("sent", 0, 5), *_printed("cached", 0, 6, 20)],
        # What is sent up to line 20 was cached, and partition 1 was not; but line 20 is a copy of line 5.
        [*_printed("sent", 0, 5, 20), *_printed("cached", 0, 6, 21), *_printed("sent", 1, 10)],
        # Partition 1 was elected before the last request was sent; but line 20 is a copy of line 5.
        [*_printed("asked", 0, 5, 20), *_printed("elected", 1, 10), *_printed("elected", 0, 4)],
        # Partition 0 was created once more, and asked for then; but line 20 is a copy of line 5.
        [*_printed("created", 0, 10), *_printed("asked", 0, 5, 20)],
    ],
)
def test_where_lines_stand_twice_the_later_one_and_how_many_there_are_show_no_gap(
    rows: list[Row], tables: Tables
) -> None:
    file = LogFile(0, 0, "a", "d", "state-change", 0, None, 0, None)

    def gaps(rows: list[Row], repeated: Collection[int] = ()) -> frozenset[int]:
        parts = ([row for row in rows if row["partition"] == partition] for partition in range(4))
        return follow_ups([row for part in parts for row in shown(tables.of_rows(part))], [file], repeated).gaps

    assert gaps(rows) == {0}
    assert not gaps(rows, {0})
    assert gaps([*rows, *_printed("sent", 2, 3), *_printed("cached", 3, 7)], {0}) == {0}


@pytest.mark.parametrize(
    ("epoch", "line", "since", "repeated", "before"),
    [
        (2, 5, 500, (), True),
        (2, 5, 100, (0,), True),
        (2, 5, 500, (0,), False),  # what stands below it was written before
        (2, 5, None, (0,), True),
        (2, 5, 500, (1,), True),
        (2, 12, 100, (), False),
        (1, 5, 100, (), False),
    ],
)
def test_a_wipe_may_lie_between_an_epoch_of_another_and_a_creation(
    epoch: int, line: int, since: int | None, repeated: tuple[int, ...], before: bool
) -> None:
    run = Run(0, 1, 20, 1, 1, 0, 900, 0, 3, last_created=10, created_until=300)
    assert ForeignEpoch(0, line, epoch, since).before_creation(run, repeated) is before
