"""Counts that brokers print of requests, beside those that their controller printed (history/sent.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.checker.audit.history.sent import _Line, _matched

COUNTS = st.lists(st.integers(1, 4), min_size=1, max_size=12)


def lines(totals: Sequence[int]) -> list[_Line]:
    return [_Line((0, at), total, {"file": 0, "line": at, "total": total}) for at, total in enumerate(totals)]


def misfits(taken: Sequence[int], sent: Sequence[int]) -> list[int]:
    return [row["line"] for row in _matched(lines(taken), lines(sent)) if row["total"] != row["sent_total"]]


@given(COUNTS, st.data())
def test_what_is_lost_or_sent_again_fits(sent: list[int], data: Any) -> None:
    times = [data.draw(st.integers(0, 2)) for _ in sent]
    taken = [total for total, n in zip(sent, times, strict=True) for _ in range(n)]
    assert misfits(taken, sent) == []


@given(COUNTS, COUNTS)
def test_a_count_that_was_never_sent_does_not_fit(before: list[int], after: list[int]) -> None:
    assert misfits([*before, 9, *after], [*before, *after]) == [len(before)]


@pytest.mark.parametrize(
    ("taken", "sent", "wrong"),
    [
        ([4, 3, 5, 3], [4, 2, 5, 3], [1]),  # what is sent later does not excuse it
        ([3, 5, 3], [2, 5, 3], []),  # nothing before it
        ([4, 5, 6], [4, 5], []),  # nothing after it
        ([4, 9, 4, 5], [4, 5], [1]),  # the one before may have been sent again
    ],
)
def test_a_request_is_judged_between_two_that_fit(taken: list[int], sent: list[int], wrong: list[int]) -> None:
    assert misfits(taken, sent) == wrong


def test_of_very_many_the_first_that_could_be_is_taken() -> None:
    many = [1, 2] * 1_000
    assert misfits([*many, 9, *many], [*many, 7, *many]) == [len(many)]
