"""Each link is drawn in one case, and not in another that differs in the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pytest
from isrproof.checker.audit.findings.brokers import LiveBrokers
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.findings.metadata import BrokerChange
from isrproof.checker.audit.findings.state import Condition
from isrproof.checker.audit.why.goings import Sign
from isrproof.checker.audit.why.known import Known
from isrproof.checker.audit.why.link import Chain
from isrproof.checker.audit.why.table import LINKS, chain_of
from isrproof.traces.place import Place
from isrproof.traces.timeline import TimelineRow

KEY = ("t", 0)
LOST = Happened("process-lost", since=96_000, until=130_000, node=1, places=(Place("node-1", line=9),))
GONE = Happened("session-expired", since=100_000, node=1, places=(Place("controller", line=1),))
OFFLINE = Happened(
    "offline", since=101_000, until=141_000, longest=40_000, topic="t", partition=0, places=(Place("states", line=3),)
)
UNDER = replace(OFFLINE, what="under-replicated", places=(Place("states", line=2),), since=100_500)


def row(line: int, ts: int, isr: Sequence[int], leader: int = 1, epoch: int = 0) -> TimelineRow:
    return TimelineRow("t", 0, leader, tuple(isr), epoch, 1, epoch, 1, Place("states", line=line), ts)


def known(
    *entries: Happened,
    rows: Iterable[TimelineRow] = (),
    signs: Mapping[int, Sequence[Sign]] | None = None,
    conditions: Sequence[Condition] = (),
) -> Known:
    ordered = tuple(sorted(entries, key=lambda each: each.order))
    shown = {(each.condition, each.place): each for each in conditions}
    return Known(ordered, {KEY: tuple(rows)}, shown, signs or {}, {}, {}, frozenset())


def gone(entry: Happened) -> dict[int, list[Sign]]:
    assert entry.node is not None
    assert entry.since is not None
    return {entry.node: [Sign(entry.node, 1, None), Sign(entry.node, entry.since, entry)]}


def condition(entry: Happened, replicas: Sequence[int], isr: Sequence[int] | None = None) -> Condition:
    of = None if isr is None else tuple(isr)
    return Condition(
        entry.what, "t", 0, 1, None, of, tuple(replicas), entry.places[0], entry.since, entry.until, "led", "over"
    )


DROPPED = Happened(
    "isr-shrunk", since=100_500, topic="t", partition=0, node=2, reason="1 (40 records behind)",
    places=(Place("states", line=2),),
)  # fmt: skip
ALONE = [row(1, 50_000, [1])]
ALONE_2 = [row(1, 50_000, [2], leader=2)]
LISTS = (LiveBrokers(90_000, 2, (2, 3), Place("controller", line=1)), LiveBrokers(99_000, 2, (2,), Place("c", line=2)))
PAIR = [row(1, 50_000, [1, 2])]
SHRINKS = [row(1, 50_000, [2, 1], leader=2), row(2, 100_500, [2], leader=2, epoch=1)]
LAGGED = [row(1, 50_000, [2, 1], leader=2), row(2, 100_500, [2], leader=2)]
REASSIGNING = Happened("reassignment-running", since=100_000, until=102_000, topic="t")
DELETING = replace(REASSIGNING, what="deletion-running")
UNCLEAN = Happened("unclean-election", since=141_000, topic="t", partition=0, node=2)
FIRST = Happened("controller-active", since=1_000, until=101_000, node=1, epoch=1)
NEXT = Happened("controller-active", since=101_000, lasts=True, node=2, epoch=2)
LEADERLESS = Happened(
    "quorum-without-leader", since=100_900, until=101_000, epoch=1, reason="node 1 led epoch 1; fetches"
)
IN_ORDER = Happened("process-stopped", since=99_500, node=1)
RESIGNED = Happened("controller-resigned", since=100_950, node=1, epoch=1)
STUCK = Happened("deletion-stuck", since=101_000, topic="t", reason="replica 1 of t-0 is not eligible")
FAILED_DISK = Happened("directory-failed", since=99_000, node=1)
LOST_RECORDS = Happened("records-lost", since=142_000, topic="t", partition=0)
AT_CREATION = replace(UNDER, places=(Place("states", line=1),))
CREATED = [row(1, 100_500, [2], leader=2)]
BACK_AGAIN = {1: [*gone(GONE)[1], Sign(1, 100_400, None), Sign(1, 190_000, GONE)]}
MOVED = replace(UNDER, places=(Place("states", line=8),))


def shifted(entry: Happened, by: int) -> Happened:
    assert entry.since is not None
    return replace(entry, since=entry.since + by, until=None if entry.until is None else entry.until + by)


OF_PROCESSES = (
    *("session-expired", "fenced", "unregistered"),
    *("broker-unreachable", "controller-unreachable", "voter-unreachable"),
)
CASES = [
    ("offline by the ISR's death", OFFLINE, known(rows=ALONE, signs=gone(GONE)), known(rows=PAIR, signs=gone(GONE))),
    (
        "offline by the leader's death", replace(OFFLINE, until=101_050),
        known(rows=PAIR, signs=gone(GONE)), known(rows=PAIR, signs={2: gone(replace(GONE, node=2))[2]}),
    ),
    (
        "offline from its creation", OFFLINE,
        known(Happened("created", since=101_000, topic="t"), signs=gone(GONE), conditions=[condition(UNDER, [1])]),
        known(Happened("created", since=101_000, topic="t"), signs=gone(GONE), conditions=[condition(UNDER, [1, 2])]),
    ),
    ("offline by a deletion", OFFLINE, known(DELETING, rows=PAIR), known(replace(DELETING, topic="u"), rows=PAIR)),
    (
        "election-failed while offline", Happened("election-failed", since=102_000, topic="t", partition=0),
        known(OFFLINE), known(replace(OFFLINE, partition=1)),
    ),
    ("unclean-election after offline", UNCLEAN, known(OFFLINE), known(replace(OFFLINE, until=120_000))),
    (
        "unclean-election by the ISR's death", replace(UNCLEAN, since=101_000),
        known(rows=ALONE, signs=gone(GONE)), known(rows=ALONE, signs=gone(shifted(GONE, 5_000))),
    ),
    ("records-lost by election", LOST_RECORDS, known(UNCLEAN), known(shifted(UNCLEAN, 60_000))),
    ("under-replicated by a smaller ISR", UNDER, known(rows=SHRINKS), known(rows=SHRINKS[:1])),
    (
        "under-min-isr by a smaller ISR", replace(UNDER, what="under-min-isr"),
        known(rows=SHRINKS), known(rows=[SHRINKS[0], row(2, 100_500, [1, 2, 3])]),
    ),
    *(
        (
            f"{of} by its leader's words", replace(UNDER, what=of),
            known(DROPPED), known(replace(DROPPED, places=(Place("another", line=2),))),
        )
        for of in ("under-replicated", "under-min-isr")
    ),
    (
        "under-replicated from its creation", AT_CREATION,
        known(rows=CREATED, signs=gone(GONE), conditions=[condition(AT_CREATION, [2, 1])]),
        known(rows=CREATED, signs=gone(GONE), conditions=[condition(AT_CREATION, [2, 3])]),
    ),
    ("under-replicated by a reassignment", MOVED, known(REASSIGNING), known(shifted(REASSIGNING, -60_000))),
    (
        "isr-shrunk by a follower's death", UNDER,
        known(rows=SHRINKS, signs=gone(GONE)), known(rows=SHRINKS, signs=BACK_AGAIN),
    ),
    (
        "isr-shrunk by a reassignment", UNDER,
        known(REASSIGNING, rows=SHRINKS),
        known(replace(REASSIGNING, topic="u"), rows=SHRINKS),
    ),
    (
        "controller-active after no leader", NEXT,
        known(FIRST, NEXT, LEADERLESS),
        known(FIRST, NEXT, replace(LEADERLESS, reason="node 3 led epoch 0; fetches")),
    ),
    (
        "controller-active after a resignation", NEXT,
        known(FIRST, NEXT, RESIGNED),
        known(FIRST, NEXT, replace(RESIGNED, epoch=0)),
    ),
    (
        "controller-active after its end", NEXT,
        known(FIRST, NEXT, signs=gone(GONE)),
        known(FIRST, NEXT, signs=gone(replace(GONE, node=3))),
    ),
    (
        "quorum-without-leader by its end", LEADERLESS,
        known(FIRST, LEADERLESS, LOST),
        known(FIRST, LEADERLESS, replace(LOST, node=3)),
    ),
    (
        "controller-resigned by an order to stop", RESIGNED,
        known(IN_ORDER),
        known(shifted(IN_ORDER, 10_000)),
    ),
    (
        "deletion-stuck by a broker that is gone", STUCK,
        known(signs=gone(GONE)),
        known(signs=gone(replace(GONE, node=2))),
    ),
    (
        "reassignment-stuck by a broker that is gone", replace(STUCK, what="reassignment-stuck"),
        known(signs=gone(GONE)), known(signs={1: [*gone(GONE)[1], Sign(1, 100_900, None)]}),
    ),
    *(
        (
            f"{what} by a broker that has yet to join",
            replace(STUCK, what=what, reason="partition 0 to 1, 2", lasts=True),
            replace(known(rows=ALONE_2, signs=gone(GONE)), live=LISTS),
            replace(known(rows=PAIR, signs=gone(GONE)), live=LISTS),
        )
        for what in ("reassignment-stuck", "reassignment-running")
    ),
    *(
        (
            f"{what} by its process", replace(GONE, what=what), known(LOST),
            known(replace(LOST, since=110_000)),
        )
        for what in OF_PROCESSES
    ),
    *(
        (
            f"{what} by its directory", replace(IN_ORDER, what=what),
            known(FAILED_DISK), known(shifted(FAILED_DISK, 1_000)),
        )
        for what in ("process-stopped", "process-failed")
    ),
]  # fmt: skip


def links(found: Chain) -> list[str]:
    return [each.link for each in found.entries if each.link]


@pytest.mark.parametrize(("name", "entry", "fires", "silent"), CASES, ids=[name for name, *_ in CASES])
def test_a_link_is_drawn_only_where_the_evidence_names_it(
    name: str, entry: Happened, fires: Known, silent: Known
) -> None:
    assert name in links(chain_of(entry, fires))
    assert name not in links(chain_of(entry, silent))


def test_every_link_has_a_case() -> None:
    assert sorted(name for name, *_ in CASES) == sorted(link.name for link in LINKS)


def test_two_that_fit_are_unknown() -> None:
    at_once = {1: gone(GONE)[1], 2: gone(replace(GONE, node=2))[2]}
    found = chain_of(OFFLINE, known(rows=PAIR, signs=at_once))
    assert found.cause is None
    assert found.unknown[0].startswith("which of nodes 1, 2 went last")


def test_of_two_that_went_at_once_the_last_is_the_one_whose_process_ended_last() -> None:
    at_once = {1: gone(GONE)[1], 2: gone(replace(GONE, node=2))[2]}
    earlier = replace(LOST, node=2, since=90_000)
    found = chain_of(OFFLINE, known(LOST, earlier, rows=PAIR, signs=at_once))
    assert found.cause == LOST
    near = chain_of(OFFLINE, known(LOST, replace(LOST, node=2, since=95_000), rows=PAIR, signs=at_once))
    assert near.cause is None


def test_a_node_that_came_back_is_not_the_cause() -> None:
    back = {1: [*gone(GONE)[1], Sign(1, 100_900, None)]}
    found = chain_of(OFFLINE, known(rows=ALONE, signs=back))
    assert found.cause is None
    assert "which member of the ISR 1 went" in found.unknown[0]


def test_a_follower_that_its_leader_dropped_fell_behind() -> None:
    found = chain_of(UNDER, known(rows=LAGGED))
    assert found.cause is not None
    assert (found.cause.what, found.cause.node) == ("isr-shrunk", 1)
    by_controller = chain_of(UNDER, known(rows=SHRINKS))
    assert by_controller.cause is None


def test_followers_that_a_leader_drops_in_its_own_lines_fell_behind() -> None:
    found = chain_of(UNDER, known(DROPPED))
    assert found.cause == replace(DROPPED, node=None)
    assert found.unknown == (
        "why a replica fell behind: its server.log and gc.log, or the machine's log, would show it",
    )


def test_what_a_node_did_after_a_failover_is_not_its_cause() -> None:
    later = replace(LOST, since=108_000, until=130_000)
    signs = gone(shifted(GONE, 10_000))
    assert chain_of(NEXT, known(FIRST, NEXT, later, signs=signs)).cause is None


def test_an_isr_that_a_controller_had_not_printed_is_not_taken_for_the_one_then() -> None:
    long = condition(OFFLINE, [1, 2], isr=[2])
    assert chain_of(OFFLINE, known(rows=ALONE, signs=gone(GONE), conditions=[long])).cause is None


def test_an_unclean_election_does_not_change_the_isr_of_before() -> None:
    after = condition(OFFLINE, [1, 2], isr=[2])
    found = chain_of(OFFLINE, known(UNCLEAN, rows=ALONE, signs=gone(GONE), conditions=[after]))
    assert links(found) == ["offline by the ISR's death"]


def test_a_directory_that_failed_before_the_broker_came_back_did_not_end_it() -> None:
    before = replace(FAILED_DISK, since=95_000)
    stop = Happened("process-stopped", since=100_000, node=1)
    came = {1: [Sign(1, 97_000, None)]}
    assert chain_of(stop, known(before, stop)).cause == before
    assert chain_of(stop, known(before, stop, signs=came)).cause == stop


def test_a_broker_that_no_record_had_unfenced_was_away() -> None:
    registered = {2: [BrokerChange(1, 50_000, 2, 1, "Fenced")]}
    there = {2: [*registered[2], BrokerChange(2, 60_000, 2, 1, "Unfenced")]}
    away = replace(known(), registrations=registered).gone(2, 70_000)
    assert away is not None
    assert (away.what, away.since, away.node) == ("fenced", 50_000, 2)
    assert replace(known(), registrations=registered).gone(2, 40_000) is None
    assert replace(known(), registrations=there).gone(2, 70_000) is None
    assert known().gone(2, 70_000) is None


def test_a_broker_that_no_list_of_the_live_has_was_away() -> None:
    listed = replace(known(), live=LISTS)
    away = listed.gone(1, 100_000)
    assert away is not None
    assert (away.what, away.since, away.node, away.places) == ("unregistered", 90_000, 1, (LISTS[0].place,))
    assert listed.gone(3, 100_000) is None  # it was there: that it went is a sign
    assert listed.gone(1, 80_000) is None
    assert replace(listed, registrations={1: [BrokerChange(1, 200_000, 1, 1, "Fenced")]}).gone(1, 100_000) is None


def test_a_spell_may_be_printed_after_the_creation_that_it_begins_with() -> None:
    later = replace(UNDER, since=100_502, places=(Place("states", line=4),))
    shown = [condition(later, [2, 1])]
    from_start = replace(known(rows=CREATED, conditions=shown), live=LISTS)
    assert links(chain_of(later, from_start)) == ["under-replicated from its creation"]
    grown = [replace(CREATED[0], leader_epoch=1, partition_epoch=1)]
    assert chain_of(later, replace(from_start, states={KEY: grown})).cause is None


def test_a_controller_that_prints_an_earlier_state_again_shows_no_creation() -> None:
    again = replace(known(NEXT, rows=CREATED, conditions=[condition(AT_CREATION, [2, 1])]), live=LISTS)
    after = replace(AT_CREATION, since=101_500)
    assert (
        chain_of(after, replace(again, conditions={(after.what, after.places[0]): condition(after, [2, 1])})).cause
        is None
    )


def test_a_leader_that_joined_the_isr_unprinted_shows_that_somebody_could_lead() -> None:
    at_once = replace(OFFLINE, until=101_020)
    later = row(4, 101_020, [2], leader=2, epoch=1)
    joined = [*ALONE, replace(later, partition_epoch=2)]
    assert links(chain_of(at_once, known(rows=joined, signs=gone(GONE)))) == ["offline by the leader's death"]
    for whole in (ALONE, [*ALONE, later]):  # of two writes in a row none is missing: this election was unclean
        assert links(chain_of(at_once, known(rows=whole, signs=gone(GONE)))) == ["offline by the ISR's death"]
    unclean = replace(UNCLEAN, since=101_020)
    assert links(chain_of(at_once, known(unclean, rows=joined, signs=gone(GONE)))) == ["offline by the ISR's death"]


def test_who_was_not_in_the_isr_is_what_its_own_log_would_tell() -> None:
    found = chain_of(UNDER, known(conditions=[condition(UNDER, [1, 2], isr=[2])]))
    assert found.cause is None
    assert found.unknown[0].startswith(
        "why 1 was not in the ISR: the controller.log of the controller then, and the server"
    )
