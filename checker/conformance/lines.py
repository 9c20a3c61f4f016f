"""Lines of a log that are understood, and the partitions that they name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ...traces.events.event import Event
from ...traces.place import Place

K = TypeVar("K")
V = TypeVar("V")
Key = tuple[str, int]
"""A topic and a partition number."""

MARKED = "log-dir-replicas-offline"
"""The row in which a controller lists replicas that are offline, since their log directory failed."""


@dataclass(frozen=True)
class PlacedEvent:
    """A line of a log that is understood."""

    place: Place
    event: Event


def key_of(event: Event) -> Key | None:
    """The partition that a line is about."""
    return None if event.topic is None or event.partition is None else (event.topic, event.partition)


def as_printed(partition: str) -> Key:
    """A partition as it is printed, t-0."""
    topic, _, number = partition.strip().rpartition("-")
    return topic, int(number) if number.isdecimal() else -1


def marked_in(event: Event) -> frozenset[Key]:
    """The partitions of the replicas that a line marks as offline."""
    return frozenset(map(as_printed, (event.detail or "").split(","))) if event.row == MARKED else frozenset()


def listed_in(event: Event) -> frozenset[str]:
    """The topics or partitions that a line lists."""
    return frozenset(filter(None, (event.detail or "").split(",")))


def sets_of(pairs: Iterable[tuple[K, V]]) -> dict[K, frozenset[V]]:
    """Return the values of each key."""
    found: dict[K, set[V]] = {}
    for key, value in pairs:
        found.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in found.items()}
