"""A user's session: its workers get this project, and it is left with the settings that it had."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

from ..checker.spark_session import is_remote, spark_failures, using
from ..checker.spark_workers import must_have, prepare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_READY: WeakSet[SparkSession] = WeakSet()
_CHANGED = (
    "spark.sql.files.maxPartitionBytes",
    "spark.sql.files.openCostInBytes",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism",
    "spark.sql.execution.arrow.maxRecordsPerBatch",
    "spark.sql.adaptive.enabled",
    "spark.sql.shuffle.partitions",
)
"""Settings that an audit changes (checker/audit/files/spark.py and spark_lines.py)."""


def ready(spark: SparkSession, also: tuple[str, ...] = ()) -> SparkSession:
    """Return the session once its workers have what they need: this is checked, and the project shipped, once.

    The workers of local[n] are processes of this machine and have what this one has.

    Args:
        also: further libraries that the workers must have.

    Raises:
        IsrproofError: they lack NumPy, say.
    """
    remote = is_remote(spark)
    if remote or not (spark.sparkContext.master or "").startswith("local"):
        with spark_failures():
            if spark not in _READY:
                prepare(spark, remote=remote)
            if also:
                must_have(spark, also)
    _READY.add(spark)
    return spark


@contextmanager
def auditing(spark: SparkSession, what: str) -> Iterator[None]:
    """Let the audit use a session, with a description of its jobs in Spark's UI."""
    before = {name: spark.conf.get(name, None) for name in _CHANGED}
    with using(ready(spark)), described(spark, what):
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    spark.conf.unset(name)
                else:
                    spark.conf.set(name, value)


@contextmanager
def described(spark: SparkSession, what: str) -> Iterator[None]:
    """Describe the jobs that are started here in Spark's UI; on Spark Connect they get a tag."""
    if is_remote(spark):
        tag = what.replace(",", ";")
        spark.addTag(tag)
        try:
            yield
        finally:
            spark.removeTag(tag)
        return
    context = spark.sparkContext
    before = context.getLocalProperty("spark.job.description")
    context.setJobDescription(what)
    try:
        yield
    finally:
        context.setLocalProperty("spark.job.description", before)  # type: ignore[arg-type] # None removes it
