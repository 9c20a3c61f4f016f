"""Partitions that were offline or under-replicated, as the state of the cluster has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..findings.happened import Happened
from ..findings.state import OVER, Condition
from ..observe.controller.conditions import OFFLINE
from .in_words import listed


def conditions(found: Iterable[Condition]) -> Iterator[Happened]:
    """Yield the spells of partitions."""
    for each in found:
        yield Happened(
            each.condition,
            since=each.since,
            until=each.until,
            lasts=each.end != OVER,
            topic=each.topic,
            partition=each.partition,
            reason=_who_must_return(each) if each.condition == OFFLINE else _lacking(each),
            places=(each.place,),
        )


def _who_must_return(each: Condition) -> str | None:
    """Return which brokers may lead when they return."""
    if not each.isr:
        return None
    who = f"broker {each.isr[0]}" if len(each.isr) == 1 else f"one of brokers {listed(each.isr)}"
    others = sorted({*(each.replicas or ())} - {*each.isr})
    rest = f"; {listed(others)} may lead only by unclean election" if others else ""
    return f"{who} must come back: the ISR is {listed(each.isr)}{rest}"


def _lacking(each: Condition) -> str | None:
    if each.isr is None or each.replicas is None:
        return None
    return f"ISR {listed(each.isr)} of {listed(each.replicas)}"
