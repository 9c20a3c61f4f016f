"""The Spark engine: reads and parses on Spark; counts and rules run there too, where there is much to read.

Planning twenty windows takes Spark longer than a plain loop over some hundred thousand events, and windows over rows
take several times as long as columns in memory. So what fits a driver's memory is collected once it is parsed, as rows
if it is little, and other readings of the same tracks and rules take it from there. More than that stays on Spark.
"""

from __future__ import annotations

import atexit
import gzip
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Row, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

from ....traces.events.layouts import Layout
from ....traces.sources import BROKEN, CUT, Source, is_elsewhere, unreadable
from ....traces.spark.parse import ALL, event_of, parsed, typed
from ...spark_session import session
from ..observe.tracks import READS
from ..options import Options
from ..table.protocol import FEW, PythonTable, Table
from ..table.spark_table import SparkTable
from .coverage import MOST_BROKEN, TEMPLATES, Coverage, Kind, facts
from .file import FileFacts, LogFile, Logs
from .spark_lines import Block, numbered, placed_lines, shifts, with_kinds

SMALL = 32_000_000
"""Bytes of text up to which all lines come to the driver once they are parsed: one job, and nothing is compiled."""
IN_MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
"""Bytes of text up to which the events come to the driver, as columns: with all that is made of them they take a third
as much of this machine's memory, twice that where lines are short; Java and what is looked at together take 2 GB."""
_FIELDS = tuple(name for name in READS if name in ALL)
_READ = ("row", "ts", "level", "releases", *_FIELDS)
"""What the audit reads of an event."""
_BRIEF = 500_000_000
"""Bytes of text up to which Java's quick compiler is done sooner: what the other one compiles pays off later."""
_PLACE = 64_000_000
"""Bytes of text whose events one place of a shuffle takes: they are sorted in memory."""
_FEWEST_PLACES = 4
_PLACED = ("path", "block", "place")
_PerFile = dict[int, Coverage]


def read_logs_on_spark(
    sources: Sequence[tuple[int, Source]], layout: Layout | None, options: Options, elsewhere: Mapping[str, int]
) -> tuple[Logs, list[FileFacts]]:
    """Read and parse all files in one job; (cluster, source) pairs, and the bytes of files elsewhere.

    Raises:
        NoSparkError: Spark cannot start here.
    """
    readings = [_reading(source) for _, source in sources]
    paths = [path for path, _ in readings]
    sizes = [_size(path, elsewhere) if path else 0 for path in paths]
    table: Table = PythonTable([])
    seen: _PerFile = defaultdict(Coverage)
    if any(paths):
        table, seen = _read_lines(paths, sizes, layout, options)
    files: list[LogFile] = []
    told: list[FileFacts] = []
    for index, ((cluster, source), (_, problem)) in enumerate(zip(sources, readings, strict=True)):
        file, fact = facts(index, cluster, source, seen[index], problem, options.lossy)
        told.append(fact)
        if not fact.unread:
            files.append(file)
    return Logs(tuple(files), table), told


def _read_lines(
    paths: Sequence[str | None], sizes: Sequence[int], layout: Layout | None, options: Options
) -> tuple[Table, _PerFile]:
    size = sum(sizes)
    small = size <= SMALL
    spark = session(options.master, options.remote, brief=size <= _BRIEF)
    _tune(spark, size, small)
    if small:
        return _read_small(spark, paths, layout)
    if size <= IN_MEMORY:
        from .spark_in_memory import read_in_memory  # Arrow and NumPy only where they are used

        return read_in_memory(spark, paths, sizes, layout, _FIELDS)
    return _read(spark, paths, layout)


def _read_small(
    spark: SparkSession, paths: Sequence[str | None], layout: Layout | None
) -> tuple[PythonTable, _PerFile]:
    """All lines, parsed, to the driver in one job; numbered and counted here."""
    rows = with_kinds(parsed(placed_lines(spark, paths), layout, many=False)).drop("value").collect()
    blocks: dict[tuple[str, int], list[int]] = defaultdict(list)
    for row in rows:
        blocks[row["path"], row["block"]].append(row["place"])
    place = shifts(paths, ((*block, min(places), len(places)) for block, places in blocks.items()))
    seen: _PerFile = defaultdict(Coverage)
    events: list[dict[str, Any]] = []
    for row in rows:
        file, shift = place[row["path"], row["block"]]
        line = row["place"] + shift
        kind = _kind(row)
        if row["said"] is not None:
            event = event_of(row["said"])
            events.append({**event.__dict__, "file": file, "line": line})
            kind = kind._replace(row=event.row)
        seen[file].kinds[kind] += 1
        if row["template"] is not None:
            seen[file].unknown[row["template"]] += 1
        if row["ts"] is not None:
            seen[file].dated(line, row["ts"])
        if kind.broken:
            seen[file].broken.append(line)
    for each in seen.values():
        each.broken = sorted(each.broken)[: MOST_BROKEN + 1]
    return PythonTable(events), seen


