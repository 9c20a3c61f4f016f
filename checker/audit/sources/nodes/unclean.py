"""Lines in which a controller calls a change UNCLEAN, and what they show of it.

Not every such line is an unclean election. Up to 3.9 UNCLEAN marks a new leader that was not in the ISR: also one that
was an eligible leader replica, and one that a completed reassignment brings (KAFKA-18940, KAFKA-19212). Since 4.1 it
marks every change that leaves the partition RECOVERING. The changed fields distinguish them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...lines import REGISTRATIONS_PRINTED
from ...table.protocol import Row, Table

ELECTIONS = "unclean_changes_printed"
LINES = tuple(row for row in REGISTRATIONS_PRINTED if row == "registration-changed")
_CHANGED = re.compile(r"(?:^|, )([A-Za-z]+): (\[[^\]]*\]|[^ ,]+) -> (\[[^\]]*\]|[^ ,]+)(?=, |$)")
_COLUMNS = ("file", "line", "ts", "row", "releases", "controller", "topic", "partition", "topic_id", "partition_epoch")


def of_changes(events: Table) -> list[Row]:
    """Return the lines with UNCLEAN, which are few; a look. (At DEBUG all changes are printed, without it.)"""
    return [
        {**{name: row.get(name) for name in _COLUMNS}, "detail": row.get("detail") or ""}
        for row in events.of_lines(LINES).rows()
        if row.get("level") != "DEBUG"
    ]


def elections(rows: Iterable[Row], clusters: Mapping[int, int]) -> Iterator[Row]:
    """Yield each such change once, whichever controllers print it, with the reasons why it may be clean: `because`,
    empty if the line shows none.
    """
    printed: set[tuple[object, ...]] = set()
    for row in sorted(rows, key=lambda row: (row["file"], row["line"])):
        cluster = clusters[row["file"]]
        key = cluster, row["topic_id"], row["partition"], row["partition_epoch"]
        if key in printed:
            continue
        printed.add(key)
        yield row | {"cluster": cluster, "node": row["controller"], **read(row["detail"])}


def read(detail: str) -> Row:
    """Return the reasons why a change may be clean, and the ISRs before and after."""
    changes = {match[1]: (match[2], match[3]) for match in _CHANGED.finditer(detail)}
    after = changes.get("leader", ("", ""))[1]
    leader = int(after) if after.lstrip("-").isdigit() else None
    isr, elr = _ids(changes, "isr", 0), _ids(changes, "elr", 0)
    ends = any(_ids(changes, name, 0) and not _ids(changes, name, 1) for name in _REASSIGNING)
    why = {
        "no leader is elected": leader is None or leader < 0,
        "the ISR stays as it is": "isr" not in changes,
        "the leader was in the ISR": leader in isr,
        "the leader was an eligible leader replica": leader in elr,
        "a reassignment ends": ends and leader in _ids(changes, "isr", 1),
    }
    shown: Row = {"because": sorted(reason for reason, holds in why.items() if holds), "before_isr": list(isr)}
    return shown if leader is None or leader < 0 else shown | {"leader": leader, "isr": list(_ids(changes, "isr", 1))}


_REASSIGNING = ("addingReplicas", "removingReplicas")


def _ids(changes: Mapping[str, tuple[str, str]], name: str, at: int) -> Sequence[int]:
    """Return the brokers that a field has before (0) or after (1) the change."""
    return [int(n) for n in re.findall("[0-9]+", changes[name][at])] if name in changes else []
