"""Proving a model: the verdict of each property, what it rests on, and what shows that it is wrong or open.

>>> from isrproof.checker.prove.run import prove
>>> proof = prove("kip320", ["LeaderInIsr"])
>>> proof.verdict, proof["LeaderInIsr"].scope
('holds', 'any number of replicas')
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...model.catalogue import model as model_named
from ...model.errors import DefinitionError, unknown
from ...model.property import Property
from ...model.protocol import Instance, Model
from ...model.script import Script, script_of
from ...model.sorts import FiniteSort, MapSort, Settings
from ..explore.trace import Path
from . import smt
from .cti import Cti, Refuter
from .induction import Asked, Induction, Question
from .reading import Domain
from .rows import rows_of
from .system import System
from .types import in_range

Verdict = Literal["holds", "violated", "unknown"]
Told = Callable[[Asked], None]


@dataclass(frozen=True)
class Decided:
    """What is known of one property.

    * `scope`: for what it holds: "any number of replicas", "replicas=3", or the instance of a counterexample.
    * `questions`: the questions that were asked about it alone; `rests_on`: the lemmas below it.
    * `open_question`: the first question without a proof, `cti` a counterexample to it.
    * `path`: for a violated property, a shortest path of that instance, executed by the reference reading.
    """

    prop: Property
    verdict: Verdict
    scope: str
    questions: tuple[Asked, ...] = ()
    rests_on: tuple[str, ...] = ()
    seconds: float = 0.0
    reason: str = ""
    path: Path | None = None
    cti: Cti | None = None


@dataclass(frozen=True)
class Fallen:
    """A lemma that is not inductive here, and the question that it failed."""

    lemma: Property
    answer: Asked


@dataclass(frozen=True)
class Proof:
    """The result of a run."""

    model: Model
    kept: Settings
    verdict: Verdict
    properties: tuple[Decided, ...]
    lemmas: tuple[Property, ...]
    fallen: tuple[Fallen, ...]
    answers: Mapping[str, Asked]
    trusted: tuple[str, ...]
    seconds: float
    solver_seconds: float

    def __getitem__(self, name: str) -> Decided:
        """What is known of a property, by its name."""
        for each in self.properties:
            if each.prop.name == name:
                return each
        raise unknown("property", name, (each.prop.name for each in self.properties), self.model.name)


@dataclass(frozen=True)
class Effort:
    """How hard to try.

    Args:
        timeout: seconds for one question to the solver.
        search: seconds for one search for a counterexample; 0 searches none.
        instance: settings of the instances in which counterexamples are searched, over the model's defaults.
    """

    timeout: float = 30.0
    search: float = 20.0
    instance: Mapping[str, int] | None = None


def prove(
    model: Model | str,
    properties: Iterable[str] | None = None,
    *,
    effort: Effort | None = None,
    told: Told = lambda _: None,
    rows: Mapping[str, tuple[str, ...]] | None = None,
    without_lemmas: Iterable[str] = (),
    kept: Settings | None = None,
) -> Proof:
    """Proves the properties of a model for every instance, except for the settings that are kept.

    Args:
        properties: by name; all that are promised (*sometimes* is no matter of proof) if None.
        told: is given each answer as it comes.
        rows: hypotheses to try first, by question; those of the package if None.
        without_lemmas: lemmas to leave out, by name.
        kept: settings with a number, for example replicas=3; the others are left out.

    Raises:
        ModelError: unknown names, a setting that is too small, an operator that a proof cannot have.
    """
    started = time.perf_counter()
    effort, kept = effort or Effort(), dict(kept or {})
    chosen = model_named(model) if isinstance(model, str) else model
    script = script_of(chosen)
    _check_kept(chosen, kept)
    goals = goals_of(script, properties)
    system = System(script.model, Domain(kept))
    lemmas = lemmas_of(script, without_lemmas)
    known = {each.name: each for each in (*lemmas, *(each for each in goals if each.kind == "always"))}
    refuter = Refuter(_small(script.model, kept, effort), list(known.values()), min(effort.timeout, 5.0))
    induction = Induction(
        system,
        lemmas,
        timeout=effort.timeout,
        rows=rows_of(chosen) if rows is None else rows,
        refute=refuter.find if effort.search > 0 else None,
    )
    answers, fallen = induction.inductive(told)
    standing = [each for each in induction.lemmas if each not in fallen]
    decided = [_decide(each, induction, answers, standing, kept, told) for each in goals]
    if effort.search > 0:
        decided = [_search(each, script.base, kept, effort) for each in decided]
    lost = tuple(Fallen(induction.lemmas[name], answer) for name, answer in fallen.items())
    everything = [*answers.values(), *fallen.values(), *(each for one in decided for each in one.questions)]
    return Proof(
        model=chosen,
        kept=kept,
        verdict=overall(each.verdict for each in decided),
        properties=tuple(decided),
        lemmas=tuple(lemmas),
        fallen=lost,
        answers=answers,
        trusted=trusted(script, kept),
        seconds=time.perf_counter() - started,
        solver_seconds=sum(each.seconds for each in everything),
    )


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Violated if one is; else unknown if one is, or if there was none at all."""
    found = set(verdicts)
    return "violated" if "violated" in found else "unknown" if "unknown" in found or not found else "holds"


