"""The audit through Spark Connect says what the plain engine says: nothing of it needs the driver's own Java."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from isrproof.checker.spark_session import NoSparkError, java_home, shim

pyspark = pytest.importorskip("pyspark", reason="the Spark engine needs PySpark")
pytest.importorskip("grpc", reason="--remote needs isrproof[remote]")
pytestmark = pytest.mark.spark

RECORDED = Path(__file__).parents[3] / "traces" / "recorded"
_START = 120  # seconds
# In a process of its own: a session of Spark Connect and one of the driver's own Java exclude each other.
_AUDIT = """
import sys
from isrproof.checker.audit import spark_engine
from isrproof.checker.cli import main
spark_engine.SMALL = spark_engine.FEW = int(sys.argv[1])
spark_engine.IN_MEMORY = int(sys.argv[2])
main(sys.argv[3:])
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("connect")
    try:
        home = shim(java_home(), folder)
    except NoSparkError as error:
        pytest.skip(str(error))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    spark = Path(pyspark.__file__).parent
    settings = {
        "spark.ui.enabled": "false",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.shuffle.partitions": "2",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder),
    }
    with open(folder / "server.log", "wb") as log:
        running = subprocess.Popen(
            [
                str(spark / "bin" / "spark-submit"),
                "--master",
                "local[2]",
                *(word for name, value in settings.items() for word in ("--conf", f"{name}={value}")),
                "--class",
                "org.apache.spark.sql.connect.service.SparkConnectServer",
                "spark-internal",
            ],
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, "JAVA_HOME": str(home), "SPARK_HOME": str(spark), "SPARK_LOCAL_IP": "127.0.0.1"},
        )
    try:
        until = time.monotonic() + _START
        while b"Spark Connect server started" not in (folder / "server.log").read_bytes():
            assert running.poll() is None, (folder / "server.log").read_text(errors="replace")[-2000:]
            assert time.monotonic() < until, "the server did not start"
            time.sleep(0.5)
        yield f"sc://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(30)


@pytest.mark.parametrize(
    ("few", "in_memory"),
    [
        pytest.param("1000000000", "0", id="rows in the driver"),
        pytest.param("0", "1000000000", id="columns in the driver"),
        pytest.param("0", "0", id="rules on Spark", marks=pytest.mark.slow),
    ],
)
def test_a_remote_session_finds_the_same(server: str, few: str, in_memory: str) -> None:
    logs = str(RECORDED / "failover-on-leader-2.0.0-kill")
    remote = _run(["-c", _AUDIT, few, in_memory, "audit", "--remote", server, "--timeline", "--json", logs])
    plain = _run(["-c", _AUDIT, "0", "0", "audit", "--engine", "python", "--timeline", "--json", logs])
    assert remote.returncode == plain.returncode == 1, remote.stderr
    assert remote.stdout == plain.stdout


def test_a_server_that_is_not_there_is_told() -> None:
    logs = str(RECORDED / "failover-on-leader-2.0.0-kill")
    run = _run(["-c", _AUDIT, "0", "0", "audit", "--remote", "sc://127.0.0.1:1", logs])
    assert run.returncode == 2
    assert "Spark Connect server at sc://127.0.0.1:1" in run.stderr
    assert "Traceback" not in run.stderr


def _run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=600)
