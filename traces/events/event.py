"""What a line of a log says: one flat row per line, the same columns from the Python parser and from Spark."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Event:
    """One parsed line of a row that bears on a rule. A field that the line does not print is None.

    Ids are ints, -1 means "no leader" as printed, -2 "being deleted". `ts` is milliseconds since 1970 of the time as
    printed, which has no zone. `releases` is the bitmask of the releases that print this wording, `from_state_untrue`
    that of those among them in which its `from_state` need not be the state before; None if there is none.

    `controller` and `controller_epoch` are the controller that the line names: on a controller's line (by its row's
    speaker) the one that writes it, on a broker's line the one that a request came from. `speaker` is the broker that
    writes a broker's line. `recipient` and `recipients` are the brokers that a request is sent to; `broker` and
    `brokers` those that a line is about, as a whole request that is sent to them. `written_by_epoch` is the epoch
    inside a printed state, which may be older. `partition_epoch` is the znode's version too. `zk_version` is that of
    the controller epoch's znode. `detail` is free text.

    On a broker's line `correlation_id` is that of a request, `leader_epoch` and `partition_epoch` are those that it
    brings, `current_leader_epoch`, `current_partition_epoch` and `known_controller_epoch` those that the broker has.
    Offsets are a log's: `offset` is where something begins or is cut, `log_end_offset` the next one after the last
    record, `last_offset` that record's. `lagging` is broker, end offset, broker, end offset, ... of replicas that leave
    an ISR, `old_isr` the ISR before. `deleted` and `followers` count partitions beside `count`, `dir` is a log
    directory, `completed` whether a follower knows where to cut its log.

    Of the metadata quorum, `raft_epoch` is an epoch of it, `raft_state` the state that a node is in from here on,
    `from_raft_state` the one before ("null": the process has just started), both without their ending "State" or as
    printed, `from_raft_epoch` the epoch of that; `voted` is who got a node's vote in the epoch.

    On a line that prints the version of Kafka, `releases` are those of that version. One that is newer than all rows of
    releases.toml is in `detail` as printed ("4.5.0"), and is None else; `releases` are then all that print such lines.
    """

    row: str
    level: str | None = None
    ts: int | None = None
    releases: int = 0
    controller: int | None = None
    controller_epoch: int | None = None
    speaker: int | None = None
    recipient: int | None = None
    recipients: tuple[int, ...] | None = None
    topic: str | None = None
    partition: int | None = None
    replica: int | None = None
    from_state: str | None = None
    from_state_untrue: int | None = None
    to_state: str | None = None
    leader: int | None = None
    isr: tuple[int, ...] | None = None
    leader_epoch: int | None = None
    partition_epoch: int | None = None
    written_by_epoch: int | None = None
    recovery: str | None = None
    replicas: tuple[int, ...] | None = None
    adding: tuple[int, ...] | None = None
    removing: tuple[int, ...] | None = None
    offline_replicas: tuple[int, ...] | None = None
    is_new: bool | None = None
    delete: bool | None = None
    kind: str | None = None
    broker: int | None = None
    brokers: tuple[int, ...] | None = None
    new_brokers: tuple[int, ...] | None = None
    deleted_brokers: tuple[int, ...] | None = None
    bounced_brokers: tuple[int, ...] | None = None
    count: int | None = None
    zk_version: int | None = None
    valid_states: tuple[str, ...] | None = None
    error: str | None = None
    strategy: str | None = None
    detail: str | None = None
    correlation_id: int | None = None
    known_controller_epoch: int | None = None
    current_leader_epoch: int | None = None
    current_partition_epoch: int | None = None
    broker_epoch: int | None = None
    previous_leader: int | None = None
    previous_leader_epoch: int | None = None
    topic_id: str | None = None
    old_isr: tuple[int, ...] | None = None
    lagging: tuple[int, ...] | None = None
    offset: int | None = None
    last_offset: int | None = None
    log_end_offset: int | None = None
    high_watermark: int | None = None
    completed: bool | None = None
    deleted: int | None = None
    followers: int | None = None
    dir: str | None = None
    raft_epoch: int | None = None
    raft_state: str | None = None
    from_raft_state: str | None = None
    from_raft_epoch: int | None = None
    voted: int | None = None


FIELDS: dict[str, str] = {field.name: str(field.type).removesuffix(" | None") for field in fields(Event)}
"""Field name -> type as written above: "int", "str", "bool", "tuple[int, ...]", "tuple[str, ...]"."""
PRINTED = tuple(field for field in FIELDS if field not in ("row", "level", "ts", "releases"))
"""The fields of an event that its message prints."""


def event(values: dict[str, Any]) -> Event:
    """An Event of exactly these fields, several times faster than its constructor: absent ones fall to the class.

    The caller's dict becomes the event's own; it must name `row` and nothing that is no field.
    """
    made = object.__new__(Event)
    object.__setattr__(made, "__dict__", values)
    return made


@dataclass(frozen=True)
class Irrelevant:
    """A line that matches a row of the table which bears on no rule."""

    row: str
    level: str | None = None
    ts: int | None = None


@dataclass(frozen=True)
class Continuation:
    """A line that belongs to the one before: a stack trace, a blank line, the rest of a longer message."""


@dataclass(frozen=True)
class Unknown:
    """A line that no row matches. `logger` is None where the line was cut or the layout prints none.

    `wrong` says which word keeps it from being a line that bears on a rule, and of which row, where it is one word.
    """

    level: str | None = None
    ts: int | None = None
    logger: str | None = None
    message: str = ""
    wrong: str | None = None


Parsed = Event | Irrelevant | Continuation | Unknown
