"""A program whose workers or executors are killed in the middle of a task: it prints what its tables have."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import isrproof.spark
from isrproof.checker.audit.files import worker
from isrproof.checker.audit.files.spark import SparkLog
from isrproof.checker.spark_session import session
from isrproof.spark import workers
from isrproof.specs.errors import IsrproofError

from tests.spark.oracle import KEYS, parsed, printed, rows, shown


def dying(work: Callable[..., Iterator[Any]], folder: Path) -> Callable[..., Iterator[Any]]:
    """Return a worker's function that kills its process at its first batch; tried again, a task goes on."""

    def killed(task: Any, batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()  # None where the driver does the same for a few lines
        for batch in work(task, batches):
            yield batch
            if context is not None and context.attemptNumber() == 0:
                (folder / f"{context.stageId()}-{context.partitionId()}").touch()
                os.kill(os.getpid(), signal.SIGKILL)

    return killed


def losing(work: Callable[..., Iterator[Any]], folder: Path, name: str) -> Callable[..., Iterator[Any]]:
    """Return a worker's function that kills the executor of its process, once, and notes the executors of others."""

    def killed(task: Any, batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        in_task = TaskContext.get() is not None
        for batch in work(task, batches):
            yield batch
            if in_task:
                daemon = str(os.getppid())
                executor = subprocess.run(["ps", "-o", "ppid=", "-p", daemon], capture_output=True, text=True).stdout
                (folder / f"executor-{executor.strip()}").touch()
                try:
                    (folder / name).touch(exist_ok=False)
                except FileExistsError:
                    continue
                os.kill(int(executor), signal.SIGKILL)

    return killed


def must_be_equal(path: str) -> None:
    made, wanted = isrproof.spark.audit_logs(session(), path), printed([path])[0]
    for table, key in KEYS.items():
        assert shown(getattr(made, table), table).get("", []) == wanted[key], table


def workers_die(path: str, folder: Path) -> None:
    spark = session("local[2,4]")
    workers.events_of_files = dying(workers.events_of_files, folder)
    assert rows(isrproof.spark.events(spark, path)) == parsed([path])
    of_events = len([*folder.iterdir()])
    worker.encode = dying(worker.encode, folder)
    must_be_equal(path)
    assert 0 < of_events < len([*folder.iterdir()])
    print("all equal")


def executors_are_lost(path: str, folder: Path, master: str) -> None:
    """Lose an executor in a job of events, in the first job of an audit, and all of them after that job."""
    spark = session(master)
    workers.events_of_files = losing(workers.events_of_files, folder, "events")
    assert rows(isrproof.spark.events(spark, path)) == parsed([path])
    worker.encode = losing(worker.encode, folder, "audit")
    must_be_equal(path)
    assert (folder / "events").exists()
    assert (folder / "audit").exists()
    print("all equal")
    look = SparkLog.over_partitions

    def without(self: SparkLog, *args: Any) -> Any:
        for executor in folder.glob("executor-*"):
            try:
                os.kill(int(executor.name.partition("-")[2]), signal.SIGKILL)
            except ProcessLookupError:
                continue
        return look(self, *args)

    SparkLog.over_partitions = without  # type: ignore[method-assign]
    try:
        must_be_equal(path)
        print("all equal")
    except IsrproofError as error:
        print(error)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        workers_die(sys.argv[1], Path(sys.argv[2]))
    else:
        executors_are_lost(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
