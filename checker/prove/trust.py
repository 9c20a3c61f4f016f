"""Subject and scope of a proof, and what is believed and not proved. Nothing here needs a solver."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.errors import ModelError, unknown
from ...model.expr import Op, topological
from ...model.property import Property
from ...model.protocol import Model
from ...model.script import Script, script_of
from ...model.sorts import FiniteSort, SetSort, Settings, with_inner
from .types import in_range

OF_SIZES = (
    "axioms: a set whose size is above 0 has a member; two sets whose sizes add up to more than the "
    "number of elements have one in common; otherwise the size is any function of the set"
)
"""Axioms that are believed of the sizes of sets of any number of elements (`reading.Domain.counting`)."""


def goals_of(script: Script, names: Iterable[str] | None) -> list[Property]:
    """The properties to prove: those named, or all that the model promises.

    Raises:
        ModelError: a name that does not exist, or of a property that is not to hold always.
    """
    known = {each.name: each for each in (*script.model.properties, *script.goals)}
    if names is not None:
        wanted = tuple(dict.fromkeys(names))
        for name in wanted:
            if name not in known:
                raise unknown("property", name, known, f"model {script.base.name}")
            if known[name].kind not in ("always", "step"):
                sentence = "happens eventually" if known[name].kind == "leads_to" else "is met on some path or on none"
                raise ModelError(
                    f"property {name} {sentence}; only properties that always hold can be proved (use `isrproof "
                    f"explore {script.base.name} --property {name}`)"
                )
        return [known[name] for name in wanted]
    promised = (*script.base.properties, *script.goals)
    return [each for each in promised if each.kind in ("always", "step") and each.name not in script.base.suspended]


def no_proof_decides(script: Script) -> list[Property]:
    """The promised properties that are met on some path, or come eventually: no induction shows that."""
    promised = (*script.base.properties, *script.goals)
    return [
        each for each in promised if each.kind in ("sometimes", "leads_to") and each.name not in script.base.suspended
    ]


def script_for(model: Model, names: Iterable[str]) -> Script:
    """The lemmas for a model, which also watches the history that named properties are about."""
    script = script_of(model)
    wanted = {*names} - {each.name for each in (*script.model.properties, *script.goals)}
    told = [each for ghosts in model.ghosts for each in ghosts.properties if each.name in wanted]
    return script_of(model.watching_for(told)) if told else script


def lemmas_of(script: Script, without: Iterable[str]) -> list[Property]:
    """The lemmas, first that every integer is in range."""
    lemmas = [in_range(script.model.fields), *script.lemmas]
    names = [each.name for each in lemmas]
    for name in without:
        if name not in names:
            raise unknown("lemma", name, names, f"model {script.base.name}")
    return [each for each in lemmas if each.name not in set(without)]


def scope(model: Model, kept: Settings) -> str:
    """Return the scope of a proof, in words: "any number of replicas", "replicas=3"."""
    free = [name for name in sorted(sizes(model)) if name not in kept]
    words = [f"any number of {name}" for name in free] + [f"{name}={number}" for name, number in sorted(kept.items())]
    return ", ".join(words) or "the one instance"


def solver(version: str) -> tuple[str]:
    """Return what is believed of the solver."""
    return (f"{version}: its answer 'unsat' is trusted (`--smtlib` writes every question for a second solver)",)


def trusted(script: Script, kept: Settings) -> tuple[str, ...]:
    """Return what else is believed, not proved, beside every "holds"."""
    model = script.model
    limits = sorted({clause.label for action in model.actions for clause in action.limits})
    free = [each.name for each in model.settings if each.name not in kept]
    ghosts = [each.name for each in model.fields if each.name not in {field.name for field in script.base.fields}]
    sentence = [
        "the Z3 reading and the induction of checker/prove; tests compare the reading with the reference",
        f"actions covered: {', '.join(each.name for each in model.actions)}",
        (
            "axioms: no sequence has a negative length, no setting is below its minimum (nothing else is assumed "
            "about a state)"
        ),
    ]
    if any(each.size.name not in kept for each in counted(model)):
        sentence.append(OF_SIZES)
    if free:
        sentence.append(f"settings left out, so their bounds do not apply: {', '.join(free)}")
    if limits:
        sentence.append(f"limits left out, so there are more steps than in any search: {', '.join(limits)}")
    if ghosts:
        sentence.append(f"ghost fields, which no guard reads: {', '.join(ghosts)}")
    return tuple(sentence)


def counted(model: Model) -> tuple[FiniteSort, ...]:
    """The finite sorts whose sets are counted by some action or property."""
    exprs = [expr for each in model.actions for expr in each.expressions] + [
        each.condition for each in model.properties
    ]
    sets = (node.args[0].sort for expr in exprs for node in topological(expr) if node.op is Op.SIZE)
    elements = dict.fromkeys(each.element for each in sets if isinstance(each, SetSort))
    return tuple(each for each in elements if isinstance(each, FiniteSort))


def sizes(model: Model) -> set[str]:
    """The settings that say how many elements a finite sort has."""
    sorts = with_inner(*(each.sort for each in model.fields))
    return {each.size.name for each in sorts if isinstance(each, FiniteSort)}
