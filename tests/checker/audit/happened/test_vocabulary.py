"""The vocabulary of what happened, and how several entries become one."""

from __future__ import annotations

from dataclasses import replace

from isrproof.checker.audit.findings.happened import Happened, so_far
from isrproof.checker.audit.happened.collected import as_shown, health
from isrproof.checker.audit.happened.moments import saying
from isrproof.specs.happenings import happenings
from isrproof.traces.place import Place


def test_each_line_names_a_word() -> None:
    assert {row.happens for row in saying().values()} <= {*happenings()}


def test_trouble_has_something_to_do() -> None:
    for word in happenings().values():
        can_be = word.trouble != "never" or word.longer is not None
        assert bool(word.todo) or not can_be, word.what


def test_what_happens_often_is_one_entry_with_a_count() -> None:
    first = Happened("isr-shrunk", since=10, topic="a", partition=0, reason="dropped 2", places=(Place("x", 1),))
    again = replace(first, since=70, places=(Place("x", 9),))
    (shown,) = as_shown([again, first])
    assert (shown.since, shown.until, shown.count) == (10, 70, 2)
    assert [place.line for place in shown.places] == [1, 9]


def test_one_line_counts_once() -> None:
    one = Happened("isr-shrunk", since=10, topic="a", partition=0, places=(Place("x", 1),))
    (shown,) = as_shown([one, one])
    assert shown.count == 1


def test_of_several_spells_the_longest_counts() -> None:
    def spell(since: int, until: int) -> Happened:
        one = Happened("offline", since=since, until=until, topic="a", partition=0, places=(Place("x", since),))
        return so_far(one, ends=None)

    (shown,) = as_shown([spell(0, 20_000), spell(30_000, 31_000)])
    assert (shown.count, shown.longest, shown.until, shown.trouble) == (2, 20_000, 31_000, True)
    (short,) = as_shown([spell(30_000, 31_000)])
    assert not short.trouble


def test_an_election_that_fails_is_trouble_unless_another_succeeds_soon() -> None:
    failed = Happened("election-failed", since=5, topic="a", partition=0)
    assert as_shown([failed])[0].trouble
    healed = so_far(Happened("offline", since=5, until=900, topic="a", partition=0), ends=None)
    assert not any(each.trouble for each in as_shown([failed, healed]))
    lasting = so_far(Happened("offline", since=5, lasts=True, topic="a", partition=0), ends=9)
    assert all(each.trouble for each in as_shown([failed, lasting]))


def test_health() -> None:
    trouble = as_shown([Happened("process-failed", since=1, node=1)])
    assert health(trouble, read=True) == "troubled"
    assert health((), read=True) == "ok"
    assert health((), read=False) == "unknown"
