"""What Spark reads for rules in memory, as Arrow: what frequent wordings say, and the texts of the lines left.

Lines that are left are few in a large log of a state machine: the plain parser takes them. Where they are many, a
second job parses them on Spark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StringType, StructField, StructType

from ....specs.errors import IsrproofError
from ....traces.events.layouts import Layout
from ....traces.spark.parse import EVENT, frequent_said, parsed
from ..table.cells import Cells, Mask, Numbers, different
from ..table.protocol import FEW
from .coverage import Kind
from .spark_lines import Block, few_rows, placed_lines, shifts, with_kinds

_TOGETHER = 500_000_000
"""So many bytes of text are in one job, if there are several files: what it gives is in memory as Spark gave it."""
_SPLIT = "64m"
"""Tasks of so many bytes end at about the same time."""
_PLACED = ("home", "block", "place")
"""`home` is a hash of a path: a path for each line would cost as much as all that the line says."""
_HOMES = StructType([StructField("path", StringType())])
_OF_OTHERS = tuple(name for name in Kind._fields if name not in ("status", "prefixed"))
"""What is told of a line that Spark has parsed and not understood."""


@dataclass(frozen=True)
class Part:
    """Lines that Spark gave.

    Args:
        table: `said` of a line that is understood; of any other its text in `value`, or the columns of a `Kind`.
        homes: blocks of files.
        block: for each line the number of its block among `homes`.
        place: for each line its place in the block.
    """

    table: pa.Table
    homes: list[tuple[int, int]]
    block: Numbers
    place: Numbers

    def has(self, name: str) -> Mask:
        """Which lines have something in a column."""
        if name not in self.table.column_names:
            return np.zeros(self.table.num_rows, dtype=bool)
        return np.asarray(self.table[name].is_valid().to_numpy(zero_copy_only=False), dtype=bool)

    def where(self, condition: Mask) -> Part:
        table = self.table.filter(pa.array(condition))
        return replace(self, table=table, block=self.block[condition], place=self.place[condition])


@dataclass(frozen=True)
class Found:
    """For each line of a part the number of its file, and its number there."""

    file: Numbers
    line: Numbers


def together(sizes: Sequence[int]) -> list[range]:
    """The numbers of the files that one job reads: of one, or of several with no more than so many bytes."""
    found = [range(0)]
    room = _TOGETHER
    for number, size in enumerate(sizes):
        if size > room and found[-1]:
            found.append(range(number, number))
            room = _TOGETHER
        found[-1] = range(found[-1].start, number + 1)
        room -= size
    return found


class Reader:
    """Reads files, some at a time; `sizes` are their bytes, roughly."""

    def __init__(
        self,
        spark: SparkSession,
        paths: Sequence[str | None],
        sizes: Sequence[int],
        layout: Layout | None,
        fields: Sequence[str],
    ) -> None:
        self._spark, self._paths, self._sizes, self._layout, self._fields = spark, paths, sizes, layout, fields
        self._room = FEW
        """So many lines more may be left to the plain parser."""
        spark.conf.set("spark.sql.files.maxPartitionBytes", _SPLIT)
        files = placed_lines(spark, paths).inputFiles()
        named = dict.fromkeys(name for path in files for name in (path, path.replace("file:///", "file:/", 1)))
        self._names = _hashed(few_rows(spark, _HOMES, [{"path": name} for name in named]))

    def read(self, some: range) -> list[tuple[Part, Found]]:
        """All lines of the files of these numbers."""
        paths = [path if number in some else None for number, path in enumerate(self._paths)]
        if not any(paths):
            return []
        read = placed_lines(self._spark, paths, told=self._layout is None)
        lines = read.withColumn("home", F.xxhash64("path")).drop("path")
        if self._layout is not None:
            parts = [self._parsed(lines)]
        elif sum(self._sizes[number] for number in some) <= _TOGETHER:
            found = _frequent(lines, self._fields)
            parts = [self._collected(found, compiled=True)]
            left = int(parts[0].has("value").sum())
            if left <= self._room:
                self._room -= left
            else:
                parts = [parts[0].where(parts[0].has("said")), self._parsed(found.where(F.col("value").isNotNull()))]
        else:  # their texts may be more than memory holds: no text comes but of what begins as a frequent wording does
            begins = F.col("begins")
            parts = [
                self._collected(_frequent(lines.where(begins.isNotNull()), self._fields), compiled=True),
                self._parsed(lines.where(begins.isNull())),
            ]
        if not all(home in self._names for part in parts for home, _ in part.homes):
            self._names |= _hashed(read.select("path").distinct())  # looks at all lines, and is hardly ever needed
        return list(zip(parts, _numbered(paths, self._names, parts), strict=True))

    def stop(self) -> None:
        """Spark gives up what it reads."""
        self._spark.interruptAll()

    def _parsed(self, lines: DataFrame) -> Part:
        """`said` of a line that is understood; what is counted of any other."""
        counts = [F.when(F.col("said").isNull(), F.col(name)).alias(name) for name in ("ts", *_OF_OTHERS)]
        found = with_kinds(parsed(lines.select(*_PLACED, "value"), self._layout, fields=self._fields, many=False))
        return self._collected(found.select(*_PLACED, "status", "prefixed", "template", "said", *counts))

    def _collected(self, lines: DataFrame, *, compiled: bool = False) -> Part:
        # Of the many cases of all wordings the whole-stage compiler would try to make one method.
        self._spark.conf.set("spark.sql.codegen.wholeStage", str(compiled).lower())
        if "value" in lines.columns:
            lines = lines.withColumn("value", F.col("value").cast("binary"))
        table = lines.toArrow()
        home, block = _array(table, "home"), _array(table, "block")
        first, number = different([Cells(home), Cells(block)], table.num_rows)
        homes = list(zip(home[first].tolist(), block[first].tolist(), strict=True))
        return Part(table.drop_columns([*_PLACED]), homes, number, _array(table, "place"))


def _array(table: pa.Table, name: str) -> Numbers:
    return np.asarray(table[name].to_numpy())


def _frequent(lines: DataFrame, fields: Sequence[str]) -> DataFrame:
    """`said` of a line of a frequent wording; the text of any other."""
    asked = lines.select(*_PLACED, "value", frequent_said(F.col("value"), F.col("begins"), fields).alias("said"))
    is_said = F.coalesce(F.col("said").startswith(EVENT), F.lit(False))
    return asked.select(
        *_PLACED, F.when(is_said, F.col("said")).alias("said"), F.when(~is_said, F.col("value")).alias("value")
    )


def _hashed(paths: DataFrame) -> dict[int, str]:
    """Paths by what is told for them of a line."""
    rows = paths.select("path", F.xxhash64("path").alias("home")).collect()
    names = {row["home"]: row["path"] for row in rows}
    if len(names) < len(rows):
        raise IsrproofError(f"Spark gives one number to two of the files, such as {rows[0]['path']}; audit fewer.")
    return names


def _numbered(paths: Sequence[str | None], names: Mapping[int, str], parts: Sequence[Part]) -> list[Found]:
    """Where each line is; a block's lines may be in several parts."""
    least: dict[Block, int] = {}
    count: dict[Block, int] = defaultdict(int)
    blocks = [[(names[home], block) for home, block in part.homes] for part in parts]
    for part, own in zip(parts, blocks, strict=True):
        firsts = np.full(len(own), np.iinfo(np.int64).max)
        np.minimum.at(firsts, part.block, part.place)
        counts = np.bincount(part.block, minlength=len(own))
        for block, first, n in zip(own, firsts.tolist(), counts.tolist(), strict=True):
            if n:
                least[block] = min(least.get(block, first), first)
                count[block] += n
    place = shifts(paths, ((*block, least[block], count[block]) for block in count))
    found = []
    for part, own in zip(parts, blocks, strict=True):
        file, shift = np.array([place[block] for block in own], dtype=np.int64).reshape(-1, 2).T
        found.append(Found(file[part.block], part.place + shift[part.block]))
    return found
