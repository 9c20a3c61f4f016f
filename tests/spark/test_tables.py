"""The declaration of the tables: types that Spark and Arrow agree on, and columns that stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from isrproof.spark.tables import SCHEMA, columns_of, meaning, spark_type, tables
from isrproof.traces.place import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAVED = Path(__file__).parent / "tables.json"
"""The columns of the version of the tables: a new one is added here; any other change takes a new version."""


def test_a_version_keeps_its_columns() -> None:
    saved = json.loads(SAVED.read_text(encoding="utf-8"))
    assert saved == {
        SCHEMA: {name: {each.name: each.type for each in table.columns} for name, table in tables().items()}
    }


def test_no_table_has_two_columns_of_one_name() -> None:
    for table in tables().values():
        assert len({each.name.lower() for each in table.columns}) == len(table.columns), table.name


def test_each_column_has_a_meaning_that_is_a_sentence() -> None:
    for table in tables().values():
        for column in table.columns:
            assert column.meaning.endswith("."), (table.name, column)


def test_a_field_without_a_meaning_or_a_type_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"expected the meaning of Place\.colour"):
        meaning("Place", "colour", {})
    with pytest.raises(TypeError, match="no type of Spark is known"):
        spark_type(dict[str, int])
    assert [each.name for each in columns_of(Place)] == ["file", "line", "offset", "part"]


@pytest.mark.spark
def test_spark_reads_the_types_as_arrow_does(spark: SparkSession) -> None:
    from isrproof.spark.arrow import schema_of
    from pyspark.sql.pandas.types import from_arrow_schema

    for table in tables().values():
        made = spark.createDataFrame([], table.ddl).schema
        assert made == from_arrow_schema(schema_of(table), prefer_timestamp_ntz=True), table.name
