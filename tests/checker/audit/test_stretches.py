"""Stretches hold what one of them holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from isrproof.checker.audit.history.stretches import Stretches

STRETCH = st.tuples(st.integers(0, 9), st.integers(0, 9))


@given(st.lists(STRETCH, max_size=12), STRETCH)
def test_stretches_hold_what_one_of_them_holds(added: list[tuple[int, int]], asked: tuple[int, int]) -> None:
    """A stretch may end before it begins: times in a log go back."""
    stretches = Stretches()
    for first, last in added:
        stretches.add(first, last)
    assert stretches.hold(*asked) == any(first <= asked[0] and asked[1] <= last for first, last in added)
