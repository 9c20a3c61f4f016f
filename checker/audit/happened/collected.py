"""All that happened to each cluster, from everything that was read; then, with its reasons, as a report shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..files.file import LogFile
from ..findings.brokers import BrokerTimeline
from ..findings.metadata import MetadataLog
from ..findings.state import ClusterState
from ..table.protocol import Row
from .controllers import generated, tenures
from .happened import Happened, alike_once, judged, shown, so_far
from .leaders import spells
from .moments import said
from .once import once
from .partitions import conditions
from .processes import lost, processes
from .quorum import quorum
from .records import of_log
from .writers import Writers


def collected(
    rows: Sequence[Row],
    quorum_lines: Sequence[Row],
    files: Mapping[int, LogFile],
    states: Mapping[int, ClusterState],
    brokers: Mapping[int, BrokerTimeline],
    logs: Sequence[MetadataLog],
    led: Iterable[Row] = (),
) -> Mapping[int, Sequence[Happened]]:
    """Return by cluster what happened to it, one by one and without the reasons that lines print.

    Args:
        rows: the rows of the first look.
        quorum_lines: nodes' lines about the quorum.
        led: the rows of `leaders.led`.
    """
    writers = Writers.of_rows([*rows, *({"kind": "quorum"} | row for row in quorum_lines)], files)
    made: dict[int, list[Happened]] = defaultdict(list)
    seen = {log.cluster for log in logs} | {cluster for cluster, each in brokers.items() if each.tenures}
    for source in (
        spells(led, files, seen),
        said(rows, files, writers),
        processes(rows, files, writers),
        quorum(quorum_lines, files),
        generated(rows, files),
    ):
        for cluster, each in source:
            made[cluster].append(each)
    for own in made.values():
        own += [*lost(own)]
    for cluster, state in states.items():
        made[cluster] += conditions(state.conditions)
    for cluster, timeline in brokers.items():
        made[cluster] += tenures(timeline.tenures)
    ends = _ends(files.values())
    found = {cluster: [so_far(each, ends.get(cluster)) for each in own] for cluster, own in made.items()}
    for cluster in sorted({log.cluster for log in logs}):
        its = [log for log in logs if log.cluster == cluster]
        recorded = [so_far(each, log.course.ends) for log in its for each in of_log(log)]
        found[cluster] = once(found.get(cluster, []), recorded, its)
    return found


def _ends(files: Iterable[LogFile]) -> dict[int, int]:
    """Return the last time of each cluster's lines."""
    found: dict[int, int] = {}
    for file in files:
        if file.youngest is not None:
            found[file.cluster] = max(found.get(file.cluster, file.youngest), file.youngest)
    return found


def as_shown(entries: Iterable[Happened]) -> tuple[Happened, ...]:
    """Return the entries of a cluster as a report shows them: alike ones as one, trouble marked, in order of time."""
    return shown(judged(alike_once(judged(entries))))


def health(entries: Sequence[Happened], *, read: bool) -> str:
    """Return `troubled` if anything is trouble; `unknown` if no line or record says how the cluster was."""
    if any(each.trouble for each in entries):
        return "troubled"
    return "ok" if read else "unknown"
