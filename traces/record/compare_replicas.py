"""Comparison of an audit's replicas, and of the records that it calls lost, with the recorded truth.

The truth is in the manifest of a recording with traffic: the znodes' versions, the leaders' answers to requests for
their high watermarks, the records acknowledged to producers, and the contents of the disks at the end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..timeline import Lost, ReplicaRow
from .clock import milliseconds
from .compare import LineTimes, Version, state_versions

KINDS = {
    "leader": "leaders of an epoch",
    "isr": "ISRs of a version",
    "start": "offsets at which a leader's epoch begins",
    "high_watermark": "high watermarks, against the answers and acknowledgements before and after",
    "log_end": "log ends, against the disks",
}
"""Checks of a row."""
Partition = tuple[str, int]


@dataclass(frozen=True)
class LossComparison:
    """Acknowledged offsets that are gone, compared with those that the audit calls lost."""

    shown: int
    """Number of lost acknowledged offsets that the audit names."""
    not_shown: int
    """Number of those that it does not name, of acks=all only, which Kafka promised to keep."""
    not_acknowledged: int
    """Number of offsets that the audit names and that were never acknowledged."""
    wrong: tuple[Lost, ...]
    """Claims with offsets that were acknowledged and are still there."""


@dataclass(frozen=True)
class ReplicaComparison:
    """The number of right values, by KINDS, and the wrong rows, each with the expected value."""

    right: Mapping[str, int]
    wrong: tuple[tuple[ReplicaRow, str], ...]


def compare_replicas(
    manifest: Mapping[str, Any],
    rows: Iterable[ReplicaRow],
    logs: Path | None = None,
    versions: Sequence[Version] | None = None,
) -> ReplicaComparison:
    """Check each row against the manifest.

    Args:
        logs: the recording's folder, where lines have times.
        versions: versions of partitions, in order; by default the manifest's, which has them in ZooKeeper mode.
    """
    truth = _Expected(manifest, state_versions(manifest) if versions is None else versions)
    times = LineTimes(logs)
    right: Counter[str] = Counter()
    wrong = []
    for row in rows:
        for kind, expected in truth.of(row, times.time(row.place)):
            right[kind] += expected is None
            if expected is not None:
                wrong.append((row, expected))
    return ReplicaComparison({kind: right[kind] for kind in KINDS}, tuple(wrong))


@dataclass(frozen=True)
class _Reign:
    """A leader's time in one leader epoch, by the znode: from `since` up to `until` (ms, exclusive)."""

    leader: int
    leader_epoch: int
    since: int
    until: float


