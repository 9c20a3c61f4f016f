"""The Spark engine: reads, parses and counts on Spark; the rules too, where the events are many.

Spark needs some seconds to plan the rules' windows, however few the lines. So events that fit a driver's memory easily
are collected, and the plain reading of the same tracks and rules takes them from there; many stay on Spark.
"""

from __future__ import annotations

import atexit
import gzip
import os
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ...specs.machines import LEVELS
from ...traces.event import FIELDS
from ...traces.layouts import Layout
from ...traces.sources import BROKEN, CUT, Source, unreadable
from ...traces.spark import events as parsed
from ..spark_session import session
from .lives import UNKNOWN_LEVEL, LogFile
from .options import Options
from .python_engine import OWN, STATE_CHANGE, TEMPLATE_LENGTH, why_lossy
from .report import FileFacts
from .run import Logs
from .spark_lines import lines
from .spark_table import SparkTable
from .table import PythonTable

FEW = 200_000
"""Up to so many events the rules run in the driver."""
_SMALL = 32_000_000
"""Bytes of text below which compiling costs more than it saves."""
_TEMPLATES = 1_000
_CLASSES = ("understood", "irrelevant", "continuation", "unknown")


def read_logs_on_spark(
    sources: Sequence[tuple[int, Source]], layout: Layout | None, options: Options
) -> tuple[Logs, list[FileFacts]]:
    """Read and parse all files in one job; (cluster, source) pairs.

    Raises:
        NoSparkError: Spark cannot start here.
    """
    good, bad = _readable(sources)
    facts = [_unread(len(good) + i, cluster, source, problem) for i, (cluster, source, problem) in enumerate(bad)]
    if not good:
        return Logs((), PythonTable([])), facts
    spark = session(options.master, options.remote)
    _tune(spark, sum(_size(path) for _, _, path, _ in good))
    frame = _counted(parsed(lines(spark, [path for _, _, path, _ in good]), layout)).persist()
    counts = _per_row(frame)
    unknown = _unknown(frame)
    files = []
    for index, (cluster, source, _, problem) in enumerate(good):
        file, fact = _file(index, cluster, source, problem, counts[index], unknown[index], options.lossy)
        files.append(file)
        facts.append(fact)
    events = frame.where(F.col("status") == "understood").select("file", "line", *FIELDS)
    if sum(fact.coverage["understood"] for fact in facts) > FEW:
        spark.conf.set("spark.sql.codegen.wholeStage", "true")
        spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK")
        return Logs(tuple(files), SparkTable(events)), sorted(facts, key=lambda fact: fact.index)
    rows = [{k: v for k, v in row.asDict().items() if v is not None} for row in events.collect()]
    for row in rows:
        row.update({name: tuple(value) for name, value in row.items() if isinstance(value, list)})
    frame.unpersist()
    return Logs(tuple(files), PythonTable(rows)), sorted(facts, key=lambda fact: fact.index)


def _size(path: str) -> int:
    """Bytes of text in a file, roughly; none of a file that is elsewhere."""
    if not Path(path).is_file():
        return _SMALL
    return os.path.getsize(path) * (10 if path.endswith(".gz") else 1)


def _tune(spark: SparkSession, size: int) -> None:
    """The parser is one projection of two hundred cases: more than one generated method may hold, so the whole-stage
    compiler tries in vain; and a small log is read sooner than any code is compiled."""
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN" if size < _SMALL else "FALLBACK")


def _readable(
    sources: Sequence[tuple[int, Source]],
) -> tuple[list[tuple[int, Source, str, str | None]], list[tuple[int, Source, str]]]:
    """Files that Spark can read, each with the path to read and what is wrong with it all the same; and the others."""
    good, bad = [], []
    for cluster, source in sources:
        path, problem = source.path, None
        if Path(path).is_file():
            try:
                problem = unreadable(path)
                whole = path if problem or not source.compressed else _whole(path)
            except (OSError, *BROKEN) as error:
                problem, whole = f"cannot be read: {error}", None
            if problem:
                bad.append((cluster, source, problem))
                continue
            if whole is None:
                problem, path = CUT, _salvaged(path)
        good.append((cluster, source, path, problem))
    return good, bad


def _whole(path: str) -> str | None:
    """The path, if its gzip data is whole. Spark would fail the whole job, or say nothing."""
    try:
        with gzip.open(path) as file:
            while file.read(1 << 20):
                pass
    except BROKEN:
        return None
    return path


