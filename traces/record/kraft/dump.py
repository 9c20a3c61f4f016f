"""The output of Kafka's own dump tool for a recording's metadata logs, and the states of partitions that follow from
it.

The states are made from the tool's text alone, by the rule of `PartitionRegistration.merge`. This module reads no file
as the audit does, because the audit is compared with it.
"""

from __future__ import annotations

import copy
import json
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...metadata.files import named
from ..compare import Version

DUMP = "metadata.dump.xz"
"""The file with the dump tool's output for a node's segments and snapshots."""
_NO_CHANGE = -2
_BATCH = re.compile(r"baseOffset: \d+ .*partitionLeaderEpoch: (-?\d+) ")
_RECORD = re.compile(r"\| offset: (\d+) CreateTime: (\d+) .*?headerKeys: \[\] (.*)$")
_PAYLOAD = "payload: "
_MERGED = {
    "isr": "isr",
    "replicas": "replicas",
    "eligibleLeaderReplicas": "elr",
    "lastKnownElr": "last",
    "lastKnownELR": "last",
}


@dataclass(frozen=True)
class Dumped:
    """A record of a dump."""

    offset: int
    epoch: int
    """Epoch of its batch."""
    time: int
    """Milliseconds since 1970."""
    text: str
    """The tool's text for its content."""


def dumped(recording: Path) -> Iterator[tuple[Path, list[Dumped]]]:
    """Yield each file of a recording's metadata logs and its printed records, node by node."""
    for dump in sorted((*recording.glob("node-*/metadata-dump.txt"), *recording.glob(f"node-*/{DUMP}"))):
        raw = dump.read_bytes()
        file, rows, epoch = None, list[Dumped](), -1
        for line in (lzma.decompress(raw) if dump.suffix == ".xz" else raw).decode().splitlines():
            if line.startswith("Dumping "):
                if file is not None:
                    yield file, rows
                file, rows = recording / line.split()[1], []
            elif batch := _BATCH.match(line):
                epoch = int(batch[1])
            elif record := _RECORD.match(line):
                rows.append(Dumped(int(record[1]), epoch, int(record[2]), record[3]))
        if file is not None:
            yield file, rows


def histories(recording: Path) -> dict[str, list[Version]]:
    """Return the versions of partitions in each node's copy, in order; `zxid` is the offset of the record, and the
    controller epoch that of its batch."""
    segments: dict[str, list[Dumped]] = {}
    snapshots: dict[str, list[tuple[int, list[Dumped]]]] = {}
    for path, rows in dumped(recording):
        node, file = path.relative_to(recording).parts[0], named(path.name)
        if file is not None and file.end is not None:
            snapshots.setdefault(node, []).append((file.end[0], rows))
        elif file is not None and file.kind == "segment":
            segments.setdefault(node, []).extend(rows)
    return {node: _history(rows, snapshots.get(node, [])) for node, rows in segments.items()}


def _history(rows: list[Dumped], snapshots: list[tuple[int, list[Dumped]]]) -> list[Version]:
    """Return the versions from the first record on, or from the first snapshot if the beginning of the log is gone."""
    rows = sorted(rows, key=lambda row: row.offset)
    fold = _Fold()
    start = rows[0].offset if rows else 0
    if start > 0 and snapshots:
        start, before = min(snapshots, key=lambda snapshot: snapshot[0])
        fold.all(before)
        fold.versions.clear()
    fold.all(row for row in rows if row.offset >= start)
    return fold.versions


@dataclass
class _Partition:
    leader: int
    leader_epoch: int
    epoch: int
    isr: list[int]
    replicas: list[int]
    elr: list[int]
    last: list[int]


@dataclass
class _Fold:
    """Topics by id and their partitions, and every version so far."""

    names: dict[str, str] = field(default_factory=dict)
    created: Counter[str] = field(default_factory=Counter)
    partitions: dict[tuple[str, int], _Partition] = field(default_factory=dict)
    versions: list[Version] = field(default_factory=list)
    before: tuple[Any, ...] | None = None
    """The state before the open metadata transaction."""

    def all(self, rows: Iterable[Dumped]) -> None:
        for row in rows:
            if row.text.startswith(_PAYLOAD):
                payload = json.loads(row.text.removeprefix(_PAYLOAD))
                self._record(row, payload["type"], payload["data"])
        self._take_back()

    def _record(self, row: Dumped, kind: str, data: Mapping[str, Any]) -> None:
        if kind == "TOPIC_RECORD":
            self.names[data["topicId"]] = data["name"]
            self.created[data["name"]] += 1
        elif kind == "REMOVE_TOPIC_RECORD":
            self.partitions = {key: each for key, each in self.partitions.items() if key[0] != data["topicId"]}
        elif kind == "PARTITION_RECORD":
            self._made(row, data)
        elif kind == "PARTITION_CHANGE_RECORD":
            self._changed(row, data)
        elif kind == "CLEAR_ELR_RECORD":
            self._cleared(row, data["topicName"])
        elif kind == "BEGIN_TRANSACTION_RECORD":
            self.before = copy.deepcopy((self.names, self.created, self.partitions, len(self.versions)))
        elif kind == "END_TRANSACTION_RECORD":
            self.before = None
        elif kind == "ABORT_TRANSACTION_RECORD":
            self._take_back()

    def _take_back(self) -> None:
        if self.before is not None:
            self.names, self.created, self.partitions, count = self.before
            del self.versions[count:]
            self.before = None

    def _made(self, row: Dumped, data: Mapping[str, Any]) -> None:
        key = data["topicId"], data["partitionId"]
        lists = {ours: list(data.get(theirs) or ()) for theirs, ours in _MERGED.items() if theirs in data}
        known = {"elr": [], "last": [], **lists}
        self.partitions[key] = _Partition(data["leader"], data["leaderEpoch"], data["partitionEpoch"], **known)
        self._seen(row, key)

    def _changed(self, row: Dumped, data: Mapping[str, Any]) -> None:
        key = data["topicId"], data["partitionId"]
        known = self.partitions[key]
        for theirs, ours in _MERGED.items():
            if data.get(theirs) is not None:
                setattr(known, ours, list(data[theirs]))
        known.epoch += 1
        if data.get("leader", _NO_CHANGE) != _NO_CHANGE:
            known.leader = data["leader"]
            known.leader_epoch += 1
        self._seen(row, key)

    def _cleared(self, row: Dumped, topic: str) -> None:
        """Clear the eligible leader replicas of a topic's partitions, or of all partitions if the record names no
        topic."""
        for key, known in self.partitions.items():
            if topic in ("", self.names[key[0]]) and (known.elr or known.last):
                known.elr, known.last, known.epoch = [], [], known.epoch + 1
                self._seen(row, key)

    def _seen(self, row: Dumped, key: tuple[str, int]) -> None:
        name, known = self.names[key[0]], self.partitions[key]
        self.versions.append(
            Version(
                name,
                key[1],
                self.created[name] - 1,
                known.epoch,
                row.offset,
                row.time,
                None,
                known.leader,
                tuple(known.isr),
                known.leader_epoch,
                row.epoch,
            )
        )
