"""docs/rules.md: the rules of the audit, from their modules and their case files."""

from __future__ import annotations

from ..audit.rules.catalogue import rules
from ..audit.rules.pages import limits, summary, whole
from ..audit.rules.rule import Rule
from . import table

PATH = "docs/rules.md"


def write() -> str:
    """The list, and a section for each rule."""
    lines = [
        "# Rules of the audit",
        "",
        "Made from `checker/audit/rules` and `traces/cases` by `python -m isrproof.checker.pages`: change those, not",
        "this page. `isrproof rules CODE` prints one section.",
        "",
        "In an excerpt, an arrow says on which line the rule gives which verdict; the log itself has no arrows.",
        "",
        *table(("rule", "what is wrong", "releases, issues"), map(_row, rules().values())),
        "",
        *whole(),
    ]
    return "\n".join(lines)


def _row(rule: Rule) -> tuple[str, str, str]:
    name = f"{rule.code} {rule.name}"
    return f"[{name}](#{name.lower().replace(' ', '-')})", summary(rule), ", ".join(limits(rule))
