"""Comings and goings of nodes, as controllers and metadata records show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..findings.brokers import LiveBrokers
from ..findings.happened import Happened
from ..findings.metadata import BrokerChange, MetadataLog

EXPIRED, FENCED, STOPPED, UNREGISTERED = "session-expired", "fenced", "process-stopped", "unregistered"
_ACTIVE = "Unfenced"
_GONE = {
    "Fenced": (FENCED, "a record fences it"),
    "ControlledShutdown": (STOPPED, "a record has its request for a controlled shutdown"),
    "ShutDown": (STOPPED, "a record shuts it down"),
    "Unregistered": (UNREGISTERED, "a record unregisters it"),
}
"""The meaning of a state that an active broker gets (specs/machines/broker-registration.toml)."""
_PROCESS = ("process-started", "process-ready", "process-stopped", "process-failed", "process-lost")


@dataclass(frozen=True)
class Sign:
    """A time from which a node is away, or there again."""

    node: int
    ts: int
    gone: Happened | None
    """Its going; None: it is there."""


def of_controllers(live: Sequence[LiveBrokers]) -> Iterator[Sign]:
    """Yield the signs of ZooKeeper mode: the brokers that controllers count as alive, list by list."""
    alive: set[int] = set()
    before: LiveBrokers | None = None
    for each in live:
        now = {*each.brokers}
        for node in sorted(now - alive):
            yield Sign(node, each.ts, None)
        for node in sorted(alive - now):
            assert before is not None
            by = f"controller {each.controller} no longer counts it among the live brokers"
            if before.controller != each.controller:
                by += f", which controller {before.controller} still did"
            yield Sign(
                node, each.ts, Happened(EXPIRED, since=each.ts, node=node, reason=by, places=(each.place, before.place))
            )
        alive, before = now, each


def of_records(logs: Iterable[MetadataLog]) -> Iterator[Sign]:
    """Yield the signs of KRaft: the states of registrations. What follows the end of a registration is the same end."""
    for log in logs:
        there: dict[int, bool] = {}
        for each in log.brokers:
            if each.ts is None:
                there[each.broker] = each.state == _ACTIVE
            elif each.state == _ACTIVE:
                there[each.broker] = True
                yield Sign(each.broker, each.ts, None)
            elif each.state in _GONE and there.get(each.broker):
                there[each.broker] = False
                yield Sign(each.broker, each.ts, _gone(each, log))


def _gone(change: BrokerChange, log: MetadataLog) -> Happened:
    what, reason = _GONE[change.state]
    return Happened(
        what, since=change.ts, node=change.broker, reason=reason, places=log.course.places(change.offset, change.ts)
    )


def of_nodes(entries: Iterable[Happened]) -> frozenset[int]:
    """Return the nodes whose own lines say when their processes began or ended."""
    return frozenset(each.node for each in entries if each.what in _PROCESS and each.node is not None)
