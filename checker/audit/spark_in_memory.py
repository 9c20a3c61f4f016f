"""Reading on Spark for rules in memory: one look for the frequent wordings, one at the lines that are left.

What Spark gives is columns (arrow_lines.py). Lines that are left are few in a large log of a state machine: the plain
parser takes them. Where they are many, Spark parses them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StringType, StructField, StructType

from ...specs.errors import IsrproofError
from ...traces.layouts import Layout
from ...traces.spark import EVENT, frequent_said, parsed
from .arrow_lines import said_columns
from .column_table import ColumnTable
from .columns import Cells, Mask, Numbers, Words, cells_of, different, joined_cells, narrow
from .coverage import MOST_BROKEN, Coverage, Kind
from .python_engine import counted
from .spark_lines import Block, few_rows, placed_lines, shifts, with_kinds
from .table import FEW

_PLACED = ("home", "block", "place")
"""`home` is a hash of a path: a path for each line would cost as much as all that the line says."""
_HOMES = StructType([StructField("path", StringType())])
_AT_A_TIME = 500_000
"""So many lines become columns together: their texts are in memory three times then."""
PerFile = dict[int, Coverage]
_Columns = dict[str, Cells]


class _Lines(NamedTuple):
    """Lines that Spark gave: for each the number of its block among `homes`, its place in it, and other columns."""

    table: pa.Table
    homes: list[tuple[int, int]]
    block: Numbers
    place: Numbers


class _Found(NamedTuple):
    """Which file a line is in, and its number there."""

    file: Numbers
    line: Numbers


def read_in_memory(
    spark: SparkSession, paths: Sequence[str | None], layout: Layout | None, fields: Sequence[str]
) -> tuple[ColumnTable, PerFile]:
    """The events of the files, and what is counted of their lines."""
    spark.conf.set("spark.sql.codegen.wholeStage", "true")
    read = placed_lines(spark, paths, told=layout is None)
    lines = read.withColumn("home", F.xxhash64("path")).drop("path")
    parts: list[_Lines] = []
    left = lines
    if layout is None:
        parts.append(_collected(_frequent(lines.where(F.col("begins").isNotNull()), fields)))
        left = lines.where(F.col("begins").isNull()).drop("begins")
    rest = _collected(left.select(*_PLACED, F.lit(None).cast("string").alias("said"), _bytes()).limit(FEW + 1))
    if rest.table.num_rows > FEW:
        spark.conf.set("spark.sql.codegen.wholeStage", "false")  # of so many cases it would try to make one method
        rest = _collected(_parsed(left, layout, fields))
    parts.append(rest)
    found = _numbered(paths, _names(spark, read, parts), parts)
    seen: PerFile = defaultdict(Coverage)
    words = Words()
    names = ("row", "level", "ts", "releases", "file", "line", *fields)
    pieces: list[_Columns] = []
    for at in found:
        part = parts.pop(0)  # what Spark gave is let go of as it becomes columns
        pieces += _said(part, at, fields, words, seen)
        pieces += _plain(part, at, layout, names, words, seen)
        if "status" in part.table.column_names:
            _count_others(part, at, seen)
    for each in seen.values():
        each.broken = sorted(each.broken)[: MOST_BROKEN + 1]
    if not pieces:
        return ColumnTable.of_rows([]), seen
    return ColumnTable.of(words, {name: joined_cells([piece.pop(name) for piece in pieces]) for name in names}), seen


def _bytes() -> Column:
    return F.col("value").cast("binary").alias("value")


def _frequent(lines: DataFrame, fields: Sequence[str]) -> DataFrame:
    """`said` of a line of a frequent wording; the text of any other."""
    asked = lines.select(*_PLACED, "value", frequent_said(F.col("value"), F.col("begins"), fields).alias("said"))
    is_said = F.coalesce(F.col("said").startswith(EVENT), F.lit(False))
    return asked.select(
        *_PLACED, F.when(is_said, F.col("said")).alias("said"), F.when(~is_said, _bytes()).alias("value")
    )


def _parsed(lines: DataFrame, layout: Layout | None, fields: Sequence[str]) -> DataFrame:
    """`said` of a line that is understood; what is counted of any other."""
    counts = [F.when(F.col("said").isNull(), F.col(name)).alias(name) for name in ("ts", *_OF_OTHERS)]
    found = with_kinds(parsed(lines, layout, fields=fields, many=False))
    return found.select(*_PLACED, "status", "prefixed", "template", "said", *counts)


_OF_OTHERS = tuple(name for name in Kind._fields if name not in ("status", "prefixed"))


def _collected(lines: DataFrame) -> _Lines:
    table = lines.toArrow()
    home, block = _array(table, "home"), _array(table, "block")
    first, number = different([Cells(home), Cells(block)], table.num_rows)
    homes = list(zip(home[first].tolist(), block[first].tolist(), strict=True))
    return _Lines(table.drop_columns(["home", "block"]), homes, number, _array(table, "place"))


def _names(spark: SparkSession, read: DataFrame, parts: Sequence[_Lines]) -> Mapping[int, str]:
    """The paths of the homes, as Spark says them."""
    named = dict.fromkeys(name for path in read.inputFiles() for name in (path, path.replace("file:///", "file:/", 1)))
    paths = few_rows(spark, _HOMES, [{"path": name} for name in named])
    for known in (paths, read.select("path").distinct()):  # the second looks at all lines, and is hardly ever needed
        rows = known.select("path", F.xxhash64("path").alias("home")).collect()
        names = {row["home"]: row["path"] for row in rows}
        if len(names) == len(rows) and all(home in names for part in parts for home, _ in part.homes):
            return names
    raise IsrproofError(f"Spark gives one number to two of the files, such as {rows[0]['path']}; audit fewer at once.")


def _array(table: pa.Table, name: str) -> Numbers:
    return np.asarray(table[name].to_numpy())


def _numbered(paths: Sequence[str | None], names: Mapping[int, str], parts: Sequence[_Lines]) -> list[_Found]:
    """File and number of each line; a block's lines may be in several parts."""
    least: dict[Block, int] = {}
    count: dict[Block, int] = defaultdict(int)
    blocks = [[(names[home], block) for home, block in part.homes] for part in parts]
    for part, own in zip(parts, blocks, strict=True):
        firsts = np.full(len(own), np.iinfo(np.int64).max)
        np.minimum.at(firsts, part.block, part.place)
        counts = np.bincount(part.block, minlength=len(own))
        for block, first, n in zip(own, firsts.tolist(), counts.tolist(), strict=True):
            least[block] = min(least.get(block, first), first)
            count[block] += n
    place = shifts(paths, ((*block, least[block], count[block]) for block in count))
    found = []
    for part, own in zip(parts, blocks, strict=True):
        file, shift = np.array([place[block] for block in own], dtype=np.int64).reshape(-1, 2).T
        found.append(_Found(file[part.block], part.place + shift[part.block]))
    return found


