"""Facts about partitions in lines: creations that go together, and ISRs that no line shows."""

from __future__ import annotations

import pytest
from isrproof.checker.conformance.partitions import CREATED, Partitions, Together
from isrproof.traces.events.event import Event


def _created(topic: str, number: int, epoch: int = 1) -> Event:
    return Event("partition-created", topic=topic, partition=number, controller_epoch=epoch, replicas=(1, 2))


def _moved(topic: str, epoch: int = 1) -> Event:
    return Event("replica-moved", topic=topic, partition=0, controller_epoch=epoch, replica=1, to_state="NewReplica")


def test_what_a_controller_finds_at_one_time_is_told_line_after_line() -> None:
    compared = [_created("a", 0), _created("a", 1), _moved("a"), _created("b", 0), _created("c", 0, 2), _moved("c", 2)]
    first, cut, last = Partitions(compared, compared).created_together
    assert first == Together(frozenset({("a", 0), ("a", 1)}), is_cut=False)
    assert cut == Together(frozenset({("b", 0)}), is_cut=True)  # its controller says no more: it may have died
    assert last == Together(frozenset({("c", 0)}), is_cut=False)
    assert not first.may_be(frozenset({("a", 0)}))
    assert cut.may_be(frozenset({("b", 0), ("b", 1)}))
    assert not cut.may_be(frozenset({("b", 1)}))
    assert Partitions([_moved("a")], [_moved("a")]).created_together == []


def _isr(version: int, epoch: int, *isr: int) -> Event:
    return Event("partition-online", topic="a", partition=0, partition_epoch=version, leader_epoch=epoch, isr=isr)


@pytest.mark.parametrize(
    ("version", "epoch", "isr", "can", "must"),
    [
        (2, 1, {2, 3}, True, True),  # version 3 of epoch 2: one election and one change by a leader
        (2, 1, {1, 2}, True, False),  # an election adds nobody, so 3 was in the ISR
        (2, 2, {3}, True, True),  # the election before it, and then the change
        (3, 2, {3}, False, False),  # is told, as it is
        (2, 0, {3}, False, False),  # two elections come after it, but one version only
        (4, 2, {3}, False, False),  # no later version is told
    ],
)
def test_a_version_between_two_that_are_told_is_a_leaders(
    version: int, epoch: int, isr: set[int], can: bool, must: bool
) -> None:
    found = Partitions([_isr(1, 1, 2), _isr(3, 2, 3)], [])
    assert found.can_be_unseen(("a", 0), epoch, version) is can
    assert found.must_be_unseen(("a", 0), epoch, version, frozenset(isr)) is must


def test_what_an_election_follows_has_all_that_it_shows() -> None:
    """From 2 to 3 a controller wrote, who adds nobody; from 2 to 4 a leader, too, who may have added 3."""
    found = Partitions([_isr(1, 1, 2), _isr(3, 2, 2, 3)], [])
    assert found.must_be_unseen(("a", 0), 1, 2, frozenset({1, 2, 3}))
    assert not found.must_be_unseen(("a", 0), 1, 2, frozenset({2}))
    assert Partitions([_isr(1, 1, 2), _isr(4, 2, 2, 3)], []).must_be_unseen(("a", 0), 1, 2, frozenset({2}))


def test_only_topics_of_several_partitions_are_large() -> None:
    queued = Event("topic-deletion-queued", detail="a,b", ts=5)
    compared = [_created("a", 0), _created("a", 1), _created("b", 0)]
    assert Partitions([*compared, queued], compared).large_deleted == {"a": queued}


def _asked(row: str = "reassignment-handled", ts: int = 5, **told: tuple[int, ...]) -> Event:
    return Event(row, topic="a", partition=0, controller_epoch=1, ts=ts, **told)  # type: ignore[arg-type]


def test_what_a_reassignment_asks_for_is_not_what_a_partition_had() -> None:
    """Up to 2.3 a line lists only the requested replicas; earlier lines are about the previous replicas."""
    online = Event("partition-online", topic="a", partition=0, controller_epoch=1, ts=4, leader=3, isr=(3,))
    later = Event("partition-online", topic="a", partition=0, controller_epoch=1, ts=6, leader=1, isr=(1,))
    found = Partitions([online, _asked(replicas=(1, 2)), later], [online, later])
    assert found.assignments == {("a", 0): frozenset()}
    assert found.unlisted == {("a", 0): {3}}
    assert not found.are_listed
    assert found.reassigned is not None


def test_since_2_4_a_reassignment_tells_what_a_partition_had() -> None:
    """All replicas but the added ones, in an unknown order."""
    asked = _asked(replicas=(1, 2, 3), adding=(1,), removing=(3,))
    found = Partitions([asked], [_moved("a")])
    assert found.assignments == {("a", 0): {(2, 3), (3, 2)}}
    assert found.unlisted == {}
    assert found.are_listed


@pytest.mark.parametrize("row", ["reassignment-handled", "reassignment-leader-checked"])
def test_replicas_in_another_order_are_a_reassignment_too(row: str) -> None:
    made = _created("a", 0)
    assert Partitions([made], [made]).reassigned is None
    assert Partitions([made, _asked(row, replicas=(2, 1))], [made]).reassigned is not None


def test_what_a_controller_speaks_of_before_it_creates_it_was_there() -> None:
    """If the level shows creations, it is that of elections."""
    online = Event("partition-online", topic="b", partition=0, controller_epoch=1, isr=(1,))
    compared = [_moved("a"), _created("c", 0), online, _created("a", 0), _moved("c"), _moved("c", 2)]
    found = Partitions(compared, compared).found
    assert found == {1: {("a", 0), ("b", 0)}, 2: {("c", 0)}}
    assert Partitions([_moved("a")], [_moved("a")]).found == {}


def test_changes_of_isrs_that_lines_tell_that_are_not_compared() -> None:
    """A leader's write raises only the version; brokers print its version, or only the ISR that they have."""
    online = Event("partition-online", topic="a", partition=0, isr=(1, 2), leader_epoch=0, partition_epoch=0)
    sent = Event("update-metadata-sent", ts=7, topic="a", partition=0, isr=(1,), leader_epoch=0, partition_epoch=1)
    shrinks = Event("isr-shrinks", ts=5, topic="a", partition=0, isr=(1,))
    assert Partitions([online, sent, shrinks], [online]).other_isr_changes == {("a", 0): 5}
    assert Partitions([online, shrinks], [online]).announced == {(("a", 0), frozenset({1}))}
    elected = Event("partition-online", topic="a", partition=0, isr=(1,), leader_epoch=1, partition_epoch=2)
    told = Partitions([online, sent, elected], [online, elected])
    assert (told.other_isr_changes, told.isr_changes_begin) == ({}, 1)
    assert Partitions([online], [online]).other_isr_changes == {}


def test_a_controller_speaks_of_partitions_whose_creation_no_line_tells() -> None:
    """It has taken note of the partitions that it prints: the search creates these first."""
    lines = [
        Event("partition-refused", controller_epoch=1, topic="a", partition=0),
        Event(CREATED, controller_epoch=1, topic="b", partition=0, replicas=(1, 2)),
        Event("partition-online", controller_epoch=2, topic="b", partition=0),
    ]
    assert Partitions(lines, lines).spoken_of == {1: {("a", 0)}}
