"""States of a run before the first line, if the log does not show which topics there are then.

A step that a search may take at any time, with many values, makes a state for each time and each value. Here it is
taken first or not at all, so each search that begins with it has only one of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from .runs import Config, May, Runs, StateByName

MOST = 400
"""The most that are searched; of more, some of each kind are."""


def openings(runs: Runs, first: May) -> list[Config]:
    """Return the states of runs that took only such steps, and wrote nothing: those with most steps first.

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
    state = StateByName(runs.steps.moves.fields, config.state)
    for step in runs.steps.of(config.state):
        action, binding = runs.steps.moves.all[step.move].action, runs.steps.moves.bindings[step.move]
        if first(action.name, binding, state):
            yield Config(step.after, ())


def _some(found: list[Config]) -> list[Config]:
    return found[:: -(-len(found) // MOST) or 1]
