"""Nodes that lines or records name, and whose own logs were not read, or not for the whole time: what they went through
is not known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from ....specs.lines import rows as line_rows
from ..files.file import FileFacts, LogFile
from ..findings.happened import Happened
from ..findings.metadata import MetadataLog
from ..findings.state import LAST_SHOWN, ClusterState
from ..findings.unread import Unread
from ..table.protocol import Column, Row, Table
from .writers import Writers, speakers

MEMBERS = "members"
"""The kind of a row of the look."""
_REPLICAS = "replicas"
_LISTS = ("isr", "old_isr", "brokers")
"""The columns of lines that list nodes of the cluster, beside replicas."""
_LEADER = "leader"
_IDS = ("speaker", "controller", "node", _LEADER)
"""The columns of rows that name one."""
_SIDES = ("state.change.logger", "kafka.controller.", "org.apache.kafka.controller.")
"""Loggers, or their packages, that Kafka's configuration sends to files other than server.log."""
_SOON, _HOUR = 10_000, 3_600_000
"""The milliseconds by which clocks and lines of two nodes may be apart; and the time for which a file may be kept."""
_ALIVE = ("controller-active", "quorum-led", "unfenced", "registration-refused", "vote-rejected")
"""Entries that show that their node lived then."""


@cache
def of_server_log() -> frozenset[str]:
    """Return the rows that Kafka's configuration sends to server.log."""
    return frozenset(
        name
        for name, row in line_rows().items()
        if row.loggers and not any(logger.startswith(_SIDES) for logger, _ in row.loggers) and row.file != "tools"
    )


def members(events: Table) -> list[Row]:
    """Return by file the nodes that lines print; a look at consecutive lines. Replicas include ISR and leader."""
    found: dict[int, set[int]] = defaultdict(set)
    alone = events.absent(_REPLICAS)
    for lines, column in ((events, _REPLICAS), *((alone, column) for column in _LISTS), (alone, _LEADER)):
        for row in lines.present(column).grouped(("file", column), n=Column("count")).rows():
            found[row["file"]].update((row[column],) if column == _LEADER else row[column])
    return [{"kind": MEMBERS, "file": file, "nodes": sorted(nodes)} for file, nodes in found.items()]


def unread(
    rows: Sequence[Row],
    quorum_lines: Sequence[Row],
    files: Mapping[int, LogFile],
    facts: Iterable[FileFacts],
    states: Mapping[int, ClusterState],
    logs: Sequence[MetadataLog],
    happened: Mapping[int, Sequence[Happened]],
) -> dict[int, Unread]:
    """Return by cluster what no file shows; nothing of a cluster with a server.log of which the node is not known.

    Args:
        rows: the rows of the first look.
        quorum_lines: nodes' lines about the quorum.
        facts: what was counted in each file.
        happened: by cluster what happened to it, one by one.
    """
    own = [*rows, *({"kind": "quorum"} | row for row in quorum_lines)]
    writers = Writers.of_rows(own, files)
    named_by: dict[int, set[int]] = defaultdict(set)
    for file, speaker in speakers(own):
        named_by[file].add(speaker)
    named = _named(own, files, states, logs)
    of_cluster: dict[int, list[FileFacts]] = defaultdict(list)
    for fact in facts:
        if fact.index in files and _is_of_process(fact):
            of_cluster[fact.cluster].append(fact)
    found: dict[int, Unread] = {}
    for cluster in sorted({file.cluster for file in files.values()} | {log.cluster for log in logs}):
        read: dict[int, list[LogFile]] = defaultdict(list)
        entries = happened.get(cluster, ())
        nodes = named[cluster] | {each.node for each in entries if each.node is not None and not each.moment}
        of_file = {fact.index: _writers(fact.index, named_by, writers) for fact in of_cluster[cluster]}
        if not all(of_file.values()):
            continue
        for index, who in of_file.items():
            for node in who:
                read[node].append(files[index])
        missing = tuple(sorted(nodes - read.keys()))
        found[cluster] = Unread(
            missing,
            tuple(_late(read, rows, entries)),
            tuple(_early(read, entries)),
            tuple(_open(states.get(cluster), missing)),
        )
    return found


def _writers(index: int, named: Mapping[int, set[int]], writers: Writers) -> frozenset[int]:
    only = writers.of(index)
    return frozenset(named.get(index, ())) | (frozenset() if only is None else {only})


def _is_of_process(fact: FileFacts) -> bool:
    """Return whether a file is a server.log, or may be one: nothing of it but irrelevant lines is known."""
    known = [row for row in fact.rows if row in line_rows()]
    return any(row in of_server_log() for row in known) or (not known and fact.coverage.get("irrelevant", 0) > 0)


def _named(
    rows: Iterable[Row], files: Mapping[int, LogFile], states: Mapping[int, ClusterState], logs: Sequence[MetadataLog]
) -> dict[int, set[int]]:
    """Return by cluster the nodes that lines and records name."""
    found: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        if row.get("file") in files:
            own = found[files[row["file"]].cluster]
            own.update(row.get("nodes") or row.get("replicas") or ())
            own.update(row[name] for name in _IDS if row.get(name) is not None)
    for cluster, state in states.items():
        for each in state.conditions:
            found[cluster].update((*(each.isr or ()), *(each.replicas or ())))
    for log in logs:
        found[log.cluster].update((*(each.broker for each in log.brokers), *(each.leader for each in log.reigns)))
    return defaultdict(set, {cluster: {node for node in own if node >= 0} for cluster, own in found.items()})


def _late(
    read: Mapping[int, Sequence[LogFile]], rows: Iterable[Row], entries: Sequence[Happened]
) -> Iterator[tuple[int, int]]:
    """Yield the nodes whose lines begin after they lived, and when; not where they begin with a start."""
    starts = {(row["file"], row.get("ts")) for row in rows if row.get("row") in _STARTS}
    of = {node: [own for own in several if own.oldest is not None] for node, several in read.items()}
    first = min((own.oldest or 0 for several in of.values() for own in several), default=0)
    for node, several in sorted(of.items()):
        own = min(several, key=lambda own: own.oldest or 0, default=None)
        if own is None or own.oldest is None:
            continue
        begins = own.oldest
        if any(file == own.index and ts is not None and ts - begins <= _SOON for file, ts in starts):
            continue
        lived = any(each.since is not None and each.since < begins - _SOON for each in _alive(node, several, entries))
        if lived or first // _HOUR < begins // _HOUR:
            yield node, begins


def _early(read: Mapping[int, Sequence[LogFile]], entries: Sequence[Happened]) -> Iterator[tuple[int, int]]:
    """Yield the nodes that lived after the end of their own lines, and when these end."""
    for node, several in sorted(read.items()):
        last = max((own.youngest for own in several if own.youngest is not None), default=None)
        if last is not None and any((each.since or 0) > last + _SOON for each in _alive(node, several, entries)):
            yield node, last


def _alive(node: int, own: Sequence[LogFile], entries: Iterable[Happened]) -> Iterator[Happened]:
    """Yield the entries that show that a node lived, and that are not from its own files."""
    paths = {file.path for file in own}
    for each in entries:
        if each.node == node and each.what in _ALIVE and not any(place.file in paths for place in each.places[:1]):
            yield each


def _open(state: ClusterState | None, missing: Sequence[int]) -> Iterator[tuple[str, int]]:
    for each in () if state is None else state.conditions:
        if each.end == LAST_SHOWN and each.leader in missing:
            yield each.topic, each.partition


_STARTS = ("process-starts", "broker-server-starts", "broker-server-begins", "controller-server-starts")
"""Lines with which a process begins, or soon after."""
