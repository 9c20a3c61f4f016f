"""Elections by eligibility: no replica is eligible while eligible leader replicas are turned off."""

from __future__ import annotations

from .....model.expr import Expr, const, ite, substitute
from ...observe.compared import was
from ...sources.metadata.columns import elr, elr_on
from ..conditions import step

_ELIGIBLE = ite(elr_on, was(elr), const(frozenset(), elr.sort))


def by_eligible(condition: Expr) -> Expr:
    """Return a condition of the model over a record, as its controller saw the partition before it."""
    return substitute(step(condition), {was(elr): _ELIGIBLE})
