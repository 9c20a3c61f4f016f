"""Offsets of the metadata log that Kafka's faults print, held against the log: the record that stands there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from ....traces.metadata.batches import Batches
from ....traces.metadata.reader import in_table_order
from ....traces.place import Place
from ..findings.happened import Happened
from ..findings.metadata import MetadataLog

_FAULTS = ("fault", "process-failed")
_OFFSET = re.compile(
    r"(?:metadata log record (?:from|at)|[A-Za-z]{1,40}Record record at|starting at base) offset "
    r"(?P<offset>[0-9]{1,18})\b"
    r"|Record record on standby controller, which was (?P<nth>[0-9]{1,9}) of [0-9]{1,9} record\(s\) in the batch with "
    r"baseOffset (?P<base>[0-9]{1,18})\b"
)
"""Source: MetadataBatchLoader.loadBatch, BrokerMetadataListener.HandleCommitsEvent (3.3), QuorumController.replay and
handleCommit. A record of a snapshot, or one that was never written, has no offset in the log.
"""
_MOST = 20
"""The most offsets that are looked up."""
_LONGEST = 300


def with_standing(entries: Iterable[Happened], logs: Sequence[MetadataLog]) -> Iterator[Happened]:
    """Yield entries, faults at an offset of the metadata log with the record that stands there.

    Args:
        logs: the metadata logs of their cluster.
    """
    found: dict[tuple[int, str], tuple[str, Place | None]] = {}
    for each in entries:
        offset = _offset(each)
        if offset is None or not logs:
            yield each
            continue
        folder = str(PurePath(each.places[0].file).parent) if each.places else ""
        if (offset, folder) not in found and len(found) < _MOST:
            found[offset, folder] = _stands(offset, logs, folder)
        text, place = found.get((offset, folder), ("", None))
        reason = "; ".join(part for part in (each.reason, text) if part)
        yield replace(each, reason=reason, places=each.places if place is None else (*each.places, place))


def _offset(each: Happened) -> int | None:
    """Return the offset that a fault prints, where it is one of the metadata log."""
    match = _OFFSET.search(each.reason or "") if each.what in _FAULTS else None
    if match is None:
        return None
    return int(match["offset"]) if match["nth"] is None else int(match["base"]) + int(match["nth"]) - 1


def _stands(offset: int, logs: Sequence[MetadataLog], folder: str) -> tuple[str, Place | None]:
    """Return what stands at an offset, in words, and its place."""
    log = next((log for log in logs if log.begins <= offset < log.ends), None)
    if log is None:
        each = max(logs, key=lambda log: log.ends)
        if offset < each.begins:
            return f"the metadata log that was read begins after offset {offset}, at {each.begins}", None
        return f"the metadata log that was read ends before offset {offset}, at {each.ends - 1}", None
    for file in _segments(log, offset, folder):
        record = _record(file, offset)
        if record is not None:
            open_yet = "" if offset < log.committed else ", which is not known to be committed"
            return f"at offset {offset} of the metadata log stands {record}{open_yet}", Place(file, offset=offset)
    return f"no copy of the metadata log that was read has a record at offset {offset}", None


def _record(file: str, offset: int) -> str | None:
    """Return the type and the data of a record of a file."""
    batches = Batches(file)
    for frame in batches.frames():
        if frame.offset <= offset <= frame.last:
            for record in batches.records(frame) or ():
                if record.offset == offset:
                    data = None if record.data is None else in_table_order(record.type, record.data)
                    shown = "" if data is None else json.dumps(data, ensure_ascii=False)
                    return f"{record.type} {shown}".strip()[:_LONGEST]
    return None


def place_of(log: MetadataLog, offset: int) -> Place:
    """Return the place of a record of a log."""
    return Place(next(iter(_segments(log, offset)), log.files[0]), offset=offset)


def _segments(log: MetadataLog, offset: int, folder: str = "") -> list[str]:
    """Return the files that may have an offset: the last segment of each copy that begins at or before it.

    Those in a folder, or below it, come first: they are the node's own copy.
    """
    last: dict[str, tuple[int, str]] = {}
    for file in log.files:
        path = PurePath(file)
        begin = int(path.stem) if path.suffix == ".log" and path.stem.isdigit() else -1
        if path.suffix != ".checkpoint" and begin <= offset:
            key = str(path.parent)
            last[key] = max(last.get(key, (begin, file)), (begin, file))
    return [
        file for _, file in sorted(last.values(), key=lambda each: PurePath(folder) not in PurePath(each[1]).parents)
    ]
