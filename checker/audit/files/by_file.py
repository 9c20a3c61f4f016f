"""What a worker does with files that Spark cannot split: it reads each whole, through its envelopes.

Each stream of a file is a block of lines. What reading told of the streams goes to the driver beside the rows of looks.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ....traces.formats.reading import Numbering, Reading, StreamFacts, Unwrapped
from . import worker

_BATCH = 10_000
_TEXT = 1 << 24
_SCHEMA = pa.schema(
    [
        ("home", pa.int64()),
        ("block", pa.int64()),
        ("place", pa.int64()),
        ("extract", pa.string()),
        ("value", pa.binary()),
    ]
)


@dataclass(frozen=True)
class Whole:
    """A file to read whole.

    Args:
        home: a number that no other file has.
        wanted: the labels of the streams to read; None: all.
    """

    home: int
    path: str
    reading: Reading
    wanted: frozenset[str] | None = None


class Told:
    """What reading a file told: its problem; by label, in the order in which they are numbered as blocks, the facts of
    a stream and the numbers of its lines."""

    def __init__(self, home: int) -> None:
        self.home = home
        self.problem: str | None = None
        self.streams: dict[str, tuple[StreamFacts, Numbering]] = {}

    def as_json(self) -> dict[str, Any]:
        streams = [
            [label, facts.notes, facts.lossy, facts.zone, numbering.as_list()]
            for label, (facts, numbering) in self.streams.items()
        ]
        return {"home": self.home, "problem": self.problem, "streams": streams}

    @staticmethod
    def from_json(shown: Mapping[str, Any]) -> Told:
        told = Told(shown["home"])
        told.problem = shown["problem"]
        for label, notes, lossy, zone, numbers in shown["streams"]:
            told.streams[label] = StreamFacts(notes, lossy, zone), Numbering.from_list(numbers)
        return told


def encode(task: worker.Task, files: Iterable[Whole]) -> Iterator[pa.RecordBatch]:
    """The lines of files, as `worker.encode` gives them, and for each file what was told."""
    for file in files:
        told = Told(file.home)
        yield from worker.encode(task, _batches(file, told))
        note = json.dumps({"blocks": [], "coverage": [], "rows": [], "told": told.as_json()}).encode()
        yield worker.output([worker.LOOKED], [note])


def _batches(file: Whole, told: Told) -> Iterator[pa.RecordBatch]:
    unwrapped = Unwrapped(file.path, file.reading)
    block: dict[str, int] = {}
    blocks: list[int] = []
    places: list[int] = []
    values: list[bytes] = []
    size = 0
    for label, place, text in unwrapped:
        if label not in block:
            block[label] = len(block)
            told.streams[label] = StreamFacts(), Numbering()
        if file.wanted is not None and label not in file.wanted:
            continue
        blocks.append(block[label])
        places.append(told.streams[label][1].add(place))
        values.append(text.encode("utf-8", "replace"))
        size += len(text)
        if len(places) == _BATCH or size > _TEXT:
            yield _batch(file.home, blocks, places, values)
            blocks, places, values, size = [], [], [], 0
    if places:
        yield _batch(file.home, blocks, places, values)
    told.problem = unwrapped.problem
    for label, (_, numbering) in told.streams.items():
        told.streams[label] = unwrapped.facts[label], numbering


def _batch(home: int, blocks: list[int], places: list[int], values: list[bytes]) -> pa.RecordBatch:
    size = len(places)
    columns = [[home] * size, blocks, places, [None] * size, values]
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, _SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)


def asked(files: Collection[Whole], numbers: Iterable[pa.RecordBatch]) -> Iterator[Whole]:
    """The files whose places in a list Spark gave to this worker."""
    listed = list(files)
    for batch in numbers:
        for number in batch["id"].to_pylist():
            yield listed[number]
