"""The places of a finding's evidence, and the lines there."""

from __future__ import annotations

from isrproof.checker.audit.findings.finding import Finding
from isrproof.traces.place import Place
from isrproof.traces.sources.text import Lines


def places(finding: Finding, role: str) -> list[Place]:
    return [each.place for each in finding.evidence if each.role == role]


def text(place: Place) -> str:
    assert place.line is not None
    return Lines(place.file).chosen([place.line])[place.line]
