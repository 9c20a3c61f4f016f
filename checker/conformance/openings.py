"""Where a run may be before the first line, if the log does not tell: which topics there are then.

A step that a search may take at any time, with many values, makes a state for each time and each of these. Here it is
taken first or not at all, so each search that begins with it has one of them to look at.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from .runs import Config, May, Runs, State

MOST = 400
"""How many are looked at; of more these are some of all kinds."""


def openings(runs: Runs, first: May) -> list[Config]:
    """Where runs are that took nothing but such steps, and wrote nothing: those that took most of them first.

    Args:
        first: the steps with which a run may begin.
    """
    levels = [[runs.initial()]]
    while levels[-1]:
        after = (new for config in levels[-1] for new in _after(runs, config, first))
        levels.append(_some(list(dict.fromkeys(after))))
    begun = itertools.chain.from_iterable(reversed(levels[1:]))
    return _some(list(begun))


def _after(runs: Runs, config: Config, first: May) -> Iterator[Config]:
    state = State(runs.steps.moves.fields, config.state)
    for step in runs.steps.of(config.state):
        action, binding = runs.steps.moves.all[step.move].action, runs.steps.moves.bindings[step.move]
        if first(action.name, binding, state):
            yield Config(step.after, ())


def _some(found: list[Config]) -> list[Config]:
    return found[:: -(-len(found) // MOST) or 1]
