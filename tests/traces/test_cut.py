"""Lines whose ends are missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.specs.lines import rows
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line
from isrproof.traces.formats.cut import MISSING, completed
from isrproof.traces.formats.pasted import Reader, paste_of

LOGGED = (
    "[2026-11-23 12:25:05,000] INFO [Partition one-2 broker=1] Shrinking ISR from 1,2 to 1 (kafka.cluster.Partition)"
)
WIDE = (
    "[2026-11-23 12:25:06,088] INFO Partition [one,1] on broker 1: Expanding ISR from 1 to 1,2 "
    "(kafka.cluster.Partition)"
)
STOPPED = "[ReplicaManager broker=1] Broker 1 stopped fetcher for partitions ev-0,ev-1"


def line(message: str) -> str:
    return f"[2025-03-04 09:00:09,247] WARN {message} (?)"


def test_a_line_is_completed_by_the_only_row_that_begins_so() -> None:
    made = completed(line(STOPPED))
    assert made is not None
    assert made.endswith(f"in the failed log directory {MISSING}. (?)")
    parsed = parse_line(made)
    assert isinstance(parsed, Event)
    assert (parsed.row, parsed.speaker) == ("replicas-offline", 1)


@pytest.mark.parametrize(
    "message",
    [
        "[ReplicaManager broker=1] Broker 1 stopped",
        "[Partition ev-0 broker=1] Shrinking ISR from 0,1,2 to",
        "[UnifiedLog partition=pay-0, dir=/data] Truncating pay-0 to offset 31000 below hi",
        "What is written here is no line of Kafka at all, and is cut",
    ],
    ids=["too few characters", "a list that is missing", "a number that is missing", "no line of the table"],
)
def test_nothing_is_guessed(message: str) -> None:
    assert completed(line(message)) is None


def test_a_sample_that_is_cut_is_never_another_row() -> None:
    for row in rows().values():
        shown, _, logger = (row.sample or "").rpartition(" (")
        for length in range(60, len(shown), 7):
            made = completed(f"{shown[:length]} ({logger}") if row.happens and logger else None
            parsed = None if made is None else parse_line(made)
            assert not isinstance(parsed, Event) or parsed.row == row.id, (row.id, made)


def test_it_is_reported_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text(f"2025-03-04 09:00:09,247 INFO {STOPPED}\n")
    (report,) = audit([str(path)], Options(engine="python"))
    (lost,) = (each for each in report.happened if each.what == "directory-failed")
    assert (lost.node, lost.trouble, lost.reason) == (1, True, f"{MISSING}, with 2 partitions (ev-0, ev-1)")
    assert any("1 line cut, read as far as they go" in note for note in report.notes)


def test_one_line_with_a_level_does_not_hide_the_others_that_have_no_time(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text(
        "[QuorumController id=1] UNCLEAN partition change for pay-0 with topic ID 9J4mXlEBQ5qF1oJmQm0v1A: "
        "isr: [1] -> [2], leader: 1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, "
        "leaderEpoch: 2 -> 3, partitionEpoch: 5 -> 6\n"
        "WARN [UnifiedLog partition=pay-0, dir=/data] Truncating pay-0 to offset 31000 below high watermark 58000\n"
    )
    (report,) = audit([str(path)], Options(engine="python"))
    assert {each.what for each in report.happened} >= {"unclean-election", "log-cut"}
    assert report.coverage.understood == 2


@pytest.mark.parametrize(
    ("lines", "known"),
    [
        ([LOGGED, WIDE[:87]], False),  # 1 may have been 1,2, or 12
        ([LOGGED, WIDE], True),
        ([WIDE[:87]] * 3, False),  # all are equally long
        ([WIDE.partition(" (")[0], WIDE.replace("1,2 (", "1,2,3 (").partition(" (")[0]], True),  # of no logger at all
        ([LOGGED, "[2026-11-23 12:25:06,088] INFO [KafkaServer id=1] started"], True),  # nothing could follow
    ],
)
def test_a_value_at_the_end_of_a_line_that_may_be_cut_is_not_known(lines: list[str], known: bool) -> None:
    *_, last = Reader(paste_of(lines)).lines(lines)
    assert isinstance(parse_line(last.text), Event) == known
