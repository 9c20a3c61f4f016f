"""A run of the model `kraft` as the metadata log that its controller writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....model.kraft.state import NOBODY, UNFENCED
from ....model.protocol import Instance
from ....model.sorts import Value
from ....specs.metadata.levels import DIRECTORIES, NAME, SHUTDOWN_TOLD, levels
from ....specs.releases import Release, span
from ....traces.metadata.reader import uuid_text
from ....traces.metadata.text import log_bytes
from ...replacing import replacing
from ..simulate import START, STEP, RunStep

TOPIC = "t"
FILE = f"node-1/__cluster_metadata-0/{0:020d}.log"
_TOPIC_ID = uuid_text(b"topic".ljust(16, b"\0"))
UNASSIGNED = uuid_text(bytes(15) + b"\1")
"""The directory of a replica that has none yet."""
_MIN_ISR, _UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"
_CLUSTER_DEFAULT = {"resourceType": 4, "resourceName": ""}
_OF_CHANGES, _MIGRATES, _CONTROLLERS, _ELR, _CORDONED = 6, 8, 15, 23, 30
"""Levels of metadata.version from which on records are written, or have fields."""
_FIRST, _SECOND, _KEPT = 1, 2, 3
"""The directories of a broker: the one that never fails has no replica, so moved replicas stay in one that may fail.
"""
Record = tuple[str, int, dict[str, Any]]
_Fields = Mapping[str, Value]


@dataclass(frozen=True)
class SimulatedRecords:
    """The records of a run, as `isrproof records` prints them; and for each step the offsets of its records."""

    records: Sequence[str]
    steps: Sequence[tuple[RunStep, Sequence[int]]]

    def save(self, folder: Path) -> Path:
        """Write the log as the segment of a node's metadata folder."""
        path = folder / FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as fresh:
            fresh.write_bytes(log_bytes(self.records))
        return path


def log_of(instance: Instance, run: Sequence[RunStep], release: Release, *, unclean: bool = False) -> SimulatedRecords:
    """The log of a run, from the records of a new cluster on.

    Args:
        unclean: unclean.leader.election.enable is set.
    """
    names = [each.name for each in instance.model.fields]
    log = StepLog(newest_level(release), "elr" in names)
    log.begins(instance.settings.get("min_isr"), unclean)
    steps = []
    for taken in run:
        first = log.offset
        before, after = (dict(zip(names, state, strict=True)) for state in (taken.before, taken.after))
        log.append(list(log.of_step(taken.action, taken.params.get("b"), before, after)))
        steps.append((taken, range(first, log.offset)))
    return SimulatedRecords(tuple(log.lines), tuple(steps))


def newest_level(release: Release) -> int:
    """The newest metadata.version that a release supports."""
    return max(number for number, each in levels().items() if span(f"<={release.name}") & span(each.release))


