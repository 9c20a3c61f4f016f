"""Proving a model: the verdict of each property, the lemmas it rests on, and evidence that it is wrong or open.

>>> from isrproof.checker.prove.run import prove
>>> proof = prove("kip320", ["LeaderInIsr"])
>>> proof.verdict, proof["LeaderInIsr"].scope
('holds', 'any number of replicas')
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...model.catalogue import model as model_named
from ...model.errors import DefinitionError, unknown
from ...model.property import Property
from ...model.protocol import Instance, Model
from ...model.sorts import Settings
from ..explore.result import Verdict
from ..explore.trace import Path
from . import smt, trust
from .cti import Cti, Refuter
from .induction import Answered, Induction, Question
from .reading import Domain
from .rows import rows_of
from .system import System
from .trust import goals_of, lemmas_of, script_for

FileRead = Callable[[Answered], None]


OTHERS: tuple[Mapping[str, int], ...] = (
    {"replicas": 2, "log_size": 3, "max_records": 3},
    {"max_records": 3},
    {"max_leader_epoch": 3},
)
"""Settings of further instances for counterexamples, besides the defaults: some need longer logs but fewer replicas,
some one record or one epoch more."""


@dataclass(frozen=True)
class Decided:
    """The verdict on one property."""

    prop: Property
    verdict: Verdict
    scope: str
    """The scope in which it holds: "any number of replicas", "replicas=3", or the instance of a counterexample."""
    questions: tuple[Answered, ...] = ()
    """The questions that were asked about it alone."""
    rests_on: tuple[str, ...] = ()
    """The lemmas below it."""
    seconds: float = 0.0
    reason: str = ""
    path: Path | None = None
    """For a violated property, a shortest path of that instance, executed by the reference reading."""
    cti: Cti | None = None
    """A counterexample to the first question without a proof."""


@dataclass(frozen=True)
class Fallen:
    """A lemma that is not inductive here, and the question that it failed."""

    lemma: Property
    answer: Answered


@dataclass(frozen=True)
class Proof:
    """The result of a run."""

    model: Model
    kept: Settings
    verdict: Verdict
    properties: tuple[Decided, ...]
    lemmas: tuple[Property, ...]
    fallen: tuple[Fallen, ...]
    answers: Mapping[str, Answered]
    asked: int
    """The number of questions, also of those whose lemma fell."""
    no_proof_decides: tuple[Property, ...]
    """Promised properties that are met in some state, or come eventually: the explorer decides them."""
    trusted: tuple[str, ...]
    seconds: float
    solver_seconds: float

    def __getitem__(self, name: str) -> Decided:
        """Return the verdict on a property, by its name."""
        for each in self.properties:
            if each.prop.name == name:
                return each
        raise unknown("property", name, (each.prop.name for each in self.properties), self.model.name)


@dataclass(frozen=True)
class Effort:
    """The limits of an attempt.

    Args:
        timeout: seconds for one question to the solver.
        total: seconds for all questions together; what is left then is unknown.
        search: seconds for one search for a counterexample; 0 searches none.
        instance: settings of the instances in which counterexamples are searched, over the model's defaults.
    """

    timeout: float = 30.0
    total: float = 300.0
    search: float = 60.0
    instance: Mapping[str, int] | None = None


def prove(
    model: Model | str,
    properties: Iterable[str] | None = None,
    *,
    effort: Effort | None = None,
    progress: FileRead = lambda _: None,
    finished: Callable[[Decided], None] = lambda _: None,
    rows: Mapping[str, tuple[str, ...]] | None = None,
    without_lemmas: Iterable[str] = (),
    kept: Settings | None = None,
) -> Proof:
    """Prove the properties of a model for every instance, except for the settings that are kept.

    Args:
        properties: by name; all that are promised (*sometimes* is no matter of proof) if None.
        progress: is given each answer as it comes.
        finished: is given the verdict on each property as it comes.
        rows: hypotheses to try first, by question; those of the package if None.
        without_lemmas: lemmas to leave out, by name.
        kept: settings with a number, for example replicas=3; the others are left out.

    Raises:
        ModelError: unknown names, a setting that is too small, an operator that a proof cannot have.
    """
    started = time.perf_counter()
    effort, kept = effort or Effort(), dict(kept or {})
    chosen = model_named(model) if isinstance(model, str) else model
    names = None if properties is None else tuple(properties)
    script = script_for(chosen, names or ())
    _check_kept(chosen, kept)
    goals = goals_of(script, names)
    system = System(script.model, Domain(kept))
    lemmas = lemmas_of(script, without_lemmas)
    known = {each.name: each for each in (*lemmas, *(each for each in goals if each.kind == "always"))}
    refuter = Refuter(small_instance(script.model, kept, effort), list(known.values()), effort.timeout)
    induction = Induction(
        system,
        lemmas,
        timeout=effort.timeout,
        total=effort.total,
        rows=rows_of(chosen) if rows is None else rows,
        refute=refuter.find if effort.search > 0 else None,
    )
    decided = []
    for each in goals:
        decided.append(_decide(each, induction, script.base, kept, effort, progress))
        finished(decided[-1])
    lost = tuple(Fallen(induction.lemmas[name], answer) for name, answer in induction.fallen.items())
    answers = {key: each for key, each in induction.answers.items() if each.question.goal in induction.standing}
    asked = {
        id(each): each for each in (*induction.answers.values(), *(each for one in decided for each in one.questions))
    }
    return Proof(
        model=chosen,
        kept=kept,
        verdict=overall(each.verdict for each in decided),
        properties=tuple(decided),
        lemmas=tuple(lemmas),
        fallen=lost,
        answers=answers,
        asked=len(asked),
        no_proof_decides=() if names is not None else tuple(trust.no_proof_decides(script)),
        trusted=(*trust.solver(smt.version()), *trust.trusted(script, kept)),
        seconds=time.perf_counter() - started,
        solver_seconds=_total(asked.values()),
    )


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Violated if one is; else unknown if one is, or if there was none at all."""
    found = set(verdicts)
    return "violated" if "violated" in found else "unknown" if "unknown" in found or not found else "holds"


