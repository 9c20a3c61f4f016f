"""Columns as bytes, to be moved from the process that read the lines to the one that looks at a bucket of partitions.

A payload is one Arrow record batch. Texts and lists are numbers of a dictionary of the payload's own, which is JSON in
the metadata of its schema. One payload moves thousands of rows: whoever carries it looks at none of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from .cells import Cells, Numbers, Words, absent, narrow

_WORDS, _NOTE = b"words", b"note"
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd" if pa.Codec.is_available("zstd") else None)


def payloads(columns: Mapping[str, Cells], words: Words, bucket: Numbers, note: Any) -> Iterator[tuple[int, bytes]]:
    """The rows of each bucket, encoded, in the order of the buckets; rows of one bucket keep their order.

    Args:
        bucket: for each row the number of its bucket, int64; rows of a negative one are left out.
        note: what each payload says beside its rows; it must be what JSON can hold.
    """
    order = np.argsort(bucket, kind="stable")
    order = order[np.searchsorted(bucket[order], 0) :]
    if not len(order):
        return
    sorted_columns = {name: cells.take(order) for name, cells in columns.items()}
    numbers, first = np.unique(bucket[order], return_index=True)
    for number, begin, end in zip(numbers.tolist(), first.tolist(), [*first[1:].tolist(), len(order)], strict=True):
        part = {
            name: Cells(cells.data[begin:end], None if cells.present is None else cells.present[begin:end], cells.words)
            for name, cells in sorted_columns.items()
        }
        yield number, encoded(part, words, note)


def encoded(columns: Mapping[str, Cells], words: Words, note: Any = None) -> bytes:
    """Columns of one length as a payload."""
    used = [cells.data for cells in columns.values() if cells.words]
    numbers = np.unique(np.concatenate(used)) if used else np.zeros(0, dtype=np.int64)
    arrays = [
        pa.array(
            narrow(np.searchsorted(numbers, cells.data) if cells.words else cells.data)
            if cells.data.dtype != bool
            else cells.data,
            mask=None if cells.present is None else ~cells.present,
        )
        for cells in columns.values()
    ]
    named = {
        f"{name}*" if cells.words else name: array for (name, cells), array in zip(columns.items(), arrays, strict=True)
    }
    texts = json.dumps([words.values[number] for number in numbers.tolist()], separators=(",", ":"))
    told = {_WORDS: texts, _NOTE: json.dumps(note)}
    batch = pa.record_batch(list(named.values()), names=list(named)).replace_schema_metadata(told)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=_OPTIONS) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


class Payload:
    """An encoded batch of rows; a column is decoded when it is asked for.

    Args:
        words: get the texts of the payload.
    """

    def __init__(self, data: bytes, words: Words) -> None:
        self._batch = pa.ipc.open_stream(data).read_next_batch()
        texts = json.loads(self._batch.schema.metadata[_WORDS])
        self._numbers = words.numbers(tuple(text) if isinstance(text, list) else text for text in texts)

    @property
    def size(self) -> int:
        return int(self._batch.num_rows)

    @property
    def note(self) -> Any:
        return json.loads(self._batch.schema.metadata[_NOTE])

    def cells(self, name: str) -> Cells:
        """A column; one that the payload lacks is absent."""
        names = self._batch.schema.names
        if f"{name}*" in names:
            return _cells(self._batch.column(f"{name}*"), self._numbers)
        return _cells(self._batch.column(name)) if name in names else absent(self.size)


def _cells(array: pa.Array, numbers: Numbers | None = None) -> Cells:
    """`numbers`: for each text of the payload its number among the words."""
    present = None if array.null_count == 0 else array.is_valid().to_numpy(zero_copy_only=False)
    whole = array if present is None else array.fill_null(False if pa.types.is_boolean(array.type) else 0)
    data = whole.to_numpy(zero_copy_only=False)
    if numbers is not None:
        data = numbers[data] if len(numbers) else np.zeros(len(data), dtype=np.int64)
    return Cells(data, present, numbers is not None)
