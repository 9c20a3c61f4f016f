"""A program whose session has Delta Lake: it writes tables in that format, and prints what is read back."""

from __future__ import annotations

import sys

import isrproof.spark
from delta import configure_spark_with_delta_pip  # type: ignore[import-not-found]
from pyspark.sql import SparkSession

from tests.spark.oracle import parsed, rows


def main(path: str, folder: str) -> None:
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    )
    spark = configure_spark_with_delta_pip(builder).getOrCreate()
    isrproof.spark.events(spark, path).write.format("delta").save(f"{folder}/events")
    assert rows(spark.read.format("delta").load(f"{folder}/events")) == parsed([path])
    found = isrproof.spark.findings(spark, path)
    found.write.format("delta").save(f"{folder}/findings")
    assert spark.read.format("delta").load(f"{folder}/findings").count() == found.count() > 0
    print("all equal")


if __name__ == "__main__":
    main(*sys.argv[1:])
