"""The work of Spark's workers: lines to events in columns, counted, looked at, and encoded by bucket of partitions.

A worker gets pieces of consecutive lines, in any order. The number of a line is unknown until the earlier blocks are
counted: lines are counted from the first line of their block in the piece, and their file is the number of that block
there. The driver, or the reader of a payload, adds what is missing (`Places`).
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from ....traces.events.event import PRINTED
from ....traces.events.layouts import Layout
from ....traces.sources.text import text_of
from ..lines import THROWN
from ..table.arrays import Array, Dictionary, Numbers, array_of, concatenated, different, narrow
from ..table.columns import ColumnTable
from ..table.payload import Payload, payloads
from ..table.protocol import Row, Table
from .counting import counted
from .coverage import Coverage, Kind
from .listed import READS
from .listed_columns import listed_columns
from .log import LINES, Look
from .matched import matched
from .walking import text_in

PIECE = 200_000
"""The number of lines in a piece; its results are in memory three times, which is some hundred MB."""
LOOKED = -1
"""The bucket of results for the driver: counts, and the rows of a look."""
_STRIDE = 31
"""A factor that spreads the partitions of one topic over different buckets."""
BlockKey = tuple[int, int]
"""A block of a file: the hash of its path, and the byte at which it begins."""
Part = tuple[int, int, int]
"""Lines of a block: its key, and the place of the first of them."""
Places = Mapping[BlockKey, tuple[int, int]]
"""For each block the number of its file, and the difference between a line's number and its place."""


@dataclass(frozen=True)
class Task:
    """A task for workers."""

    look: Look
    """A look at each piece of lines."""
    fields: tuple[str, ...]
    """The fields of an event that its message prints and that some reader uses."""
    layout: Layout | None
    """The layout of the lines, if one was given."""
    kept: frozenset[str]
    """Ids of the rows of the line table whose lines buckets get, with these `columns`."""
    columns: tuple[str, ...]
    buckets: int
    """The number of buckets; 0 if the events are for no bucket."""
    places: Places | None = None
    """The places of the blocks; None if they are not counted yet."""
    piece: int = PIECE
    """The least number of lines that are looked at together."""

    @property
    def names(self) -> tuple[str, ...]:
        return ("row", "level", "ts", "releases", "file", "line", *self.fields)


def task(
    layout: Layout | None, kept: frozenset[str], columns: Sequence[str], buckets: int, piece: int | None = None
) -> Task:
    """Return a task without a look that keeps the fields from which these columns, and lists of partitions, are
    made.
    """
    fields = tuple(name for name in PRINTED if name in columns or name in READS)
    return Task(_no_rows, fields, layout, kept, tuple(columns), buckets, piece=piece or PIECE)


def _no_rows(table: Table) -> list[Row]:
    return []


OUTPUT = "bucket int, payload binary"


