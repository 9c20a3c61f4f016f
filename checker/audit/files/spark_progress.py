"""The progress of Spark's jobs, for people who wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from pyspark.sql import SparkSession

from ...progress import repeating
from ...spark_session import is_remote

EVERY = 1.0
"""The seconds between two looks at Spark's tasks."""


@contextmanager
def advancing(spark: SparkSession, files: int, advance: Callable[[int], None]) -> Iterator[None]:
    """Advance by the files that the share of Spark's tasks which have ended amounts to, and by the rest at the end."""
    shown = _Shown(files, advance)
    with _on_connect(spark, shown) if is_remote(spark) else _on_classic(spark, shown):
        yield
    shown.share(1, 1)


class _Shown:
    def __init__(self, files: int, advance: Callable[[int], None]) -> None:
        self._files, self._advance = files, advance
        self._done = 0

    def share(self, ended: int, tasks: int) -> None:
        """Show so many of the tasks as ended; a later stage, of which fewer have ended, changes nothing."""
        done = self._files * ended // max(tasks, 1)
        if done > self._done:
            self._advance(done - self._done)
            self._done = done


def _on_classic(spark: SparkSession, shown: _Shown) -> AbstractContextManager[None]:
    tracker = spark.sparkContext.statusTracker()

    def look() -> None:
        with suppress(Exception):  # Java may have ended, which the thread that works reports
            found = (tracker.getStageInfo(number) for number in tracker.getActiveStageIds())
            stages = [stage for stage in found if stage is not None]
            shown.share(sum(each.numCompletedTasks for each in stages), sum(each.numTasks for each in stages))

    return repeating(look, EVERY)


@contextmanager
def _on_connect(spark: Any, shown: _Shown) -> Iterator[None]:
    def look(stages: Sequence[Any] | None, **_: object) -> None:
        own = stages or ()
        shown.share(sum(each.num_completed_tasks for each in own), sum(each.num_tasks for each in own))

    spark.registerProgressHandler(look)
    try:
        yield
    finally:
        spark.removeProgressHandler(look)
