"""The parts that both rules on lost committed records share."""

from __future__ import annotations

from .....traces.timeline import Lost
from ...table.protocol import Row
from ..remedy import KEEP_LOGS, Remedy

REMEDY = Remedy(
    workaround=f"{KEEP_LOGS} kafka-dump-log.sh on the copies proves or disproves the loss: it prints leader epoch and"
    " offset of each batch. Producers and consumers may still have the records.",
    verify="kafka-configs.sh --bootstrap-server BROKER:9092 --describe --entity-type topics --entity-name TOPIC --all",
    look_for="unclean.leader.election.enable=false, and min.insync.replicas above 1",
)


def lost(row: Row) -> Lost:
    """Return the lost records: from where the log was cut, or the leader starts, up to the high watermark."""
    return Lost(row["topic"], row["partition"], row["offset"], row["before_high_watermark"])


def records(row: Row) -> str:
    """Return the number of lost records, and their offsets."""
    first, after = row["offset"], row["before_high_watermark"]
    if after - first == 1:
        return f"1 committed record (offset {first})"
    return f"{after - first} committed records (offsets {first} to {after - 1})"
