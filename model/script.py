"""Lemmas that a proof may use: written beside a model, discovered, and found by the fields that the model has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache

from .discovery import modules
from .expr import Expr
from .property import Property
from .protocol import Ghosts, Model


@dataclass(frozen=True)
class Script:
    """A model with the ghosts that its lemmas speak about, the lemmas, and goals besides the model's properties.

    `base` is the model as it was before the ghosts. Without lemmas a proof is by plain induction. `spare` gives the
    reason for keeping each lemma that no promise needs.
    """

    base: Model
    model: Model
    lemmas: tuple[Property, ...] = ()
    goals: tuple[Property, ...] = ()
    spare: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Lemmas:
    """The lemmas for all models that have certain fields: a module of lemmas has them as `SCRIPT`.

    Args:
        fields: what a model needs to have.
        lemmas: they hold at first, and every action keeps them; or a function that gives those for the fields of a
            model, where each of its parts has some.
        with_history: the model that also remembers what the lemmas speak about.
        goals: what is proved of that model besides its properties.
        spare: see `Script`.
    """

    fields: frozenset[Expr]
    lemmas: tuple[Property, ...] | Callable[[Set[Expr]], tuple[Property, ...]]
    with_history: Callable[[Model], Model]
    goals: Callable[[Model], tuple[Property, ...]]
    spare: Mapping[str, str]


def script_of(model: Model) -> Script:
    """The lemmas for a model: of those whose fields it has, the ones that speak of most.

    The *always* properties of a model for which there are none are lemmas for one another.
    """
    fields = {each.expr for each in model.fields}
    fitting = [each for each in written() if each.fields <= fields]
    if not fitting:
        promised = [each for each in model.properties if each.name not in model.suspended]
        return Script(model, model, tuple(each for each in promised if each.kind == "always"))
    best = max(fitting, key=lambda each: len(each.fields))
    watching = best.with_history(model)
    lemmas = best.lemmas(fields) if callable(best.lemmas) else best.lemmas
    return Script(model, watching, lemmas, best.goals(watching), best.spare)


def remembering(model: Model, ghosts: Ghosts, *others: str) -> Model:
    """A model with ghost fields of a proof's own, watched, as are `others` that it has."""
    return replace(model, ghosts=(*model.ghosts, ghosts)).watching(*others, ghosts.name)


@cache
def written() -> tuple[Lemmas, ...]:
    """The lemmas of all protocols."""
    return tuple(module.SCRIPT for module in modules(of_lemmas=True) if hasattr(module, "SCRIPT"))
