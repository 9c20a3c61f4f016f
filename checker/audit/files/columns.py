"""The columns engine: this process, or a few beside it, reads as the workers on Spark would (worker.py).

The encoded lines are kept in memory: a fortieth of the text. A large file is read in parts of whole lines.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from ....traces.formats.detect import Asked, Detected, detect
from ....traces.formats.reading import Reading
from ....traces.sources.compression import compression
from ....traces.sources.encoding import is_plain
from ....traces.sources.opened import opened
from ....traces.sources.paths import Source
from ....traces.sources.text import Lines, Stretch
from ...processes import pool, shared
from ..table.arrays import Numbers
from ..table.protocol import Row
from . import by_file, worker
from .coverage import Coverage, facts
from .file import FileFacts, LogFile
from .log import Look, Read, nothing
from .streams import stream_of

_PART = 64_000_000
"""The size of one piece of work in bytes: a part of a file, or several smaller files."""
_ALONE = 150_000_000
"""The size of text in bytes up to which starting other processes costs more time than it saves."""
_BUCKET = 128_000_000
"""The size of text in bytes whose events form one bucket: opening one takes a fifth of a second before its first
event.
"""
_BLOCK = 1 << 16
_DETECTED = 500
"""The number of files whose formats are found in one piece of work."""
Made = TypeVar("Made")
Work = TypeVar("Work")


class Part(NamedTuple):
    """Lines of a source: from one byte of its file to another, or all of it."""

    number: int
    path: str
    reading: Reading
    begin: int = 0
    end: int | None = None
    wanted: frozenset[str] | None = None
    """The streams to read; None: all."""


@dataclass(frozen=True)
class _Encoded:
    """Encoded parts: results for the gathering process, and payloads with their buckets."""

    pieces: list[dict[str, Any]]
    payloads: list[tuple[int, bytes]]


class InColumns:
    """Files read as columns; see Log.

    Args:
        sources: (cluster, source) pairs, numbered in this order.
        sizes: the approximate sizes of the sources' text in bytes.
        asked: the user's statements about their format.
        kept: the rows of the line table that buckets get, with `columns` of their events.
        jobs: the number of processes that share the work; 1: only this one.
        buckets: the number of buckets, as for SparkLog. For tests.
        piece: the number of lines per look, as for SparkLog. For tests.
        part: the bytes of a file that are read together. For tests.
    """

    def __init__(
        self,
        sources: Sequence[tuple[int, Source]],
        sizes: Sequence[int],
        asked: Asked,
        lossy: bool,
        kept: frozenset[str],
        columns: Sequence[str],
        jobs: int = 1,
        buckets: int | None = None,
        piece: int | None = None,
        part: int = _PART,
    ) -> None:
        self._sources, self._sizes, self._lossy, self._part = sources, sizes, lossy, part
        self._jobs = jobs if sum(sizes) > _ALONE else 1
        self._task = worker.task(
            asked.layout,
            kept,
            columns,
            buckets=buckets or max(self._jobs, sum(sizes) // _BUCKET),
            piece=piece,
        )
        self._stack = ExitStack()
        self._pool = None if self._jobs == 1 else self._stack.enter_context(pool(self._jobs))
        paths = [source.there for _, source in sources]
        some = [paths[first : first + _DETECTED] for first in range(0, len(paths), _DETECTED)]
        self._detected = [how for each in self._map(partial(_detected, asked), some) for how in each]
        self._index: list[tuple[int, str]] = []
        self._places: worker.Places = {}
        self._payloads: dict[int, list[bytes]] = {}

    def read(self, look: Look, advance: Callable[[int], None] = nothing) -> Read:
        if not self._sources:
            return Read.of([], [])
        pieces: list[dict[str, Any]] = []
        payloads: dict[int, list[bytes]] = defaultdict(list)
        work = [*self._work(range(len(self._sources)))]
        task = replace(self._task, look=look)
        for parts, encoded in zip(work, self._map(partial(_encoded, task), work), strict=True):
            pieces += encoded.pieces
            for bucket, payload in encoded.payloads:
                payloads[bucket].append(payload)
            advance(sum(part.begin == 0 for part in parts))
        self._payloads = payloads
        file_read = by_file.files_read(pieces)
        problems = {number: problem for piece in pieces for number, problem in piece.get("problems", ())}
        self._index = by_file.labelled(len(self._sources), file_read)
        self._places = self._placed(file_read, [block for piece in pieces for block in piece["blocks"]])
        seen, rows = worker.gathered(pieces, self._places)
        found = [
            self._facts(index, number, label, seen[index], file_read.get(number), problems.get(number))
            for index, (number, label) in enumerate(self._index)
        ]
        return Read.of(found, rows)

    def over_lines(self, look: Look, files: Collection[int]) -> list[Row]:
        wanted = by_file.wanted(self._index, files)
        task = replace(self._task, look=look, buckets=0, places=self._places)
        parts = [[part._replace(wanted=wanted[part.number]) for part in parts] for parts in self._work(wanted)]
        return [
            row for each in self._map(partial(_encoded, task), parts) for piece in each.pieces for row in piece["rows"]
        ]

    def over_partitions(self, look: Look) -> list[Row]:
        looked = partial(worker.look_at, look, self._task.columns, self._places)
        return [row for rows in self._map(looked, [*self._payloads.values()]) for row in rows]

    def close(self) -> None:
        self._payloads = {}
        self._stack.close()

    def _map(self, function: Callable[[Work], Made], work: Sequence[Work]) -> Iterator[Made]:
        """Yield a function's result for each piece of work, in order."""
        if self._pool is None or len(work) < 2:
            yield from map(function, work)
            return
        yield from shared(self._pool, function, work)

    def _work(self, numbers: Iterable[int]) -> Iterator[list[Part]]:
        """Yield parts of these sources, in pieces of work of about equal size."""
        waiting: list[Part] = []
        size = 0
        for number in numbers:
            for part, length in self._parts(number):
                waiting.append(part)
                size += length
                if size >= self._part:
                    yield waiting
                    waiting, size = [], 0
        if waiting:
            yield waiting

    def _parts(self, number: int) -> Iterator[tuple[Part, int]]:
        """Yield the parts of a source, with their sizes."""
        path, how, size = self._sources[number][1].there, self._detected[number], self._sizes[number]
        if size <= self._part or not _can_be_split(path, how):
            yield Part(number, path, how.reading), size
            return
        for begin, end in pairwise([*_bounds(path, self._part)]):
            yield Part(number, path, how.reading, begin, end), end - begin

    def _placed(self, file_read: dict[int, by_file.FileRead], blocks: Iterable[Sequence[int]]) -> worker.Places:
        """Return the file and the shift of each block, from (number, begin, first place, lines) of parts of blocks."""
        index = {key: file for file, key in enumerate(self._index)}
        found = {
            (number, block): (index[number, label], 0)
            for number, each in file_read.items()
            for block, label in enumerate(each.streams)
        }
        lines: dict[worker.BlockKey, int] = defaultdict(int)
        for number, begin, _, n in blocks:
            if number not in file_read:
                lines[number, begin] += n
        before: dict[int, int] = defaultdict(int)
        for number, begin in sorted(lines):
            found[number, begin] = index[number, ""], before[number] + 1
            before[number] += lines[number, begin]
        return found

    def _facts(
        self,
        index: int,
        number: int,
        label: str,
        seen: Coverage,
        file_read: by_file.FileRead | None,
        problem: str | None,
    ) -> tuple[LogFile, FileFacts]:
        (cluster, source), how = self._sources[number], self._detected[number]
        of_stream, numbering = (None, None) if file_read is None else file_read.streams.get(label, (None, None))
        problem = source.problem or problem or (None if file_read is None else file_read.problem)
        return facts(index, cluster, source, seen, problem, self._lossy, stream_of(label, how, numbering, of_stream))


