"""docs/rules.md and docs/rules/: the rules of the audit, from their modules and their case files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ..audit.rules.catalogue import rules
from ..audit.rules.pages import limits, page, path, summary
from ..audit.rules.rule import Rule
from . import ending, table

PATH = "docs/rules.md"
NEXT = "[What happened](happened.md), the other half of a report, or [how a verdict is made](verdicts.md)"
SCHEME = (
    ("KR101", "KR199", ("controller",), "moves of a controller's state machines"),
    ("KR201", "KR299", ("controller",), "states of a partition that a controller prints or writes"),
    ("KR301", "KR399", ("controller",), "controller epochs, and writes that are repeated or come from the past"),
    ("KR401", "KR499", ("controller",), "what a controller leaves undone, and the requests that it sends"),
    ("KR501", "KR599", ("kraft", "quorum"), "KRaft: the metadata log, lines of its quorum, and lines beside the log"),
    ("KR601", "KR660", ("broker",), "what brokers print of replicas, requests and metadata"),
    ("KR661", "KR699", ("broker",), "records that may be lost, as brokers' offsets show"),
)
"""The first and the last code of a subject, the folders of the rules that have one, and the subject."""


def write() -> str:
    """Return the index."""
    lines = [
        "# Rules of the audit",
        "",
        "This page lists the rules of `isrproof audit`. Each has a page, which `isrproof rules CODE` prints.",
        "",
        "In an excerpt, an arrow marks the line of a finding, with its verdict; the log itself has no arrows.",
        "",
        "`python -m isrproof.checker.pages` writes these pages from `checker/audit/rules` and `traces/cases`: change",
        "those, not these pages.",
        "",
        *table(("rule", "fault", "releases, issues"), map(_row, rules().values())),
        "",
        "## Codes",
        "",
        "A code never changes its meaning, and one that is gone is given to no other rule. A new rule takes the number",
        "after the greatest of its subject.",
        "",
        *table(("codes", "folders", "subject"), map(_subject, SCHEME)),
        "",
    ]
    return "\n".join(lines)


def further() -> Mapping[str, str]:
    """Return the path and the text of each rule's page."""
    found = [*rules().values()]
    following = dict(pairwise([*(each.code for each in found), ""]))
    return {f"docs/{path(each)}": ending(page(each), _next(each, following[each.code])) for each in found}


def _next(rule: Rule, following: str) -> str:
    """Return the links at the end of a rule's page."""
    after = f"[{following} {rules()[following].name}]({following}.md); " if following else ""
    lines = f"[{rule.observation}](../observations.md#{rule.observation}), the lines that this rule looks at"
    return f"{after}{lines}; [all rules](../rules.md)"


def _subject(row: tuple[str, str, Sequence[str], str]) -> tuple[str, str, str]:
    first, last, folders, about = row
    return f"{first} to {last}", ", ".join(f"`{folder}/`" for folder in folders), about


def _row(rule: Rule) -> tuple[str, str, str]:
    # Older reports lead to the headings that this page had.
    anchor = f'<a id="{rule.code.lower()}-{rule.name}"></a>'
    return f"{anchor}[{rule.code} {rule.name}]({path(rule)})", summary(rule), ", ".join(limits(rule))
