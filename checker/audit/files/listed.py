"""Lines that list partitions, as one event for each partition: all rules are about one partition.

A line that lists replicas with their log ends has the brokers alone as `lagging`, and the greatest of their ends as
`last_offset`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ....traces.events.event import Event
from ....traces.events.event import event as made

_TOPIC = "[A-Za-z0-9._-]{1,249}"
_NAMED = (
    rf"(?:(?P<topic>{_TOPIC})-(?P<partition>[0-9]{{1,9}})"
    rf"|\[(?P<old_topic>{_TOPIC}),(?P<old_partition>[0-9]{{1,9}})\])"
)
"""A partition as it is printed now, and up to 0.10."""
_ADDED = re.compile(
    rf"(?<![A-Za-z0-9._-]){_NAMED}"
    r"(?:, initOffset (?P<offset>-?[0-9]{1,18}) to broker (?:BrokerEndPoint\(|id:)(?P<leader>[0-9]{1,9})"  # <= 2.0
    r"| -> \(offset=(?P<offset2>-?[0-9]{1,18}), leaderEpoch=(?P<leader_epoch2>-?[0-9]{1,9})\)"  # 2.1-2.7
    r"| -> InitialFetchState\((?:(?:Some\((?P<topic_id>[A-Za-z0-9_-]{22})\)|None),)?"
    r"BrokerEndPoint(?:\(id=(?P<leader3>[0-9]{1,9}), host=[^()]{0,300}\)"
    r"|\[id=(?P<leader4>[0-9]{1,9}), host=[^\[\]]{0,300}, port=[0-9]{1,9}\])"  # a record since 4.1
    r",(?P<leader_epoch3>-?[0-9]{1,9}),(?P<offset3>-?[0-9]{1,18})\))"  # 2.8+
)


def _one(match: re.Match[str]) -> dict[str, Any]:
    """Return the values printed for one partition; the number after a name shows which form of the line it belongs
    to.
    """
    found: dict[str, Any] = {}
    for name, text in match.groupdict().items():
        if text is not None:
            name = name.removeprefix("old_").rstrip("234")
            found[name] = text if name in ("topic", "topic_id") else int(text)
    return found


def _each(pattern: re.Pattern[str]) -> Callable[[str], Iterator[dict[str, Any]]]:
    return lambda detail: map(_one, pattern.finditer(detail))


_OFFLINE = re.compile(rf"(?<![A-Za-z0-9._-])(?P<topic>{_TOPIC})-(?P<partition>[0-9]{{1,9}})(?![A-Za-z0-9._-])")
_LISTS: Mapping[str, Callable[[str], Iterator[dict[str, Any]]]] = {
    "fetchers-added": _each(_ADDED),
    "replicas-offline": _each(_OFFLINE),
}
"""By row of the line table, what its `detail` lists; for rows that some rule reads by partition."""
LISTING = frozenset(_LISTS)
READS = ("detail", "lagging")
"""The fields of an event that `listed` reads."""


def each_listed(row: str, detail: str | None, lagging: tuple[int, ...] | None) -> list[dict[str, Any]]:
    """Return the values of each event of a line, beside those of the whole line; empty if it lists nothing."""
    if lagging is not None:
        return [{"lagging": lagging[::2], "last_offset": max(lagging[1::2])}]
    read = _LISTS.get(row)
    return [] if read is None or detail is None else [*read(detail)]


def listed(event: Event) -> list[Event]:
    """Return the events of a line: one for each partition that it lists, or the event itself."""
    own = {name: value for name, value in event.__dict__.items() if name != "detail" and value is not None}
    return [made({**own, **each}) for each in each_listed(event.row, event.detail, event.lagging)] or [event]
