"""Columns of what Spark reads, and the counts of all lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from ....traces.events.layouts import Layout
from ..table.cells import (
    Cells,
    Mask,
    Numbers,
    Words,
    cells_of,
    different,
    joined_cells,
    narrow,
)
from ..table.columns import ColumnTable
from .arrow import said_columns
from .coverage import MOST_BROKEN, Coverage, Kind
from .python import counted
from .spark_arrow import Found, Part, Reader, together

_AT_A_TIME = 500_000
"""So many lines become columns together: their texts are in memory three times then."""
_PATIENCE = 0.2
"""Seconds until Spark is told again to stop."""
PerFile = dict[int, Coverage]
_Columns = dict[str, Cells]


def read_in_memory(
    spark: SparkSession,
    paths: Sequence[str | None],
    sizes: Sequence[int],
    layout: Layout | None,
    fields: Sequence[str],
) -> tuple[ColumnTable, PerFile]:
    """The events of the files, and what is counted of their lines; `sizes` are the bytes of the files, roughly."""
    names = ("row", "level", "ts", "releases", "file", "line", *fields)
    seen: PerFile = defaultdict(Coverage)
    words = Words()
    pieces: list[_Columns] = []
    with closing(_ahead(Reader(spark, paths, sizes, layout, fields), together(sizes))) as ahead:
        for part, at in ahead:
            pieces += _said(part, at, fields, words, seen)
            pieces += _plain(part, at, layout, names, words, seen)
            if "status" in part.table.column_names:
                for begin in range(0, len(at.line), _AT_A_TIME):
                    some = slice(begin, begin + _AT_A_TIME)
                    _count_others(part.table.slice(begin, _AT_A_TIME), at.file[some], at.line[some], seen)
    for each in seen.values():
        each.broken = sorted(each.broken)[: MOST_BROKEN + 1]
    if not pieces:
        return ColumnTable.of_rows([]), seen
    return ColumnTable.of(words, {name: joined_cells([piece.pop(name) for piece in pieces]) for name in names}), seen


def _ahead(reader: Reader, jobs: Sequence[range]) -> Generator[tuple[Part, Found], None, None]:
    """What the jobs give, one after the other: Spark does the next while what one gave is looked at, then let go of.

    Whoever closes it before its end need not wait for Spark's.
    """
    spark = ThreadPoolExecutor(1)
    coming = spark.submit(reader.read, jobs[0])
    try:
        for job in (*jobs[1:], None):
            found = coming.result()
            if job is not None:
                coming = spark.submit(reader.read, job)
            while found:
                yield found.pop(0)
            pa.default_memory_pool().release_unused()
    finally:
        spark.shutdown(wait=False)
        while not coming.done():  # a job that has only been planned begins after all
            reader.stop()
            wait([coming], _PATIENCE)


def _said(part: Part, at: Found, fields: Sequence[str], words: Words, seen: PerFile) -> Iterator[_Columns]:
    """The events that Spark understood, counted."""
    rows = np.flatnonzero(part.has("said"))
    said, prefixed = part.table["said"].drop_null(), _flags(part.table, "prefixed")
    for begin in range(0, len(rows), _AT_A_TIME):
        here = rows[begin : begin + _AT_A_TIME]
        columns = said_columns(said.slice(begin, _AT_A_TIME), fields, words)
        columns |= {"file": Cells(narrow(at.file[here])), "line": Cells(narrow(at.line[here]))}
        _count(columns, prefixed[here], words, seen)
        yield columns


def _count(columns: Mapping[str, Cells], prefixed: Mask, words: Words, seen: PerFile) -> None:
    """Count understood lines."""
    key = ("file", "row", "level")
    first, place = different([*(columns[name] for name in key), Cells(prefixed)], len(prefixed))
    shown = [columns[name].take(first).plain(words) for name in key]
    for file, row, level, pre, n in zip(*shown, prefixed[first].tolist(), np.bincount(place).tolist(), strict=True):
        seen[file].kinds[Kind("understood", row, level, pre)] += n
    _date(columns["file"].data, columns["line"].data, columns["ts"], seen)


def _flags(table: pa.Table, name: str) -> Mask:
    if name not in table.column_names:
        return np.zeros(table.num_rows, dtype=bool)
    return np.asarray(table[name].fill_null(False).to_numpy(zero_copy_only=False), dtype=bool)


def _date(file: Numbers, line: Numbers, ts: Cells, seen: PerFile) -> None:
    """First and last, oldest and youngest of the lines that have a time, per file."""
    there = np.flatnonzero(ts.is_there)
    file, line, time = file[there], line[there], ts.data[there]
    for number in np.unique(file).tolist():
        own = np.flatnonzero(file == number)
        lines, times = line[own], time[own]
        for at in {int(lines.argmin()), int(lines.argmax()), int(times.argmin()), int(times.argmax())}:
            seen[number].dated(int(lines[at]), int(times[at]))


def _plain(
    part: Part, at: Found, layout: Layout | None, names: Sequence[str], words: Words, seen: PerFile
) -> Iterator[_Columns]:
    """The events of lines whose text is there, by the plain parser."""
    if "value" not in part.table.column_names:
        return
    rows = np.flatnonzero(part.has("value"))
    rows = rows[np.lexsort((at.line[rows], at.file[rows]))]
    texts = part.table["value"].take(pa.array(rows)).to_pylist()
    events = []
    for file, line, text in zip(at.file[rows].tolist(), at.line[rows].tolist(), texts, strict=True):
        event = counted(line, text.decode("utf-8", "replace").rstrip("\r"), layout, seen[file])
        if event is not None:
            events.append({**event.__dict__, "file": file, "line": line})
    if events:
        yield {name: cells_of([event.get(name) for event in events], words) for name in names}


def _count_others(table: pa.Table, file: Numbers, line: Numbers, seen: PerFile) -> None:
    """Lines that Spark parsed and did not understand: there may be as many as there are lines."""
    others = table["said"].is_null().to_numpy()
    file, line = file[others], line[others]
    table = table.filter(pa.array(others)).append_column("file", pa.array(file))
    for row in table.group_by(["file", *Kind._fields]).aggregate([([], "count_all")]).to_pylist():
        number, n = row.pop("file"), row.pop("count_all")
        seen[number].kinds[Kind(**row)] += n
    unknown = table.filter(table["template"].is_valid()).group_by(["file", "template"])
    for row in unknown.aggregate([([], "count_all")]).to_pylist():
        seen[row["file"]].unknown[row["template"]] += row["count_all"]
    _date(file, line, Cells(table["ts"].fill_null(0).to_numpy(), table["ts"].is_valid().to_numpy()), seen)
    broken = np.flatnonzero(_flags(table, "broken"))
    for number in np.unique(file[broken]).tolist():
        own = np.sort(line[broken][file[broken] == number])
        seen[number].broken += own[: MOST_BROKEN + 1].tolist()