def _check_kept(model: Model, kept: Settings) -> None:
    known = {each.name: each for each in model.settings}
    for name, value in kept.items():
        if name not in known:
            raise unknown("setting", name, known, f"model {model.name}")
        if value < known[name].at_least:
            raise DefinitionError(f"setting {name}: expected at least {known[name].at_least}, got {value}")


def _decide(
    goal: Property, induction: Induction, model: Model, kept: Settings, effort: Effort, progress: FileRead
) -> Decided:
    """Decide a property: it holds if every question about it, and about the lemmas it rests on, is proved.

    As soon as one of them is not, a counterexample is searched: it ends all further attempts at a proof.
    """
    words, searched, spent = trust.scope(induction.system.model, kept), "", 0.0
    lemma = induction.lemmas.get(goal.name)
    is_lemma = lemma is not None and lemma.condition is goal.condition
    asked: dict[str, Answered] = {}
    while True:
        if is_lemma and goal.name in induction.standing:
            stands = induction.settle([goal.name], progress)
            own = induction.about(goal.name)
            used = {name for each in own for name in each.hypotheses} if stands else set()
        else:
            own = _ask_all(induction, goal, asked, progress)
            used = {name for each in own for name in each.hypotheses} - {goal.name}
            stands = own[-1].outcome == "proved" and induction.settle(used, progress)
        if stands:
            below = tuple(sorted(induction.rests_on(used)))
            return Decided(goal, "holds", words, own, below, _total(own) + spent, _vacuous(goal, induction))
        if effort.search > 0 and not searched:
            started = time.perf_counter()
            path, where, searched = _search(goal, model, kept, effort)
            spent += time.perf_counter() - started
            if path is not None:
                return Decided(goal, "violated", where, own, seconds=_total(own) + spent, path=path)
        if own[-1].outcome != "proved" and not (is_lemma and goal.name in induction.standing):
            reason = "; ".join(each for each in (_open(own[-1]), searched) if each)
            return Decided(goal, "unknown", words, own, (), _total(own) + spent, reason, cti=own[-1].cti)