class _Expected:
    """The values that a manifest has for each partition."""

    def __init__(self, manifest: Mapping[str, Any], versions: Iterable[Version]) -> None:
        self._versions: dict[Partition, list[Version]] = defaultdict(list)
        for version in versions:
            self._versions[version.topic, version.partition].append(version)
        self._replicas = _by_partition(manifest["replicas"])
        self._watermarks = _by_partition(manifest["watermarks"])
        self._acknowledged = _by_partition(row for row in manifest["acknowledged"] if row["acks"] == "all")
        self._ends = _by_partition([*manifest["replicas"], *manifest["acknowledged"]])
        self._began: dict[tuple[str, int, int, int], int] = {}
        """Topic, partition, broker and leader epoch -> the time (ms) at which the broker's log first shows that it
        leads in it."""

    def of(self, row: ReplicaRow, time: int | None) -> Iterator[tuple[str, str | None]]:
        """Yield the checks of the row: a key of KINDS, and the expected value, None if the row is right."""
        if time is None:
            return
        versions = self._versions[row.topic, row.partition]
        created = max((each.created for each in versions if each.time <= time), default=0)
        own = [each for each in versions if each.created == created]
        yield from self._state(row, own)
        if versions and created < versions[-1].created:
            return  # the disks at the end, and the producers, know the last creation only
        yield from self._start(row, time)
        yield from self._high_watermark(row, time, own)
        if row.log_end is not None:
            most = self._most(row)
            yield "log_end", None if row.log_end <= most else f"a log end of at most {most}"

    def _state(self, row: ReplicaRow, versions: Sequence[Version]) -> Iterator[tuple[str, str | None]]:
        if row.leader is not None and row.leader_epoch is not None:
            leaders = {each.leader for each in versions if each.leader_epoch == row.leader_epoch}
            named = " or ".join(map(str, sorted(leaders))) or "nobody"
            yield "leader", None if row.leader in leaders else f"leader {named} in leader epoch {row.leader_epoch}"
        if row.isr is not None and row.partition_epoch is not None:
            isrs = [set(each.isr) for each in versions if each.version == row.partition_epoch]
            right = set(row.isr) in isrs
            yield "isr", None if right else f"ISR {isrs[0] if isrs else 'of none'} in version {row.partition_epoch}"

    def _start(self, row: ReplicaRow, time: int) -> Iterator[tuple[str, str | None]]:
        """Check the first offset of an epoch, if a log has records of it. A leader that starts again within its epoch
        prints the end of its log."""
        if row.leader != row.broker or row.leader_epoch is None or row.log_end is None:
            return
        again = self._began.setdefault((row.topic, row.partition, row.broker, row.leader_epoch), time) < time
        for replica in self._replicas[row.topic, row.partition]:
            for epoch, first, _ in replica["batches"]:
                if epoch == row.leader_epoch:
                    right = first == row.log_end or (again and first < row.log_end)
                    yield "start", None if right else f"epoch {epoch} from offset {first}"
                    return

    def _high_watermark(
        self, row: ReplicaRow, time: int, versions: Sequence[Version]
    ) -> Iterator[tuple[str, str | None]]:
        """Check a leader's high watermark: it is between the answers before and after it in the same epoch, and not
        below the acknowledged records. A request from before the broker knew that it leads may have been answered by
        the previous leader."""
        if row.high_watermark is None:
            return
        key, least, most = (row.topic, row.partition), 0, self._most(row)
        reign = _reign(versions, time)
        leads = reign is not None and reign.leader == row.broker and row.log_end is not None
        if reign is not None and leads and row.leader_epoch in (None, reign.leader_epoch):
            least = self._acknowledged_before(key, time, reign)
            asked = [each for each in self._watermarks[key] if reign.since <= milliseconds(each["asked"])]
            answered = [each for each in asked if milliseconds(each["answered"]) < reign.until]
            began = self._began.get((*key, row.broker, reign.leader_epoch), time)
            own = [each for each in answered if began <= milliseconds(each["asked"])]
            before = [each["high_watermark"] for each in own if milliseconds(each["answered"]) < time]
            after = [each["high_watermark"] for each in answered if time < milliseconds(each["asked"])]
            least, most = max([least, *before]), min([most, *after])
        right = least <= row.high_watermark <= most
        yield "high_watermark", None if right else f"a high watermark from {least} to {most}"

    def _acknowledged_before(self, key: Partition, time: int, reign: _Reign) -> int:
        """Return the end of the acknowledged records of this leader's epoch; 0 if no log has records of it."""
        epochs = [batch for replica in self._replicas[key] for batch in replica["batches"]]
        first = min((first for epoch, first, _ in epochs if epoch == reign.leader_epoch), default=None)
        own = [each for each in self._acknowledged[key] if first is not None and first <= each["from"]]
        return max((each["to"] for each in own if reign.since <= milliseconds(each["time"]) < time), default=0)

    def _most(self, row: ReplicaRow) -> int:
        """Return the largest log end that any replica is known to have had."""
        ends = self._ends[row.topic, row.partition]
        return max((each.get("log_end", each.get("to")) for each in ends), default=0)


def _by_partition(rows: Iterable[Mapping[str, Any]]) -> dict[Partition, list[Mapping[str, Any]]]:
    found: dict[Partition, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["topic"], row["partition"]].append(row)
    return found


def _reign(versions: Sequence[Version], time: int) -> _Reign | None:
    """Return the leader at that time, with the beginning and the end of its reign in that epoch."""
    at = bisect_right([each.time for each in versions], time) - 1
    if at < 0:
        return None
    now = versions[at]
    same = [each for each in versions if (each.leader, each.leader_epoch) == (now.leader, now.leader_epoch)]
    later = [each.time for each in versions if each.zxid > same[-1].zxid]
    return _Reign(now.leader, now.leader_epoch, same[0].time, min(later, default=float("inf")))


def compare_lost(manifest: Mapping[str, Any], claimed: Iterable[Lost]) -> LossComparison:
    """Compare the offsets that an audit calls lost with those that are."""
    acknowledged, lost = _offsets(manifest["acknowledged"]), _offsets(manifest["lost"])
    promised = _offsets(row for row in manifest["lost"] if row["acks"] == "all")
    claimed = list(claimed)
    named = {(each.topic, each.partition, offset): each for each in claimed for offset in range(each.start, each.end)}
    there = {offset for offset in named if offset in acknowledged and offset not in lost}
    return LossComparison(
        shown=len(named.keys() & lost),
        not_shown=len(promised - named.keys()),
        not_acknowledged=len(named.keys() - acknowledged),
        wrong=tuple(each for each in claimed if any(named[offset] == each for offset in there)),
    )


def _offsets(rows: Iterable[Mapping[str, Any]]) -> set[tuple[str, int, int]]:
    return {(row["topic"], row["partition"], offset) for row in rows for offset in range(row["from"], row["to"])}
