"""Processes: begun, ready, ended in order, failed, or gone without a word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from ..files.file import LogFile
from ..table.protocol import Row
from .happened import Happened
from .moments import MOMENT, is_of_process, saying
from .writers import Writers

STARTED, READY, STOPPED, FAILED, LOST = (
    *("process-started", "process-ready", "process-stopped", "process-failed"),
    "process-lost",
)


def processes(rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the begins and ends of processes, from the lines that say so.

    A process prints each line of its start once: where one comes again, another process has begun.
    """
    for (cluster, _), own in sorted(_by_home(rows, files, writers).items()):
        for process in _cut(own):
            for each in _of_process(process, files, writers):
                yield cluster, each


def _by_home(
    rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers
) -> Mapping[tuple[int, str], Sequence[Row]]:
    """Return the lines of each node, in the order of their times; of files without a known writer, each for itself."""
    found: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") == MOMENT and row["file"] in files and is_of_process(row):
            node, file = _node(row, writers), files[row["file"]]
            home = file.stream if node is None else f"{file.directory} {node}"
            found[file.cluster, home].append(row)
    for own in found.values():
        own.sort(key=lambda row: (row["ts"] or 0, row["file"], row["line"]))
    return found


def _node(row: Row, writers: Writers) -> int | None:
    who = next((row[name] for name in ("node", "speaker") if row[name] is not None), None)
    return writers.of(row["file"]) if who is None else who


def _cut(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the lines of each process."""
    process: list[Row] = []
    begun: set[str] = set()
    for row in rows:
        if _says(row) == STARTED:
            if row["row"] in begun or any(_says(each) in (STOPPED, FAILED, READY) for each in process):
                yield process
                process, begun = [], set()
            begun.add(row["row"])
        process.append(row)
    if process:
        yield process


def _says(row: Row) -> str:
    return saying()[row["row"]].happens or ""


def _of_process(rows: Sequence[Row], files: Mapping[int, LogFile], writers: Writers) -> Iterator[Happened]:
    """Yield the first line of each kind; what follows a failure is its consequence."""
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(_says(row), row)
    if FAILED in first:
        yield from (_entry(row, FAILED, files, writers) for row in rows if _says(row) == FAILED)
        first.pop(STOPPED, None)
    yield from (_entry(row, what, files, writers) for what, row in first.items() if what != FAILED)


def _entry(row: Row, what: str, files: Mapping[int, LogFile], writers: Writers) -> Happened:
    return Happened(
        what,
        since=row["ts"],
        node=_node(row, writers),
        places=(files[row["file"]].place(row["line"]),),
        at=(row["file"], row["line"]),
    )


def lost(entries: Sequence[Happened]) -> Iterator[Happened]:
    """Yield the processes of a cluster that began anew, although nothing shows an end of the one before."""
    by_node: dict[int, list[Happened]] = defaultdict(list)
    for each in entries:
        if each.node is not None and each.what in (STARTED, READY, STOPPED, FAILED):
            by_node[each.node].append(each)
    for node, own in sorted(by_node.items()):
        own.sort(key=lambda each: each.order)
        for before, after in pairwise(own):
            if after.what == STARTED and before.what in (STARTED, READY):
                yield Happened(LOST, since=None, until=after.since, node=node, places=(*before.places, *after.places))
