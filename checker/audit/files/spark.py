"""Reading on Spark: Spark finds the lines of files, its workers do the rest near the data.

An audit takes two jobs. The first reads all lines, and passes them to Python workers as Arrow (worker.py). They match
and count them, take a look, and encode the events by bucket of partitions. The encoded events are kept on the disks of
the cluster, and are a fortieth of the text. The second job moves each bucket to one place and looks at its partitions
there. The driver holds counts and looks' rows, and nothing else.
"""

from __future__ import annotations

import gzip
import os
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from ....specs.formats import Envelope
from ....traces.formats.detect import Asked, Detected, detect
from ....traces.formats.pieces import missing
from ....traces.formats.reading import Numbering, StreamFacts, zone_of
from ....traces.sources.compression import BROKEN, compression
from ....traces.sources.encoding import is_plain
from ....traces.sources.paths import Source, is_elsewhere
from ....traces.sources.text import Lines
from ....traces.spark.unwrapped import unwrapped
from ..table.protocol import Row
from . import by_file, split, worker
from .coverage import Coverage, facts
from .file import FileFacts, LogFile
from .log import Look, Read, nothing
from .spark_formats import formats
from .spark_lines import blocks, few_rows, homes, is_hidden, named, pack, placed_lines, shifts
from .spark_lines import texts as lines_of
from .spark_progress import advancing
from .streams import At, chosen_of, stream_of

_LINES_PER_BATCH = 100_000
_PAYLOADS_PER_BATCH = "500"
_CODECS = (".bz2", ".deflate", ".snappy", ".lz4", ".zst")
_PAYLOADS = StructType([StructField("bucket", IntegerType()), StructField("payload", StringType())])
BUCKET = 128_000_000
"""The size of text in bytes whose events form one bucket."""


