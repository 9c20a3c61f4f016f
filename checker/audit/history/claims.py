"""From events to histories: who said when that which controller has which epoch.

The engine reduces its lines to a few rows; histories.py does the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....model.expr import const, false, field, ite
from ....model.sorts import Bool, Int, MapOf
from ....specs.machines import LEVELS
from ..observe.tracks import (
    CREATED,
    FACTS,
    HEARD,
    INACTIVE,
    MACHINES,
    READ,
    THROWN,
    is_line,
    partition_moves,
    replica_moves,
)
from ..table.protocol import Column, Row, Table
from ..vocabulary import ANYTHING, LEVEL, SEEDED, before, from_state, gap, level, to_state
from .histories import Histories, histories
from .spans import LINES_PER_FILE
from .statements import UNKNOWN_LEVEL, BrokerReport, Evidence, LogFile, Run, narrowing

Cut = tuple[int, int]
"""A file, and the line of it that is the first of another life."""

_JITTER = 100
"""Milliseconds by which threads may print late."""
_RANK = const({level: rank for rank, level in enumerate(LEVELS)}, MapOf(LEVEL, Int()))
_SPEAKER = ("file", "controller", "controller_epoch")
_STATED = (*_SPEAKER, "part")


def told(files: Sequence[LogFile], events: Table, wiped: Sequence[Cut] = ()) -> Histories:
    """The histories that the events of these files tell; `wiped` is where a life ends though no epoch shows it."""
    runs: list[Run] = []
    heard: list[BrokerReport] = []
    for part in events.apart(("file",)):
        says, repeats = _told(files, part, wiped)
        runs += says
        heard += repeats
    return histories(files, runs, heard)


def _told(files: Sequence[LogFile], events: Table, wiped: Sequence[Cut]) -> tuple[list[Run], list[BrokerReport]]:
    """Who says, and who repeats, which epoch, and what is to be known of it: a file is told by its own lines."""
    spoken = events.present("controller", "controller_epoch").without_lines((*THROWN, *READ))
    cuts = sorted(wiped)
    runs, heard = _statements(files, spoken, cuts)
    if taken_over := _taken_over(spoken, runs, heard):
        cuts = sorted({*taken_over, *wiped})
        runs, heard = _statements(files, spoken, cuts)
    telling = _evidence(events, runs)
    disordered = _disordered(files, spoken, cuts)
    runs = [
        replace(
            run,
            disordered=(run.file, run.controller, run.epoch) in disordered,
            evidence=telling.get((run.file, run.controller, run.first), ()),
            wiped=(run.file, run.first) in wiped,
        )
        for run in runs
    ]
    return runs, heard


def _statements(files: Sequence[LogFile], spoken: Table, cuts: Sequence[Cut]) -> tuple[list[Run], list[BrokerReport]]:
    """Who says, and who repeats, which epoch; nothing reaches over a cut."""
    parts = _parted(files, spoken, cuts)
    own = parts.without_lines(HEARD).derive(rank=_RANK[field("level", LEVEL)])
    runs = [
        Run(
            file=row["file"],
            first=row["first"],
            last=row["last"],
            controller=row["controller"],
            epoch=row["controller_epoch"],
            first_ts=row["first_ts"],
            last_ts=row["last_ts"],
            level=UNKNOWN_LEVEL if row["rank"] is None else row["rank"],
            created=row["created"],
            last_created=row["last_created"] or 0,
            moves=row["moves"],
        )
        for row in _runs(own)
    ]
    heard = [
        BrokerReport(row["file"], row["first"], row["last"], row["controller"], row["controller_epoch"])
        for row in parts.of_lines(HEARD)
        .grouped(_STATED, first=Column("min", "line"), last=Column("max", "line"))
        .rows()
    ]
    return runs, heard


def _parted(files: Sequence[LogFile], spoken: Table, cuts: Sequence[Cut]) -> Table:
    """The lines with the `part` of their file that they are in; a cut begins a new one."""
    if not cuts:
        return spoken.derive(part=const(0, Int()))
    at: dict[int, list[int]] = {file.index: [] for file in files}
    for file, cut in sorted(cuts):
        at[file].append(cut)
    rows = [
        {"file": file, "part": part, "first": first, "last": following - 1}
        for file, lines in at.items()
        for part, (first, following) in enumerate(zip([0, *lines], [*lines, LINES_PER_FILE], strict=True))
    ]
    return spoken.joined(rows, ("file",), {"part": int}, ("first", "last"))


def _taken_over(spoken: Table, runs: Sequence[Run], heard: Sequence[BrokerReport]) -> list[Cut]:
    """Where an epoch has another controller than before in the same file: by then another life has begun."""
    holders: dict[tuple[int, int], set[int]] = defaultdict(set)
    statements: list[Run | BrokerReport] = [*runs, *heard]
    for statement in statements:
        if statement.epoch > 0:  # 0 is nobody's: whoever has resigned speaks under it
            holders[statement.file, statement.epoch].add(statement.controller)
    files = sorted({file for (file, _), controllers in holders.items() if len(controllers) > 1})
    if not files:
        return []
    changes = (
        spoken.joined([{"file": file} for file in files], ("file",), {})
        .where(const(0, Int()) < field("controller_epoch", Int()))
        .along(("file", "controller_epoch"), ("line",), before=Column("previous", "controller"))
        .where(~field("before", Int()).eq(field("controller", Int())))
    )
    return [(row["file"], row["line"]) for row in changes.rows()]


def _disordered(files: Sequence[LogFile], spoken: Table, cuts: Sequence[Cut]) -> set[tuple[int, int, int]]:
    """The (file, controller, epoch) of which a line was written before the one above it; not over a cut.

    Whoever joins rotated files in the order of their names (`cat state-change.log*`) has the youngest first.
    """
    asked = [{"file": file.index} for file in files if file.goes_back]
    if not asked:
        return set()
    back = (
        _parted(files, spoken.joined(asked, ("file",), {}), cuts)
        .along(_STATED, ("line",), before=Column("previous", "ts"))
        .where(field("ts", Int()) + _JITTER < field("before", Int()))
        .grouped(_SPEAKER, n=Column("count"))
    )
    return {(row["file"], row["controller"], row["controller_epoch"]) for row in back.rows()}


def _evidence(events: Table, runs: Sequence[Run]) -> dict[tuple[int, int, int], tuple[Evidence, ...]]:
    """By file, controller and first line of a run: what its lines tell of the release.

    A line that names no epoch counts if only an active controller writes it: up to its next run the tenure is the same.
    """
    ordered = sorted(runs, key=lambda run: (run.file, run.controller, run.first))
    rows = []
    for run, later in zip(ordered, [*ordered[1:], None], strict=False):
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


def _runs(own: Table) -> list[Row]:
    """Stretches of one file in which a controller keeps its epoch.

    Usually an epoch is one stretch. A file that goes on after its cluster was wiped has an epoch twice; only then the
    lines are looked at one after the other.
    """
    whole = _stretches(own, _STATED)
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
    return apart + _stretches(in_turn, (*_STATED, "stretch"))


def _stretches(own: Table, key: tuple[str, ...]) -> list[Row]:
    found = own.grouped(
        key,
        first=Column("min", "line"),
        last=Column("max", "line"),
        first_ts=Column("min", "ts"),
        last_ts=Column("max", "ts"),
        rank=Column("min", "rank", is_line(MACHINES)),
        created=Column("count", where=is_line(CREATED)),
        last_created=Column("max", "line", is_line(CREATED)),
        moves=Column("count", where=is_line(FACTS)),
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


def wipes(events: Table, restarts: Mapping[int, int]) -> list[Cut]:
    """Where a cluster must have been wiped although a controller has the same epoch before and after.

    All of it must be there: epoch 1 is spoken of again (`restarts`: its last line per file); the log shows every move;
    something is created though it was there and was not deleted; and at that line no history goes on: whatever was
    there before and appears again is created first.
    """
    moves = _creations(partition_moves(events), "partition", "NonExistentPartition", "NewPartition").plus(
        _creations(replica_moves(events), "replica", "NonExistentReplica", "NewReplica")
    )
    columns = ("file", "line", "before_file", "before_line", "creation")
    anew = [
        row
        for row in moves.where(field("again", Bool)).select("tenure", *columns).rows()
        if _stretches_over(row)[-1][1] < restarts.get(row["file"], 0)
    ]
    if not anew:
        return []
    tenures = [{"tenure": tenure} for tenure in sorted({row["tenure"] for row in anew})]
    concerned = moves.joined(tenures, ("tenure",), {}).select(*columns).rows()
    covered = _union([row for row in concerned if not row["creation"] and row["before_line"] is not None])
    created = sorted((row["file"], row["line"]) for row in concerned if row["creation"])
    free = [(file, line) for file, line in created if not _inside(covered.get(file, []), line)]
    found: list[Cut] = []
    for row in sorted(anew, key=lambda row: (row["file"], row["line"])):
        # The wipe lies after the entity's last line of old and up to its creation, where no other history goes on.
        file, after, up_to = _stretches_over(row)[-1]
        possible = [(f, line) for f, line in free if f == file and after < line <= up_to]
        if possible and not set(possible) & set(found):
            found.append(possible[-1])
    return found


def _creations(moves: Table, machine: str, absent: str, new: str) -> Table:
    """Moves with `creation`, and `again` where what is created was there and nothing that is logged deleted it."""
    creation = from_state(machine).eq(absent) & to_state(machine).eq(new)
    was_there = before(machine).ne(ANYTHING) & before(machine).ne(SEEDED) & before(machine).ne(absent)
    shown = level.eq("TRACE") & ~gap
    return moves.derive(creation=creation, again=creation & was_there & shown)


def _stretches_over(row: Row) -> list[tuple[int, int, int]]:
    """The stretches (file, after, up to) between an entity's line before and this one."""
    if row["before_file"] == row["file"]:
        return [(row["file"], row["before_line"], row["line"])]
    return [(row["before_file"], row["before_line"], LINES_PER_FILE), (row["file"], 0, row["line"])]


def _inside(spans: list[tuple[int, int]], line: int) -> bool:
    return any(after < line <= up_to for after, up_to in spans)


def _union(rows: list[Row]) -> dict[int, list[tuple[int, int]]]:
    """Per file the stretches (after, up to) in which some entity's history goes on, merged."""
    merged: dict[int, list[tuple[int, int]]] = {}
    for file, after, up_to in sorted(stretch for row in rows for stretch in _stretches_over(row)):
        spans = merged.setdefault(file, [])
        if spans and after <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], up_to))
        else:
            spans.append((after, up_to))
    return merged