def _vacuous(goal: Property, induction: Induction) -> str:
    """Return a note where a state that breaks the property does not exist, whatever the steps are."""
    if goal.kind != "always":
        return ""
    reply = smt.ask(induction.context(Question("implication", goal.name), goal), 1.0, work=smt.FEW)
    return "VACUOUS: it is true in every state of the sorts" if reply.outcome == "unsat" else ""


def _ask_all(
    induction: Induction, goal: Property, known: dict[str, Answered], progress: FileRead
) -> tuple[Answered, ...]:
    """The answers up to the first that is no proof: from the lemmas, or by induction over the goal itself."""
    asked = _ask_each(induction, induction.questions(goal, lemma=False), goal, induction.standing, known, progress)
    if asked[-1].outcome == "proved" or goal.kind != "always" or goal.name in induction.lemmas:
        return asked
    induction.lemmas[goal.name] = goal
    questions = induction.questions(goal, lemma=True)
    alone = _ask_each(induction, questions, goal, induction.standing, known, progress)
    del induction.lemmas[goal.name]
    return alone if alone[-1].outcome == "proved" or alone[-1].question.kind == "consecution" else asked


def _ask_each(
    induction: Induction,
    questions: Sequence[Question],
    goal: Property,
    allowed: Sequence[str],
    known: dict[str, Answered],
    progress: FileRead,
) -> tuple[Answered, ...]:
    """The answers up to the first that is no proof; what is known and rests on no fallen lemma is not asked again."""
    asked: list[Answered] = []
    for question in questions:
        answer = known.get(question.name)
        if not induction.stands(answer):
            answer = known[question.name] = induction.ask(question, goal, allowed)
            progress(answer)
        asked.append(answer)
        if answer.outcome != "proved":
            break
    return tuple(asked)


def _total(asked: Iterable[Answered]) -> float:
    return sum(each.seconds for each in asked)


def _open(answer: Answered) -> str:
    return f"question {answer.question.name} is {answer.outcome}: {answer.reason}"


def _instance_settings(model: Model, kept: Settings, effort: Effort) -> dict[str, int]:
    return {**{each.name: each.default for each in model.settings}, **(effort.instance or {}), **kept}


def _known(model: Model) -> set[str]:
    ghosts = [each for ghosts in model.ghosts for each in ghosts.properties]
    return {each.name for each in (*model.properties, *ghosts)}


def _search(goal: Property, model: Model, kept: Settings, effort: Effort) -> tuple[Path | None, str, str]:
    """A shortest counterexample by the explorer, which executes the path by the reference.

    Returns:
        The path or None, the instance that was searched, and what the search says of it, in words.
    """
    from ...model.errors import ModelError
    from ..explore.run import explore_instance
    from ..explore.search import Limits

    words = []
    for settings in _searched(model, kept, effort):
        name = model.instance(**settings).name
        try:
            found = explore_instance(
                model,
                settings,
                [goal.name if goal.name in _known(model) else goal],
                limits=Limits(seconds=effort.search, memory_mb=4000),
                until_decided=True,
            )
        except ModelError as error:
            return None, name, f"no search: {error}"
        result = found[goal.name]
        if result.verdict == "violated":
            return result.path, name, ""
        words.append(f"holds in {name}" if result.verdict == "holds" else f"not decided in {name}")
    return None, "", ", ".join(words)


def _searched(model: Model, kept: Settings, effort: Effort) -> list[dict[str, int]]:
    """The instances in which counterexamples are looked for, one after the other: the model's own, and others."""
    own = _instance_settings(model, kept, effort)
    if effort.instance is not None:
        return [own]
    others = [{**own, **{name: value for name, value in each.items() if name in own}, **kept} for each in OTHERS]
    return [each for index, each in enumerate([own, *others]) if each not in [own, *others][:index]]


def small_instance(model: Model, kept: Settings, effort: Effort) -> Instance:
    """The instance in which counterexamples to induction are looked for: two of everything that is not kept.

    Where sets are counted there are three: of two, a set that is large enough is all or any.
    """
    settings = _instance_settings(model, kept, effort)
    counted = {each.size.name for each in trust.counted(model)}
    for name in trust.sizes(model):
        if name not in kept:
            settings[name] = min(3 if name in counted else 2, settings[name])
    return model.instance(**settings)
