"""Entries that are the sign of a known bug, in releases that have it and in others."""

from __future__ import annotations

import pytest
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.happened.named import with_names

FENCED = Happened("fenced", since=100_000, until=103_000, node=2)
UNSENT = Happened("controller-unreachable", since=95_000, until=99_000, reason="broker 2 got nothing through to it")
SILENT = Happened(
    "registration-unanswered", since=95_000, node=1, reason="its request timed out before it could be sent"
)


def named(ran: tuple[str, ...], *entries: Happened) -> list[tuple[str | None, str | None]]:
    return [(each.issue, each.reason) for each in with_names(entries, ran)][:1]


def test_a_reassignment_that_waits_is_a_bug_up_to_its_fix() -> None:
    said = "4, to be added, is in sync; 2, which stays, is not"
    stuck = Happened("reassignment-stuck", since=0, topic="t", partition=0, reason=said)
    assert named(("4.2.2",), stuck) == [("KAFKA-19975", f"{said} (KAFKA-19975, fixed in 4.3.0)")]
    assert named(("4.3.0",), stuck) == [(None, said)]
    assert named(("4.2.2",), Happened("reassignment-stuck", reason="a broker is gone")) == [(None, "a broker is gone")]


LIKE = "(looks like KAFKA-19294, fixed in 3.9.2, 4.0.1 and 4.1.0)"


def test_a_broker_that_is_fenced_while_its_heartbeats_are_not_sent_looks_like_a_bug() -> None:
    assert named(("3.9.1",), FENCED, UNSENT) == [(None, LIKE)]
    assert named((), FENCED, UNSENT) == [(None, LIKE)]
    assert named(("3.9.2",), FENCED, UNSENT) == [(None, None)]
    assert named(("3.9.1", "3.9.2"), FENCED, UNSENT) == [(None, LIKE)]


@pytest.mark.parametrize(
    "other",
    [
        Happened("process-lost", since=110_000, node=2),
        Happened("controller-active", since=90_000, node=1),
    ],
)
def test_a_process_that_ends_or_another_controller_explains_it(other: Happened) -> None:
    assert named(("3.9.1",), FENCED, UNSENT, other) == [(None, None)]


@pytest.mark.parametrize(
    "other",
    [
        Happened("controller-unreachable", since=95_000, until=99_000, reason="broker 22 got nothing through to it"),
        Happened("controller-unreachable", since=101_000, reason="broker 2 got nothing through to it"),
        Happened("controller-unreachable", since=10_000, until=20_000, reason="broker 2 got nothing through to it"),
    ],
)
def test_the_heartbeats_of_another_broker_or_time_explain_nothing(other: Happened) -> None:
    assert named(("3.9.1",), FENCED, other) == [(None, None)]


def test_a_mark_is_sure_only_if_all_releases_that_ran_have_the_bug() -> None:
    said = SILENT.reason
    sure = f"{said} (KAFKA-20247, fixed in 4.2.1 and 4.3.0)"
    like = f"{said} (looks like KAFKA-20247, fixed in 4.2.1 and 4.3.0)"
    assert named(("4.2.0",), SILENT) == [("KAFKA-20247", sure)]
    assert named(("4.2.0", "4.3.0"), SILENT) == [(None, like)]
    assert named((), SILENT) == [(None, like)]
    assert named(("4.2.1",), SILENT) == [(None, said)]