def _said(part: _Lines, at: _Found, fields: Sequence[str], words: Words, seen: PerFile) -> Iterator[_Columns]:
    """The events that Spark understood, counted."""
    rows = np.flatnonzero(_is_there(part.table, "said"))
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


def _is_there(table: pa.Table, name: str) -> Mask:
    return np.asarray(table[name].is_valid().to_numpy(zero_copy_only=False), dtype=bool)


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
    part: _Lines, at: _Found, layout: Layout | None, names: Sequence[str], words: Words, seen: PerFile
) -> Iterator[_Columns]:
    """The events of lines whose text is there, by the plain parser."""
    if "value" not in part.table.column_names:
        return
    rows = np.flatnonzero(_is_there(part.table, "value"))
    rows = rows[np.lexsort((at.line[rows], at.file[rows]))]
    texts = part.table["value"].take(pa.array(rows)).to_pylist()
    events = []
    for file, line, text in zip(at.file[rows].tolist(), at.line[rows].tolist(), texts, strict=True):
        event = counted(line, text.decode("utf-8", "replace").rstrip("\r"), layout, seen[file])
        if event is not None:
            events.append({**event.__dict__, "file": file, "line": line})
    if events:
        yield {name: cells_of([event.get(name) for event in events], words) for name in names}


def _count_others(part: _Lines, at: _Found, seen: PerFile) -> None:
    """Lines that Spark parsed and did not understand."""
    rows = np.flatnonzero(~_is_there(part.table, "said"))
    names = ("ts", "template", *Kind._fields)
    columns: Mapping[str, list[Any]] = {name: part.table[name].take(pa.array(rows)).to_pylist() for name in names}
    places = zip(at.file[rows].tolist(), at.line[rows].tolist(), strict=True)
    for (file, line), ts, template, *kind in zip(places, *columns.values(), strict=True):
        seen[file].kinds[Kind(*kind)] += 1
        if ts is not None:
            seen[file].dated(line, ts)
        if template is not None:
            seen[file].unknown[template] += 1
        if Kind(*kind).broken:
            seen[file].broken.append(line)
