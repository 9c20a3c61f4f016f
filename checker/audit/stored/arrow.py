"""Columns of an audit as Arrow's arrays, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....specs.release_sets import names, span
from ..table.arrays import Array, Dictionary, Numbers, absent, narrow
from .schema import COLUMNS, RELEASES

_ARROW: Mapping[str, pa.DataType] = {
    "int": pa.int64(),
    "str": pa.string(),
    "bool": pa.bool_(),
    "time": pa.timestamp("ms"),
    RELEASES: pa.string(),
    "tuple[int, ...]": pa.list_(pa.int64()),
    "tuple[str, ...]": pa.list_(pa.string()),
}
NONE = "none"
"""The text of no release at all."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""A multiplier that spreads the bits of a hash."""
SCHEMA = pa.schema([(name, _ARROW[kind]) for name, kind in COLUMNS.items()])
"""The columns of a Parquet file of an event table; cluster and day are in the names of its folders."""


def stored(name: str, array: Array, dictionary: Dictionary) -> pa.Array:
    """Return a column of an event as the table has it."""
    if COLUMNS[name] != RELEASES:
        return to_arrow(array, SCHEMA.field(name).type, dictionary)
    masks, place = np.unique(array.data, return_inverse=True)
    mask = None if array.present is None else ~array.present
    return pa.array([*map(names, masks.tolist())], pa.string()).take(pa.array(place.reshape(-1), mask=mask))


def to_arrow(array: Array, kind: pa.DataType, dictionary: Dictionary) -> pa.Array:
    """Return a column of an audit as an Arrow array of a type."""
    mask = None if array.present is None else ~array.present
    if not array.encoded:
        if mask is not None and mask.all():
            return pa.nulls(len(array.data), kind)
        return pa.array(array.data, mask=mask).cast(kind)
    used, place = np.unique(array.data, return_inverse=True)
    empty = () if pa.types.is_list(kind) else ""
    texts = [dictionary.values[number] for number in used.tolist()]
    values = pa.array([empty if type(text) is not type(empty) else text for text in texts], kind)
    return values.take(pa.array(place.reshape(-1), mask=mask))


def from_arrow(column: pa.ChunkedArray, dictionary: Dictionary) -> Array:
    """Return an Arrow array as a column of an audit."""
    array = column.combine_chunks()
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if array.null_count == len(array):
        return absent(len(array))
    present = None if array.null_count == 0 else array.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_string(array.type):
        encoded = array.dictionary_encode()
        numbers = dictionary.indices(encoded.dictionary.to_pylist())
        return Array(narrow(numbers[_filled(encoded.indices)]), present, encoded=True)
    if pa.types.is_list(array.type):
        return Array(narrow(_lists(array, dictionary)), present, encoded=True)
    if pa.types.is_boolean(array.type):
        return Array(_filled(array, False), present)
    return Array(narrow(_filled(array.cast(pa.int64()))), present)


def _masks(column: pa.ChunkedArray) -> Array:
    array = column.combine_chunks()
    encoded = array.dictionary_encode()
    found = [0 if text == NONE else span(text) for text in encoded.dictionary.to_pylist()]
    if not found:
        return absent(len(array))
    present = None if array.null_count == 0 else array.is_valid().to_numpy(zero_copy_only=False)
    return Array(np.array(found, dtype=np.int64)[_filled(encoded.indices)], present)


def _filled(array: pa.Array, value: Any = 0) -> Numbers:
    whole = array if array.null_count == 0 else array.fill_null(value)
    numbers: Numbers = whole.to_numpy(zero_copy_only=False)
    return numbers


def _lists(array: pa.ListArray, dictionary: Dictionary) -> Numbers:
    """Return the index of each list in the dictionary: lists of one length are compared at once."""
    flat = array.flatten()
    if pa.types.is_string(flat.type):
        flat = flat.dictionary_encode()
        texts, flat = flat.dictionary.to_pylist(), flat.indices
    else:
        texts = None
    items = flat.to_numpy(zero_copy_only=False).astype(np.int64)
    lengths = _filled(pc.list_value_length(array)).astype(np.int64)
    begins = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    found = np.zeros(len(array), dtype=np.int64)
    for length in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        first, place = _different(items[begins[rows][:, None] + np.arange(length)])
        shown = items[begins[rows[first]][:, None] + np.arange(length)].tolist()
        values = [tuple(row) if texts is None else tuple(texts[code] for code in row) for row in shown]
        found[rows] = dictionary.indices(values)[place]
    return found


def _different(members: Numbers) -> tuple[Numbers, Numbers]:
    """Return an example of each different row of a matrix, and for each row the number of its example."""
    key = np.zeros(len(members), dtype=np.uint64)
    for column in members.T:
        key = (key ^ column.view(np.uint64)) * _ODD
        key ^= key >> np.uint64(29)
    encoded = pa.array(key).dictionary_encode()
    place = encoded.indices.to_numpy()
    first = np.zeros(len(encoded.dictionary), dtype=np.int64)
    first[place[::-1]] = np.arange(len(members))[::-1]
    if np.array_equal(members, members[first][place]):
        return first, place
    _, first, place = np.unique(members, axis=0, return_index=True, return_inverse=True)  # rows that only seem equal
    return first, place.reshape(-1)


def made_columns(events: pa.Table, dictionary: Dictionary) -> dict[str, Callable[[], Array]]:
    """Return the columns of events, each made once, when it is first requested; a time is then `ts`."""
    return {
        "ts" if name == "time" else name: cache(
            partial(_masks, events[name])
            if COLUMNS.get(name) == RELEASES
            else partial(from_arrow, events[name], dictionary)
        )
        for name in events.column_names
    }
