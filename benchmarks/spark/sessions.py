"""Spark on this machine: in this process's Java, as a standalone cluster, and behind Spark Connect."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from isrproof.checker.spark_session import session
from pyspark.sql import SparkSession

from lab.spark_servers import cluster, connect_server

_MEMORY = "2g"
"""The memory of each worker's Java."""


@contextmanager
def _local(folder: Path) -> Iterator[SparkSession]:
    yield session("local[2]")


@contextmanager
def _standalone(folder: Path) -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with cluster(folder, Path(sys.executable), _MEMORY) as master:
        yield from _until_stopped(session(master))


@contextmanager
def _connect(folder: Path) -> Iterator[SparkSession]:
    with connect_server(folder, Path(sys.executable)) as address:
        yield from _until_stopped(session(remote=address))


def _until_stopped(spark: SparkSession) -> Iterator[SparkSession]:
    """Yield a session, and stop it before its server ends: a client would ask that for ten minutes."""
    try:
        yield spark
    finally:
        spark.stop()


SESSIONS: Mapping[str, Callable[[Path], AbstractContextManager[SparkSession]]] = {
    "local": _local,
    "standalone": _standalone,
    "connect": _connect,
}


def bytes_shuffled(spark: SparkSession) -> int | None:
    """Return the bytes that the session's tasks wrote for others to read; None on Spark Connect, which does not say."""
    if not hasattr(spark, "_jsc"):
        return None
    executors = spark._jsc.sc().statusStore().executorList(False)
    return sum(executors.apply(number).totalShuffleWrite() for number in range(executors.size()))
