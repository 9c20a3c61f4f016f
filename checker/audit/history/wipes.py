"""Wipes of a cluster that no epoch shows, because a controller has the same epoch before and after.

All of this must hold: epoch 1 is stated again (`restarts`: its last line per file); the log shows every move; something
is created though it existed and was not deleted; and at that line no history continues: everything that existed before
and appears again is created first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

from ....model.expr import field
from ....model.sorts import Bool
from ..fields import ANYTHING, SEEDED, before, from_state, gap, seen_level, to_state
from ..table.protocol import Row, Table
from .claims import Cut
from .spans import LINES_PER_FILE

Moves = Callable[[Table], Mapping[str, Table]]
"""Returns the moves of each machine that events show, with the state before and the line that showed it."""
OverPartitions = Callable[[Callable[[Table], list[Row]]], list[Row]]
_PLACE = ("file", "line", "before_file", "before_line")
_NEW = {
    "partition": ("NonExistentPartition", "NewPartition"),
    "replica": ("NonExistentReplica", "NewReplica"),
}


def wipes(moves: Moves, over_partitions: OverPartitions, restarts: Mapping[int, int]) -> list[Cut]:
    """Return the first lines of lives that begin without another epoch.

    Args:
        moves: returns the moves of the tenures of epoch 1, or of some of them, from events.
        restarts: per file the last line that states epoch 1.
    """
    anew = over_partitions(partial(_created_again, moves, restarts))
    if not anew:
        return []
    tenures = frozenset(row["tenure"] for row in anew)
    rows = over_partitions(partial(_going_on, moves, tenures))
    covered = _union((row["file"], row["after"], row["up_to"]) for row in rows if row["after"] is not None)
    created = sorted((row["file"], row["line"]) for row in rows if row["after"] is None)
    free = [(file, line) for file, line in created if not _inside(covered.get(file, []), line)]
    found: list[Cut] = []
    for row in sorted(anew, key=lambda row: (row["file"], row["line"])):
        # The wipe lies after the entity's last line of old and up to its creation, where no other history continues.
        file, after, up_to = _stretches_over(row)[-1]
        possible = [(f, line) for f, line in free if f == file and after < line <= up_to]
        if possible and not set(possible) & set(found):
            found.append(possible[-1])
    return found


def _created_again(moves: Moves, restarts: Mapping[int, int], events: Table) -> list[Row]:
    """Return entities that are created though they existed and nothing that is logged deleted them."""
    rows = [
        row
        for machine, table in moves(events).items()
        for row in _creations(table, machine).where(field("again", Bool)).select("tenure", *_PLACE).rows()
    ]
    return [row for row in rows if _stretches_over(row)[-1][1] < restarts.get(row["file"], 0)]


def _going_on(moves: Moves, tenures: Collection[int], events: Table) -> list[Row]:
    """Return where histories of entities continue in these tenures (file, after, up_to), merged; and lines of
    creations.
    """
    asked = [{"tenure": tenure} for tenure in sorted(tenures)]
    rows = [
        row
        for machine, table in moves(events).items()
        for row in _creations(table.joined(asked, ("tenure",), {}), machine).select("creation", *_PLACE).rows()
    ]
    stretches = [
        stretch
        for row in rows
        if not row["creation"] and row["before_line"] is not None
        for stretch in _stretches_over(row)
    ]
    merged = [
        {"file": file, "line": None, "after": after, "up_to": up_to}
        for file, spans in _union(stretches).items()
        for after, up_to in spans
    ]
    created = [
        {"file": row["file"], "line": row["line"], "after": None, "up_to": None} for row in rows if row["creation"]
    ]
    return merged + created


def _creations(moves: Table, machine: str) -> Table:
    """Return moves with `creation`, and `again` where the created entity existed and nothing that is logged deleted
    it.
    """
    absent, new = _NEW[machine]
    creation = from_state(machine).eq(absent) & to_state(machine).eq(new)
    was_there = before(machine).ne(ANYTHING) & before(machine).ne(SEEDED) & before(machine).ne(absent)
    shown = seen_level.eq("TRACE") & ~gap
    return moves.derive(creation=creation, again=creation & was_there & shown)


def _stretches_over(row: Row) -> list[tuple[int, int, int]]:
    """Return the stretches (file, after, up to) between an entity's line before and this one."""
    if row["before_file"] == row["file"]:
        return [(row["file"], row["before_line"], row["line"])]
    return [(row["before_file"], row["before_line"], LINES_PER_FILE), (row["file"], 0, row["line"])]


def _inside(spans: list[tuple[int, int]], line: int) -> bool:
    return any(after < line <= up_to for after, up_to in spans)


def _union(stretches: Iterable[tuple[int, int, int]]) -> dict[int, list[tuple[int, int]]]:
    """Return per file the stretches (after, up to) in which some entity's history continues, merged."""
    merged: dict[int, list[tuple[int, int]]] = {}
    for file, after, up_to in sorted(stretches):
        spans = merged.setdefault(file, [])
        if spans and after <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], up_to))
        else:
            spans.append((after, up_to))
    return merged
