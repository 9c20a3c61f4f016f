"""Tables that Spark writes as Delta Lake: what the functions returned."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
from isrproof.checker.spark_session import NoSparkError, java_home, shim

from tests.imports import ROOT
from tests.recordings import FAILOVER

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_tables_are_the_same_in_delta_lake(tmp_path: Path) -> None:
    pytest.importorskip("delta", reason="needs delta-spark, which must fit this PySpark, and its jars from Maven")
    try:
        java = shim(java_home(), tmp_path)
    except NoSparkError as error:
        pytest.skip(str(error))
    environment = {**os.environ, "JAVA_HOME": str(java), "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-m", "tests.spark.delta_lake", str(FAILOVER), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900, env=environment, cwd=ROOT)
    assert run.stdout == "all equal\n", run.stderr
