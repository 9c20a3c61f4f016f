"""Topics that are migrated from ZooKeeper although their deletion was not over (KAFKA-15605)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..files.file import LogFile
from ..findings.happened import Happened
from ..findings.metadata import MetadataLog
from ..table.protocol import Row
from .moments import by_topic, saying
from .topics import DELETED, RUNNING, STUCK

_BUG = "known-bug"
_REASON = "the deletion of topic {} had begun, and is not over, when it is migrated: the topic stays"
_DISABLED = "topic-deletion-disabled"
"""The row of a line in which a controller drops a request to delete."""


def kept(
    rows: Iterable[Row], files: Mapping[int, LogFile], logs: Iterable[MetadataLog]
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the records with which a migration copies a topic that a controller was deleting.

    Args:
        rows: the rows of the first look.
    """
    lines: dict[tuple[int, str], Sequence[Row]] = defaultdict(list)
    lines.update({(at, topic): own for at, topic, own in by_topic(rows, files, (RUNNING, DELETED, STUCK))})
    for log in logs:
        for topic, where in log.course.copied.items():
            row = _begun(lines[log.cluster, topic], where.ts)
            if row is not None:
                places = (files[row["file"]].place(row["line"]), log.course.place(where))
                node, reason = row["speaker"], _REASON.format(topic)
                yield log.cluster, Happened(_BUG, since=where.ts, node=node, reason=reason, places=places)


def _begun(rows: Sequence[Row], until: int | None) -> Row | None:
    """Return the last line before a time that a topic is being deleted, if no line shows that this is over, or void."""
    begun: Row | None = None
    for row in rows:
        if row["ts"] is not None and until is not None and row["ts"] < until:
            says = saying()[row["row"]].happens
            if says == RUNNING:
                begun = row
            elif says == DELETED or row["row"] == _DISABLED:
                begun = None
    return begun
