"""The reports that an engine gives, as JSON, with timelines: what all engines must say alike."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isrproof.checker.audit.catalogue import lines_read
from isrproof.checker.audit.fields import OF_FILES
from isrproof.checker.audit.files.log import Log
from isrproof.checker.audit.files.python import InProcess
from isrproof.checker.audit.findings.metadata import Metadata
from isrproof.checker.audit.pipeline import audited, first_look
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.model import reports
from isrproof.traces.formats.detect import UNASKED, holds_lines
from isrproof.traces.sources.paths import Source, expand

Sources = list[tuple[int, Source]]


def sources(paths: Sequence[Path | str], *, each: bool = True) -> Sources:
    clusters = expand([str(path) for path in paths], lambda path: [], holds_lines=holds_lines)
    return [(i if each else 0, source) for i, (_, found) in enumerate(clusters) for source in found]


def reports_of(log: Log) -> list[dict[str, Any]]:
    read = log.read(first_look)
    found = audited(log, read, Metadata(), with_timeline=True)
    return [as_json(report) for _, report in reports(found, read.facts)]


def reference(paths: Sequence[Path | str], *, each: bool = True) -> list[dict[str, Any]]:
    return reports_of(InProcess(sources(paths, each=each), UNASKED, False, lines_read()))


def columns(
    paths: Sequence[Path | str],
    *,
    each: bool = True,
    jobs: int = 1,
    buckets: int | None = None,
    piece: int | None = None,
    part: int | None = None,
) -> list[dict[str, Any]]:
    """`piece`: so many lines are a piece, at least; `part`: so many bytes of a file are read together, about."""
    from isrproof.checker.audit.files.columns import InColumns

    found = sources(paths, each=each)
    sizes = [os.path.getsize(source.there) for _, source in found]
    shared = {} if part is None else {"part": part}
    log = InColumns(
        found, sizes, UNASKED, False, lines_read(), OF_FILES, jobs=jobs, buckets=buckets, piece=piece, **shared
    )
    return reports_of(log)


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
