"""All observations: constants of modules in the folders of `observe/` and `sources/`, discovered, not registered."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache

from . import observe, sources
from .lines import ANSWERED, LIVE_BROKERS
from .observe.controller import conditions
from .observe.observation import Input, Observation
from .table.protocol import Table


@cache
def observations() -> Mapping[str, Observation]:
    """Return all observations by name.

    Raises:
        ValueError: two have one name.
    """
    found: dict[str, Observation] = {}
    for each in _declared():
        if found.setdefault(each.name, each) is not each:
            raise ValueError(f"two observations have the name {each.name!r}")
    return dict(sorted(found.items()))


def _declared() -> Iterator[Observation]:
    """Yield the observations that any module of a folder names; one that several modules name comes several times."""
    for package in (observe, sources):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.removeprefix(f"{package.__name__}.").count("."):
                names = vars(importlib.import_module(module.name))
                yield from (each for each in names.values() if isinstance(each, Observation))


@cache
def inputs() -> tuple[Input, ...]:
    """Return the inputs of observations, and the inputs of those."""
    made_from = (each.made_from for each in observations().values())
    return tuple(dict.fromkeys(part for each in made_from for part in (*each.of, each)))


class Inputs(Mapping[Input, Table]):
    """The inputs made from the placed events of some partitions, each when it is first requested."""

    def __init__(self, events: Table) -> None:
        self._events = events
        self._made: dict[Input, Table] = {}

    def __getitem__(self, input: Input) -> Table:
        if input not in self._made:
            self._made[input] = self._fresh(input)
        return self._made[input]

    def _fresh(self, input: Input) -> Table:
        if input.of_events is not None:
            return input.of_events(self._events)
        if input.of_inputs is not None:
            return input.of_inputs(*(self[of] for of in input.of))
        raise KeyError(input)

    def __iter__(self) -> Iterator[Input]:
        return (each for each in inputs() if each.of_lines)

    def __contains__(self, input: object) -> bool:
        return isinstance(input, Input) and input.of_lines

    def __len__(self) -> int:
        return sum(1 for _ in self)


@cache
def lines_read() -> frozenset[str]:
    """Return the lines that any part of the audit is made from: ids of rows of the line table."""
    of_inputs = (line for each in inputs() for line in each.lines)
    of_observations = (line for each in observations().values() for line in each.lines)
    return frozenset((*of_inputs, *of_observations, *conditions.LINES, *LIVE_BROKERS, *ANSWERED))
