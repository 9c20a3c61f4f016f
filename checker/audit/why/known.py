"""The facts about one cluster that links look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ....specs.metadata.levels import running
from ....specs.releases import in_mode
from ....traces.place import Place
from ....traces.timeline import TimelineRow
from ..findings.audited import Audited
from ..findings.brokers import LiveBrokers
from ..findings.happened import Happened
from ..findings.metadata import BrokerChange, MetadataLog
from ..findings.state import Condition
from ..sources.metadata.course import Needed
from ..sources.metadata.state import Partition as Moving
from .goings import STOPPED, UNREGISTERED, Sign, of_controllers, of_nodes, of_records
from .kraft import releases_at

CLOCKS = 2_000
"""The milliseconds by which the clocks of two nodes may differ: times that are nearer are not ordered."""

EVER = 2**62
"""A time after all that logs print, in milliseconds."""
_STOPPING = 60_000
"""The milliseconds that a broker may take from the order to stop until it is counted out."""

_NOT_YET: Mapping[str, str] = {"Fenced": "fenced", "Unregistered": "unregistered"}
"""Words for the states of a broker's registration in which it never led (specs/machines/broker-registration.toml)."""

Partition = tuple[str, int]


@dataclass(frozen=True)
class Known:
    """The facts known of a cluster: entries one by one, states of partitions, and the comings and goings of nodes."""

    entries: tuple[Happened, ...]
    """In the order of time."""
    states: Mapping[Partition, Sequence[TimelineRow]]
    """The states of each partition, in the order of its lives and epochs."""
    conditions: Mapping[tuple[str, Place], Condition]
    """The times in which partitions were offline or under-replicated, by the condition and the first place."""
    signs: Mapping[int, Sequence[Sign]]
    """The comings and goings of each node as controllers and records show them, in the order of time."""
    registrations: Mapping[int, Sequence[BrokerChange]]
    """The states of each broker by records, in the order of the log."""
    needed: Mapping[tuple[str, int, int], Needed]
    """The brokers that must come back for partitions without a leader, by topic, partition and offset."""
    wrote: frozenset[int]
    """The nodes whose own lines about their processes were read."""
    live: Sequence[LiveBrokers] = ()
    """The lists of live brokers that controllers of ZooKeeper mode print, in the order of time."""
    moving: Mapping[Partition, Moving] = field(default_factory=dict)
    """The partitions whose reassignment no record ends, as the last record has them."""
    releases: Sequence[str] = ()
    """The releases that can have written the metadata log at its end, one for each model, the newest first."""

    @staticmethod
    def of(found: Audited, cluster: int, entries: Iterable[Happened]) -> Known:
        """Return what is known of a cluster.

        Args:
            found: an audit with a timeline.
            entries: what happened to the cluster, one by one, with reasons.
        """
        own = [*entries]
        states: dict[Partition, list[TimelineRow]] = defaultdict(list)
        for row in found.timeline or ():
            if row.cluster == cluster:
                states[row.topic, row.partition].append(row)
        conditions = {(each.condition, each.place): each for each in _conditions(found, cluster)}
        signs: dict[int, list[Sign]] = defaultdict(list)
        logs = [log for log in found.metadata.logs if log.cluster == cluster]
        live = found.brokers[cluster].live if cluster in found.brokers else ()
        for sign in (*of_controllers(live), *of_records(logs)):
            signs[sign.node].append(_in_its_words(sign, own))
        for node, its in signs.items():
            signs[node] = sorted(its, key=lambda sign: sign.ts)
        registrations: dict[int, list[BrokerChange]] = defaultdict(list)
        for change in (each for log in logs for each in log.brokers):
            registrations[change.broker].append(change)
        needed = {key: value for log in logs for key, value in log.course.needed.items()}
        return Known(
            tuple(sorted(own, key=lambda each: each.order)),
            states,
            conditions,
            signs,
            registrations,
            needed,
            of_nodes(own),
            live,
            {key: value for log in logs for key, value in log.course.moving.items()},
            _releases(logs),
        )

    def about(self, node: int | None, *whats: str) -> list[Happened]:
        """Return the entries of some kinds about a node, in the order of time."""
        return [each for each in self.entries if each.node == node and each.what in whats and each.since is not None]

    def condition(self, entry: Happened) -> Condition | None:
        """Return the values that were printed while a partition was offline or under-replicated."""
        return self.conditions.get((entry.what, entry.places[0])) if entry.places else None

    def assigned(self, key: Partition) -> tuple[int, ...]:
        """Return the replicas of a partition as first printed while it was offline or under-replicated."""
        own = [each for each in self.conditions.values() if (each.topic, each.partition) == key and each.replicas]
        return min(own, key=lambda each: each.since or 0).replicas or () if own else ()

    def registered(self, node: int, ts: int = EVER) -> str:
        """Return the state of a broker's registration at a time, by default at the end (broker-registration.toml)."""
        own = [each.state for each in self.registrations.get(node, ()) if each.ts is None or each.ts <= ts]
        return own[-1] if own else "Unregistered"

    def of_kind(self, what: str) -> list[Happened]:
        return [each for each in self.entries if each.what == what and each.since is not None]

    def sign(self, node: int, ts: int) -> Sign | None:
        """Return the last sign of a node's coming or going at a time."""
        return next((each for each in reversed(self.signs.get(node, ())) if each.ts <= ts), None)

    def gone(self, node: int, ts: int = EVER) -> Happened | None:
        """Return the going of a node that was away at a time, by default at the end; None if nothing shows it."""
        sign = self.sign(node, ts)
        return sign.gone if sign is not None else self._not_yet_there(node, ts) or self._in_no_list(node, ts)

    def _not_yet_there(self, node: int, ts: int) -> Happened | None:
        """Return the last registration of a broker, or its end, if no record had unfenced it by a time."""
        own = [each for each in self.registrations.get(node, ()) if each.ts is not None and each.ts <= ts]
        what = _NOT_YET.get(own[-1].state) if own and all(each.state in _NOT_YET for each in own) else None
        if what is None:
            return None
        return Happened(what, since=own[-1].ts, node=node, reason="it had registered, and was never unfenced before")

    def listed(self, ts: int) -> LiveBrokers | None:
        """Return the last list of live brokers up to a time."""
        return next((each for each in reversed(self.live) if each.ts <= ts), None)

    def _in_no_list(self, node: int, ts: int) -> Happened | None:
        """Return the absence of a broker that no controller had counted among the live brokers up to a time."""
        lists = [each for each in self.live if each.ts <= ts]
        if not lists or any(node in each.brokers for each in lists) or node in self.registrations:
            return None
        first = lists[0]
        reason = f"controller {first.controller} did not count it among the live brokers, and no list had it before"
        return Happened(UNREGISTERED, since=first.ts, node=node, reason=reason, places=(first.place,))

    def before(self, key: Partition, at: Place | None, ts: int) -> tuple[TimelineRow | None, TimelineRow | None]:
        """Return the states of a partition before, and at, a place; where no state is there, the last up to a time."""
        rows = self.states.get(key, ())
        here = next((number for number, row in enumerate(rows) if row.place == at), None)
        if here is not None:
            return (rows[here - 1] if here else None), rows[here]
        earlier = [row for row in rows if row.ts is not None and row.ts <= ts]
        return (earlier[-1] if earlier else None), None

    def last_isr(self, key: Partition) -> TimelineRow | None:
        """Return the last state of a partition that shows its ISR."""
        return next((each for each in reversed(self.states.get(key, ())) if each.isr is not None), None)

    def after(self, key: Partition, row: TimelineRow) -> TimelineRow | None:
        """Return the next state of a partition in the same life of the cluster."""
        rows = self.states[key]
        following = rows[rows.index(row) + 1 :][:1]
        return next((each for each in following if each.life == row.life), None)

    def since(self, key: Partition, row: TimelineRow) -> TimelineRow:
        """Return the first of the states up to one that all have its ISR."""
        rows = self.states[key]
        first = rows.index(row)
        while first and rows[first - 1].isr is not None and {*(rows[first - 1].isr or ())} == {*(row.isr or ())}:
            first -= 1
        return rows[first]


def _in_its_words(sign: Sign, entries: Iterable[Happened]) -> Sign:
    """Return a sign with the node's own entry, where it asked for its shutdown and its lines say that it stops."""
    if sign.gone is None or sign.gone.what != STOPPED:
        return sign
    own = [
        each for each in entries
        if each.what == STOPPED and each.node == sign.node and each.since is not None
        and 0 <= sign.ts + CLOCKS - each.since <= _STOPPING
    ]  # fmt: skip
    return replace(sign, gone=own[-1]) if own else sign


def _releases(logs: Sequence[MetadataLog]) -> Sequence[str]:
    if not logs:
        return ()
    mask = in_mode("kraft")
    for log in logs:
        mask &= running(log.levels[-1].level) if log.levels else mask
    return releases_at(mask)


def _conditions(found: Audited, cluster: int) -> Iterable[Condition]:
    if cluster in found.states:
        yield from found.states[cluster].conditions
    for log in found.metadata.logs:
        if log.cluster == cluster:
            yield from log.conditions
