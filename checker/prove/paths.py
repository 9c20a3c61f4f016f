"""Paths of a given length in an instance: bounded model checking and k-induction.

The instance keeps all its settings, so every quantifier is written out and the solver decides. The reference reading
executes a path that it finds again before that is reported.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from ...model.property import Property
from ...model.protocol import Instance
from ...model.sorts import Value
from ...model.step import Reference, State
from ..explore.trace import EngineError, Path, Step, check
from . import smt
from .concrete import concrete, scalar
from .reading import Domain
from .smt import Term, conj, implies, neg
from .system import Leaves, System, Transition
from .values import equal


@dataclass(frozen=True)
class BoundedSearch:
    """The result of a bounded search: a path, or none of up to `depth` states; `complete` unless the time ran out."""

    path: Path | None
    depth: int
    seconds: float
    complete: bool


class Paths:
    """Unknown paths of an instance, one state after the other.

    Args:
        ranges: whether every integer is taken to be in its range.
    """

    def __init__(self, instance: Instance, *, ranges: bool = True) -> None:
        self.instance = instance
        self.domain = Domain(instance.settings)
        self.system = System(instance.model, self.domain, limits=True, ranges=ranges)
        self._steps: dict[int, list[Transition]] = {}

    def state(self, index: int) -> Leaves:
        return self.system.state(f"@{index}")

    def proper(self, index: int) -> list[Term]:
        return list(self.system.proper(self.state(index)))

    def starts(self) -> list[Term]:
        """State 0 is the initial state."""
        initial, state = self.system.initial(), self.state(0)
        return [
            equal(state[each.expr], initial[each.expr], each.sort, self.domain.every)
            for each in self.instance.model.fields
        ]

    def taken(self, index: int) -> Term:
        """Return the term of the action that leads from state `index` to the next."""
        return z3.Int(f"action@{index}")

    def steps(self, index: int) -> list[Transition]:
        if index not in self._steps:
            state = self.state(index)
            self._steps[index] = [self.system.step(each, state, f"@{index}") for each in self.instance.model.actions]
        return self._steps[index]

    def moves(self, index: int, only: int | None = None) -> list[Term]:
        """State `index` leads to the next by one of the actions, or by the one of that number only."""
        taken, steps = self.taken(index), self.steps(index)
        later = self.state(index + 1)
        if only is not None:
            step = steps[only]
            fields = self.instance.model.fields
            every = self.domain.every
            same = (equal(later[each.expr], step.later[each.expr], each.sort, every) for each in fields)
            return [each for each in (taken == only, *step.guard, *same) if each is not True]
        asserted: list[Term] = [conj(taken >= 0, taken < len(steps))]
        for number, step in enumerate(steps):
            asserted.append(implies(taken == number, conj(*step.guard)))
        for each in self.instance.model.fields:
            writers = [
                number for number, step in enumerate(steps) if step.later[each.expr] is not self.state(index)[each.expr]
            ]
            kept = conj(*(neg(taken == number) for number in writers))
            same = equal(later[each.expr], self.state(index)[each.expr], each.sort, self.domain.every)
            asserted.append(implies(kept, same))
            for number in writers:
                written = equal(later[each.expr], steps[number].later[each.expr], each.sort, self.domain.every)
                asserted.append(implies(taken == number, written))
        return [each for each in asserted if each is not True]

    def breaks(self, prop: Property, index: int) -> Term:
        """The property fails in state `index` (or in the step that leads to it)."""
        if prop.kind == "step":
            return self.system.denial(prop, self.state(index - 1), self.state(index)) if index else False
        return self.system.denial(prop, self.state(index))

    def differ(self, one: int, other: int) -> Term:
        """Two states of the path are not the same."""
        left, right = self.state(one), self.state(other)
        return neg(
            conj(
                *(
                    equal(left[each.expr], right[each.expr], each.sort, self.domain.every)
                    for each in self.instance.model.fields
                )
            )
        )

    def read_state(self, assignment: Any, index: int) -> State:
        """A state of the path that an assignment holds."""
        fields, state = self.instance.model.fields, self.state(index)
        return tuple(concrete(self.domain, assignment, state[each.expr], each.sort) for each in fields)

    def read_move(self, assignment: Any, index: int) -> tuple[str, dict[str, Value]]:
        """The action that leads from state `index` to the next, and its parameters."""
        move = self.steps(index)[scalar(assignment, self.taken(index))]
        values = {
            str(each.data): concrete(self.domain, assignment, term, each.sort) for each, term in move.params.items()
        }
        return move.action.name, values

    def read_back(self, assignment: Any, last: int) -> Path:
        """The path up to state `last`, executed by the reference reading.

        Raises:
            EngineError: the reference does not take one of the steps.
        """
        moves = [self.read_move(assignment, index) for index in range(last)]
        return executed(self.instance, self.read_state(assignment, 0), moves)


def executed(instance: Instance, start: State, moves: Sequence[tuple[str, Mapping[str, Value]]]) -> Path:
    """The path that the reference reading takes.

    Raises:
        EngineError: it cannot take a step.
    """
    reference = Reference(instance)
    states, steps = [start], list[Step]()
    for action, params in moves:
        taken = reference.take(states[-1], action, params)
        if taken is None or taken.overflows:
            raise EngineError(f"{instance.name}: the reference does not take {action} {dict(params)} in {states[-1]}")
        pairs = zip(reference.names, states[-1], taken.state, strict=True)
        steps.append(Step(action, dict(params), {name: (old, new) for name, old, new in pairs if old != new}))
        states.append(taken.state)
    return Path(instance, tuple(states), tuple(steps))


def shortest_counterexample(instance: Instance, prop: Property, depth: int, timeout: float) -> BoundedSearch:
    """A shortest path to a state (or step) that breaks a property, of at most `depth` states."""
    started = time.perf_counter()
    paths = Paths(instance)
    solver = z3.Solver()
    solver.set("random_seed", 0)
    for each in (*paths.starts(), *paths.proper(0)):
        solver.add(each)
    for length in range(1, depth + 1):
        if length > 1:
            for each in (*paths.moves(length - 2), *paths.proper(length - 1)):
                solver.add(each)
        left = timeout - (time.perf_counter() - started)
        if left <= 0:
            return BoundedSearch(None, length - 1, time.perf_counter() - started, False)
        broken = paths.breaks(prop, length - 1)
        if broken is False:
            continue
        solver.set("timeout", max(1, int(left * 1000)))
        solver.push()
        solver.add(broken)
        reply = smt.answer(solver, started)
        if reply.outcome == "sat":
            path = paths.read_back(reply.assignment, length - 1)
            if path.states[0] != Reference(instance).initial():
                raise EngineError(f"{instance.name}: the path of the solver does not start in the initial state")
            check(Reference(instance), prop, path)
            return BoundedSearch(path, length, time.perf_counter() - started, True)
        if reply.outcome == "unknown":
            return BoundedSearch(None, length - 1, time.perf_counter() - started, False)
        solver.pop()
    return BoundedSearch(None, depth, time.perf_counter() - started, True)


@dataclass(frozen=True)
class Inductive:
    """The result of an induction: it `holds` if no path of `k` good states leads to a bad one."""

    holds: bool
    k: int
    seconds: float
    reason: str = ""


def k_induction(instance: Instance, prop: Property, most: int, timeout: float) -> Inductive:
    """Decide whether a property is k-inductive for some k up to `most`.

    This is the step case: no path of k good states, no two of them the same, leads to a bad one. The base case is the
    caller's: no counterexample of up to k states (`shortest_counterexample`). For a finite instance some k decides.
    """
    started = time.perf_counter()
    paths = Paths(instance)
    solver = z3.Solver()
    for each in paths.proper(0):
        solver.add(each)
    for k in range(1, most + 1):
        if prop.kind != "step" or k > 1:
            solver.add(neg(paths.breaks(prop, k - 1)))
        for each in (*paths.moves(k - 1), *paths.proper(k)):
            solver.add(each)
        for earlier in range(k - 1):
            solver.add(paths.differ(earlier, k - 1))
        left = timeout - (time.perf_counter() - started)
        if left <= 0:
            return Inductive(False, k - 1, time.perf_counter() - started, f"time limit of {timeout:g} s")
        solver.set("timeout", max(1, int(left * 1000)))
        solver.push()
        solver.add(paths.breaks(prop, k))
        outcome = smt.check(solver)
        solver.pop()
        if outcome == "unsat":
            return Inductive(True, k, time.perf_counter() - started)
        if outcome == "unknown":
            return Inductive(False, k, time.perf_counter() - started, solver.reason_unknown())
    return Inductive(False, most, time.perf_counter() - started, f"not {most}-inductive")
