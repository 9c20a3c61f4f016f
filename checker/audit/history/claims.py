"""From events to claims: the lines in which a broker states its own, or another's, epoch as controller.

`claims` looks at a piece of consecutive lines of some files; `Claims` puts the rows of all pieces together, so a file
may be cut into pieces anywhere. Where an epoch has another controller than before in one file, another life has begun:
nothing crosses such a *cut*, so the lines are looked at again once the cuts are known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from ....model.expr import const, field, ite
from ....model.sorts import Bool, Int
from ..fields import READ, TENURE
from ..files.file import JITTER, UNKNOWN_LEVEL, LogFile
from ..lines import (
    CONTROLLER_LINES,
    CREATED,
    EPOCH_READ,
    INACTIVE,
    MOVES_AND_VIEWS,
    OF_BROKERS,
    REQUEST_RECEIVED,
    THROWN,
    is_line,
)
from ..table.encoding import Flag
from ..table.protocol import Column, Row, Table
from .doubts import NO_DOUBT, Doubts
from .journals import wrote
from .levels import RANK, logged
from .spans import LINES_PER_FILE
from .statements import BrokerReport, Run, RunKey, WordingLine, narrowing

Cut = tuple[int, int]
"""A file, and the first line of another life in it."""
Cuts = Mapping[int, Sequence[int]]
"""By file the lines of its cuts, rising."""
OverLines = Callable[[Callable[[Table], list[Row]], Collection[int]], list[Row]]
"""Returns the rows of a look at the lines of some files."""

_BEFORE_ITS_FIRST = -1
"""A stand-in for the run of a line before which its controller has named no epoch in its piece."""
_SILENT = (*THROWN, *EPOCH_READ, *OF_BROKERS)
"""Lines that state no controller epoch. (A broker's reports are those of requests that it received.)"""
_STATED = (*TENURE, "part")
_SAID = tuple(name for name in READ if name not in (*TENURE, "line", "ts"))
"""The content of a line, without its writer and its time."""


def claims(events: Table, cuts: Cuts | None = None) -> list[Row]:
    """Return the statements of consecutive lines of some files, as rows of several kinds.

    run: lines first..last in which `controller` says that it has `epoch`, and counts of them. report: lines in which a
    broker names both. holder: a line at which an epoch is first mentioned, or has another controller than before.
    evidence: the first line of a wording in a run, `run` being the run's first line.
    The rest comes from brokers' own lines (journals.py), and shows levels (levels.py).
    """
    by_controller = events.present("controller", "controller_epoch").without_lines(_SILENT)
    parts = _parted(by_controller, cuts or {})
    own = parts.without_lines(REQUEST_RECEIVED).derive(rank=RANK)
    runs = [{"kind": "run"} | row for row in _runs(own)]
    reports = parts.of_lines(REQUEST_RECEIVED).grouped(
        _STATED,
        first=Column("min", "line"),
        last=Column("max", "line"),
        first_ts=Column("min", "ts"),
        last_ts=Column("max", "ts"),
    )
    return [
        *runs,
        *({"kind": "report"} | row for row in reports.rows()),
        *({"kind": "holder"} | row for row in _holders(by_controller)),
        *({"kind": "evidence"} | row for row in _evidence(events, runs)),
        *((*wrote(events), *logged(events)) if cuts is None else ()),
    ]


def backwards(events: Table, cuts: Cuts) -> list[Row]:
    """Return by writer and epoch whether a line was written before the one above it, and the times at both ends.

    Joining rotated files in the order of their names (`cat state-change.log*`) puts the youngest first. A line that
    repeats one above it, to the millisecond, is ignored: it may be a copy of that one.
    """
    by_controller = events.present("controller", "controller_epoch").without_lines(_SILENT)
    parts = _parted(by_controller, cuts)
    marked = parts.along(_STATED, ("line",), copied=Column("again", "ts", alike=_SAID))
    along = marked.where(~field("copied", Bool)).along(
        _STATED, ("line",), before=Column("previous", "ts"), before_line=Column("previous", "line")
    )
    ends = along.grouped(
        _STATED,
        first=Column("min", "line"),
        last=Column("max", "line"),
        back=Column("count", where=field("ts", Int()) + JITTER < field("before", Int())),
    )
    times = along.select(*_STATED, "line", "ts")
    begins = times.renamed(line="first", ts="first_ts")
    closes = times.renamed(line="last", ts="last_ts")
    return (
        ends.attached(begins, (*_STATED, "first"), ("first_ts",))
        .attached(closes, (*_STATED, "last"), ("last_ts",))
        .rows()
    )


def _parted(by_controller: Table, cuts: Cuts) -> Table:
    """Return the lines with the `part` of their file that they are in; a cut begins a new one. No cuts at all: part
    0.
    """
    if not cuts:
        return by_controller.derive(part=const(0, Int()))
    rows = [
        {"file": file, "part": part, "first": first, "last": following - 1}
        for file, lines in cuts.items()
        for part, (first, following) in enumerate(zip([0, *lines], [*lines, LINES_PER_FILE], strict=True))
    ]
    return by_controller.joined(rows, ("file",), {"part": int}, ("first", "last"))


def _runs(own: Table) -> list[Row]:
    """Return stretches of one file in which a controller keeps its epoch.

    Usually an epoch is one stretch. A file that continues after its cluster was wiped has an epoch twice; only then are
    the lines examined one by one.
    """
    whole = _stretches(own, _STATED)
    tangled = _tangled(whole)
    if not tangled:
        return whole
    apart = [row for row in whole if (row["file"], row["controller"]) not in tangled]
    keys = [{"file": file, "controller": controller} for file, controller in sorted(tangled)]
    before = own.joined(keys, ("file", "controller"), {}).along(
        ("file", "controller"), ("line",), before=Column("previous", "controller_epoch")
    )
    turned = before.derive(turned=~field("before", Int()).eq(field("controller_epoch", Int())))
    in_turn = turned.along(("file", "controller"), ("line",), turns=Column("so_far", "turned")).derive(
        stretch=ite(field("turned", Flag), field("turns", Int()) + 1, field("turns", Int()))
    )
    return apart + _stretches(in_turn, (*_STATED, "stretch"))


def _stretches(own: Table, key: tuple[str, ...]) -> list[Row]:
    found = own.grouped(
        key,
        first=Column("min", "line"),
        last=Column("max", "line"),
        first_ts=Column("min", "ts"),
        last_ts=Column("max", "ts"),
        rank=Column("min", "rank", is_line(CONTROLLER_LINES)),
        created=Column("count", where=is_line(CREATED)),
        last_created=Column("max", "line", is_line(CREATED)),
        created_until=Column("max", "ts", is_line(CREATED)),
        moves=Column("count", where=is_line(MOVES_AND_VIEWS)),
        acts=Column("count", where=is_line(CONTROLLER_LINES)),
    ).rows()
    return sorted(found, key=lambda row: (row["file"], row["first"], row["controller_epoch"]))


def _tangled(stretches: list[Row]) -> set[tuple[int, int]]:
    """Return the (file, controller) of stretches that overlap another of theirs, in the order of their first lines."""
    reached: dict[tuple[int, int], int] = {}
    found = set()
    for row in stretches:
        speaker = (row["file"], row["controller"])
        if row["first"] < reached.get(speaker, 0):
            found.add(speaker)
        reached[speaker] = max(reached.get(speaker, 0), row["last"])
    return found


def _holders(by_controller: Table) -> list[Row]:
    """Return where an epoch is first mentioned in these lines, and where it has another controller than just before.

    Epoch 0 belongs to nobody: a controller that has resigned prints it.
    """
    of_epochs = by_controller.where(field("controller_epoch", Int()) > 0)
    key = ("file", "controller_epoch")
    found = of_epochs.grouped(
        key, line=Column("min", "line"), controller=Column("min", "controller"), other=Column("max", "controller")
    ).rows()
    several = [row for row in found if row["controller"] != row["other"]]
    first = [row for row in found if row["controller"] == row["other"]]
    if several:
        changes = (
            of_epochs.joined([{name: row[name] for name in key} for row in several], key, {})
            .along(key, ("line",), before=Column("previous", "controller"))
            .derive(changed=~field("before", Int()).eq(field("controller", Int())))
        )
        is_change = field("changed", Bool)
        first += changes.absent("changed").rows() + changes.where(is_change).rows()
    return [{name: row[name] for name in (*key, "line", "controller")} for row in first]


def _evidence(events: Table, runs: Sequence[Row]) -> list[Row]:
    """Return wordings that identify the release, by the run whose controller prints them.

    A line without an epoch counts if only an active controller writes it: up to its next run the tenure is the same.
    """
    lines = events.present("controller").without_lines((*REQUEST_RECEIVED, *_SILENT, *INACTIVE))
    begins: dict[tuple[int, int], list[int]] = defaultdict(list)
    for run in runs:
        begins[run["file"], run["controller"]].append(run["first"])
    rows = []
    for speaker in lines.grouped(("file", "controller"), line=Column("min", "line")).rows():
        key = speaker["file"], speaker["controller"]
        for first, following in pairwise([_BEFORE_ITS_FIRST, *sorted(begins.get(key, ())), LINES_PER_FILE]):
            rows.append({"file": key[0], "controller": key[1], "run": first, "first": first, "last": following - 1})
    found = (
        lines.joined(rows, ("file", "controller"), {"run": int}, ("first", "last"))
        .grouped(("file", "controller", "run", "row", "releases"), line=Column("min", "line"))
        .rows()
    )
    of_run: dict[tuple[int, int, int], list[WordingLine]] = defaultdict(list)
    for row in found:
        of_run[row["file"], row["controller"], row["run"]].append(_as_evidence(row))
    return [
        {"file": file, "controller": controller, "run": None if run == _BEFORE_ITS_FIRST else run}
        | {"row": each.row, "releases": each.releases, "line": each.line}
        for (file, controller, run), evidence in of_run.items()
        for each in narrowing(evidence)
    ]


def _as_evidence(row: Row) -> WordingLine:
    return WordingLine(row["file"], row["line"], row["row"], row["releases"])


def taken_over(rows: Iterable[Row]) -> dict[int, list[int]]:
    """Return by file the lines where an epoch has another controller than before: another life has begun by then."""
    held: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "holder":
            held[row["file"], row["controller_epoch"]].append((row["line"], row["controller"]))
    cuts: dict[int, set[int]] = defaultdict(set)
    for (file, _), holders in held.items():
        for (_, before), (line, controller) in pairwise(sorted(holders)):
            if before != controller:
                cuts[file].add(line)
    return {file: sorted(lines) for file, lines in sorted(cuts.items())}


def stated(rows: Sequence[Row]) -> tuple[list[Run], list[BrokerReport]]:
    """Return runs and reports, put together from the rows of all pieces."""
    runs = _joined_runs([row for row in rows if row["kind"] == "run"])
    of: dict[tuple[int, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "report":
            of[tuple(row[name] for name in _STATED)].append(row)
    reports = [_report(own) for own in of.values()]
    return _with_evidence(runs, [row for row in rows if row["kind"] == "evidence"]), reports


def _report(rows: Sequence[Row]) -> BrokerReport:
    """Return a report from the rows of all pieces."""
    times = [ts for row in rows for ts in (row["first_ts"], row["last_ts"]) if ts is not None]
    return BrokerReport(
        file=rows[0]["file"],
        first=min(row["first"] for row in rows),
        last=max(row["last"] for row in rows),
        controller=rows[0]["controller"],
        epoch=rows[0]["controller_epoch"],
        first_ts=min(times, default=None),
        last_ts=max(times, default=None),
    )


def _joined_runs(rows: Sequence[Row]) -> list[Run]:
    """Join runs of two pieces where the same controller keeps its epoch, in one part of its file."""
    found: list[Run] = []
    part_before = None
    for row in sorted(rows, key=lambda row: (row["file"], row["controller"], row["first"])):
        run = Run(
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
            created_until=row["created_until"],
            moves=row["moves"],
            acts=row["acts"],
        )
        before = found[-1] if found else None
        if before is not None and part_before == row["part"] and _same(before, run):
            found[-1] = _one(before, run)
        else:
            found.append(run)
        part_before = row["part"]
    return sorted(found, key=lambda run: (run.file, run.first, run.epoch))


def _same(before: Run, run: Run) -> bool:
    return (before.file, before.controller, before.epoch) == (run.file, run.controller, run.epoch)


def _one(before: Run, run: Run) -> Run:
    firsts = [ts for ts in (before.first_ts, run.first_ts) if ts is not None]
    lasts = [ts for ts in (before.last_ts, run.last_ts) if ts is not None]
    created = [ts for ts in (before.created_until, run.created_until) if ts is not None]
    return replace(
        before,
        last=run.last,
        first_ts=min(firsts, default=None),
        last_ts=max(lasts, default=None),
        level=min(before.level, run.level),
        created=before.created + run.created,
        last_created=max(before.last_created, run.last_created),
        created_until=max(created, default=None),
        moves=before.moves + run.moves,
        acts=before.acts + run.acts,
    )


def _with_evidence(runs: Sequence[Run], rows: Sequence[Row]) -> list[Run]:
    """Return the runs with their lines' evidence about the release."""
    at: dict[tuple[int, int], list[Run]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: run.first):
        at[run.file, run.controller].append(run)
    found: dict[RunKey, list[WordingLine]] = defaultdict(list)
    for row in rows:
        # A run of a piece may be the end of one that began before; a line before its first run belongs to the previous
        # run.
        line = row["line"] if row["run"] is None else row["run"]
        own = at[row["file"], row["controller"]]
        place = bisect_right(own, line, key=lambda run: run.first) - 1
        if place >= 0:
            found[own[place].key].append(_as_evidence(row))
    return [replace(run, evidence=narrowing(found.get(run.key, ()))) for run in runs]


def disordered(rows: Iterable[Row]) -> set[tuple[int, int, int]]:
    """Return the (file, controller, epoch) with a line written before the one above it, from rows of `backwards`."""
    found = set()
    times: dict[tuple[int, ...], int | None] = {}
    for row in sorted(rows, key=lambda row: (row["file"], row["first"])):
        key = tuple(row[name] for name in _STATED)
        before, ts = times.get(key), row["first_ts"]
        if row["back"] or (before is not None and ts is not None and ts + JITTER < before):
            found.add(key[:3])
        times[key] = row["last_ts"]
    return found


def controllers(
    files: Sequence[LogFile],
    rows: Sequence[Row],
    over_lines: OverLines,
    wiped: Sequence[Cut] = (),
    doubts: Doubts = NO_DOUBT,
) -> tuple[list[Run], list[BrokerReport]]:
    """Return the runs and reports of controllers' epochs, with what is known about them.

    Args:
        rows: the rows of `claims` for all lines.
        wiped: where a life ends though no epoch shows it.
        doubts: doubts about the order of lines, from the times of partitions.
    """
    cuts: dict[int, list[int]] = taken_over(rows)
    for file, line in sorted(wiped):
        cuts[file] = sorted({*cuts.get(file, ()), line})
    if cuts:
        again = over_lines(partial(claims, cuts=cuts), cuts.keys())
        rows = [*(row for row in rows if row["file"] not in cuts), *again]
    runs, reports = stated(rows)
    back: set[tuple[int, int, int]] = set(doubts.disordered)
    if suspected := {file.index: cuts.get(file.index, []) for file in files if file.goes_back}:
        back |= disordered(over_lines(partial(backwards, cuts=suspected), suspected.keys()))
    return [
        replace(
            run,
            disordered=(run.file, run.controller, run.epoch) in back,
            wiped=(run.file, run.first) in wiped,
        )
        for run in runs
    ], reports
