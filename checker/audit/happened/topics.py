"""Topics: created and deleted, and deletions that cannot go on, with the replica or directory that they wait for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import by_topic, saying

CREATED, RUNNING, DELETED, STUCK = "created", "deletion-running", "deleted", "deletion-stuck"
_ALSO_OTHERS = ("replica-machine-started", "topics-ineligible-for-deletion")
"""Lines of a controller that starts, also about topics that nobody deletes: a replica of a dead broker is not
eligible for deletion, nor is its topic."""
_REPLAYED = "kraft-topic-removed"
"""A line that each controller prints, a starting one again."""


def topics(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster what happened to topics, one entry for a topic however many partitions and nodes say so.

    Args:
        rows: the rows of the first look.
    """
    for cluster, topic, own in by_topic(rows, files, (CREATED, RUNNING, DELETED, STUCK)):
        for each in _of_topic(topic, own, files):
            yield cluster, each


def _of_topic(topic: str, rows: Sequence[Row], files: Mapping[int, LogFile]) -> Iterator[Happened]:
    """Yield the lives of a topic of one name, cut where it is deleted."""
    life: list[Row] = []
    ended: Row | None = None
    for row in rows:
        says = saying()[row["row"]].happens
        if says == DELETED and ended is not None and not life:
            continue  # another node, or the controller's answer, says so too
        if says == DELETED and row["row"] == _REPLAYED and ended is not None and not _begins(life):
            continue
        life.append(row)
        if says == DELETED:
            yield from _of_life(topic, life, row, files)
            life, ended = [], row
    if life:
        yield from _of_life(topic, life, None, files)


def _begins(life: Sequence[Row]) -> bool:
    return any(saying()[row["row"]].happens == CREATED for row in life)


def _of_life(topic: str, life: Sequence[Row], end: Row | None, files: Mapping[int, LogFile]) -> Iterator[Happened]:
    by_what: dict[str, list[Row]] = defaultdict(list)
    for row in life:
        by_what[saying()[row["row"]].happens or ""].append(row)
    if by_what[CREATED]:
        yield _moment(CREATED, topic, by_what[CREATED][0], files)
    if by_what[RUNNING]:
        yield _spell(RUNNING, topic, by_what[RUNNING], end, None, files)
    stuck = by_what[STUCK]
    if any(row["row"] not in _ALSO_OTHERS for row in stuck) or (stuck and by_what[RUNNING]):
        sure = [row for row in stuck if row["row"] not in _ALSO_OTHERS] or stuck
        yield _spell(STUCK, topic, sure, end, _because(topic, stuck), files)
    if end is not None:
        yield _moment(DELETED, topic, end, files)


def _because(topic: str, rows: Iterable[Row]) -> str | None:
    """Return which replicas keep a topic, and why."""
    replicas: dict[tuple[int | None, int | None], str] = {}
    others: list[str] = []
    for row in rows:
        if row["partition"] is not None:
            node = row["node"] if row["node"] is not None else row["speaker"]
            words = row["said"] or ""
            if (row["partition"], node) not in replicas or "directory" in words:
                replicas[row["partition"], node] = words
        elif row["said"]:
            others.append(row["said"])
        elif row["row"] in _INELIGIBLE:
            others.append(_INELIGIBLE[row["row"]])
    named = [
        f"replica {node} of {topic}-{partition} {words}"
        for (partition, node), words in sorted(replicas.items(), key=lambda each: (each[0][0] or 0, each[0][1] or 0))
    ]
    shown = named[:_MOST]
    if len(named) > _MOST:
        shown.append(f"and {len(named) - _MOST} more replicas")
    return "; ".join([*shown, *dict.fromkeys(others)]) or None


_MOST = 5
"""The most replicas that a reason names."""
_INELIGIBLE = {
    "topic-deletion-not-retried": "marked ineligible for deletion",
    "topics-ineligible-for-deletion": "a broker with a replica is dead, or a reassignment runs",
}


def _moment(what: str, topic: str, row: Row, files: Mapping[int, LogFile]) -> Happened:
    return Happened(what, since=row["ts"], topic=topic, places=(files[row["file"]].place(row["line"]),))


def _spell(
    what: str, topic: str, rows: Sequence[Row], end: Row | None, reason: str | None, files: Mapping[int, LogFile]
) -> Happened:
    first = rows[0]
    return Happened(
        what,
        since=first["ts"],
        until=None if end is None else end["ts"],
        lasts=end is None,
        topic=topic,
        reason=reason,
        places=(files[first["file"]].place(first["line"]),),
    )
