"""An event table as a log: the events are read, not parsed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ....traces.events.event import PRINTED
from ....traces.metadata.files import MetadataFile
from ....traces.sources.archives import unpacked_at, unpacked_no_more
from ...processes import pool, shared
from ..files import worker
from ..files.coverage import facts
from ..files.file import FileFacts, LogFile
from ..files.log import Look, Read, nothing
from ..files.streams import At
from ..findings.excerpts import Texts, Wanted
from ..table.arrays import Array, Dictionary, Numbers, narrow
from ..table.columns import ColumnTable
from ..table.protocol import Row
from ..table.rows import PythonTable
from .arrow import made_columns
from .manifest import Manifest, StoredFile, StoredStream, parts_of
from .parts import unit_of
from .schema import COLUMNS

_ALONE = 5_000_000
"""The size of Parquet files in bytes up to which starting other processes costs more time than it saves."""
_BUCKET = 4_000_000
"""The size of Parquet files in bytes whose events form one bucket."""
_ALWAYS = ("file_id", "line", "number", "row", "level", "time", "releases")
"""The columns that looks read, beside those that an audit asks for."""
_OF_TEXTS = ["file_id", "line", "part", "text"]


Work = TypeVar("Work")
Made = TypeVar("Made")


@dataclass(frozen=True)
class _Part:
    """Parquet files with the events of the same files, one for each day."""

    places: tuple[str, ...]
    ids: tuple[int, ...]
    """`file_id` of the events to read, rising."""
    index: tuple[int, ...]
    """The numbers of these files in the audit."""


class EventTable:
    """The events of some files of a table; see Log.

    Args:
        folder: the table.
        files: (cluster, file) pairs, numbered in this order, each once for each of its writers.
        lossy: lines may be missing anywhere.
        kept: the rows of the line table that looks over partitions get, with `columns` of their events.
        reference: read the events as plain rows.
        jobs: the number of processes that share the work.
    """

    def __init__(
        self,
        folder: Path,
        files: Sequence[tuple[int, StoredFile]],
        lossy: bool,
        kept: frozenset[str],
        columns: Sequence[str],
        *,
        reference: bool = False,
        jobs: int = 1,
    ) -> None:
        self._folder, self._lossy, self._reference = folder, lossy, reference
        self._streams: list[tuple[int, StoredFile, StoredStream]] = [
            (cluster, file, stream)
            for cluster, file in files
            for stream in sorted(file.streams, key=lambda each: each.facts["label"])
        ]
        size = sum((folder / part).stat().st_size for part in dict.fromkeys(p for _, f in files for p in f.parts))
        self._jobs = jobs if size > _ALONE and not reference else 1
        self._read = [name for name in COLUMNS if name in _ALWAYS or (name in PRINTED and name in columns)]
        self._task = worker.task(None, kept, columns, buckets=max(self._jobs, size // _BUCKET))
        self._stack = ExitStack()
        self._pool = None if self._jobs == 1 else self._stack.enter_context(pool(self._jobs))
        self._payloads: dict[int, list[bytes]] = {}
        self._rows = PythonTable([])

    def read(self, look: Look, advance: Callable[[int], None] = nothing) -> Read:
        found = [self._facts(index) for index in range(len(self._streams))]
        parts = self._parts(range(len(self._streams)))
        if self._reference:
            self._rows = PythonTable([row for part in parts for row in _plain(self._folder, self._read, part)])
            return Read.of(found, [row for own in self._rows.apart(("file",)) for row in look(own)])
        rows: list[Row] = []
        payloads: dict[int, list[bytes]] = defaultdict(list)
        task = replace(self._task, look=look)
        for part, (looked, encoded) in zip(
            parts, self._map(partial(_encoded, self._folder, self._read, task), parts), strict=True
        ):
            rows += looked
            for bucket, payload in encoded:
                payloads[bucket].append(payload)
            advance(len(part.ids))
        self._payloads = payloads
        return Read.of(found, rows)

    def over_lines(self, look: Look, files: Collection[int]) -> list[Row]:
        if self._reference:
            return look(self._rows.joined([{"file": file} for file in files], ("file",), {}))
        task = replace(self._task, look=look, buckets=0)
        looked = self._map(partial(_encoded, self._folder, self._read, task), self._parts(files))
        return [row for rows, _ in looked for row in rows]

    def over_partitions(self, look: Look) -> list[Row]:
        if self._reference:
            kept = self._rows.of_lines(self._task.kept)
            return [row for part in kept.apart(("topic", "partition")) for row in look(part)]
        places = {(index, 0): (index, 0) for index in range(len(self._streams))}
        looked = partial(worker.look_at, look, self._task.columns, places)
        return [row for rows in self._map(looked, [*self._payloads.values()]) for row in rows]

    def close(self) -> None:
        self._payloads, self._rows = {}, PythonTable([])
        self._stack.close()

    def _map(self, function: Callable[[Work], Made], work: Sequence[Work]) -> Iterator[Made]:
        """Return an iterator over a function's result for each piece of work, in order."""
        if self._pool is None or len(work) < 2:
            return map(function, work)
        return shared(self._pool, function, work)

    def _facts(self, index: int) -> tuple[LogFile, FileFacts]:
        cluster, file, stream = self._streams[index]
        return facts(index, cluster, file.source, stream.seen(), file.problem, self._lossy, stream.stream())

    def _parts(self, numbers: Collection[int]) -> list[_Part]:
        """Return what to read for some files of the audit: those that one unit wrote together."""
        index_of: dict[str, dict[int, int]] = defaultdict(dict)
        places: dict[str, set[str]] = defaultdict(set)
        for index in numbers:
            _, _, stream = self._streams[index]
            for part in stream.parts:
                index_of[unit_of(part)][stream.id] = index
                places[unit_of(part)].add(part)
        return [
            _Part(tuple(sorted(places[unit])), tuple(sorted(own)), tuple(own[id] for id in sorted(own)))
            for unit, own in index_of.items()
        ]


