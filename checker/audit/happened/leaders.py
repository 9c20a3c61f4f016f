"""Partitions that their leaders print as under-replicated, or under their min ISR; where no controller says so."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from ..fields import UNDER_MIN_ISR, kind
from ..files.file import LogFile
from ..findings.happened import Happened
from ..lines import ISR_EXPANDS, ISR_SHRINKS, ISR_WRITTEN, LEADS
from ..table.protocol import Row, Table

LINES = (*ISR_SHRINKS, *ISR_EXPANDS, *ISR_WRITTEN, *LEADS)
_ASKED = (*ISR_SHRINKS, *ISR_EXPANDS)
"""Lines of changes that are not written yet; up to 1.0 they are all that is printed of them."""
UNDER_REPLICATED, UNDER_MIN = "under-replicated", "under-min-isr"
_COLUMNS = ("file", "line", "ts", "row", "speaker", "topic", "partition", "isr", "old_isr", "kind", "leader_epoch")
_KEY = ("topic", "partition")


def led(events: Table) -> list[Row]:
    """Return the spells of partitions that leaders print, one row for each partition and kind; a look.

    A leader that drops a replica says that it is assigned: until it is back, the partition is under-replicated.
    """
    lines = events.of_lines(LINES).present(*_KEY)
    troubled = lines.of_lines(ISR_SHRINKS).plus(lines.where(kind.eq(UNDER_MIN_ISR)))
    rows = lines.matching(troubled, _KEY).select(*_COLUMNS).rows()
    rows.sort(key=lambda row: (*(row[name] for name in _KEY), row["ts"] or 0, row["file"], row["line"]))
    return [each for _, own in groupby(rows, key=itemgetter(*_KEY)) for each in _of_partition(list(own))]


def _of_partition(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield what the lines of one partition in order show, counted."""
    missing: set[int] = set()
    begun: dict[str, Row] = {}
    over: dict[str, list[tuple[Row, int | None]]] = {UNDER_REPLICATED: [], UNDER_MIN: []}
    for row in rows:
        isr = {*(row["isr"] or ())}
        missing = (missing | {*(row["old_isr"] or ())} if row["row"] in ISR_SHRINKS else missing) - isr
        known = [(UNDER_REPLICATED, bool(missing))]
        known += [] if row["row"] in _ASKED else [(UNDER_MIN, row["kind"] == UNDER_MIN_ISR)]
        for what, is_so in known:
            if is_so:
                begun.setdefault(what, row | {"missing": sorted(missing)})
            elif what in begun:
                over[what].append((begun.pop(what), row["ts"]))
    for what, own in over.items():
        spells = [*own, *([(begun[what], None)] if what in begun else ())]
        if spells:
            yield _counted(what, spells, lasts=what in begun)


def _counted(what: str, spells: Sequence[tuple[Row, int | None]], *, lasts: bool) -> Row:
    first, last = spells[0][0], spells[-1]
    lengths = [until - row["ts"] for row, until in spells if None not in (until, row["ts"])]
    shown = {name: first[name] for name in ("file", "line", "ts", "topic", "partition", "speaker", "leader_epoch")}
    isr, missing = (sorted(last[0][name] or ()) for name in ("isr", "missing"))
    counted = {"condition": what, "n": len(spells), "until": last[1], "lasts": lasts, "isr": isr, "missing": missing}
    return shown | counted | {"longest": max(lengths, default=None)}


def spells(rows: Iterable[Row], files: Mapping[int, LogFile], seen: Container[int]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster what leaders' lines show.

    Args:
        seen: the clusters whose controllers, or records, show which partitions are under-replicated.
    """
    for row in rows:
        file = files[row["file"]]
        if row["condition"] == UNDER_REPLICATED and file.cluster in seen:
            continue
        lacks = f"without {', '.join(map(str, row['missing']))}: " if row["missing"] else ""
        yield (
            file.cluster,
            Happened(
                row["condition"],
                since=row["ts"],
                until=row["until"],
                lasts=row["lasts"],
                topic=row["topic"],
                partition=row["partition"],
                epoch=row["leader_epoch"],
                reason=f"{lacks}the ISR was {', '.join(map(str, row['isr']))}",
                count=row["n"],
                longest=row["longest"],
                places=(file.place(row["line"]),),
            ),
        )
