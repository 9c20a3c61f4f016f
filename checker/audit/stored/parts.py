"""The Parquet files of one batch: events by cluster and day, and the lines that reports quote beside them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ....traces.events.event import Event
from ....traces.events.layouts import Layout
from ....traces.events.parse import parse_line
from ....traces.formats.detect import Detected
from ..files.coverage import Stream
from ..files.streams import At, chosen, stream_of
from ..happened.moments import saying
from ..happened.reasons import lines_after
from ..table.arrays import Numbers
from .arrow import SCHEMA
from .manifest import EVENTS, TEXTS, StoredStream
from .pieces import Block, File, lines_of, pieces

_ROWS = 200_000
"""The events of a row group: about 40 MB in memory."""
_OPEN = 8
"""The most Parquet files that are written at once."""
NO_CLUSTER = "default"
"""The name of the cluster of a table that has only one, which was not named."""
_UNIT_NAME = len("000000-0000")
NO_DAY = "unknown"
"""The day of events before the first line of a file that has a time."""
_NONE = int(np.iinfo(np.int32).min)
"""The number of no day."""
_LINES = pa.schema([("file_id", pa.int64()), ("line", pa.int64()), ("part", pa.int64()), ("text", pa.string())])
_DELTA = ("time", "line", "number")
"""The columns whose differences from row to row are small."""


@dataclass(frozen=True)
class Work:
    """A file to parse."""

    id: int
    cluster: str
    path: str
    """The path of its bytes."""
    shown: str
    """The path in reports."""
    how: Detected


@dataclass(frozen=True)
class Unit:
    """Files that one process parses, into Parquet files of their own."""

    name: str
    """A name that no other unit of the table has, nor had."""
    folder: Path
    files: tuple[Work, ...]
    layout: Layout | None


@dataclass(frozen=True)
class Parsed:
    """The result for one file."""

    id: int
    problem: str | None
    streams: tuple[StoredStream, ...]
    texts: str | None

    @staticmethod
    def from_json(shown: Mapping[str, Any]) -> Parsed:
        """Return the result from its `asdict`, which JSON can hold."""
        return Parsed(**{**shown, "streams": tuple(map(StoredStream.from_json, shown["streams"]))})


def parsed(unit: Unit) -> list[Parsed]:
    """Parse the files of a unit, and write its Parquet files below its folder."""
    events, texts = _Events(unit), _Texts(unit)
    blocks: list[Block] = []
    problems: list[tuple[int, str]] = []
    quoted: dict[int, list[tuple[int, list[At]]]] = defaultdict(list)
    files = (File(number, work.path, work.how.reading) for number, work in enumerate(unit.files))
    for piece in pieces(unit.layout, lines_of(files, blocks, problems), blocks):
        events.add(blocks, piece)
        for number, lines in _quoted(piece):
            block = blocks[number]
            quoted[block.file].append((_id(unit, block), [*map(block.place, lines)]))
    events.close()
    with_texts = [texts.add(work, quoted[number], unit.layout) for number, work in enumerate(unit.files)]
    texts.close()
    streams: dict[int, list[StoredStream]] = defaultdict(list)
    for block in blocks:
        streams[block.file].append(_stream(unit, block, events.parts[_id(unit, block)]))
    problem = dict(problems)
    return [
        Parsed(work.id, problem.get(number), tuple(streams[number]), texts.name if with_texts[number] else None)
        for number, work in enumerate(unit.files)
    ]


def _id(unit: Unit, block: Block) -> int:
    """Return the `file_id` of the events of a block."""
    return unit.files[block.file].id + block.within


def _stream(unit: Unit, block: Block, parts: Collection[str]) -> StoredStream:
    stream = stream_of(block.label, unit.files[block.file].how, block.numbering, block.facts)
    return StoredStream(_id(unit, block), block.seen.as_json(), _facts(stream), tuple(sorted(parts)))


def _facts(stream: Stream) -> dict[str, Any]:
    numbering = stream.numbering
    shown = {each.name: getattr(stream, each.name) for each in fields(stream)}
    return {**shown, "numbering": None if numbering is None else numbering.as_list()}


def _quoted(events: pa.Table) -> Iterator[tuple[int, range]]:
    """Yield the numbers of lines, by block, that a report may quote beside the events: those after one that says that
    something happened.
    """
    said = pc.is_in(events["row"], pa.array([*saying()], pa.string()))
    saying_so = events.select(["file_id", "row", "line", "number"]).filter(said)
    for block, row, line, number in zip(*(column.to_pylist() for column in saying_so.columns), strict=True):
        first = (line if number is None else number) + 1
        yield block, range(first, first + lines_after(saying()[row].happens or ""))


class _Events:
    """The events of a unit, as they come."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._waiting: dict[str, list[pa.Table]] = defaultdict(list)
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._names: dict[str, str] = {}
        self._begun: dict[str, int] = defaultdict(int)
        self._names_of = [*dict.fromkeys(each.cluster or NO_CLUSTER for each in unit.files)]
        self._clusters = [self._names_of.index(each.cluster or NO_CLUSTER) for each in unit.files]
        self._last = -1, _NONE
        """The file of the last event, and its day."""
        self.parts: dict[int, set[str]] = defaultdict(set)
        """By `file_id` the Parquet files with its events."""

    def add(self, blocks: Sequence[Block], events: pa.Table) -> None:
        if not events.num_rows:
            return
        block = events["file_id"].to_numpy()
        file = np.array([each.file for each in blocks])[block]
        for name, values in (
            ("file_id", [_id(self._unit, each) for each in blocks]),
            ("file", [self._unit.files[each.file].shown for each in blocks]),
            ("writer", [each.label or None for each in blocks]),
        ):
            own = SCHEMA.field(name)
            column = pa.array(values, own.type).take(pa.array(block))
            events = events.set_column(SCHEMA.get_field_index(name), own, column)
        for number, day, own in _by_folder(np.array(self._clusters)[file], self._days(file, events["time"]), events):
            name = NO_DAY if day == _NONE else str(np.datetime64(day, "D"))
            folder = f"{EVENTS}/cluster={quote(self._names_of[number], safe='')}/day={name}"
            self._waiting[folder].append(own)
            if sum(each.num_rows for each in self._waiting[folder]) >= _ROWS:
                self._write(folder)
            for id in pc.unique(own["file_id"]).to_pylist():
                self.parts[id].add(self._name(folder))

    def _days(self, file: Numbers, time: pa.ChunkedArray) -> Numbers:
        """Return the day of each event. A line without a time belongs to the day of the line before it in its file."""
        days = pc.fill_null(time.cast(pa.date32()).cast(pa.int32()), _NONE).to_numpy()
        place = np.arange(len(days))
        begins = np.maximum.accumulate(np.where(np.diff(file, prepend=-1) != 0, place, 0))
        last = np.maximum.accumulate(np.where(days == _NONE, -1, place))
        found = np.where(last >= begins, days[last], np.where(file == self._last[0], self._last[1], _NONE))
        self._last = int(file[-1]), int(found[-1])
        return found

    def close(self) -> None:
        for folder in [*self._waiting]:
            self._write(folder)
        for folder in [*self._writers]:
            self._writers.pop(folder).close()

    def _name(self, folder: str) -> str:
        if folder not in self._names:
            self._begun[folder] += 1
            again = f"-{self._begun[folder]}" if self._begun[folder] > 1 else ""
            self._names[folder] = f"{folder}/{self._unit.name}{again}.parquet"
        return self._names[folder]

    def _write(self, folder: str) -> None:
        waiting = self._waiting.pop(folder, [])
        if not waiting:
            return
        name = self._name(folder)
        if folder not in self._writers:
            if len(self._writers) == _OPEN:
                self._end(next(iter(self._writers)))
            self._writers[folder] = writer(self._unit.folder / name, SCHEMA)
        self._writers[folder].write_table(pa.concat_tables(waiting))

    def _end(self, folder: str) -> None:
        """Close a Parquet file; what comes for its folder later goes into another."""
        self._write(folder)
        if folder in self._writers:
            self._writers.pop(folder).close()
        self._names.pop(folder, None)