def _events(folder: Path, part: _Part, names: Sequence[str]) -> pa.Table:
    """Return the events of some files, in the order of the audit's files and of their lines."""
    tables = [pq.read_table(folder / place, columns=[*names], partitioning=None) for place in part.places]
    events = pa.concat_tables(tables) if len(tables) > 1 else tables[0]
    ids = np.array(part.ids)
    own = events["file_id"].to_numpy()
    if not set(pc.unique(events["file_id"]).to_pylist()) <= {*part.ids}:
        events = events.filter(pa.array(np.isin(own, ids)))
        own = events["file_id"].to_numpy()
    index = np.array(part.index, dtype=np.int64)[np.searchsorted(ids, own)]
    line = pc.coalesce(events["number"], events["line"]).to_numpy()
    order = np.lexsort((line, index))
    if len(order) and np.any(order[1:] < order[:-1]):
        events, index, line = events.take(pa.array(order)), index[order], line[order]
    events = events.drop_columns(["file_id", "line", "number"])
    return events.append_column("file", pa.array(index)).append_column("line", pa.array(line))


def _plain(folder: Path, names: Sequence[str], part: _Part) -> Iterator[Row]:
    """Yield events as the reference parser makes them."""
    events, dictionary = _events(folder, part, names), Dictionary()
    columns = {name: make().plain(dictionary) for name, make in made_columns(events, dictionary).items()}
    for values in zip(*columns.values(), strict=True):
        yield {name: value for name, value in zip(columns, values, strict=True) if value is not None}


def _encoded(
    folder: Path, names: Sequence[str], task: worker.Task, part: _Part
) -> tuple[list[Row], list[tuple[int, bytes]]]:
    """Look at the events of some files; return the rows of the look, and the events encoded by bucket."""
    events = _events(folder, part, names)
    rows: list[Row] = []
    encoded: list[tuple[int, bytes]] = []
    for begin, size in _pieces(events["line"].to_numpy(), task.piece):
        own, dictionary = events.slice(begin, size), Dictionary()
        columns = made_columns(own, dictionary)
        rows += task.look(ColumnTable.made(dictionary, size, columns))
        if task.buckets:
            files, number = np.unique(own["file"].to_numpy(), return_inverse=True)
            numbered = columns | {"file": lambda number=number: Array(narrow(number.reshape(-1)))}
            blocks = [(index, 0, 0) for index in files.tolist()]
            encoded += worker.by_bucket(task, ColumnTable.made(dictionary, size, numbered), dictionary, blocks)
    return rows, encoded


def _pieces(lines: Numbers, most: int) -> Iterator[tuple[int, int]]:
    """Yield begin and size of pieces of about `most` events; those of one line stay together."""
    begin = 0
    while begin < len(lines):
        end = min(begin + most, len(lines))
        while end < len(lines) and lines[end] == lines[end - 1]:
            end += 1
        yield begin, end - begin
        begin = end


def texts_of(folder: Path, manifest: Manifest, wanted: Wanted) -> Texts:
    """Return the texts of lines, by file: those of events, and those that the table has beside them."""
    found: dict[str, dict[At, str]] = defaultdict(dict)
    files = {file.source.path: file for file in manifest.files}
    places: dict[str, dict[int, str]] = defaultdict(dict)
    for path in wanted:
        for part in parts_of([files[path]]):
            places[part] |= {stream.id: path for stream in files[path].streams}
    for part, paths in places.items():
        lines = {line for path in set(paths.values()) for line, _ in wanted[path]}
        asked = [("file_id", "in", [*paths]), ("line", "in", lines)]
        rows = pq.read_table(folder / part, columns=_OF_TEXTS, filters=asked, partitioning=None).to_pylist()
        for row in rows:
            if (row["line"], row["part"]) in wanted[paths[row["file_id"]]]:
                found[paths[row["file_id"]]][row["line"], row["part"]] = row["text"]
    return {path: found[path] for path in wanted}


@contextmanager
def metadata_of(folder: Path, manifest: Manifest) -> Iterator[dict[str, list[MetadataFile]]]:
    """Yield the files of metadata folders by cluster; until the end their bytes are those that the table has."""
    found: dict[str, list[MetadataFile]] = defaultdict(list)
    for each in manifest.metadata:
        unpacked_at(each.path, str(folder / each.at))
        found[each.cluster].append(MetadataFile(each.path, each.kind, each.end, each.copy))  # type: ignore[arg-type]
    try:
        yield found
    finally:
        for each in manifest.metadata:
            unpacked_no_more(each.path)
