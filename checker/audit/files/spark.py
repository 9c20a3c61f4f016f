"""Reading on Spark: it scans and matches the frequent wordings, its workers do the rest near the data.

Two jobs do an audit. The first reads all lines: what a native pattern extracts of a line of a frequent wording, and the
text of any other, goes to Python workers as Arrow (worker.py). They count, take a look, and encode the events by bucket
of partitions; what is encoded is kept, on the disks of the cluster, and is a fortieth of the text. The second moves
each bucket to one place and looks at its partitions there. The driver holds counts, looks' rows, and nothing else.
"""

from __future__ import annotations

import atexit
import gzip
import json
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ....traces.events.layouts import Layout
from ....traces.sources.encoding import BROKEN, is_plain
from ....traces.sources.paths import Source, is_elsewhere
from ....traces.sources.text import copied
from ....traces.spark.extract import PRINTED, SEPARATOR, replaced
from ..table.protocol import Row
from . import worker
from .coverage import Coverage, facts
from .log import Look, Read, nothing
from .spark_lines import blocks, homes, placed_lines, shifts

_SPLIT = "64m"
"""Bytes of text that one task reads: it is one piece, or a few."""
_LINES_PER_BATCH = 100_000
_PAYLOADS_PER_BATCH = "500"
BUCKET = 128_000_000
"""Bytes of text whose events are one bucket."""


