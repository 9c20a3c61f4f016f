"""The session of these tests: the one that all tests of Spark share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
    from isrproof.checker.spark_session import session

    return session("local[2]")
