"""The report as SARIF 2.1.0 (OASIS), within the limits of GitHub's code scanning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ....specs.happenings import happenings
from ....specs.issues import address
from ....traces.place import Place
from ....traces.sources.paths import is_elsewhere
from ...ci import home
from ...ci.sarif import artifact, log
from ..findings.finding import Finding
from ..rules.advice import advice
from ..rules.catalogue import rules
from ..rules.pages import page, path, summary
from ..rules.rule import Rule
from .forms import AuditRun
from .happened_text import Line, lines
from .model import EXIT, VERDICTS, Report
from .shown import plain

MOST = 5_000
"""The most results of a run that GitHub keeps; the severest come first."""
MARK = "isrproof/v1"
"""The name of our own fingerprint; GitHub reads only the one beside it."""
TROUBLE = "trouble/"
"""The begin of the ids of what is trouble for the cluster, and no finding."""
_TROUBLE = 1_000
"""The most things that happened that are listed."""
_KIND = {"illegal": "fail", "suspicious": "fail", "unknown": "review", "refused": "informational"}
_LEVEL = {"illegal": "error", "suspicious": "warning"}
"""Levels of failing results; SARIF wants none for all others."""


def write(run: AuditRun) -> str:
    """Return one run of one tool, with the findings of all clusters."""
    found = [each for report in run.reports for each in report.findings]
    marked = sorted(zip(found, _marks(found), strict=True), key=lambda pair: VERDICTS.index(pair[0].verdict))
    kept = marked[:MOST]
    codes = sorted({finding.rule for finding, _ in kept})
    trouble = [line for report in run.reports for line in lines(report.happened) if line.trouble][:_TROUBLE]
    words = sorted({line.first.what for line in trouble})
    return log(
        [*(_rule(rules()[code]) for code in codes), *map(_word, words)],
        [
            *(_result(finding, mark, codes.index(finding.rule)) for finding, mark in kept),
            *(_review(line, len(codes) + words.index(line.first.what)) for line in trouble),
        ],
        _invocation(run, len(found) - len(kept)),
        {"verdicts": {plain(title) or "all": report.verdict for title, report in run.clusters}},
    )


def _marks(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield a fingerprint for each finding, numbered where several are equal: "HASH:1", "HASH:2"."""
    met: Counter[str] = Counter()
    for own in (each.fingerprint for each in findings):
        met[own] += 1
        yield f"{own}:{met[own]}"


def _rule(rule: Rule) -> dict[str, Any]:
    todo = advice(rule)
    advice_lines = [] if todo is None else [f"{word}: {text}" for word, text in todo.sentences()]
    shown: dict[str, Any] = {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": summary(rule)},
        "fullDescription": {"text": rule.page},
        "help": {"text": "\n".join([summary(rule), "", *advice_lines]), "markdown": page(rule)},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["kafka", "replication", *rule.issues[:8]]},
    }
    known = address(rule.issues[0]) if rule.issues else None
    return shown | {"helpUri": known or home.file(f"docs/{path(rule)}")}


def _result(finding: Finding, mark: str, index: int) -> dict[str, Any]:
    kind = _KIND[finding.verdict]
    known = f" Known as {finding.known_as}." if finding.known_as else ""
    decided = f" Decided by {finding.decided_by}." if finding.decided_by else ""
    full_text = f"{finding.message}. Expected {finding.expected}; got {finding.got}.{known}{decided}"
    shown = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "kind": kind,
        "level": _LEVEL[finding.verdict] if kind == "fail" else "none",
        "message": {"text": plain(full_text)},
        "locations": [_location(finding.place, finding.excerpt)],
        "partialFingerprints": {MARK: mark, "primaryLocationLineHash": mark},
        "properties": {"verdict": finding.verdict, "name": finding.name},
    }
    others = [
        {"id": number, **_location(each.place, ""), "message": {"text": each.role}}
        for number, each in enumerate(finding.evidence[1:], 1)
    ]
    return shown | ({"relatedLocations": others} if others else {})


def _word(what: str) -> dict[str, Any]:
    word = happenings()[what]
    return {
        "id": f"{TROUBLE}{what}",
        "name": "".join(part.capitalize() for part in what.split("-")),
        "shortDescription": {"text": f"A {word.subject} {word.sentence}."},
        "help": {"text": word.todo or "Nothing is to be done."},
        "helpUri": home.file("docs/happened.md"),
        "defaultConfiguration": {"level": "none"},
    }


def _review(line: Line, index: int) -> dict[str, Any]:
    """Return what happened to a cluster: nothing fails by it, and someone should look at it."""
    first = line.first
    text = f"{line.when}: {line.sentence}" if line.when else line.sentence
    shown = {
        "ruleId": f"{TROUBLE}{first.what}",
        "ruleIndex": index,
        "kind": "review",
        "level": "none",
        "message": {"text": plain(text)},
        "properties": {"what": first.what, "count": sum(each.count for each in line.entries)},
    }
    return shown | ({"locations": [_location(first.places[0], "")]} if first.places else {})


def _location(place: Place, text: str) -> dict[str, Any]:
    region: dict[str, Any] = {}
    if place.line is not None:
        region = {"startLine": place.line}
    elif place.offset is not None:
        region = {"byteOffset": place.offset}
    if text:
        region["snippet"] = {"text": plain(text)}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": place.file} if is_elsewhere(place.file) else artifact(place.file),
            "region": region,
        }
    }


def _invocation(run: AuditRun, cut: int) -> dict[str, Any]:
    notes = [
        {"level": "note" if report.verdict == "conforms" else "warning", "message": {"text": plain(each)}}
        for title, report in run.clusters
        for each in _notes(title, report)
    ]
    if cut:
        notes.append(
            {"level": "warning", "message": {"text": f"{cut} findings beyond the limit of {MOST} are left out here"}}
        )
    code = max((EXIT[report.verdict] for report in run.reports), default=0)
    return {"executionSuccessful": True, "exitCode": code, "toolExecutionNotifications": notes}


def _notes(title: str, report: Report) -> Iterator[str]:
    start = f"{title}: " if title else ""
    yield f"{start}verdict {report.verdict}"
    notes: Sequence[str] = report.notes
    yield from (f"{start}{note}" for note in notes[:100])
