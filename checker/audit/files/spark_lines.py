"""Text files as lines on Spark, and the numbers of the lines.

Spark reads a file in blocks, in any order. A line's number is its place in its block plus the lines of the earlier
blocks, so it is known only once all blocks are counted; that happens together with the other counts of the lines.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, IntegerType, LongType, StringType, StructField, StructType

from ....specs.errors import IsrproofError
from ....traces.sources.paths import is_elsewhere, is_log, some
from ....traces.sources.text import ENDLESS, LONGEST, text_of
from ....traces.spark.unwrapped import NamedColumn
from . import by_file

SPLIT = str(by_file.TASK)
"""The bytes of text that one task reads: a part of a file, or some hundred small files."""
OPENING = "spark.sql.files.openCostInBytes"
"""Spark's setting of the bytes that could be read while a file is opened: it bounds the small files of a task."""
_OPENING = {"4194304b": str(by_file.OPENING)}
"""The value for Spark's default one, with which a task gets 16 small files and takes longer to start than to read
them."""
_LISTED = 50
"""The number of paths that one task lists."""
_GLOB = re.compile(r"([\\{}\[\]*?])")
_FILE = re.compile("file:(//)?(?=/)")
_SHIFTS = StructType(
    [
        StructField("path", StringType()),
        StructField("block", LongType()),
        StructField("file", IntegerType()),
        StructField("shift", LongType()),
    ]
)
_PATHS = StructType([StructField("path", StringType())])
_LINES = StructType([StructField("file", IntegerType()), StructField("line", LongType())])
Block = tuple[str, int]
"""The path of a file as Spark prints it, and the byte at which one of its blocks begins."""


def placed_lines(
    spark: SparkSession,
    paths: Sequence[str | None],
    text: Sequence[NamedColumn] = (),
    wanted: Collection[int] | None = None,
) -> DataFrame:
    """Return every line of the files: `value`, its `path` and `block`, and its `place`, which rises by one within a
    block.

    With the steps that extract the `text` of the log line (traces/spark/unwrapped.py), the column `text` is added.
    `wanted` are the hashes of paths: only their lines are returned, cut as if all were.
    """
    # By default each path is listed in a task of its own, which takes ten times as long as the listing.
    spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", str(max(32, len(paths) // _LISTED)))
    lines = (
        spark.read.option("lineSep", "\n")
        .text(as_asked(paths))
        .select(
            _bounded(F.col("value")).alias("value"),
            F.col("_metadata.file_path").alias("path"),
            F.col("_metadata.file_block_start").alias("block"),
        )
    )
    if wanted is not None:
        # With a condition on paths alone, Spark would not look at the others, and would cut these elsewhere.
        lines = lines.where(F.when(F.col("value").isNotNull(), F.xxhash64("path").isin(*wanted)))
    place = F.monotonically_increasing_id().alias("place")
    if not text:
        return lines.select("*", place)
    for name, column in text:
        lines = lines.select("*", column.alias(name))
    # Next to a place it is computed once: no later condition on it is pushed below the numbering of lines.
    return lines.select("value", "text", "path", "block", place)


def pack(spark: SparkSession) -> None:
    """Set how much text a task of the next job reads; a cost of opening files that a user has set stays."""
    spark.conf.set("spark.sql.files.maxPartitionBytes", SPLIT)
    usual = spark.conf.get(OPENING) or ""
    spark.conf.set(OPENING, _OPENING.get(usual, usual))


def _bounded(line: Column) -> Column:
    """Return a line, or its beginning and ENDLESS if it is too long (traces/sources/text.py)."""
    head = F.substring(line.cast("binary"), 1, LONGEST)
    cut = F.concat(head, F.lit(ENDLESS).cast("binary")).cast("string")
    return F.when(F.octet_length(line) > LONGEST, cut).otherwise(line)


def files_at(spark: SparkSession, path: str) -> dict[str, int]:
    """Return the files of a path that only Spark can reach (a file, a directory, a glob), with their sizes; reads no
    text.

    Raises:
        IsrproofError: a directory or a glob has no logs.
    """
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(path)
    rows = files.select("path", "length").collect()
    found = {_FILE.sub("file://", row["path"]): row["length"] for row in rows}
    alone = len(found) == 1 and _name(path) == _name(*found)
    logs = sorted(file for file in found if alone or is_log(file))
    return {file: found[file] for file in some(path, logs)}


def homes(read: Sequence[DataFrame], paths: Sequence[str | None], known: Collection[int]) -> dict[int, str]:
    """Return the paths of lines by their hashes (xxhash64 of Spark's path), at least those of the `known` hashes.

    Args:
        read: the lines of the `paths`, or what is made of them.

    Raises:
        IsrproofError: two paths have one hash.
    """
    spark = read[0].sparkSession
    found = _hashed(few_rows(spark, _PATHS, [{"path": name} for each in read for name in _input(each)]))
    if not set(known) <= set(found):
        found |= _hashed(placed_lines(spark, paths).select("path").distinct())  # reads all lines, and is rarely needed
    return found


