"""The metadata logs of many clusters on Spark: each is read and judged in one task, as this process does it.

A log is read in one pass with one batch of each copy in memory, so that a task's memory does not grow with its files.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...traces.metadata.files import MetadataFile
from .files.metadata import copies
from .findings.metadata import Metadata, joined
from .metadata import audited_metadata
from .observe.narrow import EVERYTHING, Narrow
from .table.columns import ColumnTable

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

_Task = tuple[int, Sequence[MetadataFile], int]
"""A cluster's number, its files, and the number of the first of them in the audit."""


def audited_on_spark(
    spark: SparkSession,
    found: Sequence[tuple[int, Sequence[MetadataFile]]],
    first: int,
    narrow: Narrow = EVERYTHING,
    *,
    with_timeline: bool = False,
    with_chronicles: bool = False,
) -> Metadata:
    """Return what `audited_metadata` does. Workers read the files, so they must have them at the same paths."""
    tasks = list(_numbered(found, first))

    def judged(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            for number in batch.column(0).to_pylist():
                cluster, files, start = tasks[number]
                made = audited_metadata(
                    [(cluster, files)],
                    start,
                    ColumnTable,
                    narrow,
                    with_timeline=with_timeline,
                    with_chronicles=with_chronicles,
                )
                yield pa.RecordBatch.from_pydict({"number": [number], "made": [pickle.dumps(made)]})

    rows = spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(judged, "number long, made binary").collect()
    made_by = {row["number"]: row["made"] for row in rows}
    return joined(pickle.loads(made_by[number]) for number in sorted(made_by))  # made above, by our own workers


def _numbered(found: Sequence[tuple[int, Sequence[MetadataFile]]], first: int) -> Iterator[_Task]:
    for cluster, files in found:
        yield cluster, files, first
        first += sum(len(copy.segments) + len(copy.snapshots) for copy in copies(files, first))
