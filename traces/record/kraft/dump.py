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
_PAYLOAD, _LEADER, _UNNAMED = "payload: ", "LeaderChange: ", "controlType: LEADER_CHANGE("
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
    segments, snapshots = _files(recording)
    return {node: _history(rows, snapshots.get(node, [])) for node, rows in segments.items()}


@dataclass(frozen=True)
class State:
    """A version of a partition, with what only its record shows."""

    version: Version
    replicas: tuple[int, ...]
    elr: tuple[int, ...]
    recovers: bool
    """True after a record that marks an unclean election, until one says that the leader has recovered."""
    known_before: bool
    """True if a snapshot has it, with which the records begin."""


@dataclass(frozen=True)
class Course:
    """The committed records of a recording."""

    partitions: Mapping[tuple[str, int, int], list[State]]
    """By topic, number and creation of the topic."""
    deleted: Mapping[tuple[str, int], int]
    """By topic and its creation, the time of its deletion."""
    leaders: list[tuple[int, int | None]]
    """The time and the leader of each raft epoch; older tools do not print the leader."""


def course(recording: Path, controllers: Iterable[int]) -> Course:
    """Return the committed records of the copy that begins first: those that most controllers have, as far back as
    they go."""
    segments, snapshots = _files(recording)
    held = Counter((row.offset, row.epoch) for each in controllers for row in segments.get(f"node-{each}", ()))
    starts = [min(row.offset for row in own) for each in controllers if (own := segments.get(f"node-{each}"))]
    node = min(segments, key=lambda name: (min(row.offset for row in segments[name]), -len(segments[name])))
    rows = [
        row
        for row in sorted(segments[node], key=lambda row: row.offset)
        if 2 * held[row.offset, row.epoch] > sum(start <= row.offset for start in starts)
    ]
    fold = _Fold()
    start = rows[0].offset if rows else 0
    if start > 0 and snapshots.get(node):
        start, before = min(snapshots[node], key=lambda snapshot: snapshot[0])
        fold.all(before)
    known = len(fold.versions)
    fold.all(row for row in rows if row.offset >= start)
    partitions: dict[tuple[str, int, int], list[State]] = {}
    for index, (version, shown) in enumerate(zip(fold.versions, fold.shown, strict=True)):
        state = State(version, *shown, index < known)
        partitions.setdefault((version.topic, version.partition, version.created), []).append(state)
    leaders = [(row.time, _leader(row.text)) for row in rows if row.text.startswith((_LEADER, _UNNAMED))]
    return Course(partitions, fold.deleted, leaders)


def _leader(text: str) -> int | None:
    return json.loads(text.removeprefix(_LEADER))["leaderId"] if text.startswith(_LEADER) else None


def _files(recording: Path) -> tuple[dict[str, list[Dumped]], dict[str, list[tuple[int, list[Dumped]]]]]:
    """Return the records of each node's segments, and its snapshots with their ends."""
    segments: dict[str, list[Dumped]] = {}
    snapshots: dict[str, list[tuple[int, list[Dumped]]]] = {}
    for path, rows in dumped(recording):
        node, file = path.relative_to(recording).parts[0], named(path.name)
        if file is not None and file.end is not None:
            snapshots.setdefault(node, []).append((file.end[0], rows))
        elif file is not None and file.kind == "segment":
            segments.setdefault(node, []).extend(rows)
    return segments, snapshots


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
    recovers: bool = field(default=False, init=False)


@dataclass
class _Fold:
    """Topics by id and their partitions, and every version so far."""

    names: dict[str, str] = field(default_factory=dict)
    created: Counter[str] = field(default_factory=Counter)
    partitions: dict[tuple[str, int], _Partition] = field(default_factory=dict)
    versions: list[Version] = field(default_factory=list)
    shown: list[tuple[tuple[int, ...], tuple[int, ...], bool]] = field(default_factory=list)
    """For each version the replicas, the ELR, and whether the leader recovers."""
    deleted: dict[tuple[str, int], int] = field(default_factory=dict)
    """By topic and its creation, the time of its deletion."""
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
            name = self.names[data["topicId"]]
            self.deleted[name, self.created[name] - 1] = row.time
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
            del self.versions[count:], self.shown[count:]
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
        known.recovers = data.get("leaderRecoveryState", int(known.recovers)) == 1
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
        self.shown.append((tuple(known.replicas), tuple(known.elr), known.recovers))
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
