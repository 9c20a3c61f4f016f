"""The work of Spark's workers: contents of files, or lines of large ones, to rows of events and records."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from ..checker.audit.files.by_file import Given
from ..checker.audit.stored.pieces import Block, File, batch_of_lines, lines_of, pieces
from ..specs.errors import IsrproofError
from ..traces.formats.detect import Asked, detect, holds_lines
from ..traces.formats.reading import Reading, Text
from ..traces.metadata.batches import Batches
from ..traces.metadata.files import RECORDS, found_in
from ..traces.metadata.reader import in_table_order
from ..traces.sources.paths import Source, expand
from .arrow import arrow_type, batch_of, microseconds, valid

FAIL, KEEP = "fail", "keep"
"""Ways to deal with a file that cannot be read whole: the job fails, or the table gets a row that says why."""
_ROWS, _TEXT = 10_000, 1 << 24
"""The most rows, and about the most characters of their lines, that are handed to Spark at once."""
_FILE = re.compile("file:(//)?(?=/)")
Row = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A task for workers."""

    schema: tuple[tuple[str, str], ...]
    """Names and types of the columns."""
    asked: Asked
    """The user's statements about the format of lines."""
    problems: str
    """FAIL or KEEP."""
    named: Mapping[str, str]
    """The paths as given, by Spark's names for them, where they differ."""

    @property
    def arrow(self) -> pa.Schema:
        return pa.schema([(name, arrow_type(kind)) for name, kind in self.schema])

    def shown(self, path: str) -> str:
        """Return a path as the user gave it."""
        return self.named.get(path) or _FILE.sub("file://", path)

    def must_go_on(self, file: str, problem: str) -> None:
        """Check that the job goes on although a file could not be read whole.

        Raises:
            IsrproofError: the job is to fail.
        """
        if self.problems == FAIL:
            raise IsrproofError(f"{file}: {problem}; with problems='keep' the rest is read, and a row has this problem")