def _by_folder(cluster: Numbers, day: Numbers, events: pa.Table) -> Iterator[tuple[int, int, pa.Table]]:
    """Yield the events of each cluster and day, in their order."""
    order = np.lexsort((day, cluster))
    cluster, day = cluster[order], day[order]
    first = np.flatnonzero((np.diff(cluster, prepend=-1) != 0) | (np.diff(day, prepend=day[0] - 1) != 0))
    ordered = events if len(first) == 1 else events.take(pa.array(order))
    for begin, end in pairwise([*first.tolist(), len(order)]):
        yield int(cluster[begin]), int(day[begin]), ordered.slice(begin, end - begin)


class _Texts:
    """Lines that reports quote beside the events."""

    def __init__(self, unit: Unit) -> None:
        self.name = f"{TEXTS}/{unit.name}.parquet"
        self._place = unit.folder / self.name
        self._writer: pq.ParquetWriter | None = None

    def add(self, work: Work, runs: Sequence[tuple[int, Sequence[At]]], layout: Layout | None) -> bool:
        """Add the lines after an event, by its `file_id`, that go on with it, and the line after these; return whether
        there are any.
        """
        places = {at for _, run in runs for at in run}
        found = chosen(work.path, work.how, places) if places else {}
        kept: dict[At, tuple[int, str]] = {}
        for id, run in runs:
            for at in run:
                parsed = parse_line(found.get(at, ""), layout)
                if found.get(at) and not isinstance(parsed, Event):
                    kept[at] = id, found[at]
                if getattr(parsed, "ts", None) is not None:  # another line of the log
                    break
        if not kept:
            return False
        ordered = sorted(kept.items(), key=lambda item: (item[0][0], item[0][1] or 0))
        columns = zip(*((id, line, part, text) for (line, part), (id, text) in ordered), strict=True)
        if self._writer is None:
            self._writer = writer(self._place, _LINES)
        arrays = [pa.array(column, own.type) for column, own in zip(columns, _LINES, strict=True)]
        self._writer.write_table(pa.table(arrays, schema=_LINES))
        return True

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def unit_of(part: str) -> str:
    """Return the name of the unit that wrote a Parquet file: its files stand in Parquet files of one such name."""
    return os.path.basename(part)[:_UNIT_NAME]


def writer(place: Path, schema: pa.Schema) -> pq.ParquetWriter:
    place.parent.mkdir(parents=True, exist_ok=True)
    plain = [name for name in schema.names if name in (*_DELTA, "text")]
    return pq.ParquetWriter(
        place,
        schema,
        compression="zstd",
        use_dictionary=[name for name in schema.names if name not in plain],
        column_encoding={name: "DELTA_BINARY_PACKED" for name in plain if name != "text"},
    )
