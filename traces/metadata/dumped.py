"""Metadata logs from the output of kafka-dump-log --cluster-metadata-decoder: the bytes that it printed, file by file.

Source: kafka.tools.DumpLogSegments: a line names each file, then one stands for each batch, and one for each record of
it, which ends with the record as JSON. Up to 4.3 it does not print what a LeaderChange holds: such a record, and one of
a type that the table lacks, is written as one that the reader does not know. A checksum is that of what was written.
"""

from __future__ import annotations

import json
import os
import re
import struct
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from ..limits import NODE, NUMBER
from ..sources.archives import folder
from ..sources.compression import compression
from ..sources.opened import opened
from ..sources.text import Lines
from .writer import Message, batch

_NAMED = re.compile(r"Dumping (?P<name>.+)")
_BATCH = "baseOffset: "
_PAIR = re.compile(r"(?<![^ ])([A-Za-z]{1,30}): (-?[0-9]{1,20}|true|false)(?![^ ])")
_BEGINS = re.compile(r"(?:\| )?offset: [0-9]+ ")
_KEYS = "headerKeys: []"
_RECORD = re.compile(
    r" payload: ?(?P<payload>.*)| (?P<type>[A-Z][A-Za-z]{0,100}):? (?P<data>\{.*\})"
    r"| controlType: (?P<named>[A-Z_]+)\(.*"
)
_WORD = re.compile("(?<=[a-z0-9])(?=[A-Z])")
_MARK, _BEGINNING = _BATCH.encode(), 4096
"""The words in the first bytes of a dump."""
_LONGEST_BATCH = 1 << 10
"""The number of characters of a line about a batch that are read: no such line is longer."""
_LONGEST_NAME = 1 << 10
"""The number of characters of a file's name that are read, the last ones."""
_UNKNOWN: Message = ("UNKNOWN", 0, {})


class _Batch(NamedTuple):
    """The line that stands for a batch."""

    first: int
    epoch: int
    time: int
    control: bool
    records: int
    """The number of records; -1 if the batch, or its line, is broken."""


class Dumped(NamedTuple):
    """A file that was dumped."""

    name: str
    """Its path, relative to the place where it was dumped."""
    at: str
    """The path of a copy of it."""


def is_dump(path: str) -> bool:
    """Return True if a text may be a dump, by its first bytes."""
    try:
        with opened(path) as file:
            beginning = file.read(_BEGINNING)
    except OSError:
        return False
    if compression(path) is not None:
        beginning = next(iter(Lines(path).chunks()), b"")[:_BEGINNING]
    return _MARK in beginning.replace(b"\0", b"")


def dumped(path: str) -> tuple[Dumped, ...]:
    """Return the files of the metadata log that a dump shows. A second call returns the same copies."""
    facts = os.stat(path)
    return _dumped(path, facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)


@cache
def _dumped(path: str, *state: int) -> tuple[Dumped, ...]:
    found: dict[str, str] = {}
    for name, parts in groupby(batches(Lines(path)), key=lambda each: each[0]):
        if name not in found:
            handle, found[name] = tempfile.mkstemp(dir=folder())
            os.close(handle)
        with open(found[name], "ab") as file:
            file.writelines(data for _, data in parts)
    return tuple(Dumped(name, at) for name, at in found.items())


def batches(lines: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the batches that a dump shows: the names of their files, and their bytes. One that is not whole, or that
    the tool found broken, loses its end, as in a file that is cut there."""
    name = ""
    head: _Batch | None = None
    messages: list[Message] = []
    of_metadata: set[str] = set()

    def ended() -> Iterator[tuple[str, bytes]]:
        """Yield the batch that ends before the next line."""
        if head is None:
            return
        if any(message != _UNKNOWN for message in messages):
            of_metadata.add(name)
        if name in of_metadata:
            yield name, _written(head, messages)

    for line in lines:
        if (named := _NAMED.fullmatch(line)) is not None:
            yield from ended()
            name, head = _relative(named["name"]), None
        elif line.startswith(_BATCH):
            yield from ended()
            head, messages = _batch(line[:_LONGEST_BATCH]), []
            name = name or f"{head.first:020d}.log"
        elif head is not None and (record := _record(line)) is not None:
            messages.append(_message(record))
    yield from ended()


def _batch(line: str) -> _Batch:
    shown = dict(_PAIR.findall(line))
    try:
        count, epoch = int(shown["count"]), int(shown["partitionLeaderEpoch"])
        first, time = int(shown["baseOffset"]), int(shown.get("CreateTime") or shown["LogAppendTime"])
    except (KeyError, ValueError):
        return _BROKEN
    if not (0 <= first < NUMBER.most and abs(time) < NUMBER.most and abs(epoch) < NODE.most):
        return _BROKEN
    return _Batch(first, epoch, time, shown.get("isControl") == "true", count if shown.get("isvalid") == "true" else -1)


_BROKEN = _Batch(0, 0, 0, False, -1)


def _record(line: str) -> re.Match[str] | None:
    before, keys, shown = line.rstrip().partition(_KEYS)
    return _RECORD.fullmatch(shown) if keys and _BEGINS.match(before) else None


def _relative(name: str) -> str:
    name = name.replace("\0", "")[-_LONGEST_NAME:]
    return "/".join(part for part in name.strip().replace("\\", "/").split("/") if part not in ("", ".", ".."))


def _message(record: re.Match[str]) -> Message:
    """Return what a line shows of a record."""
    if record["named"] is not None:
        return record["named"], 0, {}
    try:
        shown: Any = json.loads(record["payload"] if record["type"] is None else record["data"])
        if record["type"] is None:
            return shown["type"], shown["version"], shown["data"]
        return _WORD.sub("_", record["type"]).upper(), shown["version"], shown
    except (ValueError, KeyError, TypeError, RecursionError):
        return _UNKNOWN


def _written(head: _Batch, messages: Sequence[Message]) -> bytes:
    """Return the bytes of a batch."""
    data = _bytes(head, messages)
    if data is None:
        known = [_UNKNOWN if _bytes(head, [message]) is None else message for message in messages]
        data = _bytes(head, known) or b""
    return data if len(messages) == head.records else data[:-1]


def _bytes(head: _Batch, messages: Sequence[Message]) -> bytes | None:
    """Return the bytes of records; None if one cannot be written: their JSON may be of any shape."""
    try:
        return batch(messages, head.first, head.epoch, head.time, control=head.control)
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
