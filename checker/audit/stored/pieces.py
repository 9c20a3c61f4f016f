"""Lines of files to stored events: parsed as the columns engine parses them, the lines of many files at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from ....specs.lines import rows
from ....traces.events.event import PRINTED
from ....traces.events.layouts import Layout
from ....traces.formats.reading import Numbering, Reading, StreamFacts, Text
from ....traces.sources.text import Lines, text_of
from ..files import by_file, columns, worker
from ..files.coverage import Coverage
from ..files.streams import At
from ..table.arrays import Array, Dictionary, Numbers, narrow
from .arrow import SCHEMA, stored
from .schema import PLACE

_SHOWN = {"time": "ts"}
"""The fields of an event whose columns have other names."""
_MOST = 1 << 28
"""About the most bytes of lines that are parsed at once: an array of texts has room for eight times as many."""


@dataclass(frozen=True)
class File:
    """A file to read."""

    number: int
    """A number that no other file has."""
    path: str
    reading: Reading
    given: Text | None = None
    """Its text, if another reader has it."""


@dataclass
class Block:
    """The lines of one writer in a file."""

    file: int
    label: str = ""
    """The writer."""
    within: int = 0
    """The place among the blocks of the file."""
    numbering: Numbering | None = None
    """None if a line stands at its number."""
    facts: StreamFacts | None = None
    seen: Coverage = field(default_factory=Coverage)

    def place(self, number: int) -> At:
        """Return the line of the file, and the position in it, of a line by its number."""
        return (number, None) if self.numbering is None else self.numbering.place(number)


def pieces(layout: Layout | None, batches: Iterable[pa.RecordBatch], blocks: Sequence[Block]) -> Iterator[pa.Table]:
    """Yield the events of lines (block, number, value), with the number of their block as `file_id`, and count the
    lines in their blocks.

    Args:
        blocks: each is there by the time its first batch comes.
    """
    task = replace(worker.task(layout, frozenset(rows()), (), buckets=0), fields=PRINTED)
    waiting: list[pa.RecordBatch] = []
    lines = size = 0
    for batch in batches:
        waiting.append(batch)
        lines += batch.num_rows
        size += batch.nbytes
        if lines >= task.piece or size >= _MOST:
            yield _piece(task, waiting, blocks)
            waiting, lines, size = [], 0, 0
    if lines:
        yield _piece(task, waiting, blocks)


def lines_of(files: Iterable[File], blocks: list[Block], problems: list[tuple[int, str]]) -> Iterator[pa.RecordBatch]:
    """Yield the lines (block, number, value) of files; add the blocks, and the problems of files by their numbers."""
    for file in files:
        if file.reading.native and file.given is None:
            blocks.append(Block(file.number))
            part = columns.Part(file.number, file.path, file.reading)
            for batch in columns.batches([part], problems):
                yield batch_of_lines(
                    np.full(batch.num_rows, len(blocks) - 1), batch["place"].to_numpy() + 1, batch["value"]
                )
        else:
            yield from _unwrapped(file, blocks, problems)


def _unwrapped(file: File, blocks: list[Block], problems: list[tuple[int, str]]) -> Iterator[pa.RecordBatch]:
    first = len(blocks)
    read = by_file.FileRead(file.number)
    whole = by_file.Whole(file.number, file.path, file.reading)
    for batch in by_file.batches(whole, file.given or Lines(file.path), read):
        for label, (_, numbering) in [*read.streams.items()][len(blocks) - first :]:
            blocks.append(Block(file.number, label, len(blocks) - first, numbering))
        yield batch_of_lines(batch["block"].to_numpy() + first, batch["place"].to_numpy(), batch["value"])
    for block in blocks[first:]:
        block.facts, _ = read.streams[block.label]
    if len(blocks) == first:
        blocks.append(Block(file.number))
    if read.problem is not None:
        problems.append((file.number, read.problem))


def batch_of_lines(block: Numbers, number: Numbers, value: pa.Array) -> pa.RecordBatch:
    """Return lines as `pieces` takes them."""
    columns = [pa.array(block), pa.array(number), value.cast(pa.large_binary())]
    return pa.record_batch(columns, names=["block", "number", "value"])


def _piece(task: worker.Task, batches: Sequence[pa.RecordBatch], blocks: Sequence[Block]) -> pa.Table:
    dictionary = Dictionary()
    lines = pa.Table.from_batches(batches).combine_chunks()
    block, number = lines["block"].to_numpy(), lines["number"].to_numpy()
    seen = {each: blocks[each].seen for each in np.unique(block).tolist()}
    table = worker.events_of(task, lines, block, number, dictionary, seen)
    if not table.size:
        return SCHEMA.empty_table()
    columns = {name: table.array(_SHOWN.get(name, name)) for name in SCHEMA.names if name not in (*PLACE, "text")}
    at = _lines_of(table.array("file").data, table.array("line").data, block, number)
    order = np.argsort(at, kind="stable")  # matched lines come before those that the reference parser reads
    at = at[order]
    columns = {name: own.take(order) for name, own in columns.items()} | _places(block[at], number[at], blocks)
    arrays = {name: stored(name, columns[name], dictionary) for name in SCHEMA.names if name in columns}
    size = len(at)
    arrays |= {name: pa.nulls(size, pa.string()) for name in ("file", "writer")}
    arrays["text"] = _texts(lines["value"].take(pa.array(at)))
    return pa.table([arrays[name] for name in SCHEMA.names], schema=SCHEMA)


def _lines_of(file: Numbers, line: Numbers, block: Numbers, number: Numbers) -> Numbers:
    """Return for each event the position of its line among the lines."""
    order = np.lexsort((number, block))
    most = int(number.max()) + 1
    keys = block[order].astype(np.int64) * most + number[order]
    return order[np.searchsorted(keys, file.astype(np.int64) * most + line)]


def _places(block: Numbers, number: Numbers, blocks: Sequence[Block]) -> dict[str, Array]:
    line, part = number.astype(np.int64), np.zeros(len(number), dtype=np.int64)
    numbered = np.array([each.numbering is not None for each in blocks], dtype=bool)
    there = np.flatnonzero(numbered[block])
    found = [blocks[of].place(n) for of, n in zip(block[there].tolist(), number[there].tolist(), strict=True)]
    line[there] = [at for at, _ in found]
    part[there] = [within or 0 for _, within in found]
    return {
        "file_id": Array(block),
        "line": Array(narrow(line)),
        "part": Array(narrow(part), part > 0),
        "number": Array(number, (number != line) | (part > 0)),
    }


def _texts(values: pa.ChunkedArray) -> pa.Array:
    """Return the texts of lines, as the reader of one line returns them."""
    return pa.array([text_of(value.removesuffix(b"\n")) for value in values.to_pylist()], pa.string())
