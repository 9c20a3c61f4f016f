"""Events and records of files as DataFrames: Spark reads the files, its workers parse them near the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING

from ..checker.spark_workers import FOR_RECORDS
from ..specs.errors import IsrproofError
from ..traces.formats.detect import Asked, asked_for, detect
from ..traces.sources.encoding import is_plain
from ..traces.sources.paths import COMPRESSED, is_elsewhere, is_named_archive, source
from .files import WHOLE, Files, logs, metadata_logs
from .sessions import described, ready
from .tables import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..traces.formats.reading import Reading
    from .workers import Task

_TABLES, _PROBLEMS = ("events", "records"), ("fail", "keep")


def events(
    spark: SparkSession,
    paths: str | Sequence[str],
    *,
    layout: str | None = None,
    input: str | None = None,
    problems: str = "fail",
    whole: int = WHOLE,
) -> DataFrame:
    """Return the events of logs of text: the lines that bear on rules, parsed.

    Nothing is read before Spark needs it, but for the list of files, and the first lines of large ones.

    Args:
        paths: files, folders, globs or archives, here or on any file system of the session.
        layout: the log4j pattern of the lines, if it is not a known one; `input`: their envelope.
        problems: "fail" the job if a file cannot be read whole, or "keep" a row about it, in whose `problem` is why.
        whole: the largest size in bytes of a file that one task reads whole; Spark splits the lines of larger ones.

    Raises:
        IsrproofError: a path does not exist or has no logs, a value is none of these, the workers lack something.
    """
    asked, files = asked_for(input, layout), logs(paths)
    task = task_of("events", asked, problems, files)
    with described(ready(spark), "isrproof events: sizes of files"):
        large = [task.shown(path) for path in files.larger(spark, whole)]
    small = _of_files(files.contents(spark, whole), task, "events")
    return reduce(lambda one, other: one.unionAll(other), [small, *_of_large(spark, large, task)])


def records(spark: SparkSession, paths: str | Sequence[str], *, problems: str = "fail") -> DataFrame:
    """Return the records of KRaft's metadata log, of segments and snapshots.

    Args:
        paths: files, folders, globs or archives, here or on any file system of the session; Spark lists no folder
            within another whose name begins with `_`, so name `__cluster_metadata-0` itself.
        problems: as of `events`.

    Raises:
        IsrproofError: a path does not exist or has no such file, the workers lack something.
    """
    files = metadata_logs(paths)
    return _of_files(files.contents(ready(spark, FOR_RECORDS)), task_of("records", Asked(), problems, files), "records")


def parse(
    files: DataFrame,
    table: str = "events",
    *,
    layout: str | None = None,
    input: str | None = None,
    problems: str = "fail",
) -> DataFrame:
    """Return the events, or the records, of files that Spark's format "binaryFile" reads, in a stream too.

    Args:
        files: has the columns path and content.
        table: "events" or "records"; the others are as of `events`.

    Raises:
        IsrproofError: a value is none of these, the workers lack something.
    """
    ready(files.sparkSession, FOR_RECORDS if table == "records" else ())
    return _of_files(
        files.select("path", "content"), task_of(table, asked_for(input, layout), problems, Files(())), table
    )


def task_of(table: str, asked: Asked, problems: str, files: Files) -> Task:
    """Return the task of workers for a table.

    Raises:
        IsrproofError: the table or `problems` is none of those that there are.
    """
    from .workers import Task

    if table not in _TABLES:
        raise IsrproofError(f"table: expected {' or '.join(map(repr, _TABLES))}, got {table!r}.")
    if problems not in _PROBLEMS:
        raise IsrproofError(f"problems: expected {' or '.join(map(repr, _PROBLEMS))}, got {problems!r}.")
    return Task(tuple((each.name, each.type) for each in tables()[table].columns), asked, problems, files.named)


def _of_files(files: DataFrame, task: Task, table: str) -> DataFrame:
    from . import workers

    of = {"events": workers.events_of_files, "records": workers.records_of_files}[table]
    return files.mapInArrow(partial(of, task), tables()[table].ddl)


def _of_large(spark: SparkSession, paths: Sequence[str], task: Task) -> Iterator[DataFrame]:
    """Yield the events of large files: of those that Spark can split, whose lines it can hand over, and of others."""
    from ..checker.audit.files.spark import can_be_split
    from ..checker.audit.files.spark_formats import formats

    split, in_order, others = [], {}, []
    far = formats(spark, [path for path in paths if is_elsewhere(path) and not _is_packed(path)], task.asked)
    for path in paths:
        if _is_packed(path):
            others.append(path)
            continue
        how = far[path].detected if path in far else detect(path, task.asked)
        if how.reading.native and can_be_split(source(path), how):
            split.append(path)
        elif is_elsewhere(path) or is_plain(path):
            in_order[path] = how.reading
        else:
            others.append(path)
    if split:
        yield _split(spark, split, task)
    if in_order:
        yield _in_order(spark, in_order, task)
    if others:
        yield _of_files(Files(tuple(others)).contents(spark), task, "events")


def _is_packed(path: str) -> bool:
    return path.endswith(COMPRESSED) or is_named_archive(path)


def _split(spark: SparkSession, paths: Sequence[str], task: Task) -> DataFrame:
    """Return the events of lines that stand as they were written.

    Spark splits the files. A line's number is that in its block plus the lines of the blocks before, which Spark counts
    as a part of the same query.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    from ..checker.audit.files.spark_lines import named, placed_lines
    from .workers import events_of_blocks

    columns = tables()["events"].columns
    lines = placed_lines(spark, paths)
    keyed = replace(
        task,
        schema=(*task.schema, ("path", "string"), ("block", "bigint")),
        named=named(lines, paths),
    )
    counted = lines.groupBy("path", "block").agg(F.count(F.lit(1)).alias("lines"))
    earlier = Window.partitionBy("path").orderBy("block").rowsBetween(Window.unboundedPreceding, -1)
    before = counted.select("path", "block", F.coalesce(F.sum("lines").over(earlier), F.lit(0)).alias("before"))
    text = lines.select("path", "block", F.col("value").cast("binary").alias("value"))
    found = text.mapInArrow(partial(events_of_blocks, keyed), f"{tables()['events'].ddl}, path string, block bigint")
    shown = [
        (F.col("line") + F.col("before")).alias("line") if each.name == "line" else F.col(each.name) for each in columns
    ]
    return found.join(F.broadcast(before), ["path", "block"]).select(*shown)


def _in_order(spark: SparkSession, readings: Mapping[str, Reading], task: Task) -> DataFrame:
    """Return the events of files whose lines one worker must have in order, because of the envelope that they are
    in.
    """
    from pyspark.sql import functions as F  # noqa: N812

    from ..checker.audit.files.spark_lines import named, placed_lines
    from .workers import events_of_lines

    lines = placed_lines(spark, [*readings]).repartition(len(readings), "path")
    names = named(lines, [*readings])
    of = {name: readings[path] for name, path in names.items()}
    text = lines.sortWithinPartitions("path", "block", "place").select(
        "path", F.col("value").cast("binary").alias("value")
    )
    return text.mapInArrow(partial(events_of_lines, replace(task, named=names), of), tables()["events"].ddl)
