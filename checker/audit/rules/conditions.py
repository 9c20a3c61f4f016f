"""Properties of the models, and sets of releases, as conditions on a row."""

from __future__ import annotations

from ....model.expr import Expr, Op, const, field, replace
from ....model.sorts import SetOf
from ....specs.behaviours import behaviour
from ..observe.compared import was
from ..table.encoding import RELEASE, release_set
from ..table.encoding import in_releases as in_releases


def step(condition: Expr) -> Expr:
    """Return a property over a step, read over a row: the columns `before_*` are the state before, the others after."""

    def leaf(node: Expr) -> Expr | None:
        if node.op is Op.FIELD:
            return was(node)
        return field(node.data, node.sort) if node.op is Op.AFTER else None

    return replace(condition, leaf)


def behaviour_releases(name: str) -> Expr:
    """Return the constant set of releases that have a behaviour of specs/behaviours.toml."""
    return const(release_set(behaviour(name).releases), SetOf(RELEASE))
