"""Comparison of what happened according to an audit with what the recorder did, and what the cluster stored.

The truth is a recording: the recorder's actions (kills, stops, starts), and the history of partitions and controllers
in ZooKeeper, or in Kafka's own dump of the metadata log (kraft/compare_happened.py). The claim is `happened` of an
audit's JSON, which has one entry for what happened several times to one subject: its count, its first and last time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from .clock import milliseconds
from .compare import Comparison, Version, state_versions

KINDS: Mapping[str, str] = {
    "starts": "process-started",
    "stops": "process-stopped",
    "kills": "process-lost",
    "failovers": "controller-active",
    "elections": "unclean-election",
    "shrinks": "isr-shrunk",
    "offline spells": "offline",
}
"""All that is compared, and its name in the audit's vocabulary."""
_OF_PROCESSES = ("starts", "stops", "kills")
SLOW = 60_000
"""Milliseconds within which a process prints the first line of its start, or the last of its end."""
WRITTEN = 2_000
"""Milliseconds between a write to ZooKeeper and the line about it."""
SERVER_LOG = ("server.log", "server.log.gz")
Subject = tuple[Any, ...]
"""A node's id, or a topic and the number of a partition; empty where the truth does not name a controller."""


@dataclass(frozen=True)
class Fact:
    """Something that really happened."""

    kind: str
    """One of KINDS."""
    subject: Subject
    first: int
    """The earliest time, in milliseconds since 1970, at which a line or record may show it."""
    last: int
    """The latest such time."""
    until: tuple[int, int] | None = None
    """For a spell, the earliest and latest time of its end; None: it did not end, or it is a moment."""
    hidden: str | None = None
    """The reason why no line may show it; None: one must."""


@dataclass(frozen=True)
class Entry:
    """An audit's word on one subject: how often, the first and the last time."""

    count: int
    since: int | None
    until: int | None
    lasts: bool

    def begins(self, before: int) -> bool:
        return self.since is not None and self.since < before


@dataclass(frozen=True)
class HappenedComparison:
    """The entries of each kind, held against the facts."""

    right: Mapping[str, int]
    """By kind, the number of facts that the audit has."""
    hidden: Mapping[str, int]
    """By kind, the number of those that it lacks, and no line shows."""
    wrong: tuple[str, ...]
    """Entries, or parts of their counts, that are no fact; entries whose first or last time is not that of a fact."""
    missed: tuple[str, ...]
    """Facts that the audit should have."""


@dataclass
class _Found:
    right: Counter[str] = field(default_factory=Counter)
    hidden: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def compare_happened(
    facts: Iterable[Fact], happened: Iterable[Mapping[str, Any]], begins: int | None = None
) -> HappenedComparison:
    """Hold each entry of `happened` against the facts about its subject, and each fact against the entries.

    Args:
        begins: the time from which the truth has partitions and controllers: what began before is not compared.
    """
    by_subject: dict[tuple[str, Subject], list[Fact]] = defaultdict(list)
    for fact in facts:
        by_subject[fact.kind, fact.subject].append(fact)
    entries = _entries(happened, {kind for kind, subject in by_subject if not subject})
    earlier = {key for key, entry in entries.items() if begins and key[0] not in _OF_PROCESSES and entry.begins(begins)}
    by_subject = {key: own for key, own in by_subject.items() if key not in earlier}
    entries = {key: entry for key, entry in entries.items() if key not in earlier}
    found = _Found()
    for kind, subject in sorted({*by_subject, *entries}, key=str):
        own = sorted(by_subject.get((kind, subject), []), key=lambda fact: fact.first)
        _compare(kind, subject, own, entries.get((kind, subject)), found)
    return HappenedComparison(
        {kind: found.right[kind] for kind in KINDS},
        {kind: found.hidden[kind] for kind in KINDS},
        tuple(found.wrong),
        tuple(found.missed),
    )


def _compare(kind: str, subject: Subject, facts: Sequence[Fact], entry: Entry | None, found: _Found) -> None:
    name = f"{kind} of {'-'.join(map(str, subject))}"
    due = sum(fact.hidden is None for fact in facts)
    count = 0 if entry is None else entry.count
    found.right[kind] += min(count, len(facts))
    found.hidden[kind] += max(len(facts) - max(count, due), 0)
    if count > len(facts):
        found.wrong.append(f"{name}: {count}, not {len(facts)}")
    if count < due:
        found.missed.append(f"{name}: {count}, not {due}")
    if entry is None or not facts:
        return
    if entry.since is not None and not any(fact.first <= entry.since <= fact.last for fact in facts):
        found.wrong.append(f"{name}: the first at {entry.since}, which is none of {[each.first for each in facts]}")
    ends = [fact.until or (fact.first, fact.last) for fact in facts]
    if entry.until is not None and not any(first <= entry.until <= last for first, last in ends):
        found.wrong.append(f"{name}: the last until {entry.until}, which is none of {[first for first, _ in ends]}")
    if kind == "offline spells" and entry.lasts and facts[-1].until is not None:
        found.wrong.append(f"{name}: to the end of the log, not until {facts[-1].until[0]}")


