"""The tables on Spark Connect, whose workers have nothing of this project: what the command line prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
from lab.spark_servers import connect_server, python_without
from tests.imports import ROOT
from tests.recordings import FAILOVER

pytestmark = [pytest.mark.spark, pytest.mark.full]


def test_tables_on_spark_connect_equal_the_json(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs isrproof[remote]")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYSPARK")}
    with connect_server(tmp_path, python_without(tmp_path, libraries=True)) as address:
        command = [sys.executable, "-m", "tests.spark.connected", address, str(FAILOVER)]
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=600, env=environment, cwd=ROOT
        )
    assert run.stdout == "all equal\n", run.stderr
