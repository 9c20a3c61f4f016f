"""Metadata logs from the output of kafka-dump-log --cluster-metadata-decoder: the bytes that it printed, file by file.

Source: kafka.tools.DumpLogSegments: a line names each file, then one stands for each batch, and one for each record of
it, which ends with the record as JSON. Up to 4.3 it does not print what a LeaderChange holds: such a record, and one of
a type that the table lacks, is written as one that the reader does not know. A checksum is that of what was written.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, BinaryIO, NamedTuple

from ..sources.archives import folder
from ..sources.compression import compression
from ..sources.opened import opened
from ..sources.text import Lines
from .writer import Message, batch

_NAMED = re.compile(r"Dumping (?P<name>.+)")
_BATCH = re.compile(
    r"baseOffset: (?P<first>[0-9]+) lastOffset: (?P<last>[0-9]+) count: (?P<count>[0-9]+) .*"
    r"partitionLeaderEpoch: (?P<epoch>-?[0-9]+) .*isControl: (?P<control>true|false) .*"
    r"(?:CreateTime|LogAppendTime): (?P<time>-?[0-9]+) .*isvalid: (?P<valid>true|false)"
)
_RECORD = re.compile(
    r"(?:\| )?offset: (?P<offset>[0-9]+) .*?headerKeys: \[\]"
    r"(?: payload: ?(?P<payload>.*)| (?P<type>[A-Z][A-Za-z]+):? (?P<data>\{.*\})| controlType: (?P<named>[A-Z_]+)\(.*)"
)
_WORD = re.compile("(?<=[a-z0-9])(?=[A-Z])")
_MARK, _BEGINNING = b"baseOffset: ", 4096
"""The words in the first bytes of a dump."""
_UNKNOWN: Message = ("UNKNOWN", 0, {})


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
    found: dict[str, tuple[str, BinaryIO]] = {}
    try:
        for name, data in batches(Lines(path)):
            if name not in found:
                handle, at = tempfile.mkstemp(dir=folder())
                found[name] = at, os.fdopen(handle, "wb")
            found[name][1].write(data)
    finally:
        for _, file in found.values():
            file.close()
    return tuple(Dumped(name, at) for name, (at, _) in found.items())


def batches(lines: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the batches that a dump shows: the names of their files, and their bytes. One that is not whole, or that
    the tool found broken, loses its end, as in a file that is cut there."""
    name = ""
    head: re.Match[str] | None = None
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
        elif (begins := _BATCH.match(line)) is not None:
            yield from ended()
            name = name or f"{int(begins['first']):020d}.log"
            head, messages = begins, []
        elif head is not None and (record := _RECORD.fullmatch(line.rstrip())) is not None:
            messages.append(_message(record))
    yield from ended()


def _relative(name: str) -> str:
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
    except (ValueError, KeyError, TypeError):
        return _UNKNOWN


def _written(head: re.Match[str], messages: list[Message]) -> bytes:
    """Return the bytes of a batch."""
    first, epoch, time = int(head["first"]), int(head["epoch"]), int(head["time"])
    data = batch(messages, first, epoch, time, control=head["control"] == "true")
    return data if len(messages) == int(head["count"]) and head["valid"] == "true" else data[:-1]
