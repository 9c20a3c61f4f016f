"""Stretches of time of which one may hold another."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Stretches:
    """Stretches, first to last; to add one, or to find whether one holds another, does not look at each of them."""

    def __init__(self) -> None:
        # Those that no other holds: sorted by their firsts, and so by their lasts.
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def hold(self, first: int, last: int) -> bool:
        """Return True if one of the stretches begins no later than this one and ends no earlier."""
        at = bisect_right(self._firsts, first)
        return at > 0 and self._lasts[at - 1] >= last

    def add(self, first: int, last: int) -> None:
        if self.hold(first, last):
            return
        at, end = bisect_left(self._firsts, first), bisect_right(self._lasts, last)
        self._firsts[at:end] = [first]
        self._lasts[at:end] = [last]
