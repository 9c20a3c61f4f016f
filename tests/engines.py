"""The reports that an engine gives, as JSON, with timelines: what all engines must say alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from isrproof.checker.audit.fields import OF_FILES
from isrproof.checker.audit.files.log import Log
from isrproof.checker.audit.files.python import InProcess
from isrproof.checker.audit.history.claims import claims
from isrproof.checker.audit.observe.catalogue import lines_read
from isrproof.checker.audit.pipeline import audited
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.model import reports
from isrproof.checker.audit.table.protocol import Row, Table
from isrproof.checker.audit.table.rows import PythonTable
from isrproof.traces.formats.detect import UNASKED, holds_lines
from isrproof.traces.sources.paths import Source, expand

Sources = list[tuple[int, Source]]


def sources(paths: Sequence[Path | str], *, each: bool = True) -> Sources:
    clusters = expand([str(path) for path in paths], lambda path: [], holds_lines=holds_lines)
    return [(i if each else 0, source) for i, (_, found) in enumerate(clusters) for source in found]


def reports_of(log: Log) -> list[dict[str, Any]]:
    read = log.read(claims)
    return [as_json(report) for report in reports(audited(log, read, with_timeline=True), read.facts)]


def reference(paths: Sequence[Path | str], *, each: bool = True) -> list[dict[str, Any]]:
    return reports_of(_in_process(sources(paths, each=each), PythonTable, None))


def columns(paths: Sequence[Path | str], *, each: bool = True, most: int | None = None) -> list[dict[str, Any]]:
    """`most`: about so many lines are looked at together."""
    from isrproof.checker.audit.table.columns import ColumnTable

    return reports_of(_in_process(sources(paths, each=each), ColumnTable.of_rows, most))


def _in_process(found: Sources, table: Callable[[list[Row]], Table], most: int | None) -> InProcess:
    return InProcess(found, UNASKED, False, lines_read(), table, most)


def spark(
    paths: Sequence[Path | str], *, each: bool = True, buckets: int | None = None, piece: int | None = None
) -> list[dict[str, Any]]:
    """`piece`: so many lines are a piece, at least."""
    from isrproof.checker.audit.files.spark import SparkLog
    from isrproof.checker.spark_session import session

    found = sources(paths, each=each)
    sizes = [0 for _ in found]
    return reports_of(
        SparkLog(session(), found, sizes, UNASKED, False, lines_read(), OF_FILES, buckets=buckets, piece=piece)
    )
