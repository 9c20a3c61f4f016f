"""The report for GitHub Actions: annotations on stdout, and a step summary in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from ...ci.github import annotation
from .causes import Cause, severest_first
from .forms import AuditRun
from .happened_text import in_headline
from .model import Report
from .notes import in_short as notes_in_short
from .shown import count

_COMMAND = {"illegal": "error", "suspicious": "warning"}
_SHOWN = 10
"""The most annotations of one kind that GitHub shows for a step; the rest is counted."""


def write(run: AuditRun) -> str:
    """Return an annotation for each cause, the severest first, and one about the verdict."""
    lines = []
    written: dict[str, int] = {"error": 0, "warning": 0, "notice": 0}
    for title, report in run.clusters:
        for cause in severest_first(report.findings):
            command = _COMMAND.get(cause.first.verdict, "notice")
            written[command] += 1
            if written[command] < _SHOWN:
                lines.append(_annotation(cause, command, title))
    for command, number in written.items():
        if number >= _SHOWN:
            lines.append(annotation(command, f"and {count(number - _SHOWN + 1, 'other cause')}", {"title": "isrproof"}))
    lines += [line for title, report in run.clusters for line in _verdict(title, report)]
    return "\n".join(lines)


def _annotation(cause: Cause, command: str, title: str) -> str:
    first = cause.first
    properties = {"file": first.file, **({} if first.line is None else {"line": str(first.line)})}
    head = f"{first.rule} {first.name} ({first.verdict})" + (f", {title}" if title else "")
    known = f"; {first.known_as}" if first.known_as else ""
    text_of = (
        f"{cause.sentence}. Expected {first.expected}; got {first.got}{known}. {count(len(cause.findings), 'finding')}"
    )
    return annotation(command, text_of, {**properties, "title": head})


def _verdict(title: str, report: Report) -> Iterator[str]:
    trouble = in_headline(report.happened)
    if trouble:
        yield annotation("warning", trouble, {"title": f"isrproof audit {title}".strip()})
    if report.verdict != "illegal":
        command = "notice" if report.verdict == "conforms" else "warning"
        notes = "; ".join(notes_in_short(report)[:5])
        yield annotation(command, f"{report.verdict}. {notes}", {"title": f"isrproof audit {title}".strip()})