class StepLog:
    """The records of steps, one after the other; broker n of the model has the id n + 1."""

    def __init__(self, level: int, elr: bool) -> None:
        self.level, self.elr = level, elr
        self.lines: list[str] = []
        self.offset = 0
        self.epochs: dict[int, int] = {}
        self.directory: dict[int, int] = {}
        """The directory of a broker's replica, if not its first one: the model knows only whether that failed."""

    def begins(self, min_isr: int | None, unclean: bool) -> None:
        me = [{"voterId": 1}]
        self.append([("LEADER_CHANGE", 0, {"leaderId": 1, "voters": me, "grantingVoters": me})])
        records: list[Record] = [("FEATURE_LEVEL_RECORD", 0, {"name": NAME, "featureLevel": self.level})]
        if self.elr:
            feature = {"name": "eligible.leader.replicas.version", "featureLevel": 1}
            records.append(("FEATURE_LEVEL_RECORD", 0, feature))
        configs = {_MIN_ISR: None if min_isr is None else str(min_isr), _UNCLEAN: "true" if unclean else None}
        records += [
            ("CONFIG_RECORD", 0, {**_CLUSTER_DEFAULT, "name": name, "value": value})
            for name, value in configs.items()
            if value is not None
        ]
        self.append(records)
        if self.level >= _CONTROLLERS:
            self.append([("REGISTER_CONTROLLER_RECORD", 0, {"controllerId": 1, "features": self._features})])

    @property
    def _features(self) -> list[dict[str, Any]]:
        newest = {"name": NAME, "minSupportedVersion": 1, "maxSupportedVersion": self.level}
        return [newest] if self.level >= _OF_CHANGES - 2 else []

    def append(self, records: Sequence[Record]) -> None:
        """Append one batch."""
        base, ts = self.offset, START + STEP * self.offset
        for kind, version, data in records:
            row = {"offset": self.offset, "epoch": 1, "timestamp": ts, "batch": base}
            self.lines.append(json.dumps(row | {"type": kind, "version": version, "data": data}))
            self.offset += 1

    def of_step(self, step: str, broker: object, before: _Fields, after: _Fields) -> Iterator[Record]:
        """The records of a step: a registration stands after the changes that it causes, but for a broker that may lead
        from then on, or that is about to stop."""
        changes = list(self._of_partition(step, broker, before, after))
        registration = list(self._of_broker(step, broker, before)) if isinstance(broker, int) else []
        yield from (*registration, *changes) if step in ("Unfence", "ShutDown") else (*changes, *registration)

    def _of_broker(self, step: str, broker: int, before: _Fields) -> Iterator[Record]:
        id = broker + 1
        if step == "Register":
            self.epochs[id] = self.offset
            version = sum(self.level >= each for each in (SHUTDOWN_TOLD, _MIGRATES, DIRECTORIES, _CORDONED))
            data = {"brokerId": id, "brokerEpoch": self.offset, "incarnationId": _uuid("process", id, self.offset)}
            data |= {"fenced": True, "features": self._features}
            if self.level >= DIRECTORIES:
                data["logDirs"] = [_uuid("disk", id, each) for each in (_FIRST, _SECOND, _KEPT)]
            yield "REGISTER_BROKER_RECORD", version, data
            return
        epoch = self.epochs.get(id, -1)
        about = {"brokerId": id, "brokerEpoch": epoch}
        if step == "Unregister":
            yield "UNREGISTER_BROKER_RECORD", 0, about
        elif step == "LoseDirectory":
            yield "BROKER_REGISTRATION_CHANGE_RECORD", 2, about | {"logDirs": [_uuid("disk", id, _KEPT)]}
        elif step == "ShutDown" and before["registration"][broker] == UNFENCED and self.level >= SHUTDOWN_TOLD:
            yield "BROKER_REGISTRATION_CHANGE_RECORD", 1, about | {"inControlledShutdown": 1}
        elif step in ("Fence", "Unfence") and self.level >= _OF_CHANGES:
            yield "BROKER_REGISTRATION_CHANGE_RECORD", 0, about | {"fenced": 1 if step == "Fence" else -1}
        elif step in ("Fence", "Unfence"):
            yield f"{step.upper()}_BROKER_RECORD", 0, {"id": id, "epoch": epoch}

    @property
    def _version(self) -> int:
        """Return the version of records about partitions."""
        return 2 if self.level >= _ELR else int(self.level >= DIRECTORIES)

    def _shown(self, state: _Fields) -> dict[str, Any]:
        """Return the fields of a partition, as records have them; an unregistered broker has no directory to name."""
        at = state["place"]
        replicas = sorted((number for number, place in enumerate(at) if place >= 0), key=lambda number: at[number])
        found: dict[str, Any] = {"replicas": [each + 1 for each in replicas], "leader": _id(state["leader"])}
        for name, own in (("isr", "isr"), ("removingReplicas", "removing"), ("addingReplicas", "adding")):
            found[name] = _ids(state[own])
        found["leaderRecoveryState"] = int(state["recovering"])
        if self._version >= 1:
            found["directories"] = [
                _uuid("disk", each, self.directory.get(each, _FIRST)) if each in self.epochs else UNASSIGNED
                for each in found["replicas"]
            ]
        if self._version >= 2 and "elr" in state:
            found["eligibleLeaderReplicas"] = _ids(state["elr"])
            found["lastKnownElr"] = [] if state["last_known"] == NOBODY else [_id(state["last_known"])]
        return found

    def _of_partition(self, step: str, broker: object, before: _Fields, after: _Fields) -> Iterator[Record]:
        version = self._version
        place = {"partitionId": 0, "topicId": _TOPIC_ID}
        if step == "CreateTopic":
            yield "TOPIC_RECORD", 0, {"name": TOPIC, "topicId": _TOPIC_ID}
            yield "PARTITION_RECORD", version, place | self._shown(after) | {"leaderEpoch": 0, "partitionEpoch": 0}
        elif after["partition_epoch"] != before["partition_epoch"]:
            was = self._shown(before)
            if step == "AssignDirectory" and isinstance(broker, int):
                first = self.directory.get(broker + 1, _FIRST) == _FIRST
                self.directory[broker + 1] = _SECOND if first else _FIRST
            now = self._shown(after)
            named = after["leader_epoch"] != before["leader_epoch"]
            changed = {name: each for name, each in now.items() if each != was[name] and name != "leader"}
            yield "PARTITION_CHANGE_RECORD", version, place | changed | ({"leader": now["leader"]} if named else {})


def _ids(brokers: Any) -> list[int]:
    return sorted(each + 1 for each in brokers)


def _id(broker: Any) -> int:
    return -1 if broker == NOBODY else broker + 1


def _uuid(kind: str, *numbers: int) -> str:
    return uuid_text(f"{kind} {' '.join(map(str, numbers))}".encode().ljust(16, b"\0"))
