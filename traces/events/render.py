"""The writer: an event as the line that a release prints."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any

from ...specs.errors import IsrproofError, unknown
from ...specs.lines import Primitive, Row, Slot, Wording, rows
from ...specs.release_sets import NAMES
from ...specs.releases import Release, release
from .event import Event

_FIRST, _SECOND, *_ = NAMES[-1].split(".")
_CODES = {"RECOVERED": "0", "RECOVERING": "1"}
_SAMPLES: dict[str, tuple[str, str]] = {
    "index": ("0", "1"),
    "csv1": ("1,2", "3"),
    "csv": ("1,2", "3"),
    "list": ("1, 2", "3"),
    "list-text": ("1, 2", "3"),
    "bool": ("true", "false"),
    "topic": ("t", "u.v"),
    "topic-after-id": ("t", "u.v"),
    "topic-in-path": ("t", "u.v"),
    "replica-state": ("OnlineReplica", "NewReplica"),
    "replica-states": ("NewReplica,OnlineReplica", "NewReplica"),
    "partition-state": ("OfflinePartition", "NewPartition"),
    "partition-states": ("NewPartition,OnlinePartition", "NewPartition"),
    "kind": ("become-leader", "become-follower"),
    "request": ("LeaderAndIsr", "UpdateMetadata"),
    "recovery": ("RECOVERED", "RECOVERING"),
    "recovery-code": ("0", "1"),
    "throwable": ("java.lang.Exception", "scala.MatchError"),
    "election": ("PREFERRED", "UNCLEAN"),
    "collection": ("ArrayBuffer", "List"),
    "tps": ("t-0,t-1", "u-0"),
    "names": ("t-0, t-1", "u-0"),
    "errors": ("NOT_LEADER_OR_FOLLOWER", "UNKNOWN_SERVER_ERROR"),
    "endpoint": ("h1:9092", "h2.i:9092"),
    "dir": ("/d1", "C:\\d 2"),
    "path": ("/d1/t-0", "C:\\d 2\\u-1"),
    "raft-state": ("Unattached", "FollowerState"),
    "raft-none": ("null", "null"),
    "raft-leader-id": ("leaderId=1", "leaderId=2"),
    "raft-leader": ("leader=1", "leader=2"),
    "fault": ("metadata loading", "quorum controller"),
    "newer-version": (f"{_FIRST}.{int(_SECOND) + 1}.0", f"{int(_FIRST) + 1}.0.1"),
    "lagging-unknown": (
        "(brokerId: 1, endOffset: unknown)",
        "(brokerId: 1, endOffset: unknown, lastCaughtUpTimeMs: 0) (brokerId: 2, endOffset: 3, lastCaughtUpTimeMs: 0)",
    ),
}


def shown(primitive: Primitive, value: Any) -> str:
    """Return a field's value as this primitive prints it."""
    if primitive.item:
        each = primitive.item.count("{}")
        items = [primitive.item.format(*value[at : at + each]) for at in range(0, len(value), each)]
        return primitive.show.format(primitive.separator.join(items))
    if primitive.kind in ("ints", "texts"):
        return primitive.show.format(primitive.separator.join(map(str, value)))
    if primitive.kind == "bool":
        return "true" if value else "false"
    return primitive.show.format(_CODES[value] if primitive.kind == "recovery" else value)


def sample(primitive: Primitive, turn: int = 0) -> str:
    """Return some text of this primitive, for a value that no field keeps."""
    if primitive.kind == "ints" and (primitive.before or primitive.item):
        each = max(1, primitive.item.count("{}"))
        return shown(primitive, (1, 2) * each if turn == 0 else (3,) * each)
    return _SAMPLES.get(primitive.name, ("1", "2") if primitive.kind == "int" else ("x", "y"))[turn]


def filled(wording: Wording, turn: int = 0) -> str:
    """Return the wording with sample values; `turn` 0 and 1 give two sets of them."""
    return "".join(piece if isinstance(piece, str) else sample(piece.primitive, turn) for piece in wording.pieces)


