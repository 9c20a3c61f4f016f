"""Compares what an audit made of a metadata log with Kafka's own dump of it, and with what an admin client saw.

The truth is a recording: the dump of each node's copy, folded by Kafka's rule (dump.py), and timeline.jsonl. Each
version of a partition is *shown* by the audit's timeline, *hidden* (not committed) or *unexplained*; a row that says
something else is *wrong*.
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
"""An answer may be so old: a broker that was paused, or cannot reach the controllers, answers what it knew."""


class _Key(NamedTuple):
    topic: str
    partition: int
    offset: int
    epoch: int


@dataclass(frozen=True)
class AdminComparison:
    """What the admin client saw: how many answers the audit agrees with (states of partitions, leaders of the quorum
    with its high watermark), and those it does not, each with what the audit has. `earlier`: how many states of
    partitions may be of a time that no record is left of, as the log begins with a snapshot."""

    partitions: int
    quorum: int
    wrong: tuple[tuple[str, str], ...]
    earlier: int = 0


def versions(recording: Path) -> list[Version]:
    """Every version of every partition that any node's copy has, in the order of offsets.

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
    """Classes every version of the dump, and every row of the timeline that is a record's.

    Rows of lines of text, of before a migration, are left out. One of a snapshot is held against the version with its
    partition epoch, if the dump has it, and shows none.

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
    """Holds each answer that the admin client got against what the audit says of that time.

    Args:
        timeline: the rows of the audit.
        logs: `metadata` of the audit's JSON: who led each raft epoch, where records begin, and up to where they are
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
    """Whether an answer may show the state before the first change of the partition that the log has."""
    topic, number, *_ = word.split(":")
    rows = states.get((topic, int(number)))
    return not rows or (time - STALE_SECONDS) * 1000 <= (rows[0].ts or 0)


def _answers(recording: Path) -> Iterable[tuple[float, str, str]]:
    """Time in seconds since 1970, kind and text of each answer; none of what was refused, or nobody answered."""
    for line in (recording / "timeline.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] in ("quorum", "partitions") and not str(row.get("answer", "error")).startswith("error"):
            yield row["t"], row["kind"], row["answer"]


def _quorum(answer: str, leaders: Mapping[int, int], committed: int) -> str | None:
    """None if the audit agrees with a leader, its epoch and a high watermark; else what it has."""
    leader, epoch, high_watermark = map(int, answer.split())
    if leader not in (-1, leaders.get(epoch)):
        return f"epoch {epoch} led by {leaders.get(epoch, 'nobody')}"
    return None if high_watermark <= committed else f"records committed before {committed} only"


def _partition(word: str, time: float, states: Mapping[tuple[str, int], Sequence[TimelineRow]]) -> str | None:
    """None if the partition was in the state within the time in which an answer may be stale; else what it was in."""
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
