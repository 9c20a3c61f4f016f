"""Columns as bytes, to be moved from the process that read the lines to the one that looks at a bucket of partitions.

A payload is one Arrow record batch. Texts and lists are indices of the payload's own dictionary, which is JSON in the
metadata of its schema. One payload moves thousands of rows; its carriers do not look at them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from .arrays import Array, Dictionary, Numbers, absent, narrow

_DICTIONARY, _NOTE = b"dictionary", b"note"
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd" if pa.Codec.is_available("zstd") else None)


def payloads(
    columns: Mapping[str, Array], dictionary: Dictionary, bucket: Numbers, note: Any
) -> Iterator[tuple[int, bytes]]:
    """Yield the rows of each bucket, encoded, in the order of the buckets; rows of one bucket keep their order.

    Args:
        bucket: for each row the number of its bucket, int64; rows with a negative one are left out.
        note: a note that each payload carries beside its rows; JSON must be able to hold it.
    """
    order = np.argsort(bucket, kind="stable")
    order = order[np.searchsorted(bucket[order], 0) :]
    if not len(order):
        return
    sorted_columns = {name: column.take(order) for name, column in _there(columns).items()}
    numbers, first = np.unique(bucket[order], return_index=True)
    for number, begin, end in zip(numbers.tolist(), first.tolist(), [*first[1:].tolist(), len(order)], strict=True):
        part = {
            name: Array(
                column.data[begin:end], None if column.present is None else column.present[begin:end], column.encoded
            )
            for name, column in sorted_columns.items()
        }
        yield number, encoded(part, dictionary, note)


def encoded(columns: Mapping[str, Array], dictionary: Dictionary, note: Any = None) -> bytes:
    """Return columns of one length as a payload; an absent column is left out."""
    columns = _there(columns)
    used = np.zeros(len(dictionary.values), dtype=bool)
    for column in columns.values():
        if column.encoded:
            used[column.data] = True
    numbers, place = np.flatnonzero(used), np.cumsum(used) - 1
    arrays = [
        pa.array(
            narrow(place[column.data] if column.encoded else column.data) if column.data.dtype != bool else column.data,
            mask=None if column.present is None else ~column.present,
        )
        for column in columns.values()
    ]
    named = {
        f"{name}*" if column.encoded else name: made
        for (name, column), made in zip(columns.items(), arrays, strict=True)
    }
    values = [dictionary.values[number] for number in numbers.tolist()]
    metadata = {_DICTIONARY: json.dumps(values, separators=(",", ":")), _NOTE: json.dumps(note)}
    batch = pa.record_batch(list(named.values()), names=list(named)).replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=_OPTIONS) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def _there(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Return the columns that have a value in any row."""
    return {name: column for name, column in columns.items() if column.present is None or column.present.any()}


class Payload:
    """An encoded batch of rows; a column is decoded when it is requested.

    Args:
        dictionary: receives the texts of the payload.
    """

    def __init__(self, data: bytes, dictionary: Dictionary) -> None:
        batch = pa.ipc.open_stream(data).read_next_batch()
        metadata = batch.schema.metadata
        self.size = int(batch.num_rows)
        self._columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        self._numbers = dictionary.indices(json.loads(metadata[_DICTIONARY]))
        self.note = json.loads(metadata[_NOTE])

    def array(self, name: str) -> Array:
        """Return a column; a column that the payload lacks is absent."""
        if f"{name}*" in self._columns:
            return _decoded(self._columns[f"{name}*"], self._numbers)
        return _decoded(self._columns[name]) if name in self._columns else absent(self.size)


def _decoded(array: pa.Array, numbers: Numbers | None = None) -> Array:
    """Return a decoded array; `numbers`: for each text of the payload its number in the dictionary."""
    present = None if array.null_count == 0 else array.is_valid().to_numpy(zero_copy_only=False)
    whole = array if present is None else array.fill_null(False if pa.types.is_boolean(array.type) else 0)
    data = whole.to_numpy(zero_copy_only=False)
    if numbers is not None:
        data = numbers[data] if len(numbers) else np.zeros(len(data), dtype=np.int64)
    return Array(data, present, numbers is not None)
