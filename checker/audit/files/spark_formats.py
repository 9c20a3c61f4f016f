"""Formats of files that only Spark can reach: its workers look at their first lines, and the driver gets the results.

There are two jobs, however many files there are: one for small files, of which a task gets many, and one for the
others, where a task has a part of one file and stops after the first lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby, islice, takewhile
from operator import itemgetter

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ....traces.formats.detect import SAMPLES, Asked, Detected, detected_by, sampled
from ....traces.formats.pasted import Paste
from ....traces.formats.reading import ZONE_LINES, Reading, zone_of
from ....traces.sources.text import text_of
from .by_file import Given
from .spark_lines import OPENING, SPLIT, named, pack, placed_lines

SMALL = 1 << 20
"""The largest size in bytes of a file that is read whole for its first lines."""
_FORMATS = "path string, format string"


@dataclass(frozen=True)
class Format:
    """The format of a file, as its first lines show it."""

    detected: Detected
    zone: int | None = None
    """The zone of its times, if it has one writer in an envelope; see `zone_of`."""

    def as_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Format:
        shown = json.loads(text)
        reading = shown["detected"].pop("reading")
        paste = reading["paste"]
        reading |= {"chain": tuple(reading["chain"]), "paste": None if paste is None else Paste(**paste)}
        return Format(Detected(Reading(**reading), **shown["detected"]), shown["zone"])


def format_of(lines: Sequence[str], asked: Asked) -> Format:
    """Return the format of a file with these first lines."""
    detected = detected_by(lambda most: sampled(lines, most), asked)
    if detected.reading.alone is None:
        return Format(detected)
    return Format(detected, zone_of(Given(line.encode("utf-8", "replace") for line in lines), detected.reading))


def formats(spark: SparkSession, sizes: Mapping[str, int], asked: Asked) -> dict[str, Format]:
    """Return the formats of files that only Spark can reach; `sizes`: their sizes in bytes."""
    small = [path for path, size in sizes.items() if size <= SMALL]
    large = [path for path, size in sizes.items() if size > SMALL]
    found = dict.fromkeys(sizes, format_of([], asked))
    for paths, alone in ((small, False), (large, True)):
        if paths:
            found |= _formats(spark, paths, asked, alone=alone)
    return found


def _formats(spark: SparkSession, paths: Sequence[str], asked: Asked, *, alone: bool) -> dict[str, Format]:
    """Return the formats of some files; `alone`: no two are in one task."""
    lines = placed_lines(spark, paths).select("path", "block", F.col("value").cast("binary").alias("value"))
    pack(spark)
    usual = spark.conf.get(OPENING) or ""
    try:
        if alone:
            spark.conf.set(OPENING, SPLIT)
        rows = lines.mapInArrow(partial(_shown, asked, alone), _FORMATS).collect()
    finally:
        spark.conf.set(OPENING, usual)
    names = named(lines, paths)
    return {names[row["path"]]: Format.from_json(row["format"]) for row in rows}


def _shown(asked: Asked, alone: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the formats of files whose first lines are among these; `alone`: there is one file, so that Spark need not
    read on.
    """
    begins = takewhile(lambda row: row[1] == 0, _rows(batches))
    for path, own in groupby(begins, key=itemgetter(0)):
        first = [text_of(value) for _, _, value in islice(own, max(*SAMPLES, ZONE_LINES))]
        yield pa.RecordBatch.from_pydict({"path": [path], "format": [format_of(first, asked).as_json()]})
        if alone:
            return


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, int, bytes]]:
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
