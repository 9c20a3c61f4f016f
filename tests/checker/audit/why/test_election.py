"""The guard of the model's election, evaluated at the state that records show."""

from __future__ import annotations

from dataclasses import replace

from isrproof.checker.audit.findings.brokers import LiveBrokers
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.findings.metadata import BrokerChange
from isrproof.checker.audit.findings.state import Condition
from isrproof.checker.audit.sources.metadata.course import Needed
from isrproof.checker.audit.why.election import not_elected
from isrproof.checker.audit.why.guards import Refused
from isrproof.checker.audit.why.known import Known
from isrproof.checker.audit.why.refused import refused
from isrproof.traces.place import Place
from isrproof.traces.timeline import TimelineRow

HERE = Place("log", offset=9)
OFFLINE = Happened("offline", since=1_000, lasts=True, topic="t", partition=0, places=(HERE,))
ROW = TimelineRow("t", 0, -1, (5,), 1, 1, 1, 1, HERE, 1_000)
SHOWN = Condition("offline", "t", 0, 1, -1, (5,), (5, 7), HERE, 1_000, None, None, "lasts")


def known(states: dict[int, str], elr: tuple[int, ...] = (), row: TimelineRow = ROW) -> Known:
    registrations = {node: [BrokerChange(1, 500, node, 1, state)] for node, state in states.items()}
    needed = {("t", 0, 9): Needed(elr, (), ())}
    return Known((OFFLINE,), {("t", 0): (row,)}, {("offline", HERE): SHOWN}, {}, registrations, needed, frozenset())


def test_a_fenced_member_of_the_isr_is_not_active_and_others_are_not_in_sync() -> None:
    fenced, behind = not_elected(OFFLINE, known({5: "Fenced", 7: "Unfenced"})).said
    assert fenced == "5 could not be elected (Fenced; ISR 5): model kraft asks that the elected replica is active"
    assert behind.startswith(
        "7 could not be elected (Unfenced; ISR 5): model kraft asks that the elected replica is in"
    )
    assert behind.endswith(": an unclean election could make it the leader")


def test_one_that_is_eligible_and_active_could_be_elected() -> None:
    empty = replace(ROW, isr=())
    said = not_elected(OFFLINE, known({5: "Fenced", 7: "Unfenced"}, elr=(7,), row=empty)).said
    assert [each[:24] for each in said] == ["5 could not be elected ("]


def test_without_a_record_of_the_state_nothing_is_evaluated() -> None:
    by_line = replace(OFFLINE, places=(Place("a", line=1),))
    assert not_elected(by_line, known({5: "Fenced"})) == Refused()
    assert refused(replace(OFFLINE, what="under-replicated"), known({5: "Fenced"})) == Refused()


# ---- In ZooKeeper mode

STATES = Place("broker-3/state-change.log", line=7)
LED = replace(ROW, leader=5, isr=(5, 7), place=replace(STATES, line=2), ts=500)
LOST = replace(ROW, isr=(7,), leader_epoch=2, place=STATES)
LEADERLESS = replace(OFFLINE, places=(STATES,))


def listed(*lists: tuple[int, tuple[int, ...]], replicas: tuple[int, ...] | None = None) -> Known:
    live = tuple(LiveBrokers(ts, 3, brokers, Place("controller.log", line=ts)) for ts, brokers in lists)
    shown = replace(SHOWN, replicas=replicas, isr=(7,), place=STATES)
    active = Happened("controller-active", since=100, node=3, epoch=1)
    entries, states = (active, LEADERLESS), {("t", 0): (LED, LOST)}
    return Known(entries, states, {("offline", STATES): shown}, {}, {}, {}, frozenset(), live)


def test_nobody_of_the_isr_is_online_by_the_list_of_live_brokers() -> None:
    text = "no leader could be elected (ISR 5, 7; live brokers 2, 3 by controller.log:900): model cluster asks that a "
    text += "member of the ISR is online"
    assert not_elected(LEADERLESS, listed((900, (2, 3)))) == Refused((text,))
    unclean = not_elected(LEADERLESS, listed((900, (2, 3)), replicas=(5, 7, 8, 9, 3)))
    assert unclean.said == (f"{text}: an unclean election could make 3 the leader",)


def test_a_live_member_of_the_isr_lets_the_guard_hold() -> None:
    assert not_elected(LEADERLESS, listed((900, (3, 7)), replicas=(5, 8, 9, 7))) == Refused()
    assert not_elected(LEADERLESS, listed((900, (3, 7)), (950, (3,)))).said
    assert not_elected(LEADERLESS, listed()) == Refused()  # the chain says which file would show it


def test_without_a_list_before_it_the_controller_s_log_would_tell() -> None:
    shows = "whether a member of the ISR 5, 7 was alive: the controller.log of the controller then would show it"
    assert not_elected(LEADERLESS, listed((1_100, (3,)))) == Refused(unknown=(shows,))


def test_an_isr_that_the_next_leader_had_joined_is_not_known() -> None:
    found = listed((900, (2, 3)))
    elected = replace(LOST, leader=3, isr=(3,), partition_epoch=4)
    assert not_elected(LEADERLESS, replace(found, states={("t", 0): (LED, elected)})) == Refused()
    at_once = replace(elected, partition_epoch=2)
    assert not_elected(LEADERLESS, replace(found, states={("t", 0): (LED, at_once)})).said
