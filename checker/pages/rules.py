"""docs/rules.md: the rules of the audit, from their modules and their case files."""

from __future__ import annotations

from ..audit.rules.catalogue import rules
from ..audit.rules.pages import limits, summary, whole
from ..audit.rules.rule import Rule
from . import table

PATH = "docs/rules.md"


def write() -> str:
    """Return the list, and a section for each rule."""
    lines = [
        "# Rules of the audit",
        "",
        "This page lists the rules of `isrproof audit`. `isrproof rules CODE` prints one section.",
        "",
        "In an excerpt, an arrow marks the line of a finding, with its verdict; the log itself has no arrows.",
        "",
        "`python -m isrproof.checker.pages` writes this page from `checker/audit/rules` and `traces/cases`: change",
        "those, not this page.",
        "",
        *table(("rule", "fault", "releases, issues"), map(_row, rules().values())),
        "",
        *whole(),
    ]
    return "\n".join(lines)


def _row(rule: Rule) -> tuple[str, str, str]:
    name = f"{rule.code} {rule.name}"
    return f"[{name}](#{name.lower().replace(' ', '-')})", summary(rule), ", ".join(limits(rule))
