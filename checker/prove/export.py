"""Every question of a proof as SMT-LIB 2 for another solver, and the table of hypotheses derived anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ...model.property import Property
from ...model.protocol import Model
from ...model.script import script_of
from ...model.sorts import Settings
from ..replacing import replacing
from . import rows, smt
from .cti import Refuter
from .induction import Answered, Induction, Question
from .reading import Domain
from .run import Effort, prove, small_instance
from .system import System
from .trust import goals_of, lemmas_of
from .unfold import without_lambdas


def induction_of(model: Model, timeout: float = 30.0, kept: Settings | None = None) -> tuple[Induction, list[Property]]:
    """The questions of a model: its lemmas ready, and the goals that are promised."""
    script = script_of(model)
    system = System(script.model, Domain(kept or {}))
    induction = Induction(system, lemmas_of(script, ()), timeout=timeout, rows=rows.rows_of(model))
    return induction, goals_of(script, None)


def questions(induction: Induction, goals: list[Property]) -> Iterator[tuple[Question, Property]]:
    """Every question of the proof."""
    lemmas = set(induction.lemmas)
    for lemma in induction.lemmas.values():
        for question in induction.questions(lemma, lemma=True):
            yield question, lemma
    for goal in goals:
        if goal.name not in lemmas:
            for question in induction.questions(goal, lemma=False):
                yield question, goal


def smtlib(model: Model, folder: Path, kept: Settings | None = None, effort: Effort | None = None) -> int:
    """Prove a model and write one file for each question that was asked; `unsat` proves it. Return how many.

    The hypotheses are those of the answer. A question without a proof is written too, and its comment says so.
    """
    folder.mkdir(parents=True, exist_ok=True)
    proof = prove(model, kept=kept, effort=effort)
    induction, goals = induction_of(model, kept=kept)
    known = {**{each.name: each for each in goals}, **induction.lemmas}
    induction.lemmas.update((each.name, each) for each in goals if each.kind == "always")
    answers = [*proof.answers.values(), *(each.answer for each in proof.fallen)]
    answers += [each for one in proof.properties for each in one.questions]
    written = {each.question.name: each for each in answers}
    for name, answer in written.items():
        goal, names = known[answer.question.goal], answer.hypotheses
        text = smt.smtlib(
            without_lambdas([*induction.context(answer.question, goal), *induction.hypotheses(names)]),
            f"{model.name}, {answer.question.kind}: {name}, {answer.outcome}\n{goal.statement}\n"
            f"hypotheses: {', '.join(names) or 'none'}; unsat proves it",
        )
        target = folder / f"{name.replace('/', '-')}.smt2"
        with replacing(target) as fresh:
            fresh.write_text(text, encoding="utf-8")
    return len(written)


def minimise(
    model: Model,
    effort: Effort,
    progress: Callable[[Answered], None] = lambda _: None,
    path: Path = rows.FILE,
    kept: Settings | None = None,
) -> int:
    """Derive the rows of a model anew, from none, and write them. Return how many questions need one."""
    induction, goals = induction_of(model, effort.timeout, kept)
    script = script_of(model)
    small = small_instance(script.model, kept or {}, effort)
    asked = list(questions(induction, goals))
    induction.rows, induction.refute = {}, Refuter(small, lemmas_of(script, ()), effort.timeout).find
    found = {}
    for question, goal in asked:
        answer = induction.minimal(question, goal, list(induction.lemmas))
        progress(answer)
        needed = question.kind != "initiation" and answer.hypotheses != (goal.name,)
        if answer.outcome == "proved" and needed:
            found[question.name] = answer.hypotheses
    rows.write(model.name, found, path)
    return len(found)
