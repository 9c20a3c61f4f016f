"""docs/rules.md: the rules of the audit, from their modules and their case files."""

from __future__ import annotations

from collections.abc import Sequence

from ..audit.rules.catalogue import rules
from ..audit.rules.pages import limits, summary, whole
from ..audit.rules.rule import Rule
from . import table

PATH = "docs/rules.md"
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
        "## Codes",
        "",
        "A code never changes its meaning, and one that is gone is given to no other rule. A new rule takes the number",
        "after the greatest of its subject.",
        "",
        *table(("codes", "folders", "subject"), map(_subject, SCHEME)),
        "",
        *whole(),
    ]
    return "\n".join(lines)


def _subject(row: tuple[str, str, Sequence[str], str]) -> tuple[str, str, str]:
    first, last, folders, about = row
    return f"{first} to {last}", ", ".join(f"`{folder}/`" for folder in folders), about


def _row(rule: Rule) -> tuple[str, str, str]:
    name = f"{rule.code} {rule.name}"
    return f"[{name}](#{name.lower().replace(' ', '-')})", summary(rule), ", ".join(limits(rule))
