"""Facts of a recording in KRaft mode, with which `happened` of an audit is compared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..compare_happened import Action, Fact, logged, offline, processes
from .dump import Course, State, course

_DID = ("start", "kill", "term")


def kraft_facts(recording: Path, manifest: Mapping[str, Any]) -> list[Fact]:
    """Return what the recorder did, and what the committed records of Kafka's dump say.

    Raises:
        RecordingError: the recording has no dump.
    """
    rows = map(json.loads, (recording / "timeline.jsonl").read_text(encoding="utf-8").splitlines())
    actions: list[Action] = [(round(row["t"] * 1000), row["kind"], row["node"]) for row in rows if row["kind"] in _DID]
    nodes = logged(recording, "node", {*manifest["controllers"], *manifest["brokers"]})
    return [*processes(actions, nodes), *_of_log(course(recording, manifest["controllers"]))]


def taken_over(recording: Path, manifest: Mapping[str, Any]) -> int | None:
    """Return the time from which records show partitions, where a migration from ZooKeeper was recorded."""
    if manifest["scenario"] != "migration":
        return None
    partitions = course(recording, manifest["controllers"]).partitions.values()
    return min(state.version.time for each in partitions for state in each)


def _of_log(course: Course) -> Iterator[Fact]:
    led = course.leaders
    for (time, leader), later in zip(led, [*led[1:], None], strict=False):
        who = () if leader is None else (leader,)
        yield Fact("failovers", who, time, time, None if later is None else (later[0], later[0]))
    for (topic, number, created), each in course.partitions.items():
        states = [state.version for state in each]
        yield from offline((topic, number), states, course.deleted.get((topic, created)))
        for before, after in pairwise(each):
            if not after.known_before:
                yield from _change((topic, number), before, after)


def _change(key: tuple[str, int], before: State, after: State) -> Iterator[Fact]:
    """Yield an unclean election, or members that left the ISR and are still replicas."""
    was, now = before.version, after.version
    trusted = now.leader in (*was.isr, *before.elr) and (before.recovers or not after.recovers)
    if now.leader >= 0 and now.leader != was.leader and after.recovers and not trusted:
        yield Fact("elections", key, now.time, now.time)
    elif ({*was.isr} - {*now.isr}) & {*after.replicas}:
        yield Fact("shrinks", key, now.time, now.time)
