"""Search for the guard clauses that a proof needs: each is dropped, and the questions about its action asked again.

The explorer does the same within bounds (`isrproof explore --mutate`); a clause that it found to be needed must be
needed here, and one that the model waives must not be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...model.action import Action, Clause
from ...model.protocol import Model
from ...model.script import Script, script_of
from .cti import Refuter
from .export import questions
from .induction import Answered, Induction
from .reading import Domain
from .report import cti_json
from .rows import rows_of
from .run import Effort, small_instance
from .system import System
from .trust import goals_of, lemmas_of

Verdict = Literal["needed", "not needed", "unknown"]

BELIEFS = ("InRange", "LocalIsRequested", "SomebodyLed", "LeaderInItsIsr", "MembersAreLed")
"""Lemmas about the leader that a replica believes in. Most clauses that are not needed repeat it; where the solver is
lost among all lemmas, these are added to the usual ones."""


@dataclass(frozen=True)
class Dropped:
    """The result without one clause: the questions about its action that are no longer proved."""

    action: str
    clause: Clause
    broken: tuple[Answered, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict: needed if a state shows that the lemmas are not kept, unknown if only the proof fails."""
        if not self.broken:
            return "not needed"
        return "needed" if any(each.outcome == "refuted" for each in self.broken) else "unknown"

    @property
    def as_declared(self) -> bool:
        """Check whether the model says the same: it waives what is not needed, and nothing else."""
        return self.verdict == ("not needed" if self.clause.waiver else "needed")


def dropped(
    model: Model, effort: Effort | None = None, progress: Callable[[str], None] = lambda _: None
) -> Iterator[Dropped]:
    """Drop each guard clause of a model, one at a time."""
    effort = effort or Effort()
    script = script_of(model)
    for action in script.model.actions:
        for clause in action.guard:
            progress(f"{action.name}: without {clause.label!r}")
            yield _dropped(model, script, action, clause, effort)


def _dropped(model: Model, script: Script, action: Action, clause: Clause, effort: Effort) -> Dropped:
    weaker = replace(action, guard=tuple(each for each in action.guard if each != clause))
    changed = tuple(weaker if each.name == action.name else each for each in script.model.actions)
    mutant = replace(script.model, actions=changed)
    lemmas, goals = lemmas_of(script, ()), goals_of(script, None)
    refuter = Refuter(small_instance(mutant, {}, effort), lemmas, effort.timeout)
    induction = Induction(
        System(mutant, Domain({})), lemmas, timeout=effort.timeout, rows=rows_of(model), refute=refuter.find
    )
    broken = []
    for question, goal in questions(induction, goals):
        if question.action != action.name:
            continue
        answer = induction.ask(question, goal, list(induction.lemmas))
        if answer.outcome == "unknown":
            usual = induction.rows.get(question.name, (goal.name,))
            induction.rows[question.name] = (*usual, *(each for each in BELIEFS if each not in usual))
            answer = induction.ask(question, goal, list(induction.lemmas))
        if answer.outcome != "proved":
            broken.append(answer)
        if answer.outcome == "refuted":
            break
    return Dropped(action.name, clause, tuple(broken))


def line(each: Dropped) -> str:
    """One line of the report."""
    where = f"{each.action}: {each.clause.label!r}"
    if each.verdict == "not needed":
        return f"not needed  {where}; proved without it" + _beside(each, each.clause.waiver)
    last = each.broken[-1]
    fails = f": {last.cti.fails}" if last.cti is not None else f" ({last.reason})"
    return f"{each.verdict:<10}  {where}; without it {last.question.goal} is not kept{fails}" + _beside(each, "")


def _beside(each: Dropped, waiver: str) -> str:
    if each.as_declared:
        return f": {waiver}" if waiver else ""
    return ", BUT THE MODEL WAIVES IT" if each.clause.waiver else ", BUT THE MODEL DOES NOT WAIVE IT"


def json_row(each: Dropped) -> dict[str, Any]:
    """One clause as a JSON object."""
    last = each.broken[-1] if each.broken else None
    return {
        "action": each.action,
        "clause": each.clause.label,
        "verdict": each.verdict,
        "waiver": each.clause.waiver or None,
        "as_declared": each.as_declared,
        "question": None if last is None else last.question.name,
        "cti": None if last is None or last.cti is None else cti_json(last.cti),
    }
