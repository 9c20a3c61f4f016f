"""Search for a run that writes a log, with as few hidden steps as possible.

What writes nothing can happen at any time: a search for all runs has a state for each order of it. This search takes a
hidden step only where the next line cannot be written without it, and keeps few runs: those that took the fewest. Steps
of which the log shows what they made do not count. Some of these are first taken as soon as they can be, for of each
that may be taken or not there are twice as many runs. A run that it finds is a run of the model. Where it finds none,
there may be one all the same.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...traces.events.event import Event
from .lines import PlacedEvent
from .openings import openings
from .runs import Config, Hidden, May, Runs, Stream, in_turn, pending, unasked, without_controllers


class Limits(NamedTuple):
    """The limits of one search through the runs."""

    slack: int
    """The number of hidden steps more than the fewest that a run may take before a line."""
    width: int
    """The number of runs that are kept."""
    at_once: bool = False
    """A step that settles a partition (`runs.PackedStep`) is taken at once."""
    most_states: int = 3_000
    """The most states that are searched between two lines."""


FEWEST = Limits(0, 10, most_states=300)
FEW = (Limits(0, 50), Limits(1, 300))
MANY = (Limits(0, 300, most_states=30_000), Limits(2, 1_000), Limits(4, 3_000))

HARDER = 10
"""From each of the openings very few runs are kept, and more from this many of them."""

BACK, AHEAD = (8, 64, 512), 8
"""The number of lines before a hard one on which more runs are kept, and the number after it."""

Turn = tuple[PlacedEvent, Stream, bool]
"""A line, its writer, and whether it is the first of a later controller (`runs.in_turn`)."""

Note = Callable[[int], None]
"""A function that is given the number of lines that a run writes."""


def ignore(lines: int) -> None:
    """Note nothing."""


Far = Mapping[Config, int]
"""Beginnings of runs, the model's own first -> the number of lines that a run found from there writes."""

NARROWER = 8
"""One run of so many goes on where these are too few states for all runs kept to reach the next line."""


def written(
    runs: Runs, lines: Sequence[PlacedEvent], enough: int, first: May = unasked, note: Note = ignore
) -> Iterator[int]:
    """Yield the most lines, from the first on, that a run found so far writes, after each of the `EFFORTS`.

    Args:
        enough: the number of lines that is enough, if not all are found.
        first: the steps with which a run may begin, if the log does not show them (`openings`).
        note: is given the number of lines that a run writes, again and again.
    """
    turns, starts = list(in_turn(runs, lines)), [runs.initial(), *openings(runs, first)]
    far = dict.fromkeys(starts, 0)
    for effort in EFFORTS:
        for start, attempt in effort(far, runs.steps.settle):
            for search in (_goes_through,) if attempt.slack == 0 else (_goes_back, _goes_through):
                if max(far.values()) < enough:
                    far[start] = max(far[start], search(runs, start, turns, attempt, note))
        yield max(far.values())


def _fewest(far: Far, settle: bool) -> Iterator[tuple[Config, Limits]]:
    for start in far:
        yield start, FEWEST._replace(at_once=settle)


def _few(far: Far, settle: bool) -> Iterator[tuple[Config, Limits]]:
    for at_once in (True, False) if settle else (False,):
        for attempt in FEW:
            yield next(iter(far)), attempt._replace(at_once=at_once)


def _many(far: Far, settle: bool) -> Iterator[tuple[Config, Limits]]:
    for attempt in MANY:
        yield next(iter(far)), attempt


def _harder(far: Far, settle: bool) -> Iterator[tuple[Config, Limits]]:
    """Yield more attempts from the openings from which a run gets furthest."""
    for start in sorted(list(far)[1:], key=lambda each: -far[each])[:HARDER]:
        for attempt in FEW:
            yield start, attempt._replace(at_once=settle)


EFFORTS = (_fewest, _few, _many, _harder)
"""The attempts and their beginnings; attempts that find a run with less work come first."""


def _goes_through(runs: Runs, start: Config, turns: Sequence[Turn], attempt: Limits, note: Note) -> int:
    taken = {start: 0}
    for number, turn in enumerate(turns):
        note(number)
        taken = _next(runs, taken, turn, attempt)
        if not taken:
            return number
    return len(turns)


def _goes_back(runs: Runs, start: Config, turns: Sequence[Turn], attempt: Limits, note: Note) -> int:
    """Search with few runs; where none of them writes a line, go back some lines, and keep more.

    Where that is not enough it goes back farther. A search that has gone back so often that all lines were read twice
    keeps more from there on: the cost stays linear in lines.
    """
    few = attempt._replace(slack=0, width=FEW[0].width)
    before = deque([{start: 0}], maxlen=BACK[-1] + 1)  # the runs before each of the last lines
    number = furthest = hard = again = 0
    farther = iter(BACK)
    while number < len(turns):
        note(number)
        taken = _next(runs, before[-1], turns[number], attempt if number < hard else few)
        if taken:
            before.append(taken)
            number += 1
            if number > furthest:
                furthest, farther = number, iter(BACK)
            continue
        back = min(next(farther, 0), len(before) - 1)
        if not back and number < hard:
            break
        hard = len(turns) if again > len(turns) else number + AHEAD
        for _ in range(back):
            before.pop()
        number, again = number - back, again + back
    return furthest


def _next(runs: Runs, taken: Mapping[Config, int], turn: Turn, attempt: Limits) -> dict[Config, int]:
    """Return the runs that are kept of those that have written one more line."""
    line, stream, is_later = turn
    kept = _without_controllers(taken) if is_later else dict(taken)
    after = _written(runs, kept, line.event, stream, attempt)
    while not after and len(kept) >= NARROWER:
        kept = dict(itertools.islice(kept.items(), len(kept) // NARROWER))
        after = _written(runs, kept, line.event, stream, attempt)
    return dict(sorted(after.items(), key=lambda each: each[1])[: attempt.width])


def _written(
    runs: Runs, taken: Mapping[Config, int], event: Event, stream: Stream, attempt: Limits
) -> dict[Config, int]:
    """Return the runs that have written one more line, with the hidden steps that each took, fewest first."""
    fewest, found = dict(taken), dict[Config, int]()
    waiting: dict[int, list[Config]] = {}
    for config, many in taken.items():
        waiting.setdefault(many, []).append(config)
    most, looked_at = None, 0
    while waiting:
        many = min(waiting)
        if most is not None and many > most:
            break
        for config in waiting.pop(many):
            if fewest[config] < many:
                continue
            looked_at += 1
            if looked_at > attempt.most_states:
                return found
            hidden = [] if pending(config.rest, stream) else list(runs.hidden(config))
            settling = _settling(hidden) if attempt.at_once else []
            for after in () if settling else runs.written(config, stream, event):
                found.setdefault(after, many)
                most = many + attempt.slack if most is None else most
            for each in settling or hidden:
                cost = many if each.is_shown else many + 1
                if cost < fewest.get(each.config, cost + 1):
                    fewest[each.config] = cost
                    waiting.setdefault(cost, []).append(each.config)
    return found


def _settling(hidden: Sequence[Hidden]) -> list[Hidden]:
    """Return the steps that settle one of the partitions that can be settled; their order makes no difference."""
    one = next((each.settles for each in hidden if each.settles is not None), None)
    return [each for each in hidden if one is not None and each.settles == one]


def _without_controllers(taken: Mapping[Config, int]) -> dict[Config, int]:
    found: dict[Config, int] = {}
    for config, many in taken.items():
        rest = config._replace(rest=without_controllers(config.rest))
        found[rest] = min(many, found.get(rest, many))
    return found
