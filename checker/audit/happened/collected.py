"""All that happened to each cluster, from everything that was read; then, with its reasons, as a report shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..files.file import LogFile
from ..findings.brokers import BrokerTimeline
from ..findings.metadata import MetadataLog
from ..findings.state import ClusterState
from ..table.protocol import Row
from .controllers import generated, reigns, tenures
from .elections import active, resigned, unclean
from .happened import Happened, alike_once, judged, shown
from .migration import migration
from .moments import said
from .partitions import conditions
from .processes import lost, processes
from .quorum import quorum
from .reassignments import reassignments
from .topics import topics
from .views import views
from .votes import votes
from .writers import Writers


def collected(
    rows: Sequence[Row],
    quorum_lines: Sequence[Row],
    files: Mapping[int, LogFile],
    states: Mapping[int, ClusterState],
    brokers: Mapping[int, BrokerTimeline],
    logs: Sequence[MetadataLog],
) -> Mapping[int, Sequence[Happened]]:
    """Return by cluster what happened to it, one by one and without the reasons that lines print.

    Args:
        rows: the rows of the first look.
        quorum_lines: nodes' lines about the quorum.
    """
    writers = Writers.of_rows([*rows, *({"kind": "quorum"} | row for row in quorum_lines)], files)
    known = views(quorum_lines, rows, files)
    found: dict[int, list[Happened]] = defaultdict(list)
    for source in (
        said(rows, files, writers),
        processes(rows, files, writers),
        quorum(known, rows, files),
        votes(known, quorum_lines, rows, files),
        active(quorum_lines, files, {log.cluster for log in logs}),
        topics(rows, files),
        reassignments(rows, files),
        migration(rows, files),
        unclean(rows, files),
        resigned(rows, files, writers, brokers),
        generated(rows, files),
    ):
        for cluster, each in source:
            found[cluster].append(each)
    for cluster, own in found.items():
        found[cluster] += [*lost(own)]
    for cluster, state in states.items():
        found[cluster] += conditions(state.conditions)
    for cluster, timeline in brokers.items():
        found[cluster] += tenures(timeline.tenures)
    for log in logs:
        found[log.cluster] += [*conditions(log.conditions), *reigns(log)]
    return found


def as_shown(entries: Iterable[Happened]) -> tuple[Happened, ...]:
    """Return the entries of a cluster as a report shows them: alike ones as one, trouble marked, in order of time."""
    return shown(judged(alike_once(judged(entries))))


def health(entries: Sequence[Happened], *, read: bool) -> str:
    """Return `troubled` if anything is trouble; `unknown` if no line or record says how the cluster was."""
    if any(each.trouble for each in entries):
        return "troubled"
    return "ok" if read else "unknown"
