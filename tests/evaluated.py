"""Which rules had something to evaluate: a rule that finds nothing shows something only if it looked at something."""

from __future__ import annotations

from isrproof.checker.audit.report.model import Report

COMPARING = {"KR103", "KR104", "KR207"}
"""Rules that compare a line with one before it: they fail first where lines are missing or in a wrong order."""


def evaluated(report: Report) -> set[str]:
    """The codes of the rules that had something to evaluate."""
    return {code for code, tally in report.rules.items() if tally.evaluated}
