"""Verdicts of a rule on a row, and common ways to form one."""

from __future__ import annotations

from ....model.expr import Expr, both, const, either, ite
from ....model.sorts import Enum

VERDICT = Enum("Verdict", ("held", "illegal", "suspicious", "refused", "unknown", "silent"))
"""All verdicts. Silent: the rule is not about that row."""
HELD, ILLEGAL, SUSPICIOUS, REFUSED, UNKNOWN, SILENT = (const(value, VERDICT) for value in VERDICT.values)
PASSING = ("held", "silent")
"""Verdicts that make no finding."""


def at_most_unknown(verdict: Expr, where: Expr) -> Expr:
    """Return the verdict, but unknown where it would be illegal or suspicious and the condition holds."""
    return ite(both(where, either(verdict.eq(ILLEGAL), verdict.eq(SUSPICIOUS))), UNKNOWN, verdict)


def illegal_unless(condition: Expr, in_doubt: Expr | None = None) -> Expr:
    """Return held where the condition holds; else illegal, but suspicious where `in_doubt` is true."""
    broken = ILLEGAL if in_doubt is None else ite(in_doubt, SUSPICIOUS, ILLEGAL)
    return ite(condition, HELD, broken)


def suspicious_unless(condition: Expr) -> Expr:
    """Return held where the condition holds; else suspicious: one missing line would explain it."""
    return ite(condition, HELD, SUSPICIOUS)


def allowed_in(allowed: Expr, releases: Expr, otherwise: Expr = ILLEGAL) -> Expr:
    """Return held if every possible release allows it, `otherwise` if none does, unknown if some do."""
    return ite(releases.subset_of(allowed), HELD, ite(releases.intersects(allowed), UNKNOWN, otherwise))
