"""parse_line(render(event)) == event, for every row, wording and release of the line table."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isrproof.specs.lines import PRIMITIVES, Primitive, Slot, Wording, rows
from isrproof.specs.lines.roles import ENTITIES
from isrproof.specs.machines import machine
from isrproof.specs.releases import RELEASES
from isrproof.traces.events.event import Event, Irrelevant
from isrproof.traces.events.parse import TAILS, parse_line
from isrproof.traces.events.render import filled, render, sample, sample_line, time_text
from isrproof.traces.events.wordings import readers

BROKER = st.integers(-2, 2**31 - 1)
TOPIC = st.from_regex(r"[A-Za-z0-9._-]{1,30}", fullmatch=True)
# "... from OnlinePartition to OnlinePartition with leader" is a wording of its own, which says more.
STATES = {
    of: st.sampled_from([state.name for state in machine(of).states if state.name != "OnlinePartition"])
    for of in ENTITIES
}
# Hypothesis also draws texts that are in the code: none by which wordings are told apart.
TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=40).filter(
    lambda text: not any(tail in text for tail in TAILS)
)
WORD = st.from_regex(r"[A-Za-z0-9_().,:-]{1,30}", fullmatch=True)
BY_KIND: dict[str, st.SearchStrategy[Any]] = {
    "int": BROKER,
    "ints": st.lists(st.integers(0, 2**31 - 1), max_size=5).map(tuple),
    "bool": st.booleans(),
    "recovery": st.sampled_from(["RECOVERED", "RECOVERING"]),
}
BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "index": st.integers(0, 2**31 - 1),
    "csv1": st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=5).map(tuple),
    "topic": TOPIC,
    **dict.fromkeys(("topic-after-id", "topic-in-path"), TOPIC),
    **{f"{of}-state": states for of, states in STATES.items()},
    **{f"{of}-states": st.lists(states, min_size=1, max_size=4).map(tuple) for of, states in STATES.items()},
    "kind": st.sampled_from(["become-leader", "become-follower"]),
    "request": st.sampled_from(["LeaderAndIsr", "UpdateMetadata"]),
    "recovery": st.sampled_from(["RECOVERED", "RECOVERING"]),
    "throwable": st.sampled_from(["java.io.IOException", "scala.MatchError", "a.B$CException"]),
    "election": st.sampled_from(["PREFERRED", "UNCLEAN"]),
    "trigger": st.sampled_from(["AutoTriggered", "ZkTriggered"]),
    "raft-state": st.sampled_from(["Unattached", "FollowerState", "Leader"]),
    "raft-none": st.just("null"),
    "word": WORD,
    "tps": st.lists(st.builds("{}-{}".format, TOPIC, st.integers(0, 99)), min_size=1, max_size=3).map(",".join),
    **dict.fromkeys(("text", "before-proposed"), TEXT),
    "names": st.from_regex("[A-Za-z0-9._-]{0,10}(, [A-Za-z0-9._-]{1,10}){0,2}", fullmatch=True),
    "uuid": st.from_regex("[A-Za-z0-9_-]{22}", fullmatch=True),
    "quoted": TEXT.map(lambda text: text.replace("'", "")),
    "of-record": st.sampled_from(["[1, 2], removingReplicas=[1], addingReplicas=null", "null, removingReplicas=[]"]),
    "errors": st.sampled_from(["NOT_LEADER_OR_FOLLOWER", "UNKNOWN_SERVER_ERROR"]),
    "dir": st.sampled_from(["/d1", "C:\\Program Files\\d-2", "/var/lib/kafka data/x.y"]),
    "path": st.sampled_from(["/d1/t-0", "C:\\d 2\\u-1.0123-delete"]),
    "leader": st.integers(-1, 2**31 - 1),
    "voters": st.lists(st.integers(0, 2**31 - 1), max_size=3).map(tuple),
    "fault": st.sampled_from(["metadata loading", "quorum controller", "raft manager"]),
    "newer-version": st.sampled_from([sample(PRIMITIVES["newer-version"], turn) for turn in (0, 1)]),
    "list-text": st.from_regex("([0-9]{1,3}(, [0-9]{1,3}){0,2})?", fullmatch=True),
    "uuids": st.lists(st.from_regex("[A-Za-z0-9_-]{22}", fullmatch=True), max_size=2).map(", ".join),
    "lagging": st.lists(st.tuples(BROKER, BROKER), min_size=1, max_size=3).map(
        lambda pairs: tuple(n for pair in pairs for n in pair)
    ),
}
BY_NAME["lagging-since"] = BY_NAME["lagging"]


def value_of(primitive: Primitive) -> st.SearchStrategy[Any]:
    return BY_NAME[primitive.name] if primitive.name in BY_NAME else BY_KIND[primitive.kind]


@st.composite
def events(draw: st.DrawFn, wording: Wording) -> tuple[Event, str]:
    """An event of this wording and a release that prints it."""
    level, mask = draw(st.sampled_from(wording.levels))
    release = draw(st.sampled_from([row for row in RELEASES if row.mask & mask]))
    throwable = not rows()[wording.row].loggers
    values: dict[str, Any] = dict(wording.constants)
    values |= {f"{field}_untrue": untrue for field, untrue in wording.untrue}
    for piece in wording.pieces:
        if isinstance(piece, Slot) and piece.field and piece.field not in values:
            values[piece.field] = draw(value_of(piece.primitive))
    ts = None if throwable else draw(st.integers(0, 4_000_000_000_000))
    return Event(wording.row, level or None, ts, **values), release.name


def comparable(event: Event) -> dict[str, Any]:
    return {field.name: getattr(event, field.name) for field in fields(Event) if field.name != "releases"}


KEPT = [reader.wording for reader in readers() if reader.row.kept]
CASES = [pytest.param(wording, id=f"{wording.row}-{number}") for number, wording in enumerate(KEPT)]


@pytest.mark.full(every=12)
@pytest.mark.parametrize("wording", CASES)
def test_what_is_written_is_read(wording: Wording) -> None:
    @settings(max_examples=4)
    @given(events(wording))
    def check(drawn: tuple[Event, str]) -> None:
        event, release = drawn
        line = render(event, release)
        parsed = parse_line(line)
        mask = next(row.mask for row in RELEASES if row.name == release)
        assert isinstance(parsed, Event), line
        assert comparable(parsed) == comparable(event), line
        assert parsed.releases & mask, (line, "the release that printed it is not among those that print it")
        if event.ts is not None:
            again = parse_line(render(replace(event, level=None), release))
            assert isinstance(again, Event)
            assert again.releases & mask, (again, "a line without a level comes at one of another release")

    check()


def test_irrelevant_lines_are_known() -> None:
    for reader in readers():
        if reader.row.kept:
            continue
        for level, mask in reader.wording.levels:
            for turn in (0, 1):
                line = f"[2018-08-03 12:00:00,123] {level} {filled(reader.wording, turn)}"
                line += "" if reader.row.opens else f" ({reader.row.logger(mask)})"
                assert parse_line(line) == Irrelevant(reader.row.id, level, 1_533_297_600_123), line


@pytest.mark.parametrize("row", rows().values(), ids=lambda row: row.id)
def test_the_sample_is_a_line_of_its_row(row: Any) -> None:
    parsed = parse_line(sample_line(row))
    assert isinstance(parsed, Event | Irrelevant), sample_line(row)
    assert parsed.row == row.id
    assert isinstance(parsed, Event) == row.kept


def test_time_is_read_back() -> None:
    assert time_text(1_533_297_600_123) == "2018-08-03 12:00:00,123"


@pytest.mark.parametrize(
    ("line", "state", "leader", "voted"),
    [
        (
            "FollowerState(fetchTimeoutMs=2000, epoch=3, leader=127.0.0.1:24299 (id: 12 rack: null) voters=[11, 12], "
            "highWatermark=Optional.empty, fetchingSnapshot=Optional.empty) from Voted(epoch=3, votedKey=ReplicaKey("
            "id=12, directoryId=Optional.empty), voters=[11, 12], electionTimeoutMs=11, highWatermark=Optional.empty)",
            "Follower",
            12,
            None,
        ),
        (
            "Voted(epoch=3, votedKey=ReplicaKey(id=12, directoryId=Optional.empty), voters=[11, 12, 13], "
            "electionTimeoutMs=1867, highWatermark=Optional.empty) from Unattached(epoch=3, voters=[11, 12, 13], "
            "electionTimeoutMs=391)",
            "Voted",
            None,
            12,
        ),
    ],
)
def test_raft_states_as_kafka_3_8_prints_them(line: str, state: str, leader: int | None, voted: int | None) -> None:
    """Only 3.8 prints the leader with its address, and the vote as a key (from a recorded cluster of 3.8.1)."""
    head = "[2026-11-24 15:23:28,925] INFO [RaftManager id=11] Completed transition to "
    found = parse_line(f"{head}{line} (org.apache.kafka.raft.QuorumState)")
    assert isinstance(found, Event)
    assert (found.raft_state, found.raft_epoch, found.leader, found.voted) == (state, 3, leader, voted)
    assert [each.name for each in RELEASES if each.mask & (found.releases or 0)] == ["3.8"]