def scope(model: Model, kept: Settings) -> str:
    """What a proof is for, in words."""
    sizes = sorted({each.name for each in model.settings if each.name in _sizes(model)})
    free = [name for name in sizes if name not in kept]
    words = [f"any number of {name}" for name in free] + [f"{name}={number}" for name, number in sorted(kept.items())]
    return ", ".join(words) or "the one instance"


def trusted(script: Script, kept: Settings) -> tuple[str, ...]:
    """What is believed, not proved, beside every "holds"."""
    model = script.model
    limits = sorted({clause.label for action in model.actions for clause in action.limits})
    free = [each.name for each in model.settings if each.name not in kept]
    ghosts = [each.name for each in model.fields if each.name not in {field.name for field in script.base.fields}]
    said = [
        f"{smt.version()}: its answer 'unsat' is believed (`--smtlib` writes every question for a second solver)",
        "the Z3 reading and the induction of checker/prove; tests compare the reading with the reference",
        f"actions covered: {', '.join(each.name for each in model.actions)}",
        "axiom: no sequence has a negative length (nothing else is taken for granted of a state)",
    ]
    if free:
        said.append(f"settings left out: {', '.join(free)} (what they bound is unbounded)")
    if limits:
        said.append(f"limits left out, so more steps than in any search: {', '.join(limits)}")
    if ghosts:
        said.append(f"ghost fields, which no guard reads: {', '.join(ghosts)}")
    return tuple(said)


def _sizes(model: Model) -> set[str]:
    found = set()
    for each in model.fields:
        stack = [each.sort]
        while stack:
            sort = stack.pop()
            if isinstance(sort, FiniteSort):
                found.add(sort.size.name)
            if isinstance(sort, MapSort):
                stack += [sort.key, sort.value]
            element = getattr(sort, "element", None)
            if element is not None:
                stack.append(element)
    return found


def _check_kept(model: Model, kept: Settings) -> None:
    known = {each.name: each for each in model.settings}
    for name, value in kept.items():
        if name not in known:
            raise unknown("setting", name, known, f"model {model.name}")
        if value < known[name].at_least:
            raise DefinitionError(f"setting {name}: expected at least {known[name].at_least}, got {value}")


def goals_of(script: Script, names: Iterable[str] | None) -> list[Property]:
    """The properties to prove: those named, or all that the model promises."""
    known = {each.name: each for each in (*script.model.properties, *script.goals)}
    if names is not None:
        for name in names:
            if name not in known:
                raise unknown("property", name, known, f"model {script.base.name}")
        return [known[name] for name in names]
    suspended = {name for behaviour in script.base.behaviours for name in behaviour.suspends}
    return [each for each in known.values() if each.kind != "sometimes" and each.name not in suspended]


def lemmas_of(script: Script, without: Iterable[str]) -> list[Property]:
    """The lemmas, first that every integer is in range."""
    lemmas = [in_range(script.model.fields), *script.lemmas]
    names = {each.name for each in lemmas}
    for name in without:
        if name not in names:
            raise unknown("lemma", name, names, f"model {script.base.name}")
    return [each for each in lemmas if each.name not in set(without)]


