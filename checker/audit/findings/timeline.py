"""The reconstructed states of every partition, in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ....traces.timeline import TimelineRow
from ..files.file import LogFile
from ..table.protocol import Row


def timeline(rows: Iterable[Row], files: Mapping[int, LogFile]) -> tuple[TimelineRow, ...]:
    """Return the rows of `states_shown` (observe/controller/views.py), by life, partition, and the order of lines."""
    ordered = sorted(
        rows, key=lambda row: (row["life"], row["topic"], row["partition"], row["controller_epoch"], row["at"])
    )
    return tuple(_shown(row, files[row["file"]]) for row in ordered)


def _shown(row: Row, file: LogFile) -> TimelineRow:
    return TimelineRow(
        topic=row["topic"],
        partition=row["partition"],
        leader=row["leader"],
        isr=None if row.get("isr") is None else tuple(row["isr"]),
        leader_epoch=row["leader_epoch"],
        controller_epoch=row["written_by_epoch"],
        partition_epoch=row.get("partition_epoch"),
        life=row["life"],
        place=file.place(row["line"]),
        ts=row.get("ts"),
        cluster=file.cluster,
    )