def events_of_files(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the events of files (path, content)."""
    return Reader(task).read(partial(_of_contents, batches))


def records_of_files(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the records of files (path, content) of metadata logs."""
    rows = (row for path, content in _contents(batches) for row in _records(task, task.shown(path), content))
    return in_batches(task.arrow, rows)


def events_of_blocks(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the events of lines (path, block, value) that stand as they were written, each with its `path`, its
    `block`, and as `line` the number within the block.
    """
    keys: list[tuple[str, int]] = []
    blocks: list[Block] = []
    for piece in pieces(task.asked.layout, _numbered(batches, keys, blocks), blocks):
        paths = [path for path, _ in keys]
        placed: dict[str, Sequence[Any]] = {"path": paths, "block": [begin for _, begin in keys]}
        yield from _shown(task, piece, [task.shown(path) for path in paths], blocks, placed)


def _numbered(
    batches: Iterable[pa.RecordBatch], keys: list[tuple[str, int]], blocks: list[Block]
) -> Iterator[pa.RecordBatch]:
    """Yield lines (block, number, value), and add the path and the first byte of each block."""
    lines = 0
    for batch in filter(len, batches):
        path, begin = batch["path"].dictionary_encode(), batch["block"].to_numpy()
        changes = np.diff(path.indices.to_numpy()) != 0
        first = [0, *(np.flatnonzero(changes | (np.diff(begin) != 0)) + 1).tolist()]
        for start, end in pairwise([*first, batch.num_rows]):
            key = path[start].as_py(), int(begin[start])
            if not keys or keys[-1] != key:
                keys.append(key)
                blocks.append(Block(len(blocks)))
                lines = 0
            numbers = np.arange(lines + 1, lines + 1 + end - start)
            yield batch_of_lines(
                np.full(end - start, len(blocks) - 1), numbers, batch["value"].slice(start, end - start)
            )
            lines += end - start


def events_of_lines(task: Task, readings: Mapping[str, Reading], batches: Iterable[pa.RecordBatch]) -> Iterator[Any]:
    """Yield the events of files whose lines (path, value) come in order, one file after another."""

    def files(reader: Reader) -> Iterator[File]:
        for path, lines in groupby(_lines(batches), key=lambda line: line[0]):
            yield reader.file(task.shown(path), path, readings[path], Given(line for _, line in lines))

    return Reader(task).read(files)


def _lines(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, bytes]]:
    for batch in batches:
        yield from zip(batch["path"].to_pylist(), batch["value"].to_pylist(), strict=True)


class Reader:
    """The events of files, read one after another."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._names: list[str] = []
        self._blocks: list[Block] = []
        self._problems: list[tuple[int, str]] = []

    def file(self, name: str, path: str, reading: Reading, given: Text | None = None) -> File:
        """Return a file to read, which is shown under a name."""
        self._names.append(name)
        return File(len(self._names) - 1, path, reading, given)

    def files(self, name: str, at: str) -> Iterator[File]:
        """Yield the files to read at a place: one, or those in an archive."""
        name = self._task.shown(name)
        try:
            others = {file.real for file in found_in([at])}
            sources = [source for _, found in expand([at], other=others, holds_lines=holds_lines) for source in found]
        except IsrproofError as error:
            self._names.append(name)
            self._problems.append((len(self._names) - 1, str(error).replace(at, name).removeprefix(f"{name}: ")))
            return
        for source in sources:
            shown = name + source.path.removeprefix(at)
            file = self.file(shown, source.there, detect(source.there, self._task.asked).reading)
            if source.problem is not None:
                self._problems.append((file.number, source.problem))
            yield file
            _forget(source)

    def read(self, files: Callable[[Reader], Iterable[File]]) -> Iterator[pa.RecordBatch]:
        """Yield the events of the files that a function makes with this reader, and rows for problems."""
        for piece in pieces(self._task.asked.layout, self._lines(files(self)), self._blocks):
            yield from _shown(self._task, piece, self._names, self._blocks, {})
        first = dict(reversed(self._problems))
        rows = ({"file": valid(self._names[number]), "problem": valid(first[number])} for number in sorted(first))
        yield from in_batches(self._task.arrow, rows)

    def _lines(self, files: Iterable[File]) -> Iterator[pa.RecordBatch]:
        """Yield the lines of files; the first problem ends them, if the job is to fail then."""
        for batch in lines_of(files, self._blocks, self._problems):
            yield batch
            self._check()
        self._check()

    def _check(self) -> None:
        for number, problem in self._problems[:1]:
            self._task.must_go_on(self._names[number], problem)


def _shown(
    task: Task, events: pa.Table, names: Sequence[str], blocks: Sequence[Block], placed: Mapping[str, Sequence[Any]]
) -> Iterator[pa.RecordBatch]:
    """Yield events of `pieces` with the columns of a table; `placed` has further columns by block."""
    block = events["file_id"]
    of_block = {
        **placed,
        "file": [valid(names[each.file]) for each in blocks],
        "writer": [valid(each.label) for each in blocks],
    }
    columns = [
        pa.array(of_block[each.name], each.type).take(block)
        if each.name in of_block
        else events[each.name].cast(each.type)
        if each.name in events.column_names
        else pa.nulls(events.num_rows, each.type)
        for each in task.arrow
    ]
    most = max(1, min(_ROWS, events.num_rows * _TEXT // max(1, events["text"].nbytes)))
    yield from pa.table(columns, schema=task.arrow).to_batches(max_chunksize=most)


def _contents(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, pa.BinaryScalar]]:
    for batch in batches:
        yield from zip(batch["path"].to_pylist(), batch["content"], strict=True)


@contextmanager
def _here(path: str, content: pa.BinaryScalar) -> Iterator[str]:
    """Write the content of a file to a folder of this worker, for readers that take a path."""
    with tempfile.TemporaryDirectory(prefix="isrproof-") as folder:
        at = os.path.join(folder, path.rpartition("/")[2] or "log")
        with open(at, "wb") as file:
            file.write(content.as_buffer())
        yield at


def _of_contents(batches: Iterable[pa.RecordBatch], reader: Reader) -> Iterator[File]:
    for path, content in _contents(batches):
        with _here(path, content) as at:
            yield from reader.files(path, at)


def events_at(task: Task, paths: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the events of files of this machine."""
    return Reader(task).read(lambda reader: (file for path in paths for file in reader.files(path, path)))


def _forget(source: Source) -> None:
    """Remove a file that came out of an archive: the worker lives on."""
    if source.at is not None:
        with suppress(OSError):
            os.unlink(source.at)


def _records(task: Task, path: str, content: pa.BinaryScalar) -> Iterator[Row]:
    with _here(path, content) as at:
        yield from records_at(task, path, at)


def records_at(task: Task, path: str, at: str) -> Iterator[Row]:
    """Yield the records of a file of this machine, which is shown under a path."""
    for file in found_in([at]):
        if file.kind in RECORDS:
            yield from _of_batches(task, path + file.path.removeprefix(at), Batches(file.path))


def _of_batches(task: Task, path: str, batches: Batches) -> Iterator[Row]:
    for batch in batches:
        for record in batch.records:
            data = None if record.data is None else in_table_order(record.type, record.data)
            yield {
                "file": path,
                "offset": record.offset,
                "epoch": record.epoch,
                "time": microseconds(record.timestamp),
                "batch": record.batch,
                "type": record.type,
                "version": record.version,
                "data": None if data is None else valid(json.dumps(data, ensure_ascii=False)),
                "partial": record.partial,
            }
    if batches.problem is not None:
        task.must_go_on(path, batches.problem)
        yield {"file": valid(path), "problem": valid(batches.problem)}


def in_batches(schema: pa.Schema, rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """Yield rows as batches of a size that Spark takes well."""
    waiting: list[Row] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += len(row.get("text") or row.get("data") or "")
        if len(waiting) >= _ROWS or size > _TEXT:
            yield batch_of(schema, waiting)
            waiting, size = [], 0
    if waiting:
        yield batch_of(schema, waiting)
