"""Comparison of an audit of a metadata log with Kafka's own dump of it, and with the answers to an admin client.

The truth is a recording: the dump of each node's copy, folded by Kafka's rule (dump.py), and timeline.jsonl. Each
version of a partition is *shown* by the audit's timeline, *hidden* (not committed) or *unexplained*; a row with other
values is *wrong*.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...metadata.files import snapshot_end
from ...timeline import TimelineRow
from ..compare import Comparison, Version
from ..errors import RecordingError
from .dump import histories

STALE_SECONDS = 20.0
"""Largest age of an answer: a broker that was paused, or cannot reach the controllers, answers with what it knew."""


class _Key(NamedTuple):
    topic: str
    partition: int
    offset: int
    epoch: int


@dataclass(frozen=True)
class AdminComparison:
    """Comparison of the audit with the answers to the admin client."""

    partitions: int
    """Number of states of partitions with which the audit agrees."""
    quorum: int
    """Number of answers about the quorum (leader and high watermark) with which the audit agrees."""
    wrong: tuple[tuple[str, str], ...]
    """Answers with which it does not agree, each with the audit's value."""
    earlier: int = 0
    """Number of states of partitions that may be from a time without records, because the log begins with a
    snapshot."""


def versions(recording: Path) -> list[Version]:
    """Return every version of every partition in any node's copy, in the order of offsets.

    Raises:
        RecordingError: the recording has no dump.
    """
    found = {_key(each): each for own in _copies(recording).values() for each in own}
    return sorted(found.values(), key=lambda each: (each.zxid, each.controller_epoch, each.topic, each.partition))


def _copies(recording: Path) -> dict[str, list[Version]]:
    found = histories(recording)
    if not found:
        raise RecordingError(f"{recording} has no dump of a metadata log: expected node-N/metadata.dump.xz")
    return found


def compare(recording: Path, manifest: Mapping[str, Any], timeline: Iterable[TimelineRow]) -> Comparison:
    """Classify every version of the dump, and check every row of the timeline that is a record's.

    Rows of text lines, from before a migration, are left out. A row of a snapshot is compared with the version with its
    partition epoch, if the dump has one, and shows none.

    Raises:
        RecordingError: the recording has no dump.
    """
    copies = _copies(recording)
    truth = {_key(each): each for own in copies.values() for each in own}
    by_epoch = {(each.topic, each.partition, each.version): each for each in truth.values()}
    shown: set[_Key] = set()
    wrong = []
    for row in timeline:
        if row.place.offset is None:
            continue
        if snapshot_end(row.place.file) is not None:
            then = by_epoch.get((row.topic, row.partition, row.partition_epoch or 0))
            if then is not None and not then.agrees(row, then.controller_epoch):
                wrong.append((row, _expected(then)))
            continue
        key = _Key(row.topic, row.partition, row.place.offset, row.controller_epoch or 0)
        version = truth.get(key)
        if version is None or not version.agrees(row, key.epoch):
            wrong.append((row, _expected(version)))
        else:
            shown.add(key)
    held = Counter(_key(each) for node in manifest["controllers"] for each in copies.get(f"node-{node}", ()))
    missing = [(each, key) for key, each in truth.items() if key not in shown]
    committed = {key for _, key in missing if 2 * held[key] > len(manifest["controllers"])}
    return Comparison(
        shown=tuple(each for key, each in truth.items() if key in shown),
        hidden=tuple((each, "uncommitted") for each, key in missing if key not in committed),
        unexplained=tuple(each for each, key in missing if key in committed),
        wrong=tuple(wrong),
    )


def _key(version: Version) -> _Key:
    return _Key(version.topic, version.partition, version.zxid, version.controller_epoch)


def _expected(version: Version | None) -> str:
    if version is None:
        return "no change of this partition by that record"
    return (
        f"partition epoch {version.version}: leader {version.leader}, isr {list(version.isr)}, "
        f"leader epoch {version.leader_epoch}"
    )


def compare_admin(
    recording: Path, timeline: Iterable[TimelineRow], logs: Sequence[Mapping[str, Any]]
) -> AdminComparison:
    """Compare each answer to the admin client with the audit at that time.

    Args:
        timeline: the rows of the audit.
        logs: `metadata` of the audit's JSON: the leader of each raft epoch, where records begin, and up to where they
            are
            committed.
    """
    states: dict[tuple[str, int], list[TimelineRow]] = {}
    for row in timeline:
        if row.place.offset is not None:
            states.setdefault((row.topic, row.partition), []).append(row)
    leaders = {int(epoch): leader for log in logs for epoch, leader in log["leaders"].items()}
    committed = max((log["committed"] for log in logs), default=0)
    cut = any(log["begins"] > 0 for log in logs)
    right: Counter[str] = Counter()
    wrong: list[tuple[str, str]] = []
    earlier = 0
    for time, kind, answer in _answers(recording):
        for word in [answer] if kind == "quorum" else answer.split():
            difference = _quorum(word, leaders, committed) if kind == "quorum" else _partition(word, time, states)
            right[kind] += difference is None
            if difference is None:
                continue
            if cut and kind == "partitions" and _is_earlier(word, time, states):
                earlier += 1
            else:
                wrong.append((f"{kind} at {time:.3f}: {word}", difference))
    return AdminComparison(right["partitions"], right["quorum"], tuple(wrong), earlier)


def _is_earlier(word: str, time: float, states: Mapping[tuple[str, int], Sequence[TimelineRow]]) -> bool:
    """Return True if an answer may show the state before the first change of the partition in the log."""
    topic, number, *_ = word.split(":")
    rows = states.get((topic, int(number)))
    return not rows or (time - STALE_SECONDS) * 1000 <= (rows[0].ts or 0)


def _answers(recording: Path) -> Iterable[tuple[float, str, str]]:
    """Yield time in seconds since 1970, kind and text of each answer, without refused and unanswered requests."""
    for line in (recording / "timeline.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] in ("quorum", "partitions") and not str(row.get("answer", "error")).startswith("error"):
            yield row["t"], row["kind"], row["answer"]


def _quorum(answer: str, leaders: Mapping[int, int], committed: int) -> str | None:
    """Return None if the audit agrees with a leader, its epoch and a high watermark; else the audit's values."""
    leader, epoch, high_watermark = map(int, answer.split())
    if leader not in (-1, leaders.get(epoch)):
        return f"epoch {epoch} led by {leaders.get(epoch, 'nobody')}"
    return None if high_watermark <= committed else f"records committed before {committed} only"


def _partition(word: str, time: float, states: Mapping[tuple[str, int], Sequence[TimelineRow]]) -> str | None:
    """Return None if the partition was in the state within the time in which an answer may be stale; else its state
    then."""
    topic, number, leader, isr, _ = word.split(":")
    rows = states.get((topic, int(number)), [])
    ends = (*((later.ts or 0) for later in rows[1:]), float("inf"))
    then = [
        row
        for row, end in zip(rows, ends, strict=False)
        if (row.ts or 0) <= time * 1000 and (time - STALE_SECONDS) * 1000 <= end
    ]
    seen = int(leader), sorted(int(each) for each in isr.split(",") if each)
    if seen in [(row.leader, sorted(row.isr or ())) for row in then]:
        return None
    return " or ".join(f"leader {row.leader}, isr {list(row.isr or ())}" for row in then) or "no such partition"