def _read(
    spark: SparkSession, paths: Sequence[str | None], layout: Layout | None
) -> tuple[SparkTable | PythonTable, _PerFile]:
    """Lines parsed, counted and numbered on Spark; few events come to the driver."""
    whole = with_kinds(typed(parsed(placed_lines(spark, paths), layout, fields=_FIELDS), _FIELDS)).drop("value")
    lines = whole.select(*dict.fromkeys((*_PLACED, *Kind._fields, "template", *_READ))).persist()
    timed = F.when(F.col("ts").isNotNull(), F.struct("place", "ts"))
    by_time = F.when(F.col("ts").isNotNull(), F.struct("ts", "place"))
    ends = {
        "earliest": F.min(timed),
        "latest": F.max(timed),
        "oldest": F.min(by_time),
        "youngest": F.max(by_time),
        "first": F.min("place"),
        "n": F.count(F.lit(1)),
    }
    kinds = lines.groupBy("path", "block", *Kind._fields).agg(*(value.alias(n) for n, value in ends.items())).collect()
    blocks: dict[Block, list[Row]] = defaultdict(list)
    for row in kinds:
        blocks[row["path"], row["block"]].append(row)
    place = shifts(
        paths,
        ((*block, min(row["first"] for row in own), sum(row["n"] for row in own)) for block, own in blocks.items()),
    )
    seen: _PerFile = defaultdict(Coverage)
    for row in kinds:
        file, shift = place[row["path"], row["block"]]
        seen[file].kinds[_kind(row)] += row["n"]
        for end in ("earliest", "latest", "oldest", "youngest"):
            if row[end] is not None:
                seen[file].dated(row[end]["place"] + shift, row[end]["ts"])
    unknown = lines.where(F.col("template").isNotNull()).groupBy("path", "template").count()
    commonest = F.row_number().over(Window.partitionBy("path").orderBy(F.desc("count"), "template"))
    number = {path: file for (path, _), (file, _) in place.items()}
    for row in unknown.withColumn("rank", commonest).where(F.col("rank") <= TEMPLATES).collect():
        seen[number[row["path"]]].unknown[row["template"]] += row["count"]
    if any(kind.broken for each in seen.values() for kind in each.kinds):
        first = F.slice(F.array_sort(F.collect_list("place")), 1, MOST_BROKEN + 1).alias("places")
        for row in lines.where(F.col("broken")).groupBy("path", "block").agg(first).collect():
            file, shift = place[row["path"], row["block"]]
            seen[file].broken = sorted([*seen[file].broken, *(at + shift for at in row["places"])])[: MOST_BROKEN + 1]
    understood = lines.where(F.col("status") == "understood").select(*_PLACED, *_READ)
    events = SparkTable(numbered(understood, place))
    if sum(n for each in seen.values() for kind, n in each.kinds.items() if kind.status == "understood") > FEW:
        spark.conf.set("spark.sql.codegen.wholeStage", "true")  # now come windows, not cases
        return events, seen
    rows = events.rows()
    lines.unpersist()
    return PythonTable(rows), seen


def _kind(row: Row) -> Kind:
    return Kind(*(row[name] for name in Kind._fields))


def _size(path: str, elsewhere: Mapping[str, int]) -> int:
    """Bytes of text in a file, roughly."""
    size = elsewhere[path] if is_elsewhere(path) else os.path.getsize(path)
    return size * (10 if path.endswith(".gz") else 1)


def _tune(spark: SparkSession, size: int, small: bool) -> None:
    """The parser is one projection of many cases: more than one generated method may hold, so the whole-stage compiler
    tries in vain; and a small log is read sooner than any code is compiled. Adaptive plans forget how the rows of a
    checkpoint are placed and sorted, so how many places there are is said here."""
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN" if small else "FALLBACK")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    spark.conf.set("spark.sql.shuffle.partitions", str(max(_FEWEST_PLACES, size // _PLACE)))


def _reading(source: Source) -> tuple[str | None, str | None]:
    """The path that Spark can read of a source, if there is one, and what is wrong with it all the same."""
    path = source.path
    if is_elsewhere(path):
        return path, None
    try:
        problem = unreadable(path)
        whole = path if problem or not source.compressed else _whole(path)
    except BROKEN:
        return None, CUT
    except OSError as error:
        return None, f"cannot be read: {error.strerror or error}"
    if problem:
        return None, problem
    return (whole, None) if whole else (_salvaged(path), CUT)


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
