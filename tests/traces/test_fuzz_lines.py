"""Damaged lines: no reader breaks."""

from __future__ import annotations

import pytest
from isrproof.traces.events.event import Continuation, Event, Irrelevant, Unknown
from isrproof.traces.events.parse import parse_line
from isrproof.traces.sources.text import text_of

from tests.damaged_lines import damaged, pool


def test_the_pool_has_lines_of_most_rows() -> None:
    parsed = [parse_line(text_of(line)) for line in pool()]
    assert len({each.row for each in parsed if isinstance(each, Event)}) > 90
    assert len(pool()) > 1_000


@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_damaged_line_is_read_as_something(count: int) -> None:
    found = [parse_line(text_of(line)) for line in damaged(count)]
    kinds = {kind: sum(isinstance(each, kind) for each in found) for kind in (Event, Irrelevant, Continuation, Unknown)}
    assert sum(kinds.values()) == count
    assert all(n > count // 100 for n in kinds.values()), kinds
    assert sum(isinstance(each, Unknown) and each.wrong is not None for each in found) > count // 100
