"""What a log shows of a partition's state: the claim of an audit, which a recording's znodes confirm or refute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from .place import Place


@dataclass(frozen=True)
class TimelineRow:
    """A state of a partition, and the first line that shows it; what that line does not print is None.

    `controller_epoch` is that of the state; `partition_epoch` is the version of its znode. `ts` is the line's time,
    milliseconds as printed.
    """

    topic: str
    partition: int
    leader: int
    isr: tuple[int, ...] | None
    leader_epoch: int
    controller_epoch: int | None
    partition_epoch: int | None
    life: int
    place: Place
    ts: int | None
    cluster: int = 0


_JSON: Mapping[str, tuple[type, ...]] = {
    "topic": (str,),
    "partition": (int,),
    "leader": (int,),
    "isr": (list, NoneType),
    "leader_epoch": (int,),
    "controller_epoch": (int, NoneType),
    "partition_epoch": (int, NoneType),
    "life": (int,),
    "file": (str,),
    "line": (int,),
    "ts": (int, NoneType),
}


def timeline_row(row: Any) -> TimelineRow:
    """An element of `timeline` in the JSON of an audit.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(row, Mapping) or any(type(row.get(key)) not in kinds for key, kinds in _JSON.items()):
        raise ValueError(f"expected a row of an audit's timeline, with {', '.join(_JSON)}; got {row!r:.200}")
    known = {key: row[key] for key in _JSON if key not in ("file", "line", "isr")}
    isr = None if row["isr"] is None else tuple(row["isr"])
    return TimelineRow(**known, isr=isr, place=Place(row["file"], row["line"]))