class SparkLog:
    """Files read on Spark; see Log.

    Args:
        sources: (cluster, source) pairs, numbered in this order.
        sizes: the approximate sizes of the sources' text in bytes.
        asked: the user's statements about their format.
        kept: the rows of the line table that buckets get, with `columns` of their events.
        buckets: the number of buckets; None: it follows from the size.
        piece: the least number of lines that are looked at together, as far as Spark delivers them together.
    """

    def __init__(
        self,
        spark: SparkSession,
        sources: Sequence[tuple[int, Source]],
        sizes: Sequence[int],
        asked: Asked,
        lossy: bool,
        kept: frozenset[str],
        columns: Sequence[str],
        buckets: int | None = None,
        piece: int | None = None,
    ) -> None:
        self._spark, self._sources, self._lossy = spark, sources, lossy
        self._sizes = dict(enumerate(sizes))
        self._far = formats(spark, [source.path for _, source in sources if is_elsewhere(source.path)], asked)
        self._detected = [
            self._far[source.path].detected if source.path in self._far else detect(source.there, asked)
            for _, source in sources
        ]
        self._paths = [
            source.there if can_be_split(source, how) else None
            for (_, source), how in zip(sources, self._detected, strict=True)
        ]
        self._groups = self._grouped()
        self._whole = [
            by_file.Whole(number, source.there, how.reading)
            for number, ((_, source), how) in enumerate(zip(sources, self._detected, strict=True))
            if self._paths[number] is None
        ]
        self._index: list[tuple[int, str]] = []
        self._task = worker.task(
            asked.layout,
            kept,
            columns,
            buckets=buckets or max(1, sum(sizes) // BUCKET),
            piece=piece,
        )
        self._encoded: DataFrame | None = None
        self._places: worker.Places = {}
        self._joined: dict[int, split.JoinedFile] = {}
        self._payloads: list[dict[str, Any]] = []

    def _grouped(self) -> dict[_Wrapped, list[str | None]]:
        """Return the paths that Spark splits, by what their lines are wrapped in; None where another group has the
        source.
        """
        found: dict[_Wrapped, list[str | None]] = {}
        for number, (path, how) in enumerate(zip(self._paths, self._detected, strict=True)):
            if path is not None:
                group = found.setdefault(_Wrapped(how.reading.alone, how.reading.unended), [None] * len(self._paths))
                group[number] = path
        return found

    def read(self, look: Look, advance: Callable[[int], None] = nothing) -> Read:
        if not self._sources:
            return Read.of([], [])
        task = replace(self._task, look=look)
        # No cache: it costs more, and a session returns it to anybody who reads these paths again, whatever the files
        # contain by then.
        split = [self._looking(task, paths, wrapped) for wrapped, paths in self._groups.items()]
        jobs = split + ([self._looking_whole(task, self._whole)] if self._whole else [])
        all_jobs = reduce(lambda a, b: a.unionAll(b), jobs)
        with advancing(self._spark, len(self._sources), advance):
            self._encoded = all_jobs.localCheckpoint(storageLevel=StorageLevel.DISK_ONLY)
        pieces = _looked(self._encoded)
        file_read = by_file.files_read(pieces)
        self._joined = _joined(pieces)
        encoded = _rows(worker.encode(task, self._seams(self._joined)))
        self._payloads = [
            {"bucket": row["bucket"], "payload": b64encode(row["payload"]).decode()}
            for row in encoded
            if row["bucket"] != worker.LOOKED
        ]
        pieces += worker.pieces(encoded)
        self._index = by_file.labelled(len(self._sources), file_read)
        self._places = self._placed(
            split, self._paths, file_read, [block for piece in pieces for block in piece["blocks"]]
        )
        seen, rows = worker.gathered(pieces, self._places)
        of_home = {home: index for (home, _), (index, _) in self._places.items()}
        joined = {of_home[home]: each for home, each in self._joined.items() if home in of_home}
        found = [
            self._facts(index, source, label, seen[index], file_read.get(source), joined.get(index))
            for index, (source, label) in enumerate(self._index)
        ]
        return Read.of(found, rows)

    def _seams(self, homes: Container[int]) -> list[pa.RecordBatch]:
        """Return the lines between the parts of files that are split; these are on the driver."""
        return [seam for home, each in self._joined.items() if home in homes for seam in each.seams]

    def _facts(
        self,
        index: int,
        number: int,
        label: str,
        seen: Coverage,
        file_read: by_file.FileRead | None,
        joined: split.JoinedFile | None,
    ) -> tuple[LogFile, FileFacts]:
        (cluster, source), how = self._sources[number], self._detected[number]
        problem, of_stream = source.problem, None
        numbering: Numbering | None = None
        if file_read is not None:
            of_stream, numbering = file_read.streams.get(label, (None, None))
            problem = problem or file_read.problem
        if joined is not None:
            of_stream, numbering = StreamFacts(zone=self._zone(source, how)), joined.numbering
            problem = problem or missing(joined.cut)
        numbering = None if how.reading.native else numbering
        return facts(index, cluster, source, seen, problem, self._lossy, stream_of(label, how, numbering, of_stream))

    def _zone(self, source: Source, how: Detected) -> int | None:
        far = self._far.get(source.path)
        return zone_of(Lines(source.there), how.reading) if far is None else far.zone

    def over_lines(self, look: Look, files: Collection[int]) -> list[Row]:
        wanted = by_file.wanted(self._index, files)
        rows = []
        at_places = replace(self._task, look=look, buckets=0, places=self._places)
        for wrapped, all_paths in self._groups.items():
            paths = [path if number in wanted else None for number, path in enumerate(all_paths)]
            if not any(paths):
                continue
            if wrapped.envelope is None:
                # Spark cuts a smaller set of files into other blocks.
                lines = placed_lines(self._spark, paths)
                counted = [(each.home, each.begin, each.first, each.lines) for each in blocks(lines)]
                task = replace(self._task, look=look, buckets=0, places=self._placed([lines], paths, {}, counted))
                looking = self._looking(task, paths, wrapped)
            else:  # Spark cuts the same files into the same blocks.
                looking = self._looking(at_places, all_paths, wrapped, self._homes(files))
            rows += [row for piece in _looked(looking) for row in piece["rows"]]
        seams = worker.encode(at_places, self._seams(self._homes(files)))
        rows += [row for piece in worker.pieces(_rows(seams)) for row in piece["rows"]]
        whole = [replace(file, wanted=wanted[file.home]) for file in self._whole if file.home in wanted]
        if whole:
            rows += [row for piece in _looked(self._looking_whole(at_places, whole)) for row in piece["rows"]]
        return rows

    def _homes(self, files: Collection[int]) -> set[int]:
        return {home for (home, _), (index, _) in self._places.items() if index in files}

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
        encoded = self._encoded.where(F.col("bucket") > worker.LOOKED)
        if self._payloads:
            few = few_rows(self._spark, _PAYLOADS, self._payloads)
            encoded = encoded.unionAll(few.select("bucket", F.unbase64("payload").alias("payload")))
        found = encoded.groupBy("bucket").applyInArrow(looked, "rows string").collect()
        return [row for part in found for row in worker.from_json(part["rows"])]

    def _looking(
        self, task: worker.Task, paths: Sequence[str | None], wrapped: _Wrapped, homes: Collection[int] | None = None
    ) -> DataFrame:
        """Run a look; `homes`: the files whose lines are looked at; None: all."""
        spark = self._spark
        pack(spark)
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(min(task.piece, _LINES_PER_BATCH)))
        spark.conf.set("spark.sql.adaptive.enabled", "false")
        columns = [F.xxhash64("path").alias("home"), F.col("block"), F.col("place")]
        if wrapped.envelope is None:
            lines = placed_lines(spark, paths, (), homes)
        else:
            lines = placed_lines(spark, paths, unwrapped(wrapped.envelope), homes)
            columns.append(F.col("text").cast("binary").alias("text"))
        lines = lines.select(*columns, F.col("value").cast("binary").alias("value"))
        return lines.mapInArrow(wrapped.encode(task), worker.OUTPUT)

    def _looking_whole(self, task: worker.Task, files: Sequence[by_file.Whole]) -> DataFrame:
        far = {file.path: file for file in files if is_elsewhere(file.path)}
        groups = by_file.packed([file for file in files if file.path not in far], self._sizes)

        def opened(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return by_file.encode(task, by_file.opened(groups, batches))

        jobs = []
        if groups:
            numbers = self._spark.range(0, len(groups), 1, len(groups))
            jobs.append(numbers.mapInArrow(opened, worker.OUTPUT))
        if far:
            tasks = len(by_file.packed([*far.values()], self._sizes))
            lines = placed_lines(self._spark, list(far)).repartition(tasks, "path")
            of_name = {name: far[path] for name, path in named(lines, list(far)).items()}

            def handed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                return by_file.encode(task, by_file.handed(of_name, batches))

            in_order = lines.sortWithinPartitions("path", "block", "place")
            text = in_order.select("path", F.col("value").cast("binary").alias("value"))
            jobs.append(text.mapInArrow(handed, worker.OUTPUT))
        return jobs[0] if len(jobs) == 1 else jobs[0].unionAll(jobs[1])

    def _placed(
        self,
        read: Sequence[DataFrame],
        paths: Sequence[str | None],
        file_read: Mapping[int, by_file.FileRead],
        blocks: Iterable[Sequence[int]],
    ) -> worker.Places:
        """Return the file and the shift of each block, from (home, begin, first place, lines) of parts of blocks.

        Args:
            read: the lines of the paths, or what is made of them.
        """
        index = {key: file for file, key in enumerate(self._index)}
        found: dict[worker.BlockKey, tuple[int, int]] = {}
        for each in file_read.values():
            found |= {(each.home, block): (index[each.home, label], 0) for block, label in enumerate(each.streams)}
        least: dict[worker.BlockKey, int] = {}
        count: dict[worker.BlockKey, int] = defaultdict(int)
        for home, begin, first, n in blocks:
            if home not in file_read:
                least[home, begin] = min(least.get((home, begin), first), first)
                count[home, begin] += n
        if not count:
            return found
        names = homes(read, paths, {home for home, _ in count})
        key = {(names[home], begin): (home, begin) for home, begin in count}
        place = shifts(paths, ((*block, least[key[block]], count[key[block]]) for block in key))
        return found | {key[block]: (index[number, ""], shift) for block, (number, shift) in place.items()}


class _Wrapped(NamedTuple):
    """The wrapping of the lines of files that Spark splits; see Reading."""

    envelope: Envelope | None
    unended: bool

    def encode(self, task: worker.Task) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """Return the workers' function on the lines."""
        if self.envelope is None:
            return partial(worker.encode, task)
        return partial(split.encode, task, self.envelope, self.unended)


def _looked(encoded: DataFrame) -> list[dict[str, Any]]:
    """Return the pieces' results for the driver."""
    return worker.pieces(row.asDict() for row in encoded.where(F.col("bucket") == worker.LOOKED).collect())


def _rows(batches: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]


def _joined(pieces: Iterable[Mapping[str, Any]]) -> dict[int, split.JoinedFile]:
    """Return the files that were split, by their homes."""
    parts: dict[int, list[split.FilePart]] = defaultdict(list)
    for part in (split.FilePart.from_json(part) for piece in pieces for part in piece.get("parts", ())):
        parts[part.home].append(part)
    return {home: split.joined(own) for home, own in parts.items()}


def can_be_split(source: Source, how: Detected) -> bool:
    """Return whether Spark can read the lines of a file: plain text, or whole gzip data, in one envelope at most."""
    path = source.there
    lines = how.reading.native or how.reading.alone is not None
    if is_elsewhere(path):
        return lines
    if not (lines and os.path.isfile(path) and is_plain(path) and _can_be_named(path)) or is_hidden(path):
        return False
    # Spark decides by the name.
    return _is_whole(path) if path.endswith(".gz") else compression(path) is None and not path.endswith(_CODECS)


def _can_be_named(path: str) -> bool:
    """Return whether Java can be given a path: it knows only names that are text."""
    try:
        os.path.realpath(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_whole(path: str) -> bool:
    """Return whether the gzip data is complete. Otherwise Spark would fail the whole job, or say nothing."""
    try:
        with gzip.open(path) as file:
            while file.read(1 << 20):
                pass
    except BROKEN:
        return False
    return True


def texts(spark: SparkSession, wanted: Mapping[str, Collection[At]], asked: Asked) -> dict[str, dict[At, str]]:
    """Return the texts of some places of files that only Spark can reach, without their envelopes."""
    how = {path: each.detected for path, each in formats(spark, [*wanted], asked).items()}
    native = {path: {line for line, _ in wanted[path]} for path in wanted if how[path].reading.native}
    read = lines_of(spark, native) if native else {}
    found: dict[str, dict[At, str]] = {
        path: {(line, None): text for line, text in lines.items()} for path, lines in read.items()
    }
    for path in wanted.keys() - native.keys():
        rows = (
            placed_lines(spark, [path]).orderBy("block", "place").select(F.col("value").cast("binary").alias("value"))
        )
        given = by_file.Given(bytes(row["value"]) for row in rows.toLocalIterator())
        found[path] = chosen_of(given, how[path], wanted[path])
    return found
