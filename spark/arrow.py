"""Rows of a table as Arrow: types from those that Spark's SQL writes, and batches of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from .tables import INSTANT, NTZ, Column, Table, columns_of

_PLAIN: Mapping[str, pa.DataType] = {
    "bigint": pa.int64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    NTZ: pa.timestamp("us"),
    INSTANT: pa.timestamp("us", tz="UTC"),
}


@cache
def arrow_type(written: str) -> pa.DataType:
    """Return Arrow's type for one that is written as in Spark's SQL."""
    if written in _PLAIN:
        return _PLAIN[written]
    name, _, inner = written.removesuffix(">").partition("<")
    if name == "array":
        return pa.list_(arrow_type(inner))
    parts = list(_apart(inner))
    if name == "map":
        return pa.map_(*map(arrow_type, parts))
    return pa.struct([(field, arrow_type(kind)) for field, _, kind in (part.partition(":") for part in parts)])


def _apart(inner: str) -> Iterator[str]:
    """Yield the parts between commas that are in no bracket."""
    depth, start = 0, 0
    for at, letter in enumerate(inner):
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            yield inner[start:at]
            start = at + 1
    yield inner[start:]


def schema_of(table: Table) -> pa.Schema:
    """Return Arrow's schema of a table."""
    return pa.schema([(each.name, arrow_type(each.type)) for each in table.columns])


def batch_of(schema: pa.Schema, rows: Sequence[Mapping[str, Any]]) -> pa.RecordBatch:
    """Return rows as a batch: a column that a row lacks is null; times are microseconds."""
    there = {name for row in rows for name in row}
    arrays = [
        pa.array([row.get(each.name) for row in rows], each.type)
        if each.name in there
        else pa.nulls(len(rows), each.type)
        for each in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def microseconds(milliseconds: int | None) -> int | None:
    return None if milliseconds is None else milliseconds * 1000


def as_row(value: Any, columns: Sequence[Column] | None = None) -> dict[str, Any]:
    """Return the row, or the struct, of an object of a dataclass: of all its fields, or of those in some columns."""
    row, kind = {}, value.__class__
    for column in columns_of(kind) if columns is None else columns:
        if not hasattr(value, column.field):
            continue
        shown = getattr(value, column.field)
        row[column.name] = microseconds(shown) if column.type == NTZ else as_value(shown)
    return row


def as_value(value: Any) -> Any:
    """Return a value as Arrow takes it; Arrow's texts have no lone surrogates."""
    if isinstance(value, str):
        return valid(value)
    if is_dataclass(value):
        return as_row(value)
    if isinstance(value, (tuple, list)):
        return [as_value(each) for each in value]
    if isinstance(value, Mapping):
        return [(as_value(key), as_value(each)) for key, each in value.items()]
    return value


def valid(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