def _detected(asked: Asked, paths: Sequence[str]) -> list[Detected]:
    return [detect(path, asked) for path in paths]


def _encoded(task: worker.Task, parts: Sequence[Part]) -> _Encoded:
    """Encode parts: the workers' results for their lines, and the problems that kept files from being read whole."""
    problems: list[tuple[int, str]] = []
    native = [part for part in parts if part.reading.native]
    found = [*worker.encode(task, batches(native, problems))]
    for part in parts:
        if not part.reading.native:
            whole = by_file.Whole(part.number, part.path, part.reading, part.wanted)
            found += by_file.encode(task, [(whole, Lines(part.path))])
    rows = [row for batch in found for row in batch.to_pylist()]
    payloads = [(row["bucket"], row["payload"]) for row in rows if row["bucket"] != worker.LOOKED]
    note = {"blocks": [], "coverage": [], "rows": [], "problems": problems}
    return _Encoded([note, *worker.pieces(rows)], payloads)


def batches(parts: Sequence[Part], problems: list[tuple[int, str]]) -> Iterator[pa.RecordBatch]:
    """Yield lines (home, block, place, value), with the number of their source as home; record reading problems."""
    for part in parts:
        lines = Lines(part.path) if part.end is None else Stretch(part.path, part.begin, part.end)
        place = 0
        for chunk in lines.chunks():
            offsets = _line_bounds(chunk)
            size = len(offsets) - 1
            value = pa.Array.from_buffers(pa.large_binary(), size, [None, pa.py_buffer(offsets), pa.py_buffer(chunk)])
            keys = [np.full(size, part.number), np.full(size, part.begin), np.arange(place, place + size)]
            columns = [*(pa.array(key, pa.int64()) for key in keys), value]
            yield pa.record_batch(columns, names=["home", "block", "place", "value"])
            place += size
        if lines.problem is not None:
            problems.append((part.number, lines.problem))


def _line_bounds(chunk: bytes) -> Numbers:
    """Return where the lines of a chunk begin, each with its line feed, and where the last one ends; int64."""
    ends = np.flatnonzero(np.frombuffer(chunk, dtype=np.uint8) == ord("\n")) + 1
    return np.concatenate([[0], ends, [] if chunk.endswith(b"\n") else [len(chunk)]]).astype(np.int64)


def _can_be_split(path: str, how: Detected) -> bool:
    return how.reading.native and is_plain(path) and compression(path) is None


def _bounds(path: str, step: int) -> Iterator[int]:
    """Yield where the parts of a plain file begin, each at a line, and where the file ends."""
    size = os.path.getsize(path)
    with opened(path) as file:
        at = 0
        while at < size:
            yield at
            at = _next_line(file, at + step, size)
    yield size


def _next_line(file: BinaryIO, at: int, size: int) -> int:
    """Return the first byte of the first line that begins after a byte."""
    file.seek(at)
    while block := file.read(_BLOCK):
        end = block.find(b"\n")
        if end >= 0:
            return min(at + end + 1, size)
        at += len(block)
    return size