def _decide(
    goal: Property,
    induction: Induction,
    answers: Mapping[str, Asked],
    standing: Sequence[str],
    kept: Settings,
    told: Told,
) -> Decided:
    """Holds if every question about it is proved: those of the lemmas that stand are proved already."""
    words = scope(induction.system.model, kept)
    lemma = induction.lemmas.get(goal.name)
    if lemma is not None and lemma.condition is goal.condition and goal.name in standing:
        own = tuple(each for each in answers.values() if each.question.goal == goal.name)
        used = {name for each in own for name in each.hypotheses}
    else:
        asked = _ask_all(induction, induction.questions(goal, lemma=False), goal, standing, told)
        if asked[-1].outcome != "proved" and goal.kind == "always" and goal.name not in induction.lemmas:
            induction.lemmas[goal.name] = goal
            alone = _ask_all(induction, induction.questions(goal, lemma=True), goal, [*standing, goal.name], told)
            del induction.lemmas[goal.name]
            if alone[-1].outcome == "proved" or alone[-1].question.kind == "consecution":
                asked = alone
        if asked[-1].outcome != "proved":
            reason, cti = _open(asked[-1]), asked[-1].cti
            return Decided(goal, "unknown", words, tuple(asked), seconds=_total(asked), reason=reason, cti=cti)
        own = tuple(asked)
        used = {name for each in own for name in each.hypotheses} - {goal.name}
    below = tuple(sorted(induction.rests_on(answers, used)))
    return Decided(goal, "holds", words, own, below, _total(own))


def _ask_all(
    induction: Induction, questions: Sequence[Question], goal: Property, allowed: Sequence[str], told: Told
) -> list[Asked]:
    """The answers up to the first that is no proof."""
    asked: list[Asked] = []
    for question in questions:
        asked.append(induction.ask(question, goal, allowed))
        told(asked[-1])
        if asked[-1].outcome != "proved":
            break
    return asked


def _total(asked: Iterable[Asked]) -> float:
    return sum(each.seconds for each in asked)


def _open(answer: Asked) -> str:
    return f"question {answer.question.name} is {answer.outcome}: {answer.reason}"


def _instance_settings(model: Model, kept: Settings, effort: Effort) -> dict[str, int]:
    return {**{each.name: each.default for each in model.settings}, **(effort.instance or {}), **kept}


def _known(model: Model) -> set[str]:
    ghosts = [each for ghosts in model.ghosts for each in ghosts.properties]
    return {each.name for each in (*model.properties, *ghosts)}


def _search(decided: Decided, model: Model, kept: Settings, effort: Effort) -> Decided:
    """A shortest counterexample to what was not proved, by the explorer; it executes the path by the reference."""
    if decided.verdict == "holds":
        return decided
    from ...model.errors import ModelError
    from ..explore.run import explore_instance
    from ..explore.search import Limits

    started = time.perf_counter()
    settings = _instance_settings(model, kept, effort)
    try:
        found = explore_instance(
            model,
            settings,
            [decided.prop.name if decided.prop.name in _known(model) else decided.prop],
            limits=Limits(seconds=effort.search, memory_mb=4000),
            until_decided=True,
        )
    except ModelError as error:
        return replace(decided, reason=f"{decided.reason}; no search: {error}")
    seconds = decided.seconds + time.perf_counter() - started
    result = found[decided.prop.name]
    if result.verdict == "violated" and result.path is not None:
        return replace(
            decided, verdict="violated", scope=found.instance.name, seconds=seconds, path=result.path, reason=""
        )
    searched = "holds in" if result.verdict == "holds" else "not decided in"
    return replace(decided, seconds=seconds, reason=f"{decided.reason}; {searched} {found.instance.name}")


def _small(model: Model, kept: Settings, effort: Effort) -> Instance:
    """The instance in which counterexamples to induction are looked for: two of everything that is not kept."""
    settings = _instance_settings(model, kept, effort)
    for name in _sizes(model):
        if name not in kept:
            settings[name] = min(2, settings[name])
    return model.instance(**settings)
