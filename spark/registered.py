"""The format "isrproof" of `spark.read`, `spark.readStream` and `CREATE TEMPORARY VIEW ... USING isrproof`.

Spark gives the Python data sources of its API no reader of its own, so workers open the files: of this machine, or of
a folder that all machines mount. `events` and the like (lines.py, audited.py) have no such limit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..specs.errors import IsrproofError, unknown
from ..traces.formats.detect import asked_for
from ..traces.sources.paths import is_elsewhere
from .files import WHOLE, Files, logs, metadata_logs
from .tables import tables

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import InputPartition

    from .workers import Task

FORMAT = "isrproof"
_LISTS: Mapping[str, Callable[[Sequence[str]], Files]] = {"events": logs, "records": metadata_logs}
_SETTLED = "60"
"""The seconds without a change after which a stream takes a file for closed."""


def register(spark: SparkSession) -> None:
    """Make a session know the format "isrproof".

    Its options are path, table, layout, input, problems, and for a stream settled.
    """
    from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition

    @dataclass
    class Paths(InputPartition):
        paths: tuple[str, ...]

    class Reader(DataSourceReader):
        def __init__(self, asked: Asked) -> None:
            self.asked = asked

        def partitions(self) -> Sequence[InputPartition]:
            return [Paths(paths) for paths in self.asked.shares()]

        def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
            return self.asked.rows(partition.paths)  # type: ignore[attr-defined]

    class StreamReader(DataSourceStreamReader):
        def __init__(self, asked: Asked) -> None:
            self.asked = asked

        def initialOffset(self) -> dict[str, Any]:  # noqa: N802
            return {"files": []}

        def latestOffset(self, *_: Any) -> dict[str, Any]:  # noqa: N802
            return {"files": self.asked.closed()}

        def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
            known = set(start["files"])
            return [Paths(paths) for paths in packed([path for path in end["files"] if path not in known])]

        def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
            return self.asked.rows(partition.paths)  # type: ignore[attr-defined]

    class Source(DataSource):
        @classmethod
        def name(cls) -> str:
            return FORMAT

        def schema(self) -> str:
            return tables()[Asked.of(self.options).table].ddl

        def reader(self, schema: Any) -> DataSourceReader:
            return Reader(Asked.of(self.options))

        def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802
            return StreamReader(Asked.of(self.options).of_files())

    from .sessions import ready

    ready(spark).dataSource.register(Source)


@dataclass(frozen=True)
class Asked:
    """The options of a table of this format."""

    table: str
    path: str
    layout: str | None = None
    input: str | None = None
    problems: str = "fail"
    settled: float = 60

    @staticmethod
    def of(options: Mapping[str, str]) -> Asked:
        """Return the options from strings as a user writes them.

        Raises:
            IsrproofError: there is no path, it is of another file system, or the table is not known.
        """
        table = options.get("table", "events")
        path = options.get("path")
        if table not in tables():
            raise unknown("table", table, sorted(tables()))
        if path is None:
            # Spark gives the reader of a table in its catalog none of the table's options.
            raise IsrproofError(
                'format "isrproof": expected a path, got none; use .load(PATH), or CREATE TEMPORARY VIEW ... OPTIONS.'
            )
        if is_elsewhere(path):
            raise IsrproofError(
                f"{path}: workers cannot open a file of Spark's file systems; use isrproof.spark.{table}(spark, PATH)"
            )
        given = {name: options.get(name) for name in ("layout", "input")}
        return Asked(
            table,
            path,
            **given,
            problems=options.get("problems", "fail"),
            settled=float(options.get("settled", _SETTLED)),
        )

    def of_files(self) -> Asked:
        """Return this if each file has its rows, as a stream needs it.

        Raises:
            IsrproofError: the table is of an audit, which looks at all files.
        """
        if self.table not in _LISTS:
            raise IsrproofError(f"a stream reads events or records; {self.table} needs all files: use spark.read.")
        return self

    def shares(self) -> list[tuple[str, ...]]:
        """Return the paths that one task reads each: an audit is one task."""
        return [*packed(self._listed())] if self.table in _LISTS else [(self.path,)]

    def _listed(self) -> Sequence[str]:
        return _LISTS[self.table]([self.path]).near

    def closed(self) -> list[str]:
        """Return the files that nothing has changed for a while; none where there is no log yet."""
        last = time.time() - self.settled
        try:
            return [path for path in self._listed() if os.path.getmtime(path) <= last]
        except IsrproofError:
            if os.path.isdir(self.path):
                return []
            raise

    def rows(self, paths: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of files, or of the audit of a path."""
        if self.table in _LISTS:
            from .workers import events_at, in_batches, records_at

            task = self._task()
            if self.table == "events":
                return events_at(task, paths)
            return in_batches(task.arrow, (row for path in paths for row in records_at(task, path, path)))
        return self._audited(paths[0])

    def _task(self) -> Task:
        from .lines import task_of

        return task_of(self.table, asked_for(self.input, self.layout), self.problems, Files(()))

    def _audited(self, path: str) -> Iterator[pa.RecordBatch]:
        from ..checker.audit.command import audit
        from ..checker.audit.options import Options
        from .audited import batch_from

        options = Options.of(layout=self.layout, input=self.input, timeline=True, engine="columns")
        yield batch_from(self.table, {"": audit([path], options)[0]})


def packed(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield files for one task each: many small ones, or a large one."""
    waiting: list[str] = []
    size = 0
    for path in paths:
        waiting.append(path)
        size += os.path.getsize(path)
        if size >= WHOLE:
            yield tuple(waiting)
            waiting, size = [], 0
    if waiting:
        yield tuple(waiting)