def encode(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield lines (home, block, place, value) as payloads of buckets, and one of bucket LOOKED for each piece.

    `value` is a line's bytes, with or without its line feed.
    """
    waiting: list[pa.RecordBatch] = []
    lines = 0
    for batch in batches:
        waiting.append(batch)
        lines += batch.num_rows
        if lines >= task.piece:
            yield _piece(task, pa.Table.from_batches(waiting))
            waiting, lines = [], 0
    if lines:
        yield _piece(task, pa.Table.from_batches(waiting))


def _piece(task: Task, lines: pa.Table) -> pa.RecordBatch:
    dictionary = Dictionary()
    blocks, block = blocks_of(lines)
    file, line = placed(task, blocks, block, lines["place"].to_numpy())
    seen: dict[int, Coverage] = {}
    for number in np.unique(file).tolist():
        seen[number] = Coverage()
    table = events_of(task, lines, file, line, dictionary, seen)
    found = list(by_bucket(task, table, dictionary, blocks)) if task.buckets else []
    counts = np.bincount(block, minlength=len(blocks)).tolist()
    looked = {
        "blocks": [[*key, n] for key, n in zip(blocks, counts, strict=True)],
        "coverage": [[number, coverage.as_json()] for number, coverage in seen.items()],
        "rows": task.look(table),
    }
    numbers = [LOOKED, *(number for number, _ in found)]
    data = [json.dumps(looked).encode(), *(payload for _, payload in found)]
    return output(numbers, data)


def output(buckets: Sequence[int], payloads: Sequence[bytes]) -> pa.RecordBatch:
    """Return rows of `OUTPUT`."""
    columns = [pa.array(buckets, pa.int32()), pa.array(payloads, pa.binary())]
    return pa.record_batch(columns, names=["bucket", "payload"])


def blocks_of(lines: pa.Table) -> tuple[list[Part], Numbers]:
    """Return the blocks of a piece, and for each line the number of its block among them."""
    home, begin, place = (lines[name].to_numpy() for name in ("home", "block", "place"))
    example, number = different([Array(home), Array(begin)], lines.num_rows)
    first = np.full(len(example), np.iinfo(np.int64).max)
    np.minimum.at(first, number, place)
    return list(zip(home[example].tolist(), begin[example].tolist(), first.tolist(), strict=True)), number


def placed(task: Task, blocks: Sequence[Part], block: Numbers, place: Numbers) -> tuple[Numbers, Numbers]:
    """Return for each line its file and its number there, as far as they are known."""
    if task.places is None:
        return block, place - np.array([first for _, _, first in blocks], dtype=np.int64)[block]
    file, shift = np.array([task.places[home, begin] for home, begin, _ in blocks], dtype=np.int64).reshape(-1, 2).T
    return file[block], place + shift[block]


def whole(blocks: Iterable[Sequence[int]], places: Places) -> list[tuple[int, int]]:
    """Return for the blocks of a piece (home, begin, first place, ...) their file and the shift of their line
    numbers.
    """
    found = ((places[home, begin], first) for home, begin, first, *_ in blocks)
    return [(file, shift + first) for (file, shift), first in found]


def events_of(
    task: Task, lines: pa.Table, file: Numbers, line: Numbers, dictionary: Dictionary, seen: Mapping[int, Coverage]
) -> ColumnTable:
    parts = []
    is_left = np.ones(lines.num_rows, dtype=bool)
    found = matched(text_in(lines["value"]), task.fields, dictionary) if task.layout is None else None
    if found is not None:
        here = found.places
        is_left[here] = False
        columns = found.columns | {"file": Array(narrow(file[here])), "line": Array(narrow(line[here]))}
        _count(columns, dictionary, seen)
        parts.append(listed_columns(columns, dictionary))
    rest = np.flatnonzero(is_left)
    events = []
    texts = lines["value"].take(pa.array(rest)).to_pylist()
    for number, at, text in zip(file[rest].tolist(), line[rest].tolist(), texts, strict=True):
        for event in counted(at, text_of(text.removesuffix(b"\n")), task.layout, seen[number]):
            events.append({**event.__dict__, "file": number, "line": at})
    if events:
        parts.append({name: array_of([event.get(name) for event in events], dictionary) for name in task.names})
    if not parts:
        return ColumnTable.of_rows([], dictionary)
    return ColumnTable.of(dictionary, {name: concatenated([part[name] for part in parts]) for name in task.names})


def _count(columns: Mapping[str, Array], dictionary: Dictionary, seen: Mapping[int, Coverage]) -> None:
    """Count understood lines of frequent wordings: they have no prefix."""
    key = [columns[name] for name in ("file", "row", "level")]
    first, place = different(key, len(columns["row"].data))
    shown = [array.take(first).plain(dictionary) for array in key]
    for file, row, level, n in zip(*shown, np.bincount(place).tolist(), strict=True):
        seen[file].kinds[Kind("understood", row, level)] += n
    there = np.flatnonzero(columns["ts"].is_there)
    file, line, ts = (columns[name].data[there] for name in ("file", "line", "ts"))
    for number in np.unique(file).tolist():
        own = np.flatnonzero(file == number)
        lines, times = line[own], ts[own]
        for at in {int(lines.argmin()), int(lines.argmax()), int(times.argmin()), int(times.argmax())}:
            seen[number].dated(int(lines[at]), int(times[at]))


def by_bucket(
    task: Task, table: ColumnTable, dictionary: Dictionary, blocks: Sequence[Part]
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that rules look at, encoded by bucket."""
    kept = table.of_lines(task.kept)
    if not kept.size:
        return
    columns = {name: kept.array(name) for name in task.columns}
    bucket = _buckets(kept, dictionary, task.buckets)
    yield from payloads(columns, dictionary, bucket, blocks)
    shared = np.flatnonzero(bucket < 0)
    if len(shared):
        rows = {name: array.take(shared) for name, array in columns.items()}
        for number in range(task.buckets):
            yield from payloads(rows, dictionary, np.full(len(shared), number), blocks)


def _buckets(table: ColumnTable, dictionary: Dictionary, buckets: int) -> Numbers:
    """Return each line's bucket: its partition's; for a throwable that of the line before; -1 if it is for all."""
    topic, partition = table.array("topic"), table.array("partition")
    named = topic.is_there & partition.is_there
    first, place = different([topic], table.size)
    texts = topic.take(first).plain(dictionary)
    of_topic = np.array([zlib.crc32((text or "").encode("utf-8", "replace")) for text in texts], dtype=np.int64)
    bucket = np.where(named, (of_topic[place] + partition.data.astype(np.int64) * _STRIDE) % buckets, -1)
    thrown = ~named & table.is_line(THROWN)
    if thrown.any():
        file, line = table.array("file").data, table.array("line").data
        order = np.lexsort((line, file))
        before, here = order[:-1], order[1:]
        follows = thrown[here] & (file[before] == file[here]) & (line[before] == line[here] - 1)
        bucket[here[follows]] = bucket[before[follows]]
    return bucket


def look_at(look: Look, names: Sequence[str], places: Places, data: Iterable[bytes]) -> list[Row]:
    """Return a look's rows for the lines of one bucket, given as payloads."""
    dictionary = Dictionary()
    parts = [(payload, whole(payload.note, places)) for payload in (Payload(each, dictionary) for each in data)]

    def column(name: str) -> Array:
        return concatenated([_numbered(payload, blocks, name) for payload, blocks in parts])

    size = sum(payload.size for payload, _ in parts)
    return look(ColumnTable.made(dictionary, size, {name: partial(column, name) for name in names}))


def _numbered(payload: Payload, blocks: Sequence[tuple[int, int]], name: str) -> Array:
    """Return a column of a payload, with the numbers that files and lines have in the audit."""
    array = payload.array(name)
    if name not in ("file", "line"):
        return array
    file, shift = np.array(blocks, dtype=np.int64).reshape(-1, 2).T
    block = payload.array("file").data
    return Array(file[block] if name == "file" else array.data + shift[block])


def shifted(row: Row, file: int, shift: int) -> Row:
    """Return a look's row with its file and its line numbers, from those of a block and its places."""
    return row | {"file": file} | {name: row[name] + shift for name in LINES if row.get(name) is not None}


def pieces(encoded: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the pieces' results for the gathering process, from rows of `OUTPUT`."""
    found = [json.loads(bytes(row["payload"])) for row in encoded if row["bucket"] == LOOKED]
    return [piece | {"rows": [plain(row) for row in piece["rows"]]} for piece in found]


def gathered(pieces: Iterable[Mapping[str, Any]], places: Places) -> tuple[dict[int, Coverage], list[Row]]:
    """Return the counts of each file, and the rows of a look, with the numbers of files and lines in the audit."""
    seen: dict[int, Coverage] = defaultdict(Coverage)
    rows: list[Row] = []
    for piece in pieces:
        at = whole(piece["blocks"], places)
        for number, coverage in piece["coverage"]:
            file, shift = at[number]
            seen[file].add(Coverage.from_json(coverage), shift)
        rows += (shifted(row, *at[row["file"]]) for row in piece["rows"])
    return seen, rows


def as_json(rows: Iterable[Row]) -> str:
    return json.dumps(list(rows))


def from_json(text: str) -> list[Row]:
    """Return rows from JSON; lists become tuples again."""
    return [plain(row) for row in json.loads(text)]


def plain(row: Mapping[str, Any]) -> Row:
    """Return a row from JSON, with tuples for lists."""
    return {name: _tuples(value) for name, value in row.items()}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