def _entries(happened: Iterable[Mapping[str, Any]], unnamed: Collection[str]) -> dict[tuple[str, Subject], Entry]:
    """Return what the audit says by kind and subject, of `unnamed` kinds of all subjects together."""
    kinds = {what: kind for kind, what in KINDS.items()}
    several: dict[tuple[str, Subject], list[Mapping[str, Any]]] = defaultdict(list)
    for row in happened:
        if row["what"] in kinds:
            kind = kinds[row["what"]]
            subject: Subject = (row["topic"], row["partition"]) if "partition" in row else (row.get("node"),)
            several[kind, () if kind in unnamed else subject].append(row)
    return {key: _entry(rows) for key, rows in several.items()}


def _entry(rows: Sequence[Mapping[str, Any]]) -> Entry:
    since = [row["since"] for row in rows if row.get("since") is not None]
    until = [row["until"] for row in rows if row.get("until") is not None]
    lasts = any("until" in row and row["until"] is None for row in rows)
    return Entry(
        sum(row["count"] for row in rows),
        min(since, default=None),
        None if lasts else max(until, default=None),
        lasts,
    )


# ---- The recorder's actions


Action = tuple[int, str, int]
"""The time of an action in milliseconds, its kind, and the node."""


def processes(actions: Sequence[Action], logged: Iterable[int]) -> Iterator[Fact]:
    """Yield starts, stops and kills of the nodes that have a log of their process.

    Args:
        actions: starts, kills, and terms, in order; `logged`: those nodes.
    """
    ends = max((time for time, *_ in actions), default=0) + SLOW
    for node in sorted(logged):
        own = [(time, did) for time, did, who in actions if who == node]
        for (time, did), after in zip(own, [*own[1:], None], strict=False):
            follows = ends if after is None else after[0] + SLOW
            if did == "start":
                yield Fact("starts", (node,), time, min(time + SLOW, follows))
            elif did == "term":
                yield Fact("stops", (node,), time, min(time + SLOW, follows))
            elif did == "kill":
                again = None if after is None else (time, after[0] + SLOW)
                yield Fact("kills", (node,), 0, follows, again, None if again else "nothing starts after it")


def logged(recording: Path, prefix: str, nodes: Iterable[int]) -> list[int]:
    """Return the nodes whose folder has a server.log."""
    return [node for node in nodes if any((recording / f"{prefix}-{node}" / name).exists() for name in SERVER_LOG)]


# ---- ZooKeeper


_DID = {"start": "start", "kill": "kill", "terminate": "term"}


def zookeeper_facts(recording: Path, manifest: Mapping[str, Any], found: Comparison) -> list[Fact]:
    """Return the facts of a recording with ZooKeeper.

    Args:
        found: what the audit's timeline shows of the znodes: what it hides, no entry can have.
    """
    actions = [
        (milliseconds(row["time"]), _DID[row["did"]], row["broker"])
        for row in manifest["timeline"]
        if row["did"] in _DID
    ]
    brokers = logged(recording, "broker", map(int, manifest.get("brokers", ())))
    return [
        *processes(actions, brokers),
        *_tenures(manifest),
        *_of_partitions(state_versions(manifest), {version for version, _ in found.hidden}, brokers, manifest),
    ]


