"""The guards that keep a topic from being deleted or moved, and a broker from taking part: printed, and not printed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from isrproof.checker.audit.findings.brokers import LiveBrokers
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.why.answer import Answer, knowing, why
from isrproof.checker.audit.why.asked import Asked, candidates
from isrproof.checker.audit.why.guards import Refused
from isrproof.checker.audit.why.known import Known
from isrproof.checker.audit.why.refused import refused
from isrproof.checker.audit.why.shown import json_of
from isrproof.specs.errors import IsrproofError
from isrproof.traces.place import Place
from isrproof.traces.timeline import TimelineRow

from tests.metadata_folders import BEGINNING, change, put

LIST = LiveBrokers(90_000, 3, (1, 3), Place("controller.log", line=4))
STUCK = Happened("deletion-stuck", since=100_000, lasts=True, topic="t", reason="replica 2 of t-0 is on a dead broker")
MOVING = Happened("reassignment-running", since=95_000, lasts=True, topic="t", reason="partition 0 to 1, 2, 3, 4")


def known(*entries: Happened, isr: tuple[int, ...] | None = None, live: tuple[LiveBrokers, ...] = (LIST,)) -> Known:
    row = TimelineRow("t", 0, 1, isr, 3, 1, 3, 1, Place("state-change.log", line=8), 96_000)
    return Known(entries, {("t", 0): (row,)}, {}, {}, {}, {}, frozenset(), live)


# ---- Deletions


def test_a_dead_broker_is_not_asked_to_delete_its_replica() -> None:
    text = "replica 2 of t-0 could not be deleted (is on a dead broker; live brokers 1, 3 by controller.log:4): model "
    text += "cluster asks that its broker was asked to delete it, and that its broker lives"
    assert refused(STUCK, known()) == Refused((text,))
    (again,) = refused(STUCK, known(live=(replace(LIST, brokers=(1, 2, 3)), replace(LIST, ts=110_000)))).said
    assert "and that its broker lives" in again
    later = replace(LIST, ts=110_000)
    over = replace(STUCK, lasts=False, until=105_000)
    (asked,) = refused(over, known(live=(replace(LIST, brokers=(1, 2, 3)), later))).said
    assert "lives" not in asked


def test_a_broker_that_lives_and_may_have_been_asked_does_not_keep_a_topic() -> None:
    says = replace(STUCK, reason="replica 1 of t-0 could not be deleted: a stray; replica 3 of t-0 is not eligible")
    found = refused(says, known())
    assert [each[:30] for each in found.said] == ["replica 3 of t-0 could not be d"[:30]]
    assert "lives" not in found.said[0]
    trace = "the state-change.log of the controller then, at TRACE, would show it"
    assert found.unknown == (f"whether replica 1 of t-0 could be deleted: {trace}",)


def test_without_a_list_the_controller_s_log_would_tell_whether_a_broker_lives() -> None:
    found = refused(STUCK, known(live=()))
    assert found.said[0].endswith("(is on a dead broker): model cluster asks that its broker was asked to delete it")
    shows = "the controller.log of the controller then would show it"
    assert found.unknown == (f"whether replica 2 of t-0 could be deleted: {shows}",)


def test_a_topic_that_is_marked_or_moved_is_not_deleted_anew() -> None:
    marked = replace(STUCK, reason="marked ineligible for deletion")
    ineligible, moved = "nothing marks it ineligible for deletion", "no partition of it is being reassigned"
    (text,) = refused(marked, known()).said
    assert (
        text
        == f"the deletion of t could not start (marked ineligible for deletion): model cluster asks that {ineligible}"
    )
    (both,) = refused(marked, known(MOVING)).said
    assert both.endswith(
        f"(marked ineligible for deletion; its reassignment runs): model cluster asks that {ineligible}, and "
        f"that {moved}"
    )
    over = replace(MOVING, lasts=False, until=97_000)
    disabled = replace(STUCK, reason="delete.topic.enable is false: the controller drops the request")
    assert refused(marked, known(over)).said == (text,)
    assert refused(disabled, known(over)) == Refused()
    (shows,) = refused(replace(STUCK, reason=None), known()).unknown
    assert shows.startswith("what keeps topic t: the controller.log and state-change.log")


# ---- Reassignments


KRAFT_OR_NOT = "the logs of the controller then, or in KRaft mode the metadata log, would show it"


def test_a_reassignment_ends_only_with_all_that_it_asks_for_in_sync() -> None:
    found = refused(MOVING, known(isr=(1, 2, 3)))
    (text,) = found.said
    shows = "the server.log of its leader 1, and of 2, would show it"
    assert refused(MOVING, known(isr=(1, 3, 4), live=(replace(LIST, brokers=(1, 2, 3)),))).unknown == (
        f"why 2 has not joined the ISR of t-0: {shows}",
    )
    assert found.unknown == ()  # 4 is gone
    assert text.startswith(
        "the reassignment of t-0 could not end (ISR 1, 2, 3 since 1970-01-01 00:01:36.000 by state-ch"
    )
    assert text.endswith(
        "asked for 1, 2, 3, 4): model cluster asks that all replicas that are asked for are in the ISR"
    )
    assert refused(MOVING, known(isr=(1, 2, 3, 4))) == Refused()
    assert refused(replace(MOVING, lasts=False, until=99_000), known(isr=(1, 2, 3))) == Refused()
    (shows,) = refused(MOVING, known(live=())).unknown
    assert shows == f"whether the replicas that topic t is to get are in sync: {KRAFT_OR_NOT}"
    (shows,) = refused(MOVING, known()).unknown
    assert shows.startswith(
        "whether the replicas 1, 2, 3, 4 of t-0 are in sync: the state-change.log of the controller"
    )


ADDS = {"replicas": [1, 2, 3, 4], "addingReplicas": [4], "removingReplicas": [3], "directories": ["A" * 22] * 4}
NEW = json.loads(BEGINNING[6])["data"] | {"brokerId": 4, "brokerEpoch": 13, "incarnationId": "process4AAAAAAAAAAAAAA"}


def record(offset: int, kind: str, **data: object) -> str:
    return json.dumps({"offset": offset, "epoch": 1, "type": kind, "data": data})


REGISTERS = record(13, "REGISTER_BROKER_RECORD", **NEW)
UNFENCED = record(14, "UNFENCE_BROKER_RECORD", id=4, epoch=13)


def ask(folder: Path, *lines: str, node: int | None = None) -> Answer:
    put(folder, 1, [*BEGINNING, *lines])
    asked = Asked(topic="orders") if node is None else Asked(node=node)
    return why([str(folder)], asked, Options(engine="python"))


ENDS = "a reassignment ends when all replicas"


def test_a_fenced_broker_cannot_join_the_isr_that_a_reassignment_waits_for(tmp_path: Path) -> None:
    answer = ask(tmp_path, REGISTERS, change(14, **ADDS))
    assert answer.guards == (
        f"the reassignment of orders-0 could not end (ISR 1, 2, 3; adding 4; removing 3): model kraft of 4.2 asks "
        f"that {ENDS} that stay are in the ISR; model kraft of 4.4 asks that {ENDS} that it adds are in the ISR, or "
        "all that stay if it removes more",
        "4 could not join the ISR of orders-0 (Fenced; leader 1): model kraft asks that all members are active",
    )
    found = json_of(answer.chain, answer.guards)
    assert [each["what"] for each in found["chain"]] == ["reassignment-running", "fenced"]
    assert found["cause"] == found["chain"][-1]
    assert found["guards"] == [*answer.guards]


def test_why_an_active_broker_has_not_joined_is_not_known(tmp_path: Path) -> None:
    answer = ask(tmp_path, REGISTERS, UNFENCED, change(15, **ADDS))
    assert len(answer.guards) == 1
    assert answer.chain.cause is None
    assert answer.code == 3
    assert answer.chain.unknown == (
        "why 4 has not joined the ISR of orders-0: no clause of model kraft fails; the server.log of its leader 1, and "
        "of 4, would show it",
    )


def test_a_release_that_would_have_ended_a_reassignment_is_named(tmp_path: Path) -> None:
    answer = ask(tmp_path, REGISTERS, UNFENCED, change(15, **ADDS), change(16, isr=[1, 3, 4]))
    assert answer.chain.entries[0].entry.what == "reassignment-stuck"
    assert answer.guards[0].endswith(
        f"model kraft of 4.2 asks that {ENDS} that stay are in the ISR; that of 4.4 lets it end"
    )


def test_nobody_joins_the_isr_of_a_partition_without_a_leader(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, REGISTERS, UNFENCED, change(15, **ADDS), change(16, leader=-1, isr=[3])])
    (found,) = knowing([str(tmp_path)], Options(engine="python")).values()
    (entry,) = found.of_kind("reassignment-running")
    said = refused(entry, found).said
    assert "4 could not join the ISR of orders-0 (Unfenced; leader none): model kraft asks that somebody leads" in said


def test_a_reassignment_that_ended_is_no_question(tmp_path: Path) -> None:
    over = change(16, replicas=[1, 2, 4], isr=[1, 2, 4], addingReplicas=[], removingReplicas=[])
    put(tmp_path, 1, [*BEGINNING, REGISTERS, UNFENCED, change(15, **ADDS, isr=[1, 2, 3, 4]), over])
    (found,) = knowing([str(tmp_path)], Options(engine="python")).values()
    (entry,) = found.of_kind("reassignment-running")
    assert refused(entry, found) == Refused()
    with pytest.raises(IsrproofError):
        candidates(Asked(topic="orders"), found)


# ---- Registrations


LATE = [record(14 + each, "NO_OP_RECORD") for each in range(61)]


def test_a_broker_that_registered_can_be_unfenced_and_its_log_would_tell_why_it_was_not(tmp_path: Path) -> None:
    answer = ask(tmp_path, REGISTERS, *LATE, node=4)
    assert answer.guards == ()
    assert answer.chain.unknown[-1].startswith(
        "why node 4 was not unfenced: no clause of model kraft fails; the server"
    )


def test_a_broker_that_is_not_registered_cannot_be_unfenced(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, REGISTERS, record(14, "UNREGISTER_BROKER_RECORD", brokerId=4, brokerEpoch=13)])
    (found,) = knowing([str(tmp_path)], Options(engine="python")).values()
    asks = Happened("registration-refused", since=10**13, lasts=True, node=4)
    text = "node 4 could not be unfenced (Unregistered): model kraft asks that it is fenced"
    assert refused(asks, found) == Refused((text,))
    assert refused(replace(asks, lasts=False, until=10**13 + 1), found) == Refused()
    assert refused(asks, known()) == Refused()  # ZooKeeper mode: no record of a registration
