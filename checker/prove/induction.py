"""Proof by induction: initially, after every action, and therefore.

For a set of lemmas and a goal there are four kinds of questions, each answered on its own and timed:

* initiation: can the initial state break it?
* consecution: can an action lead from a state in which the lemmas hold to one in which it is broken?
* implication: can it be broken in a state in which the lemmas hold?
* step: can an action from such a state be a step that breaks it?

"No" (`unsat`) to all of them is the proof. A goal holds only if every question in the closure of what it rests on, its
hypotheses' own questions included, was answered so. Only that closure is asked about: lemmas are proved when something
needs them. A lemma that fails is dropped, and what rested on it is asked again without it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeGuard

from ...model.errors import DefinitionError
from ...model.property import Property
from . import smt
from .smt import Term
from .system import Leaves, System, Transition

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
class Answered:
    """A question and its answer: `hypotheses` are the lemmas that were used."""

    question: Question
    outcome: Outcome
    seconds: float
    hypotheses: tuple[str, ...]
    reason: str = ""
    cti: Any = None


@dataclass(frozen=True)
class Enough:
    """The answer of a small instance in which a question holds: these lemmas are enough, and each is needed."""

    lemmas: tuple[str, ...]


Refute = Callable[[Question, Property, Sequence[str]], Any]
"""A counterexample to a question under some lemmas (`cti.Refuter.find`), or which of them are `Enough`, or None."""


@dataclass(frozen=True)
class Attempt:
    """One way to ask a question: its lemmas, and the amount of work.

    `search`: the solver goes its own way with quantifiers, where the triggers of `triggers.py` are not enough.
    """

    lemmas: Sequence[str]
    search: bool = False
    work: int = smt.FEW


BASICS = (1, 4, 8)
"""The numbers of lemmas, in their written order, that join those that are enough in a small instance: it takes the
ranges of integers for granted (the first lemma), and its settings hide the need of others."""


class Induction:
    """Questions about one system, with its lemmas.

    Args:
        timeout: seconds for one question; total: seconds for all of them together.
        rows: hypotheses to try first, by question.
        refute: looks for a counterexample before much work is spent on a proof.

    `answers` has the last answer to each question about a lemma, `fallen` the answer that made a lemma fall.
    """

    def __init__(
        self,
        system: System,
        lemmas: Sequence[Property],
        *,
        timeout: float = 10.0,
        total: float = math.inf,
        rows: Rows | None = None,
        refute: Refute | None = None,
    ) -> None:
        names = [each.name for each in lemmas]
        if len(set(names)) != len(names):
            raise DefinitionError(f"two lemmas have one name: {', '.join(sorted(names))}")
        self.system, self.timeout, self.rows, self.refute = system, timeout, dict(rows or {}), refute
        self.total, self._ends = total, time.perf_counter() + total
        self.lemmas = {each.name: each for each in lemmas}
        self.answers: dict[str, Answered] = {}
        self.fallen: dict[str, Answered] = {}
        self.state = system.state()
        self._steps: dict[str, Transition] = {}
        self._initial: Leaves | None = None

    # The parts of a question

    def step(self, action: str) -> Transition:
        if action not in self._steps:
            self._steps[action] = self.system.step(self.system.model.action(action), self.state)
        return self._steps[action]

    def context(self, question: Question, goal: Property) -> list[Term]:
        """Everything that is asserted except the lemmas."""
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

    def ask(self, question: Question, goal: Property, allowed: Sequence[str]) -> Answered:
        """Return the answer with lemmas among the allowed: those of the table, or the goal itself; then more; then all.

        Before much work is spent a small instance is asked, which decides: it has a counterexample, or shows the
        lemmas that are enough there.
        """
        started = time.perf_counter()
        context = self.context(question, goal)
        reason, spent = "", 0.0
        for attempt in self._attempts(question, goal, allowed):
            if not isinstance(attempt, Attempt):
                seconds = time.perf_counter() - started
                return Answered(question, "refuted", seconds, tuple(allowed), "a counterexample to induction", attempt)
            whole = len(attempt.lemmas) == len(allowed)
            left = min(self.timeout - spent, self._ends - time.perf_counter())
            if left <= 0:
                of_all = time.perf_counter() >= self._ends
                reason = (
                    f"time limit of {self.total:g} s for all questions"
                    if of_all
                    else f"time limit of {self.timeout:g} s"
                )
                break
            reply = smt.ask(
                [*context, *self.hypotheses(attempt.lemmas)],
                left,
                search=attempt.search,
                work=attempt.work,
            )
            spent += reply.seconds
            if reply.outcome == "unsat":
                names = self._used(context, attempt) if whole else attempt.lemmas
                return Answered(question, "proved", time.perf_counter() - started, tuple(names))
            if reply.outcome == "sat" and (question.kind == "initiation" or whole) and self.system.exact:
                shown = self._shown(question, goal, attempt.lemmas)
                words = "an assignment violates it" if shown is None else "a counterexample to induction"
                seconds = time.perf_counter() - started
                return Answered(question, "refuted", seconds, tuple(attempt.lemmas), words, shown)
            reason = f"the solver gave up ({reply.reason or 'too few lemmas'})"
        return Answered(question, "unknown", time.perf_counter() - started, tuple(allowed), reason)

    def _shown(self, question: Question, goal: Property, lemmas: Sequence[str]) -> Any:
        """Return a counterexample for people, where the solver says that there is one without its size."""
        if self.refute is None or time.perf_counter() >= self._ends:
            return None
        found = self.refute(question, goal, lemmas)
        return None if isinstance(found, Enough) else found

    def _used(self, context: Sequence[Term], attempt: Attempt) -> Sequence[str]:
        """Return the lemmas that a proof needs: the fewer, the less there is to prove for the goal to rest on."""
        return self._core(context, attempt.lemmas, smt.FEW) or attempt.lemmas

    def _attempts(self, question: Question, goal: Property, allowed: Sequence[str]) -> Iterator[Any]:
        """The ways to ask, the cheapest first; or a counterexample, and then no more."""
        if question.kind == "initiation":
            yield from (Attempt(()), Attempt((), search=True))
            return
        row = self.rows.get(question.name)
        few = [] if row is None else [each for each in row if each in allowed]
        first = few or [each for each in allowed if each == question.goal]
        yield from (Attempt(first), Attempt(first, search=True, work=smt.FEW if row is None else 2 * smt.FEW))
        yield Attempt(allowed)
        if self.refute is not None and time.perf_counter() < self._ends:
            found = self.refute(question, goal, allowed)
            if isinstance(found, Enough):
                for basics in BASICS:
                    names = {*found.lemmas, question.goal, *allowed[:basics]}
                    hint = [each for each in allowed if each in names]
                    yield from (Attempt(hint), Attempt(hint, search=True, work=2 * smt.FEW))
            elif found is not None:
                yield found
                return
        if row:
            yield Attempt(first, True, smt.MUCH)
        yield from (Attempt(allowed, False, smt.MUCH), Attempt(allowed, True, smt.MUCH))

    def questions(self, goal: Property, *, lemma: bool) -> list[Question]:
        """Return the questions about a lemma, or about a goal that rests on the lemmas."""
        actions = [each.name for each in self.system.model.actions]
        if goal.kind == "step":
            return [Question("step", goal.name, action) for action in actions]
        if not lemma:
            return [Question("implication", goal.name)]
        return [Question("initiation", goal.name), *(Question("consecution", goal.name, each) for each in actions)]

    @property
    def standing(self) -> list[str]:
        """The lemmas that no question has made fall."""
        return [each for each in self.lemmas if each not in self.fallen]

    def settle(self, names: Iterable[str], progress: Callable[[Answered], None] = lambda _: None) -> bool:
        """Prove lemmas and whatever lemmas they turn out to rest on.

        Returns:
            False as soon as one of them falls: then what rested on it must be asked again. True: together they are
            inductive, and no later answer can change that, since they rest on no others.
        """
        wanted = tuple(names)
        while True:
            cone = self.rests_on(wanted)
            open_ones = [each for each in self.lemmas if each in cone and not self._is_settled(each)]
            if not open_ones:
                return not cone & set(self.fallen)
            for name in open_ones:
                if not self._settle(name, progress):
                    return False

    def _settle(self, name: str, progress: Callable[[Answered], None]) -> bool:
        for question in self.questions(self.lemmas[name], lemma=True):
            if self._is_proved(question):
                continue
            answer = self.ask(question, self.lemmas[name], self.standing)
            progress(answer)
            self.answers[question.name] = answer
            if answer.outcome != "proved":
                self.fallen[name] = answer
                return False
        return True

    def _is_settled(self, name: str) -> bool:
        return name in self.fallen or all(map(self._is_proved, self.questions(self.lemmas[name], lemma=True)))

    def _is_proved(self, question: Question) -> bool:
        return self.stands(self.answers.get(question.name))

    def stands(self, answer: Answered | None) -> TypeGuard[Answered]:
        """Check whether an answer is a proof, by lemmas of which none has fallen since."""
        return answer is not None and answer.outcome == "proved" and not set(answer.hypotheses) & set(self.fallen)

    def about(self, name: str) -> tuple[Answered, ...]:
        """The answers about one lemma."""
        return tuple(each for each in self.answers.values() if each.question.goal == name)

    def rests_on(self, used: Iterable[str]) -> set[str]:
        """The lemmas that some hypotheses rest on, themselves included, as far as they were asked about."""
        found: set[str] = set()
        waiting = list(used)
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found.add(name)
            for each in self.about(name):
                waiting.extend(each.hypotheses)
        return found

    # Fewer hypotheses

    def minimal(self, question: Question, goal: Property, allowed: Sequence[str]) -> Answered:
        """The answer with as few lemmas as deletion one by one leaves.

        What is left is proved in the way that is the surest to be proved again: by triggers alone, for which another
        lemma may be what is missing; else by a search.
        """
        answer = self.ask(question, goal, allowed)
        names = answer.hypotheses
        if question.kind == "initiation" or answer.outcome != "proved" or names == (goal.name,):
            return answer
        context = self.context(question, goal)
        for more in ("", *(each for each in allowed if each not in names)):
            wider = [each for each in allowed if each in (*names, more)]
            if self._suffice(context, wider):
                return replace(answer, hypotheses=tuple(self._fewer(context, wider, self._suffice)))
        return replace(answer, hypotheses=tuple(self._fewer(context, names, self._may_suffice)))

    def _fewer(
        self, context: Sequence[Term], names: Sequence[str], suffice: Callable[[Sequence[Term], Sequence[str]], bool]
    ) -> list[str]:
        """Lemmas are left out one by one, and again: the solver may do without one only after another is gone."""
        kept: list[str] = []
        fewer = list(names)
        while fewer != kept:
            kept = fewer
            for name in kept:
                rest = [each for each in fewer if each != name]
                if suffice(context, rest):
                    fewer = rest
        return kept

    def _core(self, context: Sequence[Term], names: Sequence[str], work: int) -> list[str] | None:
        """The lemmas among these that a proof of the solver's used, or None if it finds none in time."""
        asserted = {name: self.hypotheses([name]) for name in names}
        used = smt.core(context, asserted, self.timeout, work=work)
        return None if used is None else [name for name in names if name in used]

    def _suffice(self, context: Sequence[Term], names: Sequence[str]) -> bool:
        """Check whether these lemmas prove it by triggers alone, whatever the solver's luck."""
        return self._always(context, names, search=False)

    def _may_suffice(self, context: Sequence[Term], names: Sequence[str]) -> bool:
        """Check whether these lemmas prove it in one way or another, whatever the solver's luck."""
        return any(self._always(context, names, search=search) for search in (False, True))

    def _always(self, context: Sequence[Term], names: Sequence[str], *, search: bool) -> bool:
        """Check whether they prove it in each of some orders, with other random choices in each."""
        asserted = [*context, *self.hypotheses(names)]
        half = len(asserted) // 2
        orders = (asserted, asserted[::-1], asserted[half:] + asserted[:half])
        return all(
            smt.ask(order, self.timeout, work=smt.FEW // 2, search=search, seed=seed).outcome == "unsat"
            for seed, order in enumerate(orders)
        )
