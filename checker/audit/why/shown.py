"""A chain as text for people, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....traces.place import Place
from ..findings.happened import Happened
from ..report.happened_text import Line
from ..report.shown import plain
from .link import Chain, Explained

_OF_REPLICAS = ("isr-shrunk",)
"""Kinds whose node is the replica that it is about, which the reason names."""
CLOCKS_DIFFER = (
    "times are as each node prints them: those of two nodes are ordered only where they differ by more than 2 s"
)


def text(found: Chain, others: int, guards: Sequence[str] = ()) -> str:
    """Return a chain as sentences with their places.

    Args:
        others: the number of other entries that the question may mean.
        guards: the clauses of a model that kept a step from being taken.
    """
    lines = []
    for number, each in enumerate(found.entries):
        lines.append(f"{'' if number == 0 else 'because '}{_sentence(each.entry)}{_places(each.entry.places)}")
        if each.says:
            lines.append(f"  {plain(each.says)}{_places(each.places)}")
    lines += map(plain, guards)
    lines += [f"not known: {plain(each)}" for each in found.unknown]
    lines.append(f"cause: {_sentence(found.cause)}" if found.cause is not None else "cause: unknown")
    if len(_nodes(found)) > 1:
        lines.append(f"  ({CLOCKS_DIFFER})")
    if others:
        lines.append(f"  ({others} more; --at TIME names one)")
    return "\n".join(lines)


def json_of(found: Chain, guards: Sequence[str] = ()) -> dict[str, Any]:
    """Return a chain as JSON: the keys are fixed."""
    entries = [_json(each) for each in found.entries]
    return {
        "chain": entries,
        "cause": entries[-1] if found.cause is not None else None,
        "unknown": list(found.unknown),
        "guards": list(guards),
    }


def _json(explained: Explained) -> dict[str, Any]:
    each = explained.entry
    says = f"{_sentence(each)}; {plain(explained.says)}" if explained.says else _sentence(each)
    places = dict.fromkeys((*each.places, *explained.places))
    return {
        "what": each.what,
        "node": each.node,
        "topic": each.topic,
        "partition": each.partition,
        "since": each.since,
        "until": each.until,
        "text": says,
        "places": [_place(place) for place in places],
    }


def _place(place: Place) -> dict[str, Any]:
    return {
        name: value
        for name, value in (("file", place.file), ("line", place.line), ("part", place.part), ("offset", place.offset))
        if value is not None
    }


def _sentence(each: Happened) -> str:
    line = Line((replace(each, node=None) if each.what in _OF_REPLICAS else each,))
    return plain(f"{line.when + '  ' if line.when else ''}{line.sentence}")


def _places(places: tuple[Place, ...]) -> str:
    return "".join(f"  {plain(str(place))}" for place in dict.fromkeys(places))


def _nodes(found: Chain) -> set[str]:
    """Return the files whose times the chain compares."""
    return {each.entry.places[0].file for each in found.entries if each.entry.places}
