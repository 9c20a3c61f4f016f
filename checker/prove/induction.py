"""Proof by induction: initially, after every action, and therefore.

For a set of lemmas and a goal there are four kinds of questions, each answered on its own and timed:

* initiation: can the initial state break it?
* consecution: can an action lead from a state in which the lemmas hold to one in which it is broken?
* implication: can it be broken in a state in which the lemmas hold?
* step: can an action from such a state be a step that breaks it?

"No" (`unsat`) to all of them is the proof. A goal holds only if every question in the closure of what it rests on, its
hypotheses' own questions included, was answered so; a lemma that one of them fails is dropped and what rested on it is
asked again without it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...model.errors import DefinitionError
from ...model.property import Property
from . import smt
from .smt import Term
from .system import Leaves, Step, System

Kind = Literal["initiation", "consecution", "implication", "step"]
Outcome = Literal["proved", "refuted", "unknown"]
Rows = Mapping[str, tuple[str, ...]]
"""For a question (`action/goal`) the names of the lemmas that sufficed."""


@dataclass(frozen=True)
class Question:
    """One question to the solver; `action` is empty for initiation and implication."""

    kind: Kind
    goal: str
    action: str = ""

    @property
    def name(self) -> str:
        return f"{self.action or self.kind}/{self.goal}"


@dataclass(frozen=True)
class Asked:
    """A question and its answer: `hypotheses` are the lemmas that were used."""

    question: Question
    outcome: Outcome
    seconds: float
    hypotheses: tuple[str, ...]
    reason: str = ""
    cti: Any = None


Refute = Callable[[Question, Property, Sequence[str]], Any]
"""Finds a counterexample to a question under some lemmas (`cti.Refuter.find`), or None."""


class Induction:
    """Questions about one system, with its lemmas."""

    def __init__(
        self,
        system: System,
        lemmas: Sequence[Property],
        *,
        timeout: float = 10.0,
        rows: Rows | None = None,
        refute: Refute | None = None,
    ) -> None:
        names = [each.name for each in lemmas]
        if len(set(names)) != len(names):
            raise DefinitionError(f"two lemmas have one name: {', '.join(sorted(names))}")
        self.system, self.timeout, self.rows, self.refute = system, timeout, dict(rows or {}), refute
        self.lemmas = {each.name: each for each in lemmas}
        self.state = system.state()
        self._steps: dict[str, Step] = {}
        self._initial: Leaves | None = None

    # The parts of a question

    def step(self, action: str) -> Step:
        if action not in self._steps:
            self._steps[action] = self.system.step(self.system.model.action(action), self.state)
        return self._steps[action]

    def context(self, question: Question, goal: Property) -> list[Term]:
        """Everything that is asserted but the lemmas."""
        if question.kind == "initiation":
            if self._initial is None:
                self._initial = self.system.initial()
            return [self.system.denial(goal, self._initial)]
        proper = list(self.system.proper(self.state))
        if question.kind == "implication":
            return [*proper, self.system.denial(goal, self.state)]
        step = self.step(question.action)
        if question.kind == "step":
            return [*proper, *step.guard, self.system.denial(goal, self.state, step.later)]
        return [*proper, *step.guard, self.system.denial(goal, step.later)]

    def hypotheses(self, names: Iterable[str]) -> list[Term]:
        return [term for name in names for term in self.system.hypothesis(self.lemmas[name], self.state)]

    # Asking

    def ask(self, question: Question, goal: Property, allowed: Sequence[str]) -> Asked:
        """The answer with lemmas among the allowed ones: those of the table, or the goal itself; then all.

        Before all lemmas are tried, which may take long, a counterexample is looked for.
        """
        started = time.perf_counter()
        context = self.context(question, goal)
        reason, spent, tried_to_refute = "", 0.0, self.refute is None or question.kind == "initiation"
        for names, relevancy, work in self._attempts(question, allowed):
            whole = len(names) == len(allowed)
            if work == smt.MUCH and not tried_to_refute and self.refute is not None:
                tried_to_refute = True
                found = self.refute(question, goal, allowed)
                if found is not None:
                    seconds = time.perf_counter() - started
                    return Asked(question, "refuted", seconds, tuple(allowed), "a counterexample to induction", found)
            if spent >= self.timeout:
                reason = f"time limit of {self.timeout:g} s"
                break
            said = smt.ask([*context, *self.hypotheses(names)], self.timeout - spent, relevancy=relevancy, work=work)
            spent += said.seconds
            if said.outcome == "unsat":
                return Asked(question, "proved", time.perf_counter() - started, tuple(names))
            if said.outcome == "sat" and (question.kind == "initiation" or whole):
                seconds = time.perf_counter() - started
                return Asked(question, "refuted", seconds, tuple(names), "an assignment breaks it")
            reason = f"the solver gave up ({said.reason or 'too few lemmas'})"
        return Asked(question, "unknown", time.perf_counter() - started, tuple(allowed), reason)

    def first(self, question: Question) -> list[str]:
        """The lemmas of the first attempt."""
        if question.kind == "initiation":
            return []
        return list(self._attempts(question, list(self.lemmas))[0][0])

    def _attempts(self, question: Question, allowed: Sequence[str]) -> list[tuple[Sequence[str], int, int]]:
        """Lemmas, how eagerly they are instantiated, and how much work that may be; the cheapest attempt first."""
        if question.kind == "initiation":
            return [((), 2, smt.FEW), ((), 0, smt.FEW)]
        row = self.rows.get(question.name)
        few = [] if row is None else [each for each in row if each in allowed]
        first = few or [each for each in allowed if each == question.goal]
        return [(first, 2, smt.FEW), (first, 0, smt.FEW), (allowed, 2, smt.MUCH), (allowed, 0, smt.MUCH)]

    def questions(self, goal: Property, *, lemma: bool) -> list[Question]:
        """What is to be asked about a lemma, or about a goal that rests on the lemmas."""
        actions = [each.name for each in self.system.model.actions]
        if goal.kind == "step":
            return [Question("step", goal.name, action) for action in actions]
        if not lemma:
            return [Question("implication", goal.name)]
        return [Question("initiation", goal.name), *(Question("consecution", goal.name, each) for each in actions)]

    def inductive(self, told: Callable[[Asked], None] = lambda _: None) -> tuple[dict[str, Asked], dict[str, Asked]]:
        """The largest set of lemmas that is inductive, as far as the solver can tell.

        Returns:
            The answers by the names of the questions about the lemmas that stand, and the first answer that made each
            other lemma fall.
        """
        standing = list(self.lemmas)
        answers: dict[str, Asked] = {}
        fallen: dict[str, Asked] = {}
        while True:
            before = len(fallen)
            for name in list(standing):
                for question in self.questions(self.lemmas[name], lemma=True):
                    known = answers.get(question.name)
                    if known is not None and known.outcome == "proved" and not set(known.hypotheses) & set(fallen):
                        continue
                    answer = self.ask(question, self.lemmas[name], standing)
                    told(answer)
                    answers[question.name] = answer
                    if answer.outcome != "proved":
                        fallen[name] = answer
                        break
            standing = [each for each in standing if each not in fallen]
            if len(fallen) == before:
                break
        return {key: each for key, each in answers.items() if each.question.goal in standing}, fallen

    def rests_on(self, answers: Mapping[str, Asked], used: Iterable[str]) -> set[str]:
        """The lemmas that some hypotheses rest on, themselves included."""
        found: set[str] = set()
        waiting = list(used)
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found.add(name)
            for each in answers.values():
                if each.question.goal == name:
                    waiting.extend(each.hypotheses)
        return found

    # Fewer hypotheses

    def minimal(self, question: Question, goal: Property, allowed: Sequence[str]) -> Asked:
        """The answer with as few lemmas as deletion one by one leaves."""
        answer = self.ask(question, goal, allowed)
        if answer.outcome != "proved" or question.kind == "initiation":
            return answer
        context, kept = self.context(question, goal), list(answer.hypotheses)
        for name in answer.hypotheses:
            fewer = [each for each in kept if each != name]
            if self._suffice(context, fewer):
                kept = fewer
        return replace(answer, hypotheses=tuple(kept))

    def _suffice(self, context: Sequence[Term], names: Sequence[str]) -> bool:
        """Whether these lemmas prove it whatever the solver's luck: twice, with other random choices."""
        asserted = [*context, *self.hypotheses(names)]
        return all(smt.ask(asserted, self.timeout, work=smt.FEW // 2, seed=seed).outcome == "unsat" for seed in (0, 1))
