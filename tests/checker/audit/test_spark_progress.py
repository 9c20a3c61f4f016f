"""People who wait for Spark see how many of its tasks have ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="the Spark engine needs PySpark")
import pyarrow as pa
from isrproof.checker.audit.catalogue import lines_read
from isrproof.checker.audit.fields import EVENT
from isrproof.checker.audit.files import spark_progress
from isrproof.checker.audit.files.spark import SparkLog
from isrproof.checker.audit.files.spark_progress import advancing
from isrproof.checker.audit.pipeline import first_look
from isrproof.checker.spark_session import session
from isrproof.traces.formats.detect import UNASKED

from tests import engines
from tests.recordings import FAILOVER

pytestmark = [pytest.mark.spark, pytest.mark.full]


def slowly(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    time.sleep(0.3)
    yield from batches


def test_files_advance_while_tasks_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_progress, "EVERY", 0.05)
    spark, shown = session(), list[int]()
    with advancing(spark, 80, shown.append):
        spark.range(0, 8, 1, 8).mapInArrow(slowly, "id long").collect()
    assert sum(shown) == 80
    assert len(shown) > 2
    assert min(shown) > 0


def test_an_audit_ends_with_all_of_its_files() -> None:
    sources, shown = engines.sources([FAILOVER], each=False), list[int]()
    log = SparkLog(session(), sources, [0] * len(sources), UNASKED, False, lines_read(), tuple(EVENT), buckets=2)
    log.read(first_look, shown.append)
    assert sum(shown) == len(sources)


class Remote:
    """A session of Spark Connect, as far as its progress goes."""

    def __init__(self) -> None:
        self.handlers: list[Callable[..., None]] = []
        self.registerProgressHandler, self.removeProgressHandler = self.handlers.append, self.handlers.remove


def test_spark_connect_reports_its_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_progress, "is_remote", lambda spark: True)
    remote, shown = Remote(), list[int]()
    session: Any = remote
    with advancing(session, 10, shown.append):
        (handler,) = remote.handlers
        for stages in ([(1, 4)], [(2, 4), (0, 4)], [], None, [(8, 8)]):
            own = stages and [SimpleNamespace(num_completed_tasks=ended, num_tasks=tasks) for ended, tasks in stages]
            handler(stages=own, inflight_tasks=0, operation_id=None, done=False)
    assert shown == [2, 8]
    assert not remote.handlers
