"""Comparison of the states that an audit reconstructed with those that ZooKeeper really had (in KRaft mode:
kraft/compare.py).

The truth is a recording's manifest: every version of every partition's state znode. The claim is the `timeline` of an
audit's JSON. Each version is *shown* (a row has it), *hidden* (no row has it, and there is a reason why none can) or
*unexplained* (no row has it, though one should). A row that agrees with no version is *wrong*.
"""

from __future__ import annotations

import gzip
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...specs.releases import release
from ..place import Place
from ..timeline import TimelineRow
from .clock import milliseconds
from .manifest import STATE

REASONS = {
    "leader-isr-write": "the leader's own ISR change: same leader, same leader epoch, no controller line",
    "topic-deletion": "the removal of a replica from the ISR of a topic that is being deleted",
    "overtaken": "the next replica was removed from the ISR in the same call: the requests carry the last value only",
    "controller-gone": "its controller was stopped, paused or replaced before it could print the line",
    "level": "state.change.logger at INFO prints no such line in this release",
    "uncommitted": "in KRaft mode: no majority of the controllers has the record",
}
"""Reasons why a version cannot be in the logs."""

GONE_WITHIN = 2000
"""Milliseconds from a write to the end of its controller within which the line may have been lost."""

ALTER_ISR = "KIP-497"
"""The behaviour by which a leader asks the controller to write its ISR."""
INFO_SHOWS = "KAFKA-8470"
"""The behaviour by which INFO prints every election and every ISR removal."""
ONE_CALL = 1000
"""Largest number of milliseconds between two writes of one call of the replica state machine."""

_LOG_TIME = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})\]")


@dataclass(frozen=True)
class Version:
    """One version of a partition's state znode, or in KRaft mode of a partition's state."""

    topic: str
    partition: int
    created: int
    """Number of the znode's creation, from 0: a topic that was created again has 1."""
    version: int
    zxid: int
    """In KRaft mode the offset of the record."""
    time: int
    by: int | None
    leader: int
    isr: tuple[int, ...]
    leader_epoch: int
    controller_epoch: int
    """In KRaft mode the raft epoch."""

    def agrees(self, row: TimelineRow, newest_epoch: int) -> bool:
        """Return True if every field that the row has equals this version's; the order of an ISR does not matter.

        The row's controller epoch may be newer, up to the newest at that time: when a replica outside the ISR goes
        offline, the controller writes nothing, but combines its own epoch with the value that it keeps and sends
        (ReplicaStateMachine.removeReplicasFromIsr).
        """
        known = (self.leader, self.leader_epoch) == (row.leader, row.leader_epoch)
        known = known and row.partition_epoch in (None, self.version)
        epoch = row.controller_epoch
        known = known and (epoch is None or self.controller_epoch <= epoch <= max(newest_epoch, self.controller_epoch))
        return known and (row.isr is None or sorted(row.isr) == sorted(self.isr))


@dataclass(frozen=True)
class Comparison:
    """The class of each version, and the wrong rows, each with the expected value."""

    shown: tuple[Version, ...]
    hidden: tuple[tuple[Version, str], ...]
    """Each with a key of REASONS."""
    unexplained: tuple[Version, ...]
    wrong: tuple[tuple[TimelineRow, str], ...]

    @property
    def reasons(self) -> dict[str, int]:
        counts = Counter(reason for _, reason in self.hidden)
        return {reason: counts[reason] for reason in REASONS}


def compare(manifest: Mapping[str, Any], timeline: Iterable[TimelineRow], logs: Path | None = None) -> Comparison:
    """Classify every version of the manifest, and check every row of the timeline.

    `logs` is the recording's folder. The time of a row's line then shows which creation of a topic the row is about,
    and which version it is if the log prints none (<= 1.0). Without it, any agreeing version is accepted. A row with
    leader -2 says that the topic is being deleted, and nothing about the znode.
    """
    versions = state_versions(manifest)
    partitions: dict[tuple[str, int], list[Version]] = {}
    for version in versions:
        partitions.setdefault((version.topic, version.partition), []).append(version)
    clock = LineTimes(logs)
    facts = _Facts(manifest)
    shown: set[Version] = set()
    wrong = []
    for row in timeline:
        if row.leader == -2:
            continue
        mine = partitions.get((row.topic, row.partition), [])
        time = clock.time(row.place)
        candidates = _of_one_creation(mine, time)
        agreeing = [version for version in candidates if version.agrees(row, facts.newest_epoch(time))]
        if not agreeing:
            wrong.append((row, _expected(candidates, row)))
        elif row.isr is not None:
            shown.add(_latest(agreeing, time, shown))
    missing = [version for version in versions if version not in shown]
    reasons = [(version, facts.reason(version)) for version in missing]
    return Comparison(
        tuple(version for version in versions if version in shown),
        tuple((version, reason) for version, reason in reasons if reason is not None),
        tuple(version for version, reason in reasons if reason is None),
        tuple(wrong),
    )


def state_versions(manifest: Mapping[str, Any]) -> list[Version]:
    """Return the versions of all partitions' state znodes, in the order of writing."""
    found = []
    created: Counter[str] = Counter()
    for row in manifest["znodes"]:
        match = STATE.fullmatch(row["path"])
        if match is None or row["change"] == "delete":
            continue
        created[row["path"]] += row["change"] == "create"
        value = row["value"]
        found.append(
            Version(
                match[1],
                int(match[2]),
                created[row["path"]] - 1,
                row["version"],
                row["zxid"],
                milliseconds(row["time"]),
                row["by"],
                value["leader"],
                tuple(value["isr"]),
                value["leader_epoch"],
                value["controller_epoch"],
            )
        )
    return found


