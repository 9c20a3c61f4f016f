"""Search for the lemmas that a proof needs: each is left out, one at a time; does some promise fall?

A lemma that rested on it falls when a small instance has a counterexample to its induction under all lemmas that are
left, and with it those that rested on that one, until a promise falls. Each fall is shown by a state, so a promise that
falls so has no proof from the other lemmas. The whole proof is tried only where nothing falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...model.property import Property
from ...model.protocol import Model
from ...model.script import Script, script_of
from .cti import Cti, Refuter
from .export import induction_of, questions
from .induction import Induction, Question
from .report import cti_json
from .run import Effort, prove, small_instance
from .types import IN_RANGE

Verdict = Literal["needed", "not needed", "unknown"]


@dataclass(frozen=True)
class Fall:
    """A question that has a counterexample once some lemmas are gone."""

    question: Question
    cti: Cti


@dataclass(frozen=True)
class LeftOut:
    """The result without one lemma."""

    lemma: Property
    verdict: Verdict
    falls: tuple[Fall, ...] = ()
    """The falls, one after the other; the last question is about the promise that no longer has a proof."""
    spare: str = ""
    """The model's reason for keeping the lemma although no promise needs it, if it gives one."""
    reason: str = ""
    """The reason that it is unknown whether the lemma is needed."""

    @property
    def as_declared(self) -> bool:
        """Check whether the lemma is needed, or kept for a reason that the model gives."""
        return self.verdict == ("not needed" if self.spare else "needed")


def dropped(
    model: Model, effort: Effort | None = None, progress: Callable[[str], None] = lambda _: None
) -> Iterator[LeftOut]:
    """Leave out each lemma of a model, one at a time."""
    effort, script = effort or Effort(), script_of(model)
    induction, goals = induction_of(model, effort.timeout)
    known = {each.name: each for each in (*induction.lemmas.values(), *goals) if each.kind == "always"}
    always, small = list(known.values()), small_instance(script.model, {}, effort)
    refuters = [Refuter(each, always, effort.timeout) for each in (small, script.model.instance())]
    # A search takes the ranges of integers for granted, so it would not find what rests on them.
    beyond = [Refuter(small, always, effort.timeout, ranges=False)]
    for lemma in induction.lemmas.values():
        progress(f"without {lemma.name}")
        yield _dropped(script, lemma, induction, goals, beyond if lemma.name == IN_RANGE else refuters, effort)


def _dropped(
    script: Script,
    lemma: Property,
    induction: Induction,
    goals: Sequence[Property],
    refuters: Sequence[Refuter],
    effort: Effort,
) -> LeftOut:
    spare = script.spare.get(lemma.name, "")
    for refuter in refuters:
        falls = _Falling(induction, goals, refuter, lemma.name).until_a_promise_falls()
        if falls:
            return LeftOut(lemma, "needed", falls, spare)
    proof = prove(script.base, without_lemmas=[lemma.name], effort=replace(effort, search=1.0))
    if proof.verdict == "holds":
        return LeftOut(lemma, "not needed", spare=spare)
    open_ones = [each for each in proof.properties if each.verdict != "holds"]
    return LeftOut(lemma, "unknown", spare=spare, reason=f"{open_ones[0].prop.name}: {open_ones[0].reason}")


class _Falling:
    """The lemmas and promises that fall without a lemma, as far as counterexamples show it."""

    def __init__(self, induction: Induction, goals: Sequence[Property], refuter: Refuter, without: str) -> None:
        self.induction, self.refuter = induction, refuter
        self.lost: dict[str, Fall | None] = {without: None}
        promises = [(question, goal) for goal in goals for question in induction.questions(goal, lemma=False)]
        self.open = [*promises, *(each for each in questions(induction, []) if each[1].name != without)]
        self.promised = {question for question, _ in promises}

    def until_a_promise_falls(self) -> tuple[Fall, ...]:
        """The falls that lead to that of a promise; none if no promise falls."""
        before = 0
        while before != len(self.lost):
            before = len(self.lost)
            for question, goal in list(self.open):
                if (goal.name in self.lost and question not in self.promised) or not self._rested(question):
                    continue
                fall = self._fall(question, goal, self._standing())
                if fall is None:
                    continue
                self.open.remove((question, goal))
                if question not in self.promised:
                    self.lost[goal.name] = fall
                elif goal.kind == "step" or self._no_proof_of_its_own(goal):
                    return (*(each for each in self.lost.values() if each is not None), fall)
        return ()

    def _rested(self, question: Question) -> bool:
        used = self.induction.rows.get(question.name, (question.goal,))
        return any(each in self.lost for each in used)

    def _standing(self) -> list[str]:
        return [each for each in self.induction.lemmas if each not in self.lost]

    def _fall(self, question: Question, goal: Property, names: Sequence[str]) -> Fall | None:
        found = self.refuter.find(question, goal, names)
        return Fall(question, found) if isinstance(found, Cti) else None

    def _no_proof_of_its_own(self, goal: Property) -> bool:
        """Check whether it is not inductive either, with itself among the lemmas that are left."""
        asked = self.induction.questions(goal, lemma=True)
        return any(self._fall(each, goal, [*self._standing(), goal.name]) for each in asked)


def line(each: LeftOut) -> str:
    """One line of the report."""
    if each.verdict == "needed":
        path = ", ".join(fall.question.name for fall in each.falls)
        but = f", BUT IT IS DECLARED SPARE: {each.spare}" if each.spare else ""
        return f"needed      {each.lemma.name}; without it these fail: {path}{but}"
    if each.verdict == "not needed":
        return f"not needed  {each.lemma.name}; {each.spare or 'all properties are proved without it'}"
    return f"unknown     {each.lemma.name}; {each.reason}"


def json_row(each: LeftOut) -> dict[str, Any]:
    """One lemma as a JSON object."""
    return {
        "lemma": each.lemma.name,
        "verdict": each.verdict,
        "spare": each.spare or None,
        "as_declared": each.as_declared,
        "reason": each.reason or None,
        "falls": [{"question": fall.question.name, "cti": cti_json(fall.cti)} for fall in each.falls],
    }
