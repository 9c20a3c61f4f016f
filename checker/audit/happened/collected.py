"""All that happened to each cluster, from everything that was read; then, with its reasons, as a report shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..files.file import FileFacts, LogFile
from ..findings.brokers import BrokerTimeline
from ..findings.finding import Finding
from ..findings.happened import Happened, alike_once, judged, shown, so_far
from ..findings.metadata import MetadataLog
from ..findings.state import ClusterState
from ..lines import MOVED
from ..observe.narrow import EVERYTHING, Narrow
from ..table.protocol import Row
from .controllers import generated, tenures
from .cut_off import stays_leader
from .described import described
from .elections import active, resigned, unclean
from .leaders import spells
from .losses import elected_outside, losses
from .migrated_topics import kept
from .migration import migration
from .moments import MOMENT, said, together
from .once import once
from .partitions import Added, Tried, conditions
from .processes import processes
from .producer_ids import given_twice
from .quorum import quorum
from .reassignments import reassignments, targets
from .records import of_log
from .recoveries import not_recovered
from .registrations import unanswered
from .resigned import told_too_early
from .settled import settled
from .topics import topics
from .unheard import goes_on
from .vanished import vanished
from .views import views
from .votes import votes
from .writers import Writers

_MOVES = frozenset(MOVED["partition"])
"""Lines of the logger that prints elections that fail."""


def collected(
    rows: Sequence[Row],
    quorum_lines: Sequence[Row],
    files: Mapping[int, LogFile],
    states: Mapping[int, ClusterState],
    brokers: Mapping[int, BrokerTimeline],
    logs: Sequence[MetadataLog],
    led: Iterable[Row] = (),
    facts: Iterable[FileFacts] = (),
    narrow: Narrow = EVERYTHING,
    findings: Iterable[Finding] = (),
) -> Mapping[int, Sequence[Happened]]:
    """Return by cluster what happened to it, one by one and without the reasons that lines print.

    Args:
        rows: the rows of the first look.
        quorum_lines: nodes' lines about the quorum.
        led: the rows of `leaders.led`.
        facts: what was counted in each file.
    """
    findings, facts = [*findings], [*facts]
    rows = [*(row for row in rows if row.get("kind") != MOMENT), *together(rows)]
    writers = Writers.of_rows([*rows, *({"kind": "quorum"} | row for row in quorum_lines)], files)
    made: dict[int, list[Happened]] = defaultdict(list)
    seen = {log.cluster for log in logs} | {cluster for cluster, each in brokers.items() if each.tenures}
    known = views(quorum_lines, rows, files)
    for source in (
        spells(led, files, seen),
        errors(facts, files),
        losses(rows, findings, files),
        elected_outside(rows, findings, files),
        said(rows, files, writers),
        described(rows, files),
        processes(rows, files, writers),
        quorum(known, rows, files),
        stays_leader(known, rows, files, writers),
        votes(known, quorum_lines, rows, files),
        active(quorum_lines, files, {log.cluster for log in logs}),
        topics(rows, files),
        reassignments(rows, files),
        migration(rows, files),
        unanswered(rows, files, writers),
        told_too_early(quorum_lines, files),
        not_recovered(rows, files, writers),
        given_twice(rows, files, logs),
        kept(rows, files, logs),
        unclean(rows, files),
        resigned(rows, files, writers, brokers),
        generated(rows, files, facts),
        vanished(rows, files, writers, logs),
    ):
        for cluster, each in source:
            made[cluster].append(each)
    for cluster, own in made.items():
        made[cluster] = settled(own, rows, files, writers)
    for cluster, each in [*goes_on(made, rows, files, writers)]:
        made[cluster].append(each)
    moving, ends = targets(rows, files), _ends(files.values())
    printing = {fact.path for fact in facts if not _MOVES.isdisjoint(fact.rows)}
    for cluster, state in states.items():
        tried = Tried.of(made[cluster], printing, ends.get(cluster))
        made[cluster] += conditions(state.conditions, _added(state, moving.get(cluster, {})), tried)
    for cluster, timeline in brokers.items():
        made[cluster] += tenures(timeline.tenures)
    found = {cluster: [so_far(each, ends.get(cluster)) for each in own] for cluster, own in made.items()}
    for cluster in sorted({log.cluster for log in logs}):
        its = [log for log in logs if log.cluster == cluster]
        recorded = [so_far(each, log.course.ends) for log in its for each in of_log(log)]
        found[cluster] = once(found.get(cluster, []), recorded, its)
    return {cluster: sorted(asked(own, narrow), key=lambda each: each.order) for cluster, own in found.items()}


def _added(state: ClusterState, moving: Mapping[tuple[str, int], frozenset[int]]) -> Added:
    """Return the replicas that are being added to partitions: as long as the ISR is as large as the assignment will be,
    no other is missed.
    """
    sizes = {(each.topic, each.partition): len(each.isr or ()) for each in state.conditions}
    return {key: target for key, target in moving.items() if sizes.get(key, 0) >= len(target)}


def errors(facts: Iterable[FileFacts], files: Mapping[int, LogFile]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the lines of level ERROR or FATAL that nothing else here explains; a throwable may follow."""
    for fact in facts:
        if fact.index in files:
            for each in fact.errors:
                place = files[fact.index].place(each.first)
                at = fact.index, each.first
                yield (
                    fact.cluster,
                    Happened("error-logged", reason=each.template, count=each.count, places=(place,), at=at),
                )


def asked(entries: Iterable[Happened], narrow: Narrow) -> list[Happened]:
    """Return the entries that a user asks for: of a partition, those about it and its topic."""
    partition = narrow.partition
    about = [
        each
        for each in entries
        if partition is None or (each.topic == partition[0] and each.partition in (None, partition[1]))
    ]
    return [each for each in about if _in_time(each, narrow)]


def _in_time(each: Happened, narrow: Narrow) -> bool:
    until = None if each.lasts else each.until if each.until is not None else each.since
    return replace(narrow, partition=None).overlaps("", 0, each.since, until)


def _ends(files: Iterable[LogFile]) -> dict[int, int]:
    """Return the last time of each cluster's lines."""
    found: dict[int, int] = {}
    for file in files:
        if file.youngest is not None:
            found[file.cluster] = max(found.get(file.cluster, file.youngest), file.youngest)
    return found


def as_shown(entries: Iterable[Happened]) -> tuple[Happened, ...]:
    """Return the entries of a cluster as a report shows them: alike ones as one, trouble marked, in order of time."""
    return shown(judged(alike_once(entries)))


def health(entries: Sequence[Happened], *, read: bool) -> str:
    """Return `troubled` if anything is trouble; `unknown` if no line or record says how the cluster was."""
    if any(each.trouble for each in entries):
        return "troubled"
    return "ok" if read else "unknown"
