"""Partitions that were offline or under-replicated, as the state of the cluster has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..findings.happened import Happened
from ..findings.state import OVER, Condition
from ..observe.controller.conditions import OFFLINE
from .in_words import listed

Added = Mapping[tuple[str | None, int], Collection[int]]
"""The replicas that are being added to partitions at the end of a log, by topic and number."""


DELETED = "its replicas went offline as it was deleted"
NOT_TRIED = "its replicas went offline and no election was tried, as when its topic is deleted"
"""Reasons of partitions without a leader that nobody misses. A controller that loses a broker tries an election of each
partition that the broker led, and prints that it fails; of a topic that is deleted it tries none. Source:
KafkaController.onReplicasBecomeOffline, PartitionStateMachine.triggerOnlinePartitionStateChange.
"""
_SOON = 60_000
"""The milliseconds around the line that a partition lost its leader in which the controller tries an election."""
_AT_LEAST = 5_000
"""The milliseconds that a log must go on to show that none was tried."""


@dataclass(frozen=True)
class Tried:
    """The elections that controllers tried in vain, as far as their files have such lines."""

    failed: Mapping[tuple[str | None, int | None], Sequence[Happened]]
    files: Collection[str]
    """The files with lines of the state machine of partitions."""
    ends: int | None
    """The last time of all lines."""

    @staticmethod
    def of(entries: Iterable[Happened], files: Collection[str], ends: int | None) -> Tried:
        found: dict[tuple[str | None, int | None], list[Happened]] = defaultdict(list)
        for each in entries:
            if each.what == "election-failed":
                found[each.topic, each.partition].append(each)
        return Tried(found, files, ends)

    def none_for(self, spell: Condition) -> bool:
        """Return whether nobody tried to elect a leader when a partition lost its own."""
        since, until = spell.since, self.ends if spell.until is None else spell.until
        if spell.place.file not in self.files or since is None or until is None or until - since < _AT_LEAST:
            return False
        own = self.failed.get((spell.topic, spell.partition), ())
        return not any((each.since or 0) <= until and _last(each) >= since - _SOON for each in own)


def _last(each: Happened) -> int:
    return max(each.since or 0, each.until or 0)


def conditions(found: Iterable[Condition], added: Added, tried: Tried | None = None) -> Iterator[Happened]:
    """Yield the spells of partitions; one that lacks nothing but the replicas that are being added says so.

    Args:
        tried: the elections that failed; None where records show all that happened.
    """
    for each in found:
        yield Happened(
            each.condition,
            since=each.since,
            until=each.until,
            lasts=each.end != OVER,
            topic=each.topic,
            partition=each.partition,
            reason=_offline(each, tried) if each.condition == OFFLINE else _lacking(each, added),
            places=(each.place,),
        )


def _offline(each: Condition, tried: Tried | None) -> str | None:
    if tried is None or each.leader is None or each.leader >= 0 or not tried.none_for(each):
        return _who_must_return(each)
    return DELETED if each.by == "deleted" else NOT_TRIED


def _who_must_return(each: Condition) -> str | None:
    """Return which brokers may lead when they return."""
    if not each.isr:
        return None
    who = f"broker {each.isr[0]}" if len(each.isr) == 1 else f"one of brokers {listed(each.isr)}"
    others = sorted({*(each.replicas or ())} - {*each.isr})
    rest = f"; {listed(others)} may lead only by unclean election" if others else ""
    return f"{who} must come back: the ISR is {listed(each.isr)}{rest}"


def _lacking(each: Condition, added: Added) -> str | None:
    if each.isr is None or each.replicas is None:
        return None
    missing = {*each.replicas} - {*each.isr}
    if each.end != OVER and missing <= {*added.get((each.topic, each.partition), ())}:
        return f"{listed(sorted(missing))} being added to ISR {listed(each.isr)}"
    return f"ISR {listed(each.isr)} of {listed(each.replicas)}"
