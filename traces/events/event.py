"""The content of a line of a log: one flat row per line, with the same columns from the Python parser and from
Spark."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Event:
    """One parsed line of a row that bears on a rule. A field that the line does not print is None.

    Ids are ints; -1 means "no leader" as printed, -2 "being deleted". Offsets are offsets of a log.
    """

    row: str
    """Id of the row in the line table."""
    level: str | None = None
    ts: int | None = None
    """Milliseconds since 1970 of the time as printed, which has no zone."""
    releases: int = 0
    """Bitmask of the releases that print this wording. On a line that prints the version of Kafka, the releases of that
    version; all that print such lines if it is newer than releases.toml."""
    controller: int | None = None
    """The controller that the line names: the writer of a controller's line (by the row's speaker), the sender of the
    request on a broker's line."""
    controller_epoch: int | None = None
    """Epoch of `controller`."""
    speaker: int | None = None
    """The broker that writes a broker's line."""
    recipient: int | None = None
    """The broker that a request is sent to."""
    recipients: tuple[int, ...] | None = None
    """The brokers that a request is sent to."""
    topic: str | None = None
    partition: int | None = None
    replica: int | None = None
    from_state: str | None = None
    from_state_untrue: int | None = None
    """Bitmask of those `releases` in which `from_state` need not be the previous state; None if there are none."""
    to_state: str | None = None
    leader: int | None = None
    isr: tuple[int, ...] | None = None
    leader_epoch: int | None = None
    """On a broker's line, the epoch that the request brings."""
    partition_epoch: int | None = None
    """Also the version of the znode; on a broker's line, the epoch that the request brings."""
    written_by_epoch: int | None = None
    """The controller epoch inside a printed state, which may be older."""
    recovery: str | None = None
    replicas: tuple[int, ...] | None = None
    adding: tuple[int, ...] | None = None
    removing: tuple[int, ...] | None = None
    offline_replicas: tuple[int, ...] | None = None
    is_new: bool | None = None
    delete: bool | None = None
    kind: str | None = None
    broker: int | None = None
    """The broker that the line is about."""
    brokers: tuple[int, ...] | None = None
    """The brokers that the line is about, or that a whole request is sent to."""
    new_brokers: tuple[int, ...] | None = None
    deleted_brokers: tuple[int, ...] | None = None
    bounced_brokers: tuple[int, ...] | None = None
    count: int | None = None
    zk_version: int | None = None
    """Version of the controller epoch's znode."""
    valid_states: tuple[str, ...] | None = None
    error: str | None = None
    strategy: str | None = None
    detail: str | None = None
    """Free text; a version of Kafka as printed ("4.5.0") if it is newer than releases.toml."""
    correlation_id: int | None = None
    """Id of a request, on a broker's line."""
    known_controller_epoch: int | None = None
    """The controller epoch that the broker has."""
    current_leader_epoch: int | None = None
    """The leader epoch that the broker has."""
    current_partition_epoch: int | None = None
    """The partition epoch that the broker has."""
    broker_epoch: int | None = None
    previous_leader: int | None = None
    previous_leader_epoch: int | None = None
    topic_id: str | None = None
    old_isr: tuple[int, ...] | None = None
    """The ISR before the change."""
    lagging: tuple[int, ...] | None = None
    """Broker, end offset, broker, end offset, ... of the replicas that leave an ISR."""
    offset: int | None = None
    """The offset at which something begins or is cut."""
    last_offset: int | None = None
    """Offset of the last record."""
    log_end_offset: int | None = None
    """The offset after the last record."""
    high_watermark: int | None = None
    completed: bool | None = None
    """The follower knows where to cut its log."""
    deleted: int | None = None
    """A number of partitions, beside `count`."""
    followers: int | None = None
    """A number of partitions, beside `count`."""
    dir: str | None = None
    """A log directory."""
    raft_epoch: int | None = None
    """An epoch of the metadata quorum."""
    raft_state: str | None = None
    """The state that a node of the metadata quorum is in from here on, as printed or without its ending "State"."""
    from_raft_state: str | None = None
    """The previous state of the node, written alike; "null": its process has just started."""
    from_raft_epoch: int | None = None
    """Epoch of the previous state."""
    voted: int | None = None
    """The candidate that got the node's vote in the epoch."""


FIELDS: dict[str, str] = {field.name: str(field.type).removesuffix(" | None") for field in fields(Event)}
"""Name of each field -> its type as written above: "int", "str", "bool", "tuple[int, ...]", "tuple[str, ...]"."""
PRINTED = tuple(field for field in FIELDS if field not in ("row", "level", "ts", "releases"))
"""Fields of an event that its message prints."""


def event(values: dict[str, Any]) -> Event:
    """Return an Event of exactly these fields, several times faster than its constructor does: absent ones fall to the
    class.

    The caller's dict becomes the event's own; it must have `row`, and only names of fields.
    """
    made = object.__new__(Event)
    object.__setattr__(made, "__dict__", values)
    return made


@dataclass(frozen=True)
class Irrelevant:
    """A line that matches a row of the table that bears on no rule."""

    row: str
    level: str | None = None
    ts: int | None = None


@dataclass(frozen=True)
class Continuation:
    """A line that belongs to the previous one: a stack trace, a blank line, the rest of a longer message."""


@dataclass(frozen=True)
class Unknown:
    """A line that matches no row."""

    level: str | None = None
    ts: int | None = None
    logger: str | None = None
    """None if the line was cut, or if its layout prints no logger."""
    message: str = ""
    wrong: str | None = None
    """The one word that keeps the line from matching a row that bears on a rule, and that row; None if there is no such
    word."""


Parsed = Event | Irrelevant | Continuation | Unknown