def _tenures(manifest: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield each controller that raised the epoch; one that was gone before it wrote a line is hidden."""
    rows = [row for row in manifest["znodes"] if row["path"] == "/controller_epoch" and row["value"]]
    for row, after in zip(rows, [*rows[1:], None], strict=False):
        time = milliseconds(row["time"])
        until = None if after is None else (milliseconds(after["time"]) - WRITTEN, milliseconds(after["time"]) + SLOW)
        yield Fact("failovers", (row["by"],), time - WRITTEN, time + SLOW, until)


def _of_partitions(
    versions: Sequence[Version], hidden: set[Version], brokers: Collection[int], manifest: Mapping[str, Any]
) -> Iterator[Fact]:
    """Yield the spells without a live leader, unclean elections, and what leaders dropped from their ISRs."""
    yield from _without_live_leader(manifest, versions, hidden)
    yield from _on_failed_disks(manifest, versions)
    own: dict[tuple[str, int, int], list[Version]] = defaultdict(list)
    for version in versions:
        own[version.topic, version.partition, version.created].append(version)
    for (topic, number, _), each in own.items():
        for before, after in pairwise(each):
            same = (before.leader, before.leader_epoch) == (after.leader, after.leader_epoch)
            if {*before.isr} - {*after.isr} and same:
                unseen = None if after.leader in brokers else "its leader has no server.log"
                yield Fact("shrinks", (topic, number), after.time - WRITTEN, after.time + WRITTEN, hidden=unseen)
            elif after.leader >= 0 and after.leader not in before.isr and before.isr:
                unseen = "no row of the timeline shows it" if after in hidden else None
                yield Fact("elections", (topic, number), after.time - WRITTEN, after.time + WRITTEN, hidden=unseen)


def _without_live_leader(
    manifest: Mapping[str, Any], versions: Iterable[Version], hidden: Collection[Version]
) -> Iterator[Fact]:
    """Yield the spells in which a partition has no state, no leader, or one that is not registered.

    A controller must print those that ZooKeeper shows without a leader for a time, unless the topic is being deleted;
    it may elect another leader before it prints that the old one is gone.
    """
    written = {(each.zxid, each.topic, each.partition): each for each in versions}
    now: dict[tuple[str, int], Version | None] = {}
    live: set[int] = set()
    deleting: set[str] = set()
    begun: dict[tuple[str, int], tuple[int, Version | None]] = {}
    time = 0
    for row in manifest["znodes"]:
        time = milliseconds(row["time"])
        match row["path"].split("/")[1:]:
            case ["brokers", "ids", broker]:
                (live.discard if row["change"] == "delete" else live.add)(int(broker))
            case ["brokers", "topics", topic] if row["change"] != "delete":
                for number in row["value"]["partitions"]:
                    now.setdefault((topic, int(number)), None)
            case ["brokers", "topics", topic]:
                now = {key: version for key, version in now.items() if key[0] != topic}
            case ["admin", "delete_topics", topic]:
                (deleting.discard if row["change"] == "delete" else deleting.add)(topic)
            case ["brokers", "topics", topic, "partitions", number, "state"]:
                key = topic, int(number)
                if row["change"] == "delete":
                    now.pop(key, None)
                else:
                    now[key] = written[(row["zxid"], *key)]
        led = {key for key, version in now.items() if version is not None and version.leader in live}
        for key in [*begun]:
            if key not in now or key in led:
                yield _spell(key, *begun.pop(key), time)
        for key, version in now.items():
            if key not in led:
                first, leaderless = begun.get(key, (time, None))
                due = version is not None and version.leader < 0 and version not in hidden and key[0] not in deleting
                begun[key] = first, leaderless or (version if due else None)
    for key, each in begun.items():
        yield _spell(key, *each, None)


def _on_failed_disks(manifest: Mapping[str, Any], versions: Sequence[Version]) -> Iterator[Fact]:
    """Yield the time from a disk's failure until another broker leads what the live broker led."""
    for row in manifest["timeline"]:
        if row["did"] == "fail-disk":
            time = milliseconds(row["time"])
            for key in sorted({(each.topic, each.partition) for each in versions}):
                own = [each for each in versions if (each.topic, each.partition) == key]
                led = [each.leader for each in own if each.time <= time][-1:]
                after = next((each.time for each in own if each.time > time and each.leader != row["broker"]), None)
                if led == [row["broker"]] and after is not None:
                    unseen = "its disk may be another one"
                    ends = time, after + SLOW
                    yield Fact("offline spells", key, time - WRITTEN, after + WRITTEN, ends, unseen)


def _spell(key: tuple[str, int], first: int, leaderless: Version | None, until: int | None) -> Fact:
    """Return a spell; `leaderless` is its first version that a controller must print."""
    unseen = None
    if leaderless is None or (until is not None and until - leaderless.time < WRITTEN):
        unseen = "ZooKeeper names a leader, the topic is being deleted, or no row of the timeline shows it"
    ends = None if until is None else (first - WRITTEN, until + SLOW)
    return Fact("offline spells", key, first - WRITTEN, (until or first + SLOW) + WRITTEN, ends, unseen)


def offline(key: tuple[str, int], versions: Sequence[Version], end: int | None) -> Iterator[Fact]:
    """Yield the spells without a leader of one partition by its records, from its creation to its deletion at `end`."""
    begun: Version | None = None
    for version in versions:
        if version.leader < 0:
            begun = begun or version
        elif begun is not None:
            yield Fact("offline spells", key, begun.time, begun.time, (version.time, version.time))
            begun = None
    if begun is not None:
        yield Fact("offline spells", key, begun.time, begun.time, None if end is None else (end, end))
