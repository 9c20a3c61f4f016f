"""Processes: begun, ready, ended in order, failed, or gone without a word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import MOMENT, is_of_process, saying
from .whole import Whole
from .writers import Writers

STARTED, READY, STOPPED, FAILED, LOST = (
    *("process-started", "process-ready", "process-stopped", "process-failed"),
    "process-lost",
)
FAULT = "fault"
_COPIED = 1_000
"""The milliseconds within which a line of a start that comes again is a copy, and no other process."""
_ONCE = ("start-fails", "main-exits")
"""Rows of which a process prints one line."""
_ENDING = 30_000
"""The milliseconds that a failing process may take to end: a line of its failure that comes later is another's."""


@dataclass
class Process:
    """The lines that one process printed about its begin and its end."""

    rows: list[Row] = field(default_factory=list)
    first: dict[str, Row] = field(default_factory=dict)
    """The first line of each kind: STARTED, READY, STOPPED, FAILED."""
    by_line: dict[str, Row] = field(default_factory=dict)
    """The first line of each row of the line table."""

    def add(self, row: Row) -> None:
        self.rows.append(row)
        self.first.setdefault(_says(row), row)
        self.by_line.setdefault(row["row"], row)

    def is_of_another(self, row: Row) -> bool:
        """Return whether a line shows that another process has begun: each begins, is ready, and fails once."""
        if not self.rows:
            return False
        says, again = _says(row), self.by_line.get(row["row"])
        if again is not None and _after(again, row) <= _COPIED:
            return False
        if says == STARTED:
            return again is not None or any(
                _after(self.first[each], row) > _COPIED for each in (READY, STOPPED, FAILED) if each in self.first
            )
        if says == READY:
            return again is not None or STOPPED in self.first or FAILED in self.first
        if says == FAILED:
            return again is not None and _after(again, row) > (_COPIED if row["row"] in _ONCE else _ENDING)
        return False

    @property
    def ended(self) -> bool:
        return STOPPED in self.first or FAILED in self.first


def processes(rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster what became of each process, from the lines that say so."""
    whole = Whole.of(files)
    for (cluster, _), own in by_home(rows, files, writers).items():
        for process in own:
            for each in _of_process(process, files, writers):
                yield cluster, each
        for before, after in pairwise(own):
            if (gone := _lost(before, after, whole, writers)) is not None:
                yield cluster, gone


def by_home(
    rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers
) -> Mapping[tuple[int, str], Sequence[Process]]:
    """Return the processes of each node in the order of time; of files without a known writer, each file's own."""
    found: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in _timed(row for row in rows if row.get("kind") == MOMENT and row["file"] in files):
        if is_of_process(row):
            node, file = node_of(row, writers), files[row["file"]]
            home = file.stream if node is None else f"{file.directory} {node}"
            found[file.cluster, home].append(row)
    return {home: _cut(own) for home, own in sorted(found.items())}


def _timed(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield lines by file; one without a time, as the Java runtime prints, has that of the line before it."""
    before: Row | None = None
    for row in sorted(rows, key=lambda row: (row["file"], row["line"])):
        if row["ts"] is None and before is not None and before["file"] == row["file"]:
            row = row | {"ts": before["ts"]}
        before = row
        yield row


def node_of(row: Row, writers: Writers) -> int | None:
    """Return the node that a line is about."""
    who = next((row[name] for name in ("node", "speaker") if row[name] is not None), None)
    return writers.of(row["file"]) if who is None else who


def _cut(rows: list[Row]) -> list[Process]:
    rows.sort(key=lambda row: (row["ts"] or 0, row["file"], row["line"]))
    found = [Process()]
    for row in rows:
        if found[-1].is_of_another(row):
            found.append(Process())
        found[-1].add(row)
    return found


def _says(row: Row) -> str:
    return saying()[row["row"]].happens or ""


def _after(first: Row, row: Row) -> float:
    """Return the milliseconds between two lines; without times, the order of lines is all there is."""
    return float("inf") if first["ts"] is None or row["ts"] is None else row["ts"] - first["ts"]


def _of_process(process: Process, files: Mapping[int, LogFile], writers: Writers) -> Iterator[Happened]:
    """Yield the first line of each kind. A failure and what follows it are one, and so are an order to stop and its
    consequences: an error after it is a fault.
    """
    ends = [process.first[each] for each in (STOPPED, FAILED) if each in process.first]
    end = min(ends, key=process.rows.index, default=None)
    for what, row in process.first.items():
        if what not in (STOPPED, FAILED) or row is end:
            yield _entry(row, what, files, writers)
        elif what == FAILED:
            yield _entry(row, FAULT, files, writers)


def _entry(row: Row, what: str, files: Mapping[int, LogFile], writers: Writers) -> Happened:
    return Happened(
        what,
        since=row["ts"],
        node=node_of(row, writers),
        places=(files[row["file"]].place(row["line"]),),
        at=(row["file"], row["line"]),
    )


def _lost(before: Process, after: Process, whole: Whole, writers: Writers) -> Happened | None:
    """Return the end of a process that no line shows, although another has begun; None if a missing line may."""
    last, first = before.rows[-1], after.rows[0]
    node = node_of(first, writers)
    if before.ended or _says(first) != STARTED or node is None or not whole.between(last, first):
        return None
    return Happened(
        LOST,
        since=first["ts"],
        node=node,
        reason="it starts again here, and no line before shows that it had ended",
        places=tuple(whole.files[row["file"]].place(row["line"]) for row in (first, last)),
    )
