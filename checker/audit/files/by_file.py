"""Workers on files that Spark cannot split: a worker reads each file whole, through its envelopes.

Each stream of a file is a block of lines. The facts about the streams go to the driver with the rows of looks.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa

from ....traces.formats.reading import Numbering, Reading, StreamFacts, Text, Unwrapped
from ....traces.sources.text import Lines, text_of
from . import worker

_BATCH = 10_000
_TEXT = 1 << 24
TASK = 64 << 20
"""The bytes of files that one task reads."""
_TASKS = 32
"""The least number of tasks, unless there are fewer files."""
OPENING = 256 << 10
"""The bytes that could be read while a file is opened."""
_SCHEMA = pa.schema(
    [
        ("home", pa.int64()),
        ("block", pa.int64()),
        ("place", pa.int64()),
        ("value", pa.binary()),
    ]
)


@dataclass(frozen=True)
class Whole:
    """A file to read whole."""

    home: int
    """A number that no other file has."""
    path: str
    reading: Reading
    wanted: frozenset[str] | None = None
    """The labels of the streams to read; None: all."""


class FileRead:
    """The facts from reading a file: its problem; and by label, in the order of their block numbers, the facts of a
    stream and the numbers of its lines.
    """

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
    def from_json(shown: Mapping[str, Any]) -> FileRead:
        file_read = FileRead(shown["home"])
        file_read.problem = shown["problem"]
        for label, notes, lossy, zone, numbers in shown["streams"]:
            file_read.streams[label] = StreamFacts(notes, lossy, zone), Numbering.from_list(numbers)
        return file_read


def files_read(pieces: Iterable[Mapping[str, Any]]) -> dict[int, FileRead]:
    """Return the facts about files that were read whole, by their homes."""
    found = (FileRead.from_json(piece["file_read"]) for piece in pieces if "file_read" in piece)
    return {each.home: each for each in found}


def wanted(index: Sequence[tuple[int, str]], files: Iterable[int]) -> dict[int, frozenset[str]]:
    """Return the sources of some files of an audit, each with their labels; `index` is the result of `labelled`."""
    found: dict[int, set[str]] = defaultdict(set)
    for number, label in (index[file] for file in files):
        found[number].add(label)
    return {number: frozenset(labels) for number, labels in found.items()}


def labelled(sources: int, file_read: Mapping[int, FileRead]) -> list[tuple[int, str]]:
    """Return the number of the source and the label of each file of an audit: one for each stream of a source."""
    return [
        (number, label)
        for number in range(sources)
        for label in sorted(file_read[number].streams if number in file_read else ()) or [""]
    ]


class Given:
    """The text of a file that another reader reads line by line."""

    problem: str | None = None

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._given = lines

    def __iter__(self) -> Iterator[str]:
        return map(text_of, self._given)

    def blocks(self) -> Iterator[bytes]:
        return (line + b"\n" for line in self._given)


def encode(task: worker.Task, files: Iterable[tuple[Whole, Text]]) -> Iterator[pa.RecordBatch]:
    """Yield the lines of files, as `worker.encode` does, and the facts about each file."""
    for file, text in files:
        file_read = FileRead(file.home)
        yield from worker.encode(task, batches(file, text, file_read))
        note = json.dumps({"blocks": [], "coverage": [], "rows": [], "file_read": file_read.as_json()}).encode()
        yield worker.output([worker.LOOKED], [note])


def batches(file: Whole, text: Text, file_read: FileRead) -> Iterator[pa.RecordBatch]:
    unwrapped = Unwrapped(text, file.reading)
    block: dict[str, int] = {}
    blocks: list[int] = []
    places: list[int] = []
    values: list[bytes] = []
    size = 0
    for label, place, line in unwrapped:
        if label not in block:
            block[label] = len(block)
            file_read.streams[label] = StreamFacts(), Numbering()
        if file.wanted is not None and label not in file.wanted:
            continue
        blocks.append(block[label])
        places.append(file_read.streams[label][1].add(place))
        values.append(line.encode("utf-8", "replace"))
        size += len(line)
        if len(places) == _BATCH or size > _TEXT:
            yield _batch(file.home, blocks, places, values)
            blocks, places, values, size = [], [], [], 0
    if places:
        yield _batch(file.home, blocks, places, values)
    file_read.problem = unwrapped.problem
    for label, (_, numbering) in file_read.streams.items():
        file_read.streams[label] = unwrapped.facts[label], numbering


def _batch(home: int, blocks: list[int], places: list[int], values: list[bytes]) -> pa.RecordBatch:
    size = len(places)
    columns = [[home] * size, blocks, places, values]
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, _SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)


def packed(files: Sequence[Whole], sizes: Mapping[int, int]) -> list[list[Whole]]:
    """Return files in groups of consecutive ones, each for a task, as Spark packs the files that it reads itself.

    Args:
        sizes: the sizes of the files in bytes, by their homes.
    """
    costs = [sizes[file.home] + OPENING for file in files]
    most = min(TASK, sum(costs) // _TASKS)
    groups: list[list[Whole]] = []
    size = most
    for file, cost in zip(files, costs, strict=True):
        if size + cost > most:
            groups.append([])
            size = 0
        groups[-1].append(file)
        size += cost
    return groups


def opened(groups: Sequence[Sequence[Whole]], numbers: Iterable[pa.RecordBatch]) -> Iterator[tuple[Whole, Text]]:
    """Yield the files of the groups whose numbers Spark gave to this worker, which can open them."""
    for batch in numbers:
        for number in batch["id"].to_pylist():
            for file in groups[number]:
                yield file, Lines(file.path)


def handed(files: Mapping[str, Whole], lines: Iterable[pa.RecordBatch]) -> Iterator[tuple[Whole, Text]]:
    """Yield files, by Spark's names for them, whose lines (path, value) Spark reads, one file after another."""
    rows = (row for batch in lines for row in zip(batch["path"].to_pylist(), batch["value"].to_pylist(), strict=True))
    for path, of_file in groupby(rows, key=itemgetter(0)):
        yield files[path], Given(map(itemgetter(1), of_file))
