"""Brokers' lines about their replicas: where they begin to lead or follow, ISRs that are written, high watermarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ....traces.timeline import ReplicaRow
from ..files.file import LogFile
from ..lines import FOLLOWS, ISR_SHRINKS, ISR_WRITTEN, LEADS, LOG_LOADED
from ..table.protocol import Row, Table

_SHOWN = (*LEADS, *FOLLOWS, *ISR_SHRINKS, *ISR_WRITTEN, *LOG_LOADED)
_COLUMNS = ("topic", "partition", "broker", "row", "leader", "leader_epoch", "isr", "partition_epoch", "offset")


def replicas_shown(lines: Table) -> Table:
    """Return the lines of journals (observe/broker/hosted.py) that a row is made from."""
    columns = (*_COLUMNS, "log_end_offset", "high_watermark", "file", "line", "ts", "clock", "at", "cluster")
    return lines.of_lines(_SHOWN).select(*columns)


def replicas(rows: Iterable[Row], files: Mapping[int, LogFile]) -> tuple[ReplicaRow, ...]:
    """Return the rows of `replicas_shown`, by partition, broker, and the order of its lines."""
    ordered = sorted(
        rows, key=lambda row: (row["topic"], row["partition"], row["broker"], row["clock"], row["at"], row["file"])
    )
    return tuple(_row(row, files[row["file"]]) for row in ordered)


def _row(row: Row, file: LogFile) -> ReplicaRow:
    starts = row["row"] in (*LEADS, *FOLLOWS)
    # An ISR that a leader is about to write is not an ISR yet.
    holds = row["row"] not in ISR_SHRINKS and row.get("isr") is not None
    return ReplicaRow(
        topic=row["topic"],
        partition=row["partition"],
        broker=row["broker"],
        row=row["row"],
        leader=row["broker"] if row["row"] in LEADS else row.get("leader"),
        leader_epoch=row.get("leader_epoch"),
        isr=tuple(row["isr"]) if holds else None,
        partition_epoch=row.get("partition_epoch"),
        log_end=row.get("offset") if starts else row.get("log_end_offset"),
        high_watermark=row.get("high_watermark"),
        place=file.place(row["line"]),
        ts=row.get("ts"),
        cluster=file.cluster,
    )