class SparkLog:
    """Files read on Spark; see Log.

    Args:
        sources: (cluster, source) pairs, numbered in this order.
        sizes: the bytes of text of the sources, roughly.
        kept: the rows of the line table that buckets get, with `columns` of their events.
        buckets: how many there are; None leaves it to the size.
        piece: so many lines are looked at together, at least, as far as Spark gives them together.
    """

    def __init__(
        self,
        spark: SparkSession,
        sources: Sequence[tuple[int, Source]],
        sizes: Sequence[int],
        layout: Layout | None,
        lossy: bool,
        kept: frozenset[str],
        columns: Sequence[str],
        buckets: int | None = None,
        piece: int | None = None,
    ) -> None:
        self._spark, self._sources, self._lossy = spark, sources, lossy
        self._readings = [_reading(source) for _, source in sources]
        self._paths = [path for path, _ in self._readings]
        self._task = worker.Task(
            look=_no_rows,
            fields=tuple(name for name in PRINTED if name in columns),
            layout=layout,
            kept=kept,
            columns=tuple(columns),
            buckets=buckets or max(1, sum(sizes) // BUCKET),
            piece=piece or worker.PIECE,
        )
        self._encoded: DataFrame | None = None
        self._places: worker.Places = {}

    def read(self, look: Look, advance: Callable[[int], None] = nothing) -> Read:
        rows: list[Row] = []
        seen: dict[int, Coverage] = defaultdict(Coverage)
        if any(self._paths):
            task = replace(self._task, look=look)
            # No cache: that costs more, and a session gives it to whoever asks the same of these paths, whatever the
            # files are by then.
            self._encoded = self._looking(task, self._paths).localCheckpoint(storageLevel=StorageLevel.DISK_ONLY)
            pieces = _looked(self._encoded)
            self._places = self._numbered(self._paths, [block for piece in pieces for block in piece["blocks"]])
            for piece in pieces:
                places = worker.whole(piece["blocks"], self._places)
                for number, coverage in piece["coverage"]:
                    file, shift = places[number]
                    seen[file].add(Coverage.from_json(coverage), shift)
                rows += (worker.shifted(row, *places[row["file"]]) for row in piece["rows"])
        found = (
            facts(index, cluster, source, seen[index], problem, self._lossy)
            for index, ((cluster, source), (_, problem)) in enumerate(zip(self._sources, self._readings, strict=True))
        )
        return Read.of(found, rows)

    def over_lines(self, look: Look, files: Collection[int]) -> list[Row]:
        paths = [path if number in files else None for number, path in enumerate(self._paths)]
        if not any(paths):
            return []
        # Spark cuts fewer files into other blocks.
        counted = [(each.home, each.begin, each.first, each.lines) for each in blocks(placed_lines(self._spark, paths))]
        task = replace(self._task, look=look, buckets=0, places=self._numbered(paths, counted))
        return [row for piece in _looked(self._looking(task, paths)) for row in piece["rows"]]

    def close(self) -> None:
        self._encoded = None

    def over_partitions(self, look: Look) -> list[Row]:
        if self._encoded is None:
            return []
        names, places = self._task.columns, self._places

        def looked(bucket: pa.Table) -> pa.Table:
            rows = worker.look_at(look, names, places, (payload.as_py() for payload in bucket["payload"]))
            return pa.table({"rows": pa.array([worker.as_json(rows)])})

        self._spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", _PAYLOADS_PER_BATCH)
        self._spark.conf.set("spark.sql.shuffle.partitions", str(self._task.buckets))
        buckets = self._encoded.where(F.col("bucket") > worker.LOOKED).groupBy("bucket")
        found = buckets.applyInArrow(looked, "rows string").collect()
        return [row for part in found for row in worker.from_json(part["rows"])]

    def _looking(self, task: worker.Task, paths: Sequence[str | None]) -> DataFrame:
        spark = self._spark
        spark.conf.set("spark.sql.files.maxPartitionBytes", _SPLIT)
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(min(task.piece, _LINES_PER_BATCH)))
        spark.conf.set("spark.sql.adaptive.enabled", "false")
        lines = placed_lines(spark, paths, begins=task.layout is None)
        found = F.lit(None).cast("string")
        if task.layout is None:
            found = replaced(F.col("value"), F.col("begins"), task.fields)
        # Spark keeps a projection apart whose costly column is used more than once.
        asked = lines.select(F.xxhash64("path").alias("home"), "block", "place", "value", found.alias("found"))
        is_extract = F.coalesce(F.col("found").startswith(SEPARATOR), F.lit(False))
        extract = F.when(is_extract, F.col("found")).alias("extract")
        text = F.when(~is_extract, F.col("value").cast("binary")).alias("value")

        def looked(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return worker.encode(task, batches)

        return asked.select("home", "block", "place", extract, text).mapInArrow(looked, worker.OUTPUT)

    def _numbered(self, paths: Sequence[str | None], blocks: Iterable[Sequence[int]]) -> worker.Places:
        """The file and the shift of each block, from (home, begin, first place, lines) of parts of blocks."""
        least: dict[worker.BlockKey, int] = {}
        count: dict[worker.BlockKey, int] = defaultdict(int)
        for home, begin, first, n in blocks:
            least[home, begin] = min(least.get((home, begin), first), first)
            count[home, begin] += n
        names = homes(self._spark, paths, {home for home, _ in count})
        key = {(names[home], begin): (home, begin) for home, begin in count}
        place = shifts(paths, ((*block, least[key[block]], count[key[block]]) for block in key))
        return {key[block]: found for block, found in place.items()}


def _no_rows(table: Any) -> list[Row]:
    return []


def _looked(encoded: DataFrame) -> list[dict[str, Any]]:
    """What the pieces have for the driver."""
    rows = encoded.where(F.col("bucket") == worker.LOOKED).select("payload").collect()
    found = [json.loads(bytes(row["payload"])) for row in rows]
    return [piece | {"rows": [worker.plain(row) for row in piece["rows"]]} for piece in found]


def _reading(source: Source) -> tuple[str | None, str | None]:
    """The path that Spark can read of a source, if there is one, and what is wrong with it all the same."""
    path = source.path
    if is_elsewhere(path):
        return path, None
    if is_plain(path) and _can_be_named(path) and (not source.compressed or _is_whole(path)):
        return path, None
    return _copied(path)


def _copied(path: str) -> tuple[str | None, str | None]:
    folder = tempfile.mkdtemp(prefix="isrproof-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = os.path.join(folder, "copy.log")
    problem = copied(path, copy)
    return (copy if os.path.getsize(copy) else None), problem


def _can_be_named(path: str) -> bool:
    """Whether Java can be told of a path: it knows names that are texts."""
    try:
        os.path.realpath(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_whole(path: str) -> bool:
    """Whether the gzip data is whole. Spark would fail the whole job, or say nothing."""
    try:
        with gzip.open(path) as file:
            while file.read(1 << 20):
                pass
    except BROKEN:
        return False
    return True
