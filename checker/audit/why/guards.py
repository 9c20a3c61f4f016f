"""Guards of models, evaluated at a state that a log shows: the clauses that keep a step from being taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ....model.evaluate import Env, evaluate, name_of
from ....model.expr import Expr, Op, free
from ....model.protocol import Instance


@dataclass(frozen=True)
class Refused:
    """The reasons why a step that would have helped could not be taken."""

    said: tuple[str, ...] = ()
    """The clauses of a model's guard that fail, each with the values that make it fail."""
    unknown: tuple[str, ...] = ()
    """The facts that decide it and that are not known, and which file would show them."""

    @staticmethod
    def of(parts: Iterable[Refused]) -> Refused:
        own = [*parts]
        said = dict.fromkeys(text for each in own for text in each.said)
        return Refused(tuple(said), tuple(dict.fromkeys(text for each in own for text in each.unknown)))


@dataclass(frozen=True)
class Evaluated:
    """The result of a guard at a state of which some fields may not be known."""

    fails: tuple[str, ...]
    """The clauses that fail."""
    lacks: frozenset[str]
    """The fields that are not known, of clauses that read them."""


def evaluated(conditions: Mapping[str, Expr], env: Env) -> Evaluated:
    """Evaluate conditions, given by what they say.

    Args:
        env: the fields that are known, parameters and settings.
    """
    fails, lacks = [], set()
    for label, condition in conditions.items():
        missing = {name_of(leaf) for leaf in free(condition) if leaf.op is Op.FIELD} - env.keys()
        lacks |= missing
        if not missing and not evaluate(condition, env):
            fails.append(label)
    return Evaluated(tuple(fails), frozenset(lacks))


def guard_of(instance: Instance, step: str) -> dict[str, Expr]:
    """Return the clauses of a step by what they say; waived ones are preferences."""
    (found,) = (each for each in instance.model.actions if each.name == step)
    return {each.label: each.condition for each in found.guard if not each.waiver}


def asks(model: str, labels: Iterable[str]) -> str:
    return f"model {model} asks that {', and that '.join(labels)}"
