"""Text files as numbered lines on Spark."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from ...specs.errors import IsrproofError

_GLOB = re.compile(r"([\\{}\[\]*?])")
_BLOCKS = StructType(
    [
        StructField("path", StringType()),
        StructField("block", LongType()),
        StructField("file", IntegerType()),
        StructField("shift", LongType()),
    ]
)


def lines(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """`file` (the place of its path in `paths`), `line` (from 1) and `value` of every line of the files.

    Spark reads a file in blocks, in any order. A first look counts the lines of each block, which costs no more than
    counting the lines; then a line's number is its place in its block and the lines of the blocks before it.
    """
    read = spark.read.option("lineSep", "\n").text([_GLOB.sub(r"\\\1", path) for path in paths])
    placed = read.select(
        "value",
        F.col("_metadata.file_path").alias("path"),
        F.col("_metadata.file_block_start").alias("block"),
        F.monotonically_increasing_id().alias("place"),
    )
    counted = placed.groupBy("path", "block").agg(F.min("place").alias("first"), F.count(F.lit(1)).alias("n")).collect()
    numbers = {_name(path): number for number, path in enumerate(paths)}
    per_file: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for row in counted:
        per_file[row["path"]].append((row["block"], row["first"], row["n"]))
    shifts = []
    for path, blocks in per_file.items():
        if _name(path) not in numbers:
            raise IsrproofError(f"Spark read {path}, which is none of the files asked for: {', '.join(paths[:5])}.")
        before = 0
        for block, first, n in sorted(blocks):
            shifts.append((path, block, numbers[_name(path)], before - first + 1))
            before += n
    known = spark.createDataFrame(shifts, _BLOCKS)
    return placed.join(F.broadcast(known), ["path", "block"]).select(
        "file", (F.col("place") + F.col("shift")).alias("line"), "value"
    )


def _name(path: str) -> str:
    """One name for a path as given and as Spark gives it back (a URI with its odd characters encoded)."""
    parts = urlparse(path)
    if parts.scheme == "file":
        return unquote(parts.path)
    return path if "://" in path else str(Path(path).resolve())
