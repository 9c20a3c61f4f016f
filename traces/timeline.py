"""The partitions and replicas that a log shows: the claim of an audit, which a recording confirms or refutes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from .place import Place


@dataclass(frozen=True)
class TimelineRow:
    """A state of a partition, and the first line that shows it; a value that the line does not print is None."""

    topic: str
    partition: int
    leader: int
    isr: tuple[int, ...] | None
    leader_epoch: int
    controller_epoch: int | None
    """The controller epoch of the state."""
    partition_epoch: int | None
    """The version of the znode."""
    life: int
    place: Place
    ts: int | None
    """Time of the line, in milliseconds as printed."""
    cluster: int = 0


@dataclass(frozen=True)
class ReplicaRow:
    """The values that a line of a broker prints about its replica of a partition; a value that it does not print is
    None.

    Offsets are offsets of the replica's log.
    """

    topic: str
    partition: int
    broker: int
    row: str
    """Id of the line in the line table."""
    leader: int | None
    leader_epoch: int | None
    isr: tuple[int, ...] | None
    """The ISR in ZooKeeper or at the controller."""
    partition_epoch: int | None
    """The partition epoch in ZooKeeper or at the controller."""
    log_end: int | None
    """The offset after the last record when the line was written; if the line cuts the log, the offset afterwards."""
    high_watermark: int | None
    place: Place
    ts: int | None
    cluster: int = 0


@dataclass(frozen=True)
class Lost:
    """Offsets of committed records that are gone: from `start` up to `end`, which is exclusive."""

    topic: str
    partition: int
    start: int
    end: int


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
    "ts": (int, NoneType),
}


_REPLICA: Mapping[str, tuple[type, ...]] = {
    "topic": (str,),
    "partition": (int,),
    "broker": (int,),
    "row": (str,),
    "leader": (int, NoneType),
    "leader_epoch": (int, NoneType),
    "isr": (list, NoneType),
    "partition_epoch": (int, NoneType),
    "log_end": (int, NoneType),
    "high_watermark": (int, NoneType),
    "file": (str,),
    "ts": (int, NoneType),
}


def timeline_row(row: Any) -> TimelineRow:
    """Return an element of `timeline` in the JSON of an audit.

    Raises:
        ValueError: it is something else.
    """
    return TimelineRow(**_known(row, _JSON, "timeline"))


def replica_row(row: Any) -> ReplicaRow:
    """Return an element of `replicas` in the JSON of an audit; raises as `timeline_row` does."""
    return ReplicaRow(**_known(row, _REPLICA, "replicas"))


def lost_row(row: Any) -> Lost:
    """Return an element of `lost` of a finding in the JSON of an audit; raises as `timeline_row` does."""
    kinds: Mapping[str, tuple[type, ...]] = {"topic": (str,), "partition": (int,), "from": (int,), "to": (int,)}
    _must_have(row, kinds, "lost")
    return Lost(row["topic"], row["partition"], row["from"], row["to"])


def _must_have(row: Any, kinds: Mapping[str, tuple[type, ...]], name: str) -> None:
    if not isinstance(row, Mapping) or any(type(row.get(key)) not in types for key, types in kinds.items()):
        raise ValueError(f"expected a row of an audit's {name}, with {', '.join(kinds)}; got {row!r:.200}")


def _known(row: Any, kinds: Mapping[str, tuple[type, ...]], name: str) -> dict[str, Any]:
    of_log = isinstance(row, Mapping) and row.get("offset") is not None
    _must_have(row, {**kinds, "offset" if of_log else "line": (int,)}, name)
    known = {key: row[key] for key in kinds if key not in ("file", "isr")}
    isr = None if row["isr"] is None else tuple(row["isr"])
    place = Place(row["file"], offset=row["offset"]) if of_log else Place(row["file"], row["line"])
    return {**known, "isr": isr, "place": place}
