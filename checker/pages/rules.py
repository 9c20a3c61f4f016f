"""docs/rules.md: the rules of the audit, from their modules and their case files."""

from __future__ import annotations

from ..audit.rules.pages import listing, whole

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
        "```text",
        *listing().splitlines(),
        "```",
        "",
        *whole(),
    ]
    return "\n".join(lines)
