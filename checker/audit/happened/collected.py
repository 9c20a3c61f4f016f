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
from .happened import Happened, alike_once, judged, shown
from .moments import said
from .partitions import conditions
from .processes import processes
from .quorum import quorum
from .registrations import fencings
from .settled import settled
from .vanished import vanished
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
    found: dict[int, list[Happened]] = defaultdict(list)
    for source in (
        said(rows, files, writers),
        processes(rows, files, writers),
        quorum(quorum_lines, files),
        generated(rows, files),
        vanished(rows, files, writers, logs),
    ):
        for cluster, each in source:
            found[cluster].append(each)
    for cluster, own in found.items():
        found[cluster] = settled(own, rows, files)
    for cluster, state in states.items():
        found[cluster] += conditions(state.conditions)
    for cluster, timeline in brokers.items():
        found[cluster] += tenures(timeline.tenures)
    for log in logs:
        found[log.cluster] += [*conditions(log.conditions), *reigns(log), *fencings(log)]
    return found


def as_shown(entries: Iterable[Happened]) -> tuple[Happened, ...]:
    """Return the entries of a cluster as a report shows them: alike ones as one, trouble marked, in order of time."""
    return shown(judged(alike_once(judged(entries))))


def health(entries: Sequence[Happened], *, read: bool) -> str:
    """Return `troubled` if anything is trouble; `unknown` if no line or record says how the cluster was."""
    if any(each.trouble for each in entries):
        return "troubled"
    return "ok" if read else "unknown"