def _input(lines: DataFrame) -> dict[str, str]:
    """Return the names in the column `path`, each with Spark's other name for it."""
    return {name: path for path in lines.inputFiles() for name in (path, path.replace("file:///", "file:/", 1))}


def _hashed(paths: DataFrame) -> dict[int, str]:
    rows = paths.select("path", F.xxhash64("path").alias("home")).collect()
    names = {row["home"]: row["path"] for row in rows}
    if len(names) < len(rows):
        raise IsrproofError(f"Spark gives one number to two of the files, such as {rows[0]['path']}; audit fewer.")
    return names


def texts(spark: SparkSession, wanted: Mapping[str, Iterable[int]]) -> dict[str, dict[int, str]]:
    """Return the texts of some lines, by file and number."""
    paths = list(wanted)
    lines = placed_lines(spark, paths)
    counted = [(each.path, each.begin, each.first, each.lines) for each in blocks(lines)]
    asked = [{"file": file, "line": line} for file, path in enumerate(paths) for line in wanted[path]]
    few = F.broadcast(few_rows(spark, _LINES, asked))
    found: dict[str, dict[int, str]] = {path: {} for path in paths}
    asked_for = numbered(lines, shifts(paths, counted)).join(few, ["file", "line"])
    for row in asked_for.select("file", "line", F.col("value").cast("binary")).collect():
        found[paths[row["file"]]][row["line"]] = text_of(bytes(row["value"]))
    return found


class CountedBlock(NamedTuple):
    """A block of placed lines."""

    home: int
    """The hash of its path (as `homes` computes it)."""
    path: str
    begin: int
    """The byte at which it begins."""
    first: int
    """The place of its first line."""
    lines: int
    """The number of its lines."""


def blocks(lines: DataFrame) -> list[CountedBlock]:
    """Return the blocks of placed lines; reads all of them."""
    keys = (F.xxhash64("path"), "path", "block")
    return [CountedBlock(*row) for row in lines.groupBy(*keys).agg(F.min("place"), F.count(F.lit(1))).collect()]


def as_asked(paths: Sequence[str | None]) -> list[str]:
    """Return paths for Spark, whose default file system need not be this machine's."""
    names = [_GLOB.sub(r"\\\1", _name(path)) for path in paths if path]
    return [name if is_elsewhere(name) else f"file://{name}" for name in names]


def is_hidden(path: str) -> bool:
    """Return True if Spark's readers leave a file out, even one that is named, because of its name."""
    return os.path.basename(os.path.realpath(path)).startswith(("_", "."))


def shifts(paths: Sequence[str | None], blocks: Iterable[tuple[str, int, int, int]]) -> Mapping[Block, tuple[int, int]]:
    """Return for each block the number of its file in `paths`, and the difference between a line's number and its
    place.

    `blocks` are path, block, smallest place and number of lines.
    """
    numbers = {_name(path): number for number, path in enumerate(paths) if path}
    per_file: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for path, *block in blocks:
        per_file[path].append(tuple(block))  # type: ignore[arg-type]
    found = {}
    for path, own in per_file.items():
        if _given_back(path) not in numbers:
            asked = ", ".join([*numbers][:5])
            raise IsrproofError(f"Spark read {path}, which is not one of the requested files: {asked}.")
        before = 0
        for start, first, n in sorted(own):
            found[path, start] = (numbers[_given_back(path)], before - first + 1)
            before += n
    return found


def numbered(lines: DataFrame, places: Mapping[Block, tuple[int, int]]) -> DataFrame:
    """Return placed lines with their `file` (the place of its path) and `line` (from 1), by the result of `shifts`."""
    few = few_rows(
        lines.sparkSession,
        _SHIFTS,
        [dict(zip(_SHIFTS.names, (*block, *place), strict=True)) for block, place in places.items()],
    )
    line = (F.col("place") + F.col("shift")).alias("line")
    kept = [name for name in lines.columns if name not in ("path", "block", "place")]
    return lines.join(F.broadcast(few), ["path", "block"]).select("file", line, *kept)


def named(lines: DataFrame, paths: Sequence[str]) -> dict[str, str]:
    """Return the paths of lines by Spark's names for them."""
    known = {_name(path): path for path in paths}
    return {name: known[_given_back(path)] for name, path in _input(lines).items()}


def few_rows(spark: SparkSession, schema: StructType, rows: Sequence[Mapping[str, Any]]) -> DataFrame:
    """Return rows of the driver as a DataFrame. They travel in the plan: createDataFrame would start Pythons in the
    cluster.
    """
    data = F.from_json(F.lit(json.dumps(rows)), ArrayType(schema))
    return spark.range(1, numPartitions=1).select(F.inline(data))


def _name(path: str) -> str:
    """Return one name for a path as given and as Spark returns it.

    A file's name has no links and dots: Spark removes dots before it follows links, the system afterwards.
    """
    of_file = _FILE.match(path)
    if of_file is None and is_elsewhere(path):
        return path
    return os.path.realpath(path[of_file.end() :] if of_file else path)


def _given_back(path: str) -> str:
    """Return the name behind Spark's: a URI with its special characters encoded."""
    return _name(unquote(path))
