"""Counterexamples to induction: two states that a person can read, and the clause that fails in the second.

A question that the solver cannot answer for all instances is asked again in a small one, where it decides. The
reference reading evaluates what it finds before that is reported. Such a state may be unreachable: it shows which lemma
is missing, or which step is wrong.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import z3

from ...model.property import Property
from ...model.protocol import Instance
from ...model.step import Reference
from ..explore.trace import EngineError, Path
from ..explore.why import failing_clause
from . import smt
from .induction import Enough, Question
from .paths import Paths, executed


@dataclass(frozen=True)
class Cti:
    """A step from a state in which all lemmas hold (or one such state) that breaks a goal.

    `fails`: the clause of the goal that is false, with the values of its variables.
    """

    goal: str
    path: Path
    fails: str


class Refuter:
    """Looks for counterexamples to induction in one instance; the lemmas are translated once.

    Args:
        ranges: whether every integer is taken to be in its range, as in a search. If not, states that the reference
            cannot step from are passed over.
    """

    def __init__(self, instance: Instance, lemmas: Sequence[Property], timeout: float, *, ranges: bool = True) -> None:
        self.instance, self.timeout, self.ranges = instance, timeout, ranges
        self.lemmas = {each.name: each for each in lemmas}
        self.paths = Paths(instance, ranges=ranges)
        self.reference = Reference(instance)
        self._solver: z3.Solver | None = None

    def _ready(self) -> z3.Solver:
        """A solver that knows the types of two states, and each lemma under an assumption of its name."""
        if self._solver is None:
            self._solver = z3.Solver()
            self._solver.set("random_seed", 0)
            self._solver.set("core.minimize", True)
            self._solver.set("rlimit", smt.MUCH)  # before the time is over, so that a busy machine finds the same
            state = self.paths.state(0)
            self._solver.add(*self.paths.proper(0))
            for name, lemma in self.lemmas.items():
                for term in self.paths.system.hypothesis(lemma, state):
                    self._solver.add(z3.Implies(z3.Bool(f"lemma.{name}"), smt.boolean(term)))
        return self._solver

    def find(self, question: Question, goal: Property, names: Sequence[str]) -> Cti | Enough | None:
        """A counterexample to a question under some lemmas, or which of them are enough here; None if neither
        is found within the limits of work and time.

        Raises:
            EngineError: the reference reading does not see what the solver says.
        """
        if question.kind == "initiation":
            return None
        solver, paths = self._ready(), self.paths
        state, later = paths.state(0), paths.state(1)
        solver.push()
        if question.kind == "implication":
            solver.add(smt.boolean(paths.system.denial(goal, state)))
        else:
            number = [each.name for each in self.instance.model.actions].index(question.action)
            solver.add(*paths.moves(0, number), *paths.proper(1))
            denied = (state, later) if question.kind == "step" else (later, None)
            solver.add(smt.boolean(paths.system.denial(goal, *denied)))
        solver.set("timeout", max(1, int(self.timeout * 1000)))
        reply = smt.answer(solver, time.perf_counter(), [z3.Bool(f"lemma.{name}") for name in names])
        used = {str(each) for each in solver.unsat_core()} if reply.outcome == "unsat" else set()
        solver.pop()
        if reply.outcome == "unsat":
            return Enough(tuple(name for name in names if f"lemma.{name}" in used))
        if reply.outcome != "sat":
            return None
        try:
            return self._as_cti(question, goal, names, reply.assignment)
        except EngineError:
            if self.ranges:
                raise
            return None

    def _as_cti(self, question: Question, goal: Property, names: Sequence[str], assignment: Any) -> Cti:
        start = self.paths.read_state(assignment, 0)
        moves = [] if question.kind == "implication" else [self.paths.read_move(assignment, 0)]
        path = executed(self.instance, start, moves)
        for name in names:
            if not self.reference.holds(self.lemmas[name], start):
                raise EngineError(f"{self.instance.name}: {name} does not hold where the solver says it does")
        states = (start, path.states[-1]) if question.kind == "step" else (path.states[-1],)
        fails = failing_clause(goal, self.instance, self.reference.env(*states))
        if fails is None:
            raise EngineError(f"{self.instance.name}: {goal.name} holds where the solver says it fails")
        return Cti(goal.name, path, fails)
