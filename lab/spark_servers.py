"""Spark on this machine as a cluster has it: servers of their own, workers whose Python lacks this project."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from isrproof.checker.spark_session import java_home, shim

_START = 180  # seconds


def python_without(folder: Path, *, libraries: bool) -> Path:
    """A Python that has NumPy and PyArrow of this one's libraries, or none, and nothing of this project."""
    here = folder / ("libraries" if libraries else "none")
    here.mkdir(exist_ok=True)
    for path in Path(sysconfig.get_path("purelib")).iterdir() if libraries else ():
        if path.name.startswith(("numpy", "pyarrow")) and not (here / path.name).exists():
            (here / path.name).symlink_to(path)
    made = folder / f"python-{here.name}"
    made.write_text(f'#!/bin/sh\nexport PYTHONPATH="$PYTHONPATH:{here}"\nexec {sys.executable} -S "$@"\n')
    made.chmod(0o755)
    for module, there in (("isrproof", False), ("pandas", False), ("numpy", libraries)):
        found = subprocess.run([made, "-c", f"import {module}"], capture_output=True, cwd=folder, check=False)
        assert (found.returncode == 0) == there, module
    return made


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def connect_server(folder: Path, python: Path) -> Iterator[str]:
    """A Spark Connect server; its address."""
    port = free_port()
    settings = {
        "spark.ui.enabled": "false",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder),
    }
    command = [
        *("bin/spark-submit", "--master", "local[2]"),
        *(word for name, value in settings.items() for word in ("--conf", f"{name}={value}")),
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"),
    ]
    with _running(command, folder, "connect", "Spark Connect server started", python):
        yield f"sc://127.0.0.1:{port}"


@contextmanager
def cluster(folder: Path, python: Path, memory: str = "1g") -> Iterator[str]:
    """A standalone master with two workers of one core and so much memory each; the master's address."""
    port = free_port()
    name, spark_class = f"spark://127.0.0.1:{port}", "bin/spark-class"
    master = (spark_class, "org.apache.spark.deploy.master.Master")
    worker = (spark_class, "org.apache.spark.deploy.worker.Worker")
    places = ("--host", "127.0.0.1", "--webui-port", "0")
    with ExitStack() as stack:
        stack.enter_context(
            _running([*master, *places, "--port", str(port)], folder, "master", "New state: ALIVE", python)
        )
        for number in ("1", "2"):
            work = folder / f"work-{number}"
            work.mkdir()
            each = [*worker, *places, "--cores", "1", "--memory", memory, "--work-dir", str(work), name]
            stack.enter_context(_running(each, folder, f"worker-{number}", "registered with master", python))
        yield name


@contextmanager
def _running(command: Sequence[str], folder: Path, name: str, sign: str, python: Path) -> Iterator[None]:
    """A server of PySpark's, from its sign of life to the end."""
    import pyspark

    home = folder / name
    home.mkdir()
    java = shim(java_home(), home)
    spark = Path(pyspark.__file__).parent
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PYSPARK")},
        "JAVA_HOME": str(java),
        "SPARK_HOME": str(spark),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(home),
        "PYSPARK_PYTHON": str(python),
    }
    log = home / "log"
    with open(log, "wb") as out:
        running = subprocess.Popen(
            [str(spark / command[0]), *command[1:]], stdout=out, stderr=out, cwd=home, env=environment
        )
    try:
        until = time.monotonic() + _START
        while sign.encode() not in log.read_bytes():
            assert running.poll() is None, log.read_text(errors="replace")[-2000:]
            assert time.monotonic() < until, f"{name} did not start"
            time.sleep(0.3)
        yield
    finally:
        running.terminate()
        running.wait(30)