def _of_one_creation(versions: Sequence[Version], time: int | None) -> Sequence[Version]:
    """Return the versions of the creation that was current at that time (all of them if the time is not known)."""
    if time is None:
        return versions
    before = [version.created for version in versions if version.time <= time]
    return [version for version in versions if version.created == max(before, default=0)]


def _latest(agreeing: Sequence[Version], time: int | None, shown: set[Version]) -> Version:
    """Return the last version that was written before the row's line; without a time the first that no other row
    shows."""
    if time is None:
        return next((version for version in agreeing if version not in shown), agreeing[0])
    return max((version for version in agreeing if version.time <= time), key=lambda v: v.zxid, default=agreeing[0])


def _expected(versions: Sequence[Version], row: TimelineRow) -> str:
    same = [version for version in versions if version.version == row.partition_epoch] or versions
    if not same:
        return "the partition never had a state"
    texts = [
        f"version {v.version}: leader {v.leader}, isr {list(v.isr)}, leader epoch {v.leader_epoch}, "
        f"controller epoch {v.controller_epoch}"
        for v in same
    ]
    return " or ".join(texts[-3:])


class _Facts:
    """Facts of the manifest that explain why a version is hidden."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        self._release = release(manifest["kafka"])
        self._level = manifest["state_change_level"]
        self._versions = {(v.topic, v.partition, v.created, v.version): v for v in state_versions(manifest)}
        self._ends = [
            (row["broker"], milliseconds(row["time"]))
            for row in manifest["timeline"]
            if row["did"] in ("kill", "terminate", "pause")
        ]
        self._replaced = [milliseconds(row["time"]) for row in manifest["znodes"] if row["path"] == "/controller"]
        self._replaced += [milliseconds(row["time"]) for row in manifest["timeline"] if row["did"] == "end"]
        self._epochs = [
            (milliseconds(row["time"]), int(row["value"]))
            for row in manifest["znodes"]
            if row["path"] == "/controller_epoch" and row["change"] != "delete"
        ]
        self._deleting: dict[str, list[tuple[int, bool]]] = {}
        for row in manifest["znodes"]:
            if row["path"].startswith("/admin/delete_topics/"):
                topic = row["path"].rpartition("/")[2]
                self._deleting.setdefault(topic, []).append((row["zxid"], row["change"] != "delete"))

    def newest_epoch(self, time: int | None) -> int:
        """Return the controller epoch at that time; without a time the last one. 0 if there was none."""
        return max((epoch for at, epoch in self._epochs if time is None or at <= time), default=0)

    def reason(self, version: Version) -> str | None:
        """Return a key of REASONS, or None if the version should have been shown."""
        before, after = (
            self._versions.get((version.topic, version.partition, version.created, version.version + step))
            for step in (-1, 1)
        )
        if before is not None and self._is_leaders(before, version):
            return "leader-isr-write"
        if before is not None and self._is_deleting(version) and _removes(before, version):
            return "topic-deletion"
        if before is not None and after is not None and self._is_overtaken(before, version, after):
            return "overtaken"
        if self._level == "INFO" and INFO_SHOWS not in self._release.behaviours:
            return "level"
        if self._is_gone(version):
            return "controller-gone"
        return None

    def _is_leaders(self, before: Version, version: Version) -> bool:
        kept = (before.leader, before.leader_epoch) == (version.leader, version.leader_epoch)
        return kept and (version.by == version.leader or ALTER_ISR in self._release.behaviours)

    def _is_overtaken(self, before: Version, version: Version, after: Version) -> bool:
        one_call = version.by == after.by and after.time - version.time <= ONE_CALL
        return (
            INFO_SHOWS not in self._release.behaviours
            and one_call
            and _removes(before, version)
            and _removes(version, after)
        )

    def _is_deleting(self, version: Version) -> bool:
        changes = self._deleting.get(version.topic, [])
        at = bisect_right([zxid for zxid, _ in changes], version.zxid)
        return at > 0 and changes[at - 1][1]

    def _is_gone(self, version: Version) -> bool:
        ends = [time for broker, time in self._ends if broker == version.by]
        return any(0 <= time - version.time <= GONE_WITHIN for time in (*ends, *self._replaced))


def _removes(before: Version, version: Version) -> bool:
    """Return True if moving a replica to OfflineReplica writes this version; the last member of an ISR stays in it (>=
    1.1)."""
    one_less = set(version.isr) < set(before.isr) or (version.isr == before.isr and len(version.isr) == 1)
    return one_less and version.leader in (-1, before.leader) and version.leader_epoch == before.leader_epoch + 1


class LineTimes:
    """The times printed at lines of the recording's logs."""

    def __init__(self, logs: Path | None) -> None:
        self._logs = logs
        self._times: dict[str, list[int | None]] = {}

    def time(self, place: Place) -> int | None:
        """Return the time of a line in ms since 1970; None if the recording has no such line."""
        if self._logs is None or place.line is None:
            return None
        # The audit names a file as it was given: the last two parts are the recording's.
        name = "/".join(place.file.replace("\\", "/").split("/")[-2:])
        if name not in self._times:
            self._times[name] = _times(self._logs / name)
        times = self._times[name]
        return times[place.line - 1] if 0 < place.line <= len(times) else None


def _times(file: Path) -> list[int | None]:
    if not file.is_file():
        return []
    raw = file.read_bytes()
    text = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode("utf-8", errors="replace")
    return [_time(line) for line in text.split("\n")]


def _time(line: str) -> int | None:
    match = _LOG_TIME.match(line)
    return None if match is None else milliseconds(f"{match[1].replace(' ', 'T')}.{match[2]}Z")
