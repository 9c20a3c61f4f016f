"""Log directories that a start that failed marked as cleanly shut down, and that are not recovered (KAFKA-15375)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import MOMENT, OF_RECOVERY
from .whole import Whole
from .writers import Writers

_BUG = "known-bug"
_REASON = "it skips the recovery of {}, which the process before it began and did not end"
_BEGUN, _SKIPPED, _LOADED = OF_RECOVERY


def not_recovered(
    rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the lines in which a process takes a directory for cleanly shut down whose recovery the process
    before it did not end.

    Args:
        rows: the rows of the first look.
    """
    whole = Whole.of(files)
    for own in _by_stream(rows, files, whole).values():
        for begun, skipped in _pairs(own):
            if whole.between(begun, skipped):
                places = tuple(files[row["file"]].place(row["line"]) for row in (skipped, begun))
                node, said = writers.of(skipped["file"]), _REASON.format(skipped["said"])
                entry = Happened(_BUG, since=skipped["ts"], node=node, reason=said, places=places)
                yield files[skipped["file"]].cluster, entry


def _by_stream(
    rows: Iterable[Row], files: Mapping[int, LogFile], whole: Whole
) -> Mapping[tuple[int, str], Sequence[Row]]:
    """Return the lines about recoveries of each stream, as they were written."""
    found: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") == MOMENT and row["row"] in OF_RECOVERY and row["file"] in files:
            file = files[row["file"]]
            found[file.cluster, file.stream].append(row)
    for own in found.values():
        own.sort(key=lambda row: (whole.positions[row["file"]].index, row["line"]))
    return found


def _pairs(rows: Iterable[Row]) -> Iterator[tuple[Row, Row]]:
    """Yield lines in which a directory's recovery begins, each with the next about it, if that one skips it.

    A process that has loaded all logs has ended all of its recoveries.
    """
    begun: dict[str, Row] = {}
    for row in rows:
        if row["row"] == _LOADED:
            begun.clear()
        elif row["row"] == _BEGUN:
            begun[row["said"]] = row
        elif (first := begun.pop(row["said"], None)) is not None:
            yield first, row
