"""Counterexamples and witnesses: paths from the initial state, executed again by the reference reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...model.errors import ModelError
from ...model.property import Property
from ...model.protocol import Instance
from ...model.sorts import Sort, Value
from ...model.step import Reference, State


class EngineError(ModelError, RuntimeError):
    """Generated code and the reference reading disagree: a defect of the explorer, never of the model."""


class Step(NamedTuple):
    """One step of a path, and what it changed: field -> (before, after)."""

    action: str
    params: Mapping[str, Value]
    changes: Mapping[str, tuple[Value, Value]]


class Path(NamedTuple):
    """An initial state and the steps from it; `length` counts states.

    `loop`: of a lasso the place of the state that the last one is again; from there on it goes round forever.
    """

    instance: Instance
    states: tuple[State, ...]
    steps: tuple[Step, ...]
    loop: int | None = None

    @property
    def length(self) -> int:
        return len(self.states)

    def sort(self, field: str) -> Sort:
        """The sort of a field."""
        return next(each.sort for each in self.instance.model.fields if each.name == field)


class Hop(NamedTuple):
    """A move of the search: the action, its parameters, and the packed state that it led to (None: out of range)."""

    action: str
    params: Mapping[str, Value]
    packed: int | None


def replay(reference: Reference, hops: list[Hop], pack: Callable[[State], int]) -> Path:
    """Execute moves by the reference reading and compare every state.

    Raises:
        EngineError: a guard does not hold, or a state differs.
    """
    state = reference.initial()
    states, steps = [state], list[Step]()
    for hop in hops:
        taken = reference.take(state, hop.action, hop.params)
        if taken is None:
            raise EngineError(f"the reference cannot take {hop.action}{dict(hop.params)} in {state}")
        if (hop.packed is None) != bool(taken.overflows) or (
            hop.packed is not None and pack(taken.state) != hop.packed
        ):
            raise EngineError(
                f"the reference takes {hop.action}{dict(hop.params)} to {taken.state}, the explorer does not"
            )
        steps.append(Step(hop.action, hop.params, _changes(reference, state, taken.state)))
        state = taken.state
        states.append(state)
    return Path(reference.instance, tuple(states), tuple(steps))


def replay_orbits(
    reference: Reference, orbits: list[int], canonical: Callable[[Sequence[State]], Sequence[int]]
) -> Path:
    """A path from the initial state through orbits of states (packed representatives), found by the reference reading.

    Args:
        canonical: the orbits of some states.

    Raises:
        EngineError: no successor is in the next orbit.
    """
    state = reference.initial()
    states, steps = [state], list[Step]()
    for orbit in orbits:
        within = [taken for taken in reference.successors(state) if not taken.overflows]
        reached = canonical([taken.state for taken in within])
        taken = next((each for each, its in zip(within, reached, strict=True) if its == orbit), None)
        if taken is None:
            raise EngineError(f"the reference finds no successor of {state} in the orbit that the explorer went to")
        steps.append(Step(taken.action, taken.params, _changes(reference, state, taken.state)))
        state = taken.state
        states.append(state)
    return Path(reference.instance, tuple(states), tuple(steps))


def check(reference: Reference, prop: Property, path: Path) -> None:
    """Make sure, by the reference, that the end of the path decides the property as the search said.

    Raises:
        EngineError: it does not.
    """
    if prop.needs_after:
        holds = reference.holds(prop, path.states[-2], path.states[-1])
    else:
        holds = reference.holds(prop, path.states[-1])
    if holds != (prop.kind == "sometimes"):
        raise EngineError(f"the reference does not see {prop.name} decided at the end of the path")


def _changes(reference: Reference, before: State, later: State) -> dict[str, tuple[Value, Value]]:
    pairs = zip(reference.names, before, later, strict=True)
    return {name: (old, new) for name, old, new in pairs if old != new}


def walk(path: Path) -> Iterator[tuple[Step, State]]:
    """The steps with the state each leads to."""
    return iter(zip(path.steps, path.states[1:], strict=True))
