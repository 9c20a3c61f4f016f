"""Lines that are cut, damaged, or dressed otherwise: never an event that Kafka did not print."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from isrproof.specs.lines import rows
from isrproof.traces.events.event import Continuation, Event, Irrelevant, Unknown
from isrproof.traces.events.parse import parse_line
from isrproof.traces.sources import text
from isrproof.traces.sources.text import Lines

MOVED = (
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed state of replica 1 for partition t-0 from"
    " NewReplica to OnlineReplica (state.change.logger)"
)
ELECTED = (
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed partition t-0 from OfflinePartition to"
    " OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=1, isr=List(2), zkVersion=1) (state.change.logger)"
)
SENT = rows()["leader-and-isr-sent"].sample or ""


@pytest.mark.parametrize(
    ("line", "old", "new", "wrong"),
    [
        (MOVED, "OnlineReplica", "OnlinaReplica", "'OnlinaReplica' as to_state of replica-moved"),
        (MOVED, "NewReplica", "NewPartition", "'NewPartition' as from_state of replica-moved"),
        (MOVED, "NewReplica", "", "'' as from_state of replica-moved"),
        (MOVED, "replica 1 ", "replica 99999999999999999999 ", "'99999999999999999999' as replica of replica-moved"),
        (MOVED, "replica 1 ", "replica 1o ", "'1o' as replica of replica-moved"),
        (MOVED, "t-0", "t\ufffd-0", "'t\ufffd' as topic of replica-moved"),
        (MOVED, "t-0", "t\0-0", "'t\\x00' as topic of replica-moved"),
        (MOVED, "id=3", "id=B", "'B' as controller of replica-moved"),
        (ELECTED, "OfflinePartition", "OfflineReplica", "'OfflineReplica' as from_state of partition-online"),
        (ELECTED, "List(2)", "List(2,, 3)", "'2,, 3' as isr of partition-online"),
        (ELECTED, "List(2)", "List(2, 9223372036854775808)", "'2, 9223372036854775808' as isr of partition-online"),
        (ELECTED, "zkVersion=1", "zkVersion=+", "'+' as partition_epoch of partition-online"),
        (SENT, "become-leader", "become-laeder", "'become-laeder' as kind of leader-and-isr-sent"),
    ],
)
def test_a_wrong_word_makes_a_line_unknown_and_is_named(line: str, old: str, new: str, wrong: str) -> None:
    assert isinstance(parse_line(line), Event)
    assert old in line
    found = parse_line(line.replace(old, new, 1))
    assert isinstance(found, Unknown)
    assert found.wrong == wrong


def test_two_wrong_words_or_other_words_are_not_named() -> None:
    for line in (
        MOVED.replace("id=3", "id=B").replace("epoch=1", "epoch=x"),
        MOVED.replace("of replica", "of a replica"),
        MOVED.replace("Changed state", "Forgot state"),
    ):
        found = parse_line(line)
        assert isinstance(found, Unknown)
        assert found.wrong is None


def samples() -> Iterator[str]:
    yield from (row.sample for row in rows().values() if row.sample and row.bears and row.loggers)


@pytest.mark.full(every=4)
@pytest.mark.parametrize("line", [*samples()], ids=lambda line: line[26:80])
def test_a_line_that_is_cut_anywhere_is_no_event(line: str) -> None:
    assert isinstance(parse_line(line), Event)
    for at in range(1, len(line)):
        head, tail = parse_line(line[:at]), parse_line(line[at:])
        assert isinstance(head, Unknown), line[:at]
        assert isinstance(tail, Unknown | Continuation), line[at:]


@pytest.mark.full(every=4)
@pytest.mark.parametrize("line", [*samples()], ids=lambda line: line[26:80])
def test_a_line_into_which_another_runs_is_no_event(line: str) -> None:
    for at in range(1, len(line) + 1):
        assert not isinstance(parse_line(line[:at] + line), Event), line[:at]


def test_numbers_of_64_bits_are_read() -> None:
    for number in (2**63 - 1, -(2**63)):
        found = parse_line(MOVED.replace("replica 1 ", f"replica {number} "))
        assert isinstance(found, Event)
        assert found.replica == number
    for number in (2**63, -(2**63) - 1, 10**4000):
        assert isinstance(parse_line(MOVED.replace("replica 1 ", f"replica {number} ")), Unknown)


LINES = [MOVED, "java.lang.Exception: \u00fc", "\tat a.b", ELECTED, "", SENT]
TEXT = "".join(line + "\n" for line in LINES)


def read(path: Path, content: bytes) -> list[str]:
    path.write_bytes(content)
    lines = Lines(str(path))
    found = list(lines)
    assert lines.problem is None
    assert lines.chosen(range(1, 99)) == dict(enumerate(found, start=1))
    return found


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        TEXT.encode().removesuffix(b"\n"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-8-sig").replace(b"\njava", b"\n\xef\xbb\xbfjava"),  # two files in one
        *(TEXT.encode(encoding) for encoding in ("utf-16", "utf-32", "utf-16-le", "utf-16-be")),
        ("\ufeff" + TEXT).encode("utf-16-be"),
        TEXT.replace("TRACE", "\x1b[32mTRACE\x1b[0m").replace("java", "\x1b[1;31m\x1b[Kjava").encode(),
    ],
)
def test_what_a_text_is_encoded_in_is_no_part_of_it(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path / "a.log", content) == LINES


def test_a_log_that_begins_with_a_hole_loses_its_first_line(tmp_path: Path) -> None:
    """As one that is cut off in place while its writer goes on."""
    first, *rest = read(tmp_path / "a.log", b"\0" * 3_000_000 + TEXT.encode())
    assert rest == LINES[1:]
    assert isinstance(parse_line(first), Unknown)


def test_blocks_end_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isrproof.traces.sources import compression

    for size in (1, 2, 3, 7, 100):
        monkeypatch.setattr(compression, "_BLOCK", size)
        for way in ("utf-8", "utf-16"):
            assert read(tmp_path / "a.log", TEXT.encode(way)) == LINES, (size, way)


def test_of_an_endless_line_the_beginning_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not whole, whatever it ends with; the lines after it keep their numbers."""
    monkeypatch.setattr(text, "LONGEST", len(MOVED))
    longer = f"{MOVED} and {MOVED}"
    for content, last in ((f"{longer}\n{MOVED}\nx\n", "x"), (f"{MOVED}\nx\n{longer}", f"{MOVED}\u2026")):
        found = read(tmp_path / "a.log", content.encode())
        assert found[-1] == last
        assert len(found) == 3
        assert sum(isinstance(parse_line(line), Event) for line in found) == 1
        (cut,) = (line for line in found if line.endswith("\u2026"))
        assert isinstance(parse_line(cut), Unknown)


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    found = read(tmp_path / "a.log", MOVED.encode().replace(b"t-0", b"\xff\xfe\xf0-0") + b"\r\r\n\xed\xa0\x80\n")
    assert found == [MOVED.replace("t-0", "\ufffd\ufffd\ufffd-0"), "\ufffd\ufffd\ufffd"]


def test_noise_is_read_as_something(tmp_path: Path) -> None:
    chance = random.Random(5)
    for _ in range(200):
        noise = bytes(chance.choices(range(256), k=chance.randrange(400)))
        (tmp_path / "a.log").write_bytes(noise)
        lines = Lines(str(tmp_path / "a.log"))
        for line in lines:
            assert isinstance(parse_line(line), Event | Irrelevant | Continuation | Unknown)


@pytest.mark.full
def test_a_line_of_many_states_of_raft_ends() -> None:
    """With any two slots of any text one behind the other its pattern would take hours."""
    begins = "[2026-01-01 10:00:00,000] INFO [RaftManager id=1] Completed transition to Unattached(epoch=2, "
    for many in ("voters=[1], ", ") from A(x", "voters=[1], ) from A(x"):
        text = begins + many * 20_000 + " (org.apache.kafka.raft.QuorumState)"
        assert not isinstance(parse_line(text), Event)