def _salvaged(path: str) -> str:
    """A plain copy of what can be read of a broken gzip file."""
    folder = tempfile.mkdtemp(prefix="isrproof-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = os.path.join(folder, "salvaged.log")
    with gzip.open(path) as file, open(copy, "wb") as out:
        try:
            for line in file:
                out.write(line)
        except BROKEN:
            return copy
    return copy


def _unread(index: int, cluster: int, source: Source, problem: str) -> FileFacts:
    return FileFacts(index, cluster, source.path, 0, dict.fromkeys(_CLASSES, 0), {}, {}, 0, problem, "cut")


def _counted(frame: DataFrame) -> DataFrame:
    """The parsed lines with what is counted about them; without their text, which is most of the bytes."""
    text = F.col("value")
    unknown = F.col("status") == "unknown"
    family = F.coalesce("family", F.lit(""))
    shown = F.regexp_replace(F.substring(text, 1, TEMPLATE_LENGTH), "[0-9]+", "#")
    of_state_change = F.col("row").rlike("^(SC|BR[.])")
    return frame.withColumns(
        {
            "template": F.when(unknown, shown),
            "rank": F.when(of_state_change, _rank(F.col("level"))),
            "prefixed": of_state_change & ~F.substring(text, 1, 1).isin("[", "1", "2"),
            "bearing": unknown & ((family == STATE_CHANGE) | text.contains(f"({STATE_CHANGE})")),
            "stranger": unknown & F.col("family").isNotNull() & ~family.isin(*OWN),
        }
    ).drop("value")


def _rank(level: Column) -> Column:
    rank = F.lit(None).cast("int")
    for number, name in enumerate(LEVELS):
        rank = F.when(level == name, number).otherwise(rank)
    return rank


def _per_row(frame: DataFrame) -> dict[int, list[dict[str, Any]]]:
    per_file: dict[int, list[dict[str, Any]]] = defaultdict(list)
    first = F.min(F.when(F.col("ts").isNotNull(), F.struct("line", "ts")))
    for row in (
        frame.groupBy("file", "status", "row")
        .agg(
            F.count(F.lit(1)).alias("n"),
            F.min("rank").alias("rank"),
            first["line"].alias("first_line"),
            first["ts"].alias("first_ts"),
            F.count(F.when(F.col("prefixed"), 1)).alias("prefixed"),
            F.count(F.when(F.col("bearing"), 1)).alias("bearing"),
            F.count(F.when(F.col("stranger"), 1)).alias("stranger"),
        )
        .collect()
    ):
        per_file[row["file"]].append(row.asDict())
    return per_file


def _unknown(frame: DataFrame) -> dict[int, Counter[str]]:
    """The commonest unknown templates, per file."""
    per_file: dict[int, Counter[str]] = defaultdict(Counter)
    unknown = frame.where(F.col("template").isNotNull()).groupBy("file", "template").count()
    for row in unknown.orderBy(F.desc("count"), "file", "template").limit(_TEMPLATES).collect():
        per_file[row["file"]][row["template"]] += row["count"]
    return per_file


def _file(
    index: int,
    cluster: int,
    source: Source,
    problem: str | None,
    counts: list[dict[str, Any]],
    unknown: Counter[str],
    lossy: bool,
) -> tuple[LogFile, FileFacts]:
    classes: Counter[str] = Counter(dict.fromkeys(_CLASSES, 0))
    rows: Counter[str] = Counter()
    for row in counts:
        classes[str(row["status"])] += row["n"]
        if row["row"] is not None and row["status"] in ("understood", "irrelevant"):
            rows[str(row["row"])] += row["n"]

    def total(name: str) -> int:
        return sum(int(row[name] or 0) for row in counts)

    ranks = [int(row["rank"]) for row in counts if row["rank"] is not None]
    times = sorted((row["first_line"], row["first_ts"]) for row in counts if row["first_line"] is not None)
    controller_lines = any(row.startswith("SC") for row in rows)
    why = why_lossy(lossy, problem, total("prefixed"), total("stranger"), controller_lines)
    fact = FileFacts(
        index=index,
        cluster=cluster,
        path=source.path,
        lines=sum(classes.values()),
        coverage=dict(classes),
        rows=dict(rows),
        unknown=dict(unknown),
        bearing_unknown=total("bearing"),
        problem=problem,
        lossy=why,
    )
    first_ts = times[0][1] if times else None
    level = min(ranks, default=UNKNOWN_LEVEL)
    file = LogFile(
        index,
        cluster,
        source.path,
        source.directory,
        source.stream,
        first_ts,
        source.hour,
        min(level, UNKNOWN_LEVEL),
        why,
    )
    return file, fact
