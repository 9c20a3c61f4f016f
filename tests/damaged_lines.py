"""Lines of all wordings, and the same with something wrong in them."""

from __future__ import annotations

import random
from functools import cache

from isrproof.specs.lines import rows
from isrproof.traces.events.event import Event
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
