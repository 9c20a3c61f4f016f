"""The state that the logs of a cluster in ZooKeeper mode show last, or at a time, and what they do not show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ....model.cluster.cluster import CLUSTER
from ....specs.releases import RELEASES, span
from ....traces.timeline import ReplicaRow, TimelineRow
from ...audit.command import auditing
from ...audit.fields import LEADER_DURING_DELETE
from ...audit.lines import REASSIGNED, TOPIC_DELETED, VIEWS
from ...audit.options import Options
from ...audit.report.model import Report
from ...audit.sources.metadata.state import Broker, Cluster, Partition
from ...audit.table.protocol import Row, Table
from ..plan import Key

NO_REPLICAS, NO_ISR, NO_END = "its replicas", "its ISR", "the end of its reassignment"


@dataclass(frozen=True)
class ZooKeeperNow:
    """The cluster as its logs show it."""

    state: Cluster
    """The brokers that a line names, fenced where they are not alive, and the partitions of which enough is known."""
    live: frozenset[int]
    controller: int
    release: str
    """The newest release that the lines allow."""
    time: int
    """The time of the last line that shows the state of a partition, in milliseconds."""
    not_shown: Mapping[Key, str]
    """Partitions of which too little is known, with what no line shows."""


def now(paths: Sequence[str], until: str | None = None) -> ZooKeeperNow | None:
    """Return the state that logs show last, or at a time; None if no controller of ZooKeeper mode printed it.

    Raises:
        IsrproofError: the logs cannot be read.
    """
    options = Options.of(until=until, timeline=True)
    with auditing(paths, options, _silent) as found:
        (report,) = found.reports
        rows = found.given.log.over_partitions(_shown)
    if report.brokers is None or not report.brokers.live or not report.timeline:
        return None
    rows = [row for row in rows if options.until is None or row["ts"] <= options.until]
    return _of(report, rows)


def _silent(why: str) -> None:
    """Report no engine: the answer does not depend on it."""


def _shown(events: Table) -> list[Row]:
    """Return the lines that print a partition's replicas, and those that end a topic; a look."""
    views = events.of_lines(VIEWS).present("topic", "partition", "replicas", "ts")
    gone = events.of_lines(TOPIC_DELETED).present("topic", "ts")
    return [*views.select("row", "topic", "partition", "replicas", "ts").rows(), *gone.select("topic", "ts").rows()]


def _of(report: Report, rows: Iterable[Row]) -> ZooKeeperNow | None:
    assert report.timeline is not None
    assert report.brokers is not None
    replicas: dict[Key, tuple[int, bool, tuple[int, ...]]] = {}
    gone: dict[str, int] = {}
    for row in rows:
        if row.get("replicas") is None:
            gone[row["topic"]] = max(row["ts"], gone.get(row["topic"], 0))
        else:
            key = row["topic"], row["partition"]
            printed = row["ts"], row["row"] in REASSIGNED, tuple(row["replicas"])
            replicas[key] = max(printed, replicas.get(key, (0, False, ())))
    tenures = [(each.life, each.controller_epoch, each.controller) for each in report.brokers.tenures]
    release = _release(report)
    if not tenures or release is None:
        return None
    life, _, controller = max(tenures)
    last = _last(report.timeline, life)
    if not last:
        return None
    live = frozenset(report.brokers.live[-1].brokers)
    isrs = _by_leaders(report.replicas or (), last)
    state, not_shown = Cluster(), dict[Key, str]()
    for (topic, number), seen in sorted(last.items()):
        if seen.leader == LEADER_DURING_DELETE.data or gone.get(topic, -1) >= (seen.ts or 0):
            continue
        _, moves, its = replicas.get((topic, number), (0, False, ()))
        isr = isrs.get((topic, number), seen.isr)
        if moves or not its or isr is None or not {*isr} <= {*its}:
            not_shown[topic, number] = NO_END if moves else NO_ISR if isr is None else NO_REPLICAS
        else:
            state.names[topic] = state.ids[topic] = topic
            state.put(_partition(seen, its, isr), None)
    for each in {*live, *(id for one in state.all() for id in one.replicas)}:
        state.register(Broker(each, 0, "", each not in live, False, [], None))
    time = max(seen.ts or 0 for seen in last.values())
    return ZooKeeperNow(state, live, controller, release, time, not_shown)


def _last(rows: Iterable[TimelineRow], life: int) -> dict[Key, TimelineRow]:
    """Return the last state of each partition in a life of the cluster."""
    return {(row.topic, row.partition): row for row in rows if row.life == life}


def _by_leaders(rows: Iterable[ReplicaRow], last: Mapping[Key, TimelineRow]) -> dict[Key, tuple[int, ...]]:
    """Return the ISRs that leaders print and that are newer than the controller's, by the version of the state."""
    found: dict[Key, tuple[int, tuple[int, ...]]] = {}
    for row in rows:
        key = row.topic, row.partition
        seen = last.get(key)
        if seen is None or row.isr is None or row.partition_epoch is None or row.leader_epoch != seen.leader_epoch:
            continue
        if row.partition_epoch > (seen.partition_epoch if seen.partition_epoch is not None else -1):
            found[key] = max((row.partition_epoch, row.isr), found.get(key, (-1, ())))
    return {key: isr for key, (_, isr) in found.items()}


def _partition(row: TimelineRow, replicas: tuple[int, ...], isr: tuple[int, ...]) -> Partition:
    empty: tuple[int, ...] = ()
    return Partition(
        *(row.topic, row.partition, row.leader, isr, replicas, empty, empty, empty, empty, False),
        *(row.leader_epoch, row.partition_epoch or 0, ()),
    )


def _release(report: Report) -> str | None:
    """Return the newest release that all wordings allow; if there is none, that of the last ones."""
    masks = [span(each.releases) for each in report.releases]
    every = CLUSTER.releases
    for mask in masks:
        every &= mask
    allowed = every or (masks[-1] & CLUSTER.releases if masks else 0)
    return next((row.name for row in reversed(RELEASES) if row.mask & allowed), None)


def too_little(there: ZooKeeperNow) -> str:
    """Return the partitions of which too little is known, in words."""
    named = [f"{topic}-{number} ({what})" for (topic, number), what in sorted(there.not_shown.items())]
    few = f"{', '.join(named[:5])}{', ...' if len(named) > 5 else ''}"
    many = "partition" if len(named) == 1 else "partitions"
    return f"{len(named)} {many} of which these lines show too little: {few}"


def must_be_named(there: ZooKeeperNow, release: str | None) -> str:
    """Return the release whose model is asked.

    Raises:
        IsrproofError: the model has no row for the release.
    """
    if release is None:
        return there.release
    CLUSTER.release(release)
    return release
