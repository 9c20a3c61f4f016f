"""From events to histories: who said when that which controller has which epoch.

The engine reduces its lines to a few rows; lives.py does the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ...model.expr import const, false, field, ite
from ...model.sorts import Bool, Int, MapOf
from ...specs.machines import LEVELS
from .lives import LINES_PER_FILE, Evidence, Heard, Histories, LogFile, Run, histories, narrowing
from .table import Column, Row, Table
from .tracks import CREATED, HEARD, INACTIVE, READ, THROWN, partition_moves, replica_moves
from .vocabulary import ANYTHING, LEVEL, SEEDED, before, from_state, gap, level, to_state, true

_RANK = const({level: rank for rank, level in enumerate(LEVELS)}, MapOf(LEVEL, Int()))
_SPEAKER = ("file", "controller", "controller_epoch")


def told(files: Sequence[LogFile], events: Table, cuts: Sequence[tuple[int, int]] = ()) -> Histories:
    """The histories that the events of these files tell; `cuts` are wipes (file, line) that no epoch shows."""
    spoken = events.present("controller", "controller_epoch")
    own = spoken.without_lines((*HEARD, *THROWN, *READ)).derive(rank=_RANK[field("level", LEVEL)])
    made = own.of_lines(CREATED).derive(created=true).plus(own.without_lines(CREATED))
    runs = [
        Run(
            file=row["file"],
            first=row["first"],
            last=row["last"],
            controller=row["controller"],
            epoch=row["controller_epoch"],
            first_ts=row["first_ts"],
            last_ts=row["last_ts"],
            level=row["rank"],
            created=row["created"],
        )
        for row in _runs(made)
    ]
    telling = _evidence(events, runs)
    runs = [replace(run, evidence=telling.get((run.file, run.controller, run.first), ())) for run in runs]
    heard = [
        Heard(row["file"], row["first"], row["last"], row["controller"], row["controller_epoch"])
        for row in spoken.of_lines(HEARD)
        .grouped(_SPEAKER, first=Column("min", "line"), last=Column("max", "line"))
        .rows()
    ]
    return histories(files, [part for run in runs for part in _cut(run, cuts)], heard)


def _evidence(events: Table, runs: Sequence[Run]) -> dict[tuple[int, int, int], tuple[Evidence, ...]]:
    """By file, controller and first line of a run: what its lines tell of the release.

    A line that names no epoch counts if only an active controller writes it: up to its next run the tenure is the same.
    """
    ordered = sorted(runs, key=lambda run: (run.file, run.controller, run.first))
    rows = []
    for run, later in zip(ordered, [*ordered[1:], None], strict=True):
        same = later is not None and (later.file, later.controller) == (run.file, run.controller)
        last = later.first - 1 if same and later is not None else LINES_PER_FILE
        rows.append({"file": run.file, "controller": run.controller, "first": run.first, "last": last})
    found: dict[tuple[int, int, int], list[Evidence]] = defaultdict(list)
    for row in (
        events.present("controller")
        .without_lines((*HEARD, *THROWN, *READ, *INACTIVE))
        .joined(rows, ("file", "controller"), {"first": int}, ("first", "last"))
        .grouped(("file", "controller", "first", "row", "releases"), line=Column("min", "line"))
        .rows()
    ):
        key = (row["file"], row["controller"], row["first"])
        found[key].append(Evidence(row["file"], row["line"], row["row"], row["releases"]))
    return {key: narrowing(evidence) for key, evidence in found.items()}


def _cut(run: Run, cuts: Sequence[tuple[int, int]]) -> list[Run]:
    parts = [run]
    for file, line in cuts:
        last = parts[-1]
        if file == last.file and last.first < line <= last.last:
            parts[-1:] = [replace(last, last=line - 1), replace(last, first=line, wiped=True)]
    return parts


def _runs(own: Table) -> list[Row]:
    """Stretches of one file in which a controller keeps its epoch.

    Usually an epoch is one stretch. A file that goes on after its cluster was wiped has an epoch twice; only then the
    lines are looked at one after the other.
    """
    whole = _stretches(own, _SPEAKER)
    tangled = _tangled(whole)
    if not tangled:
        return whole
    apart = [row for row in whole if (row["file"], row["controller"]) not in tangled]
    keys = [{"file": file, "controller": controller} for file, controller in sorted(tangled)]
    in_turn = (
        own.joined(keys, ("file", "controller"), {})
        .along(("file", "controller"), ("line",), before=Column("previous", "controller_epoch"))
        .derive(turned=~field("before", Int()).eq(field("controller_epoch", Int())), first_line=false)
        .filled("turned", "first_line")
        .along(("file", "controller"), ("line",), turns=Column("so_far", "turned"))
        .derive(stretch=ite(field("turned", Bool), field("turns", Int()) + 1, field("turns", Int())))
    )
    return apart + _stretches(in_turn, (*_SPEAKER, "stretch"))


def _stretches(own: Table, key: tuple[str, ...]) -> list[Row]:
    found = own.grouped(
        key,
        first=Column("min", "line"),
        last=Column("max", "line"),
        first_ts=Column("min", "ts"),
        last_ts=Column("max", "ts"),
        rank=Column("min", "rank"),
        created=Column("count", "created"),
    ).rows()
    return sorted(found, key=lambda row: (row["file"], row["first"], row["controller_epoch"]))


def _tangled(stretches: list[Row]) -> set[tuple[int, int]]:
    """The (file, controller) of stretches that overlap another of theirs; given in the order of their first lines."""
    reached: dict[tuple[int, int], int] = {}
    found = set()
    for row in stretches:
        speaker = (row["file"], row["controller"])
        if row["first"] < reached.get(speaker, 0):
            found.add(speaker)
        reached[speaker] = max(reached.get(speaker, 0), row["last"])
    return found


def wipes(events: Table) -> list[tuple[int, int]]:
    """(file, line) where a cluster must have been wiped although its controller epoch, 1, stayed the same.

    All of it must be there: the log shows every move; something is created though it was there and was not deleted; and
    at that line no history goes on: whatever was there before and appears again is created first.
    """
    moves = _creations(partition_moves(events), "partition", "NonExistentPartition", "NewPartition").plus(
        _creations(replica_moves(events), "replica", "NonExistentReplica", "NewReplica")
    )
    anew = moves.where(field("again", Bool)).select("tenure", "file", "line", "before_line").rows()
    if not anew:
        return []
    tenures = [{"tenure": tenure} for tenure in sorted({row["tenure"] for row in anew})]
    columns = ("file", "line", "before_line", "creation")
    concerned = moves.joined(tenures, ("tenure",), {}).select(*columns).rows()
    covered = _union([row for row in concerned if not row["creation"] and row["before_line"] is not None])
    created = sorted((row["file"], row["line"]) for row in concerned if row["creation"])
    free = [(file, line) for file, line in created if not _inside(covered.get(file, []), line)]
    found: list[tuple[int, int]] = []
    for row in sorted(anew, key=lambda row: (row["file"], row["line"])):
        # The wipe lies after the entity's last line of old and up to its creation, where no other history goes on.
        possible = [(f, line) for f, line in free if f == row["file"] and row["before_line"] < line <= row["line"]]
        if possible and not set(possible) & set(found):
            found.append(possible[-1])
    return found


def _creations(moves: Table, machine: str, absent: str, new: str) -> Table:
    """Moves with `creation`, and `again` where what is created was there and nothing that is logged deleted it."""
    creation = from_state(machine).eq(absent) & to_state(machine).eq(new)
    was_there = before(machine).ne(ANYTHING) & before(machine).ne(SEEDED) & before(machine).ne(absent)
    shown = level.eq("TRACE") & ~gap & field("controller_epoch", Int()).eq(1)
    return moves.derive(creation=creation, again=creation & was_there & shown)


def _inside(spans: list[tuple[int, int]], line: int) -> bool:
    return any(after < line <= up_to for after, up_to in spans)


def _union(rows: list[Row]) -> dict[int, list[tuple[int, int]]]:
    """Per file the stretches (after, up to) in which some entity's history goes on, merged."""
    merged: dict[int, list[tuple[int, int]]] = {}
    for row in sorted(rows, key=lambda row: (row["file"], row["before_line"])):
        spans = merged.setdefault(row["file"], [])
        if spans and row["before_line"] <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], row["line"]))
        else:
            spans.append((row["before_line"], row["line"]))
    return merged
