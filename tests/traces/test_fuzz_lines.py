"""Damaged lines: no reader breaks."""

from __future__ import annotations

import random
from functools import cache

import pytest
from isrproof.specs.lines import rows
from isrproof.traces.events.event import Continuation, Event, Irrelevant, Unknown
from isrproof.traces.events.frequent import frequent
from isrproof.traces.events.parse import parse_line
from isrproof.traces.sources.text import Lines, text_of

from tests.mangled_bytes import flipped, inserted, mangled
from tests.recordings import RECORDED


@cache
def pool() -> tuple[bytes, ...]:
    """Lines of all kinds: samples of the table, and some of each recording."""
    found = [row.sample.encode() for row in rows().values() if row.sample]
    for log in sorted(RECORDED.glob("*/broker-1/*.log*")):
        found += (line.encode() for line in [*Lines(str(log))][:3000:5] if line)
    return tuple(found)


@cache
def common() -> tuple[bytes, ...]:
    """Lines of the frequent wordings."""
    rows_read = {reader.row.id for reader in frequent()}
    parsed = ((line, parse_line(text_of(line))) for line in pool())
    return tuple(line for line, each in parsed if isinstance(each, Event) and each.row in rows_read)


def damaged(count: int) -> list[bytes]:
    """Every second is a common line in which hardly anything is wrong."""
    chance = random.Random(count)
    found = []
    for number in range(count):
        gentle = chance.choice((flipped, inserted, lambda _, line, __: line))
        some = chance.choice(common())
        found.append(mangled(chance, pool()) if number % 2 else gentle(chance, some, some))
    return [line.replace(b"\n", b" ") for line in found]


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
