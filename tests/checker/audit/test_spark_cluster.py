"""An audit on a cluster, and through Spark Connect, says what the reference says; the workers have nothing of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="the Spark engine needs PySpark")
from lab.spark_servers import cluster, connect_server, python_without
from tests.recordings import RECORDED
from tests.stderr import without_progress

pytestmark = [pytest.mark.spark, pytest.mark.full]

LOGS = [str(RECORDED / name) for name in ("failover-on-leader-2.0.0-kill", "reassign-2.3.1")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="module")
def remote(folder: Path) -> Iterator[str]:
    pytest.importorskip("grpc", reason="--remote needs isrproof[remote]")
    with connect_server(folder, python_without(folder, libraries=True)) as address:
        yield address


def audit(*options: str, python: Path | None = None) -> subprocess.CompletedProcess[str]:
    """In a process of its own: a session of Spark Connect and one of the driver's own Java exclude each other."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYSPARK")}
    if python is not None:
        environment["PYSPARK_PYTHON"] = str(python)
    command = [sys.executable, "-m", "isrproof.checker", "audit", "--each", "--timeline", "--json", *options, *LOGS]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env=environment)


@pytest.fixture(scope="module")
def plain() -> str:
    run = audit("--engine", "python")
    assert run.returncode == 1, run.stderr
    return run.stdout


def test_through_spark_connect_it_finds_the_same(remote: str, plain: str) -> None:
    run = audit("--remote", remote)
    assert run.returncode == 1, run.stderr
    assert run.stdout == plain
    assert without_progress(run.stderr) == "Spark reads 0.4 MB of text: --remote is given.\n"


def test_on_a_standalone_cluster_it_finds_the_same(folder: Path, plain: str) -> None:
    python = python_without(folder, libraries=True)
    with cluster(folder, python) as master:
        run = audit("--master", master, python=python)
        assert run.returncode == 1, run.stderr
        assert run.stdout == plain


@pytest.mark.slow
def test_workers_that_lack_a_library_are_told(tmp_path: Path) -> None:
    python = python_without(tmp_path, libraries=False)
    with cluster(tmp_path, python) as master:
        bare = audit("--master", master, python=python)
        assert bare.returncode == 2
        wanted = f"Spark's workers need Python {sys.version_info[0]}.{sys.version_info[1]}, numpy and pyarrow"
        assert f"{wanted}; they lack numpy and pyarrow." in bare.stdout + bare.stderr


def test_a_server_that_is_not_there_is_told() -> None:
    run = audit("--remote", "sc://127.0.0.1:1")
    assert run.returncode == 2
    assert "Spark Connect server at sc://127.0.0.1:1" in run.stdout
    assert "Traceback" not in run.stderr
