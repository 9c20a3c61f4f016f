"""A program on Spark Connect, in a process of its own: it prints what its tables have."""

from __future__ import annotations

import sys

import isrproof.spark
import pytest
from isrproof.specs.errors import IsrproofError
from pyspark.sql import SparkSession

from tests.imports import ROOT
from tests.spark.oracle import KEYS, parsed, printed, rows, shown

KRAFT = ROOT / "traces" / "recorded-kraft" / "chaos-3.5.2"


def main(address: str, path: str) -> None:
    spark = SparkSession.builder.remote(address).getOrCreate()
    assert rows(isrproof.spark.events(spark, path)) == parsed([path])
    assert rows(isrproof.spark.events(spark, path, whole=0)) == parsed([path])
    with pytest.raises(IsrproofError, match="they lack google_crc32c"):
        isrproof.spark.records(spark, str(KRAFT))
    made, wanted = isrproof.spark.audit_logs(spark, path), printed([path])[0]
    for table, key in KEYS.items():
        assert shown(getattr(made, table), table).get("", []) == wanted[key], table
    print("all equal")


if __name__ == "__main__":
    main(*sys.argv[1:])
