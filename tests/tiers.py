"""The tiers of tests: default, full and slow, by their marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

TIERS = ("slow", "full")
"""Marks of tests that the default run leaves out. A test with both is slow."""


def tier_of(item: pytest.Item) -> str:
    return next((tier for tier in TIERS if item.get_closest_marker(tier)), "default")


def keep_some(items: Iterable[pytest.Item]) -> None:
    """Take the mark slow(every=3) from the first of 3 examples of a test, which are then in the full run; then the mark
    full(every=20) from the first of 20 of those, which -m full does not select."""
    for tier in TIERS:
        seen: Counter[str] = Counter()
        for item in items:
            mark = item.get_closest_marker(tier)
            if mark and "every" in mark.kwargs and tier_of(item) == tier:
                function = item.nodeid.partition("[")[0]
                if seen[function] % mark.kwargs["every"] == 0:
                    item.own_markers.remove(mark)
                seen[function] += 1


def left_out_line(counts: Mapping[str, int]) -> str:
    """Return the numbers of tests of tiers that were not requested; nothing if there are none."""
    each = ", ".join(f"{counts[tier]:,} {tier} (pytest --{tier})" for tier in reversed(TIERS) if counts.get(tier))
    return each and f"{sum(counts.values()):,} left out: {each}"
