"""Text files as lines on Spark, and the numbers of the lines.

Spark reads a file in blocks, in any order. A line's number is its place in its block and the lines of the blocks before
it: so it is known once all blocks are counted, which is done with what else is counted of the lines.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import unquote, urlparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from ...specs.errors import IsrproofError

_GLOB = re.compile(r"([\\{}\[\]*?])")
_SHIFTS = StructType(
    [
        StructField("path", StringType()),
        StructField("block", LongType()),
        StructField("file", IntegerType()),
        StructField("shift", LongType()),
    ]
)
Block = tuple[str, int]
"""The path of a file as Spark says it, and the byte at which a block of it begins."""


def placed_lines(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Every line of the files: `value`, its `path` and `block`, and its `place`, which rises within a block by one."""
    return (
        spark.read.option("lineSep", "\n")
        .text(_asked(paths))
        .select(
            "value",
            F.col("_metadata.file_path").alias("path"),
            F.col("_metadata.file_block_start").alias("block"),
            F.monotonically_increasing_id().alias("place"),
        )
    )


def size_of(spark: SparkSession, paths: Sequence[str]) -> int:
    """Bytes of files that only Spark can reach; their text is not read."""
    if not paths:
        return 0
    files = spark.read.format("binaryFile").load(_asked(paths))
    return files.agg(F.sum("length")).collect()[0][0] or 0


def _asked(paths: Sequence[str]) -> list[str]:
    return [_GLOB.sub(r"\\\1", _name(path)) for path in paths]


def shifts(paths: Sequence[str], blocks: Iterable[tuple[str, int, int, int]]) -> Mapping[Block, tuple[int, int]]:
    """Of each block the number of its file in `paths`, and what a place in it is short of the number of its line.

    `blocks` are path, block, smallest place and number of lines.
    """
    numbers = {_name(path): number for number, path in enumerate(paths)}
    per_file: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for path, *block in blocks:
        per_file[path].append(tuple(block))  # type: ignore[arg-type]
    found = {}
    for path, own in per_file.items():
        if _name(path) not in numbers:
            raise IsrproofError(f"Spark read {path}, which is none of the files asked for: {', '.join(paths[:5])}.")
        before = 0
        for start, first, n in sorted(own):
            found[path, start] = (numbers[_name(path)], before - first + 1)
            before += n
    return found


def numbered(lines: DataFrame, places: Mapping[Block, tuple[int, int]]) -> DataFrame:
    """Placed lines with their `file` (the place of its path) and `line` (from 1), by what `shifts` found."""
    few = lines.sparkSession.createDataFrame([(*block, *place) for block, place in places.items()], _SHIFTS)
    line = (F.col("place") + F.col("shift")).alias("line")
    kept = [name for name in lines.columns if name not in ("path", "block", "place")]
    return lines.join(F.broadcast(few), ["path", "block"]).select("file", line, *kept)


def _name(path: str) -> str:
    """One name for a path as given and as Spark gives it back (a URI with its odd characters encoded).

    A file's is without links and dots: Spark takes dots away before it follows links, the system after.
    """
    parts = urlparse(path)
    if parts.scheme == "file":
        return os.path.realpath(unquote(parts.path))
    return path if "://" in path else os.path.realpath(path)