@lru_cache(maxsize=8192)
def _candidates(row: str, mask: int) -> tuple[Wording, ...]:
    return tuple(wording for wording in rows()[row].wordings if wording.releases & mask)


def _fits(wording: Wording, event: Event, level: str | None, mask: int) -> bool:
    untrue = {field for field, releases in wording.untrue if releases & mask}
    printed_constants = {field: value for field, value in wording.constants if field not in untrue}
    if level is not None and all(name not in ("", level) for name, _ in wording.levels):
        return False
    return (
        all(getattr(event, field) == value for field, value in printed_constants.items())
        and all(getattr(event, field) is not None for field in wording.fields)
        and all(_may_show(slot, event) for slot in wording.pieces if isinstance(slot, Slot) and slot.primitive.exact)
    )


def _may_show(slot: Slot, event: Event) -> bool:
    """Return True if a slot can print the event's value."""
    value = None if slot.field is None else getattr(event, slot.field)
    if value is None or slot.primitive.kind not in ("text", "texts"):
        return True
    return re.fullmatch(slot.primitive.exact, shown(slot.primitive, value)) is not None


def wording_of(event: Event, release_row: Release) -> Wording:
    """Return the wording in which the release prints this event: the most detailed one whose fields the event has.

    Raises IsrproofError if the row does not exist in the release, or a field that it prints is None.
    """
    if event.row not in rows():
        raise unknown("line", event.row, rows())
    candidates = _candidates(event.row, release_row.mask)
    if not candidates:
        raise IsrproofError(f"Expected a line that {release_row.name} prints, got {event.row}.")
    fitting = [wording for wording in candidates if _fits(wording, event, event.level, release_row.mask)]
    if not fitting:
        missing = [field for field in candidates[0].fields if getattr(event, field) is None]
        raise IsrproofError(
            f"Expected all fields of {event.row} in {release_row.name}: {', '.join(candidates[0].fields)}; "
            f"missing or different: {', '.join(missing) or 'a constant of the wording'}."
        )
    return max(fitting, key=lambda wording: len(wording.fields) + len(wording.constants))


def message(event: Event, release_name: str) -> str:
    """Return the message alone, without time, level and logger."""
    wording = wording_of(event, release(release_name))
    out = []
    for piece in wording.pieces:
        if isinstance(piece, str):
            out.append(piece)
        else:
            value = getattr(event, piece.field) if piece.field else None
            out.append(sample(piece.primitive) if value is None else shown(piece.primitive, value))
    return "".join(out)


@lru_cache(maxsize=4096)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def time_text(ts: int) -> str:
    """Return milliseconds since 1970 as log4j prints them."""
    return f"{_second(ts // 1000)},{ts % 1000:03d}"


def render(event: Event, release_name: str, pattern: str = "[%d] %p %m (%c)") -> str:
    """Return the line that a release prints for an event, without line end; parse_line(render(e)) == e.

    Values that the release prints whatever the truth is (Wording.untrue) are neither taken from the event nor read
    back. Fields that the release does not print are left out. `pattern` is a log4j pattern of %d %p %m %c %t %n. A
    throwable's line is printed bare. Raises IsrproofError as `wording_of` does.
    """
    text = message(event, release_name)
    row = rows()[event.row]
    if not row.loggers:
        return text
    printer = release(release_name)
    wording = wording_of(event, printer)
    parts = {
        "%d": time_text(event.ts or 0),
        "%p": event.level or wording.level_in(printer.mask),
        "%c": row.logger(printer.mask) or "",
        "%t": "main",
        "%n": "",
    }
    head, _, tail = pattern.partition("%m")
    for conversion, value in parts.items():
        head, tail = head.replace(conversion, value), tail.replace(conversion, value)
    return head + text + tail


def sample_line(row: Row) -> str:
    """Return the row's sample, or one that the writer makes from its first wording."""
    if row.sample is not None:
        return row.sample
    wording = row.wordings[0]
    level, mask = wording.levels[0]
    text = filled(wording)
    if not row.loggers:
        return text
    line = f"[2018-08-03 12:00:00,123] {level} {text}"
    return line if row.opens else f"{line} ({row.logger(mask)})"
