"""Formats of files that only Spark can reach.

One job finds them all: workers look at the first lines of files, and the driver gets the results.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby, islice
from operator import itemgetter

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from ....traces.formats.detect import SAMPLES, Asked, Detected, detected_by, sampled
from ....traces.formats.pasted import Paste
from ....traces.formats.reading import ZONE_LINES, Reading, zone_of
from ....traces.sources.text import text_of
from .by_file import Given
from .spark_lines import named, pack, placed_lines


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


def formats(spark: SparkSession, paths: Sequence[str], asked: Asked) -> dict[str, Format]:
    """Return the formats of files that only Spark can reach."""
    if not paths:
        return {}
    # Spark reads all of a file. To stop it costs more: it then starts another Python for the next task.
    lines = placed_lines(spark, paths).where("block = 0")
    pack(spark)
    text = lines.select("path", F.col("value").cast("binary").alias("value"))
    rows = text.mapInArrow(partial(_shown, asked), "path string, format string").collect()
    names = named(lines, paths)
    found = {names[row["path"]]: Format.from_json(row["format"]) for row in rows}
    return dict.fromkeys(paths, format_of([], asked)) | found


def _shown(asked: Asked, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the formats of files whose first lines these are, one file after the other."""
    for path, own in groupby(_rows(batches), key=itemgetter(0)):
        first = [text_of(value) for _, value in islice(own, max(*SAMPLES, ZONE_LINES))]
        yield pa.RecordBatch.from_pydict({"path": [path], "format": [format_of(first, asked).as_json()]})


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, bytes]]:
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
