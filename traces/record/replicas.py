"""The contents of the brokers' disks at the end: logs, checkpoints, and the acknowledged records that are gone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..metadata.batches import Batches
from .errors import RecordError
from .traffic import Acknowledged, Traffic, acknowledged_rows, in_order_sent, watermark_rows

HIGH_WATERMARKS = "replication-offset-checkpoint"
RECOVERY_POINTS = "recovery-point-offset-checkpoint"
EPOCHS = "leader-epoch-checkpoint"
_FOLDER = re.compile(r"(?P<topic>[\w.-]+)-(?P<partition>\d+)")
_NUMBER = re.compile(rb"#(\d+);")


@dataclass
class Replica:
    """The log of a partition on a broker's disk, and the values of its checkpoint files (None: no entry)."""

    broker: int
    disk: str
    topic: str
    partition: int
    log_start: int = 0
    log_end: int = 0
    high_watermark: int | None = None
    recovery_point: int | None = None
    epochs: list[list[int]] = field(default_factory=list)
    """The file of leader epochs: [epoch, start offset]."""
    batches: list[list[int]] = field(default_factory=list)
    """[leader epoch, first offset, last offset] of consecutive batches of an epoch."""
    numbers: dict[int, int] = field(default_factory=dict)
    """The records by offset (`traffic.value`)."""

    def row(self) -> dict[str, Any]:
        """Return the row of a manifest: everything but the records."""
        return {name: value for name, value in vars(self).items() if name != "numbers"}


def replicas(broker: int, disks: Iterable[Path]) -> list[Replica]:
    """Return the replicas of a broker that is not running, without partitions that wait to be deleted.

    Raises:
        RecordError: a log cannot be read, or contains something that no producer of a recording wrote.
    """
    return [found for disk in disks if disk.is_dir() for found in _of_disk(broker, disk)]


def partitions_in(disk: Path) -> list[tuple[str, int]]:
    """Return the partitions that have a folder in a log directory, without those that wait to be deleted and without
    Kafka's own topics, such as the metadata log."""
    names = sorted(folder.name for folder in disk.iterdir() if folder.is_dir() and not folder.name.startswith("__"))
    return [(named["topic"], int(named["partition"])) for name in names if (named := _FOLDER.fullmatch(name))]


def _of_disk(broker: int, disk: Path) -> Iterable[Replica]:
    high_watermarks, recovery_points = (_offsets(disk / name) for name in (HIGH_WATERMARKS, RECOVERY_POINTS))
    for key in partitions_in(disk):
        folder = disk / f"{key[0]}-{key[1]}"
        found = Replica(broker, disk.name, *key)
        found.high_watermark, found.recovery_point = high_watermarks.get(key), recovery_points.get(key)
        found.epochs = [[int(word) for word in row] for row in _checkpoint(folder / EPOCHS)]
        _read(folder, found)
        yield found


def _read(folder: Path, into: Replica) -> None:
    segments = sorted(folder.glob("*.log"))
    into.log_start = into.log_end = int(segments[0].stem) if segments else 0
    for segment in segments:
        batches = Batches(str(segment))
        for frame in batches.frames():
            numbers = _NUMBER.findall(frame.raw)
            if len(numbers) != frame.last - frame.offset + 1:
                raise RecordError(
                    f"{segment}: the batch at offset {frame.offset} is not from the recorder's producers."
                )
            into.numbers.update(enumerate(map(int, numbers), frame.offset))
            if into.batches and into.batches[-1][0] == frame.epoch:
                into.batches[-1][2] = frame.last
            else:
                into.batches.append([frame.epoch, frame.offset, frame.last])
            into.log_end = frame.last + 1
        if batches.problem is not None:
            raise RecordError(f"{segment}: {batches.problem}")


def _offsets(file: Path) -> dict[tuple[str, int], int]:
    return {(topic, int(partition)): int(offset) for topic, partition, offset in _checkpoint(file)}


def _checkpoint(file: Path) -> list[list[str]]:
    """Return the entries of a checkpoint file: a version, a count, then a line each; none if there is no file."""
    if not file.is_file():
        return []
    return [line.split() for line in file.read_text(encoding="utf-8").splitlines()[2:]]


def lost(
    acknowledged: Iterable[Acknowledged], found: Iterable[Replica], leaders: Mapping[tuple[str, int], int]
) -> list[dict[str, Any]]:
    """Return rows of a manifest: acknowledged offsets at which the leader's log has another record, or none; `to` is
    exclusive."""
    logs = {(each.topic, each.partition): each for each in found if leaders.get(_key(each)) == each.broker}
    rows: list[dict[str, Any]] = []
    for record in in_order_sent(acknowledged):
        log = logs.get(_key(record))
        if log is not None and log.numbers.get(record.offset) == record.number:
            continue
        same = {"topic": record.topic, "partition": record.partition, "acks": record.acks}
        if rows and rows[-1]["to"] == record.offset and same.items() <= rows[-1].items():
            rows[-1]["to"] += 1
        else:
            rows.append({**same, "from": record.offset, "to": record.offset + 1})
    return rows


def written(
    records: Traffic, disks: Mapping[int, Iterable[Path]], leaders: Mapping[tuple[str, int], int]
) -> dict[str, Any]:
    """Return a manifest's lists about the traffic: the acknowledged records, the contents of each broker's disks, and
    the records that are gone from the final leaders."""
    found = [row for broker, own in disks.items() for row in replicas(broker, own)]
    return {
        "acknowledged": acknowledged_rows(records.acknowledged),
        "watermarks": watermark_rows(records.watermarks),
        "replicas": [each.row() for each in found],
        "lost": lost(records.acknowledged, found, leaders),
    }


def _key(of: Replica | Acknowledged) -> tuple[str, int]:
    return of.topic, of.partition
