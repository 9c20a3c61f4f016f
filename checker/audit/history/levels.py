"""The stretch of a stream in which a level is shown: from its first line of that level, or a lower one, to its last.

A level can be raised or lowered while a broker runs, as people do for an incident. Nothing shows that lines of a level
were written above the first of them, or below the last. All lines of the logger of state changes count, whoever speaks:
a logger has one level.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import accumulate

from ....model.expr import const, field
from ....model.sorts import Int, MapOf
from ....specs.lines import STATE_CHANGE, rows_with
from ....specs.machines import LEVELS
from ..fields import LEVEL
from ..table.protocol import Column, Row, Table

LOGGED = "logged"
"""The kind of the rows of `logged`."""
RANK = const({level: rank for rank, level in enumerate(LEVELS)}, MapOf(LEVEL, Int()))[field("level", LEVEL)]
_STATE_CHANGES = rows_with(family=STATE_CHANGE)

LineOfStream = tuple[int, int]
"""The number of a file in its stream, and a line of it."""
LevelStretch = tuple[LineOfStream, LineOfStream]


def logged(events: Table) -> list[Row]:
    """Return by file and level its first and its last line about a state change; a look."""
    lines = events.of_lines(_STATE_CHANGES).present("level").derive(rank=RANK)
    found = lines.grouped(("file", "rank"), first=Column("min", "line"), last=Column("max", "line"))
    return [{"kind": LOGGED} | row for row in found.rows()]


def shown(rows: Iterable[Row], places: Mapping[int, int]) -> dict[int, LevelStretch]:
    """Return by level the stretch in which a stream shows it, from rows of `logged` of its files.

    Args:
        places: the number of each file in the stream.
    """
    of: dict[int, list[LineOfStream]] = defaultdict(list)
    for row in rows:
        of[row["rank"]] += [(places[row["file"]], row[edge]) for edge in ("first", "last")]
    so_far = accumulate((of[rank] for rank in range(len(LEVELS))), lambda lower, own: lower + own)
    return {rank: (min(own), max(own)) for rank, own in enumerate(so_far) if own}
