"""What the audit reports: findings, verdicts, and how often each rule could say something."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

EXIT = {"illegal": 1, "incomplete": 3, "nothing-to-check": 3, "conforms": 0}
"""Verdicts of a run, the strongest first, and the exit codes that they mean."""


@dataclass(frozen=True)
class Entity:
    """What a finding is about."""

    kind: str
    topic: str | None = None
    partition: int | None = None
    replica: int | None = None
    broker: int | None = None


@dataclass(frozen=True)
class Finding:
    """One report by one rule. `line` counts from 1 in the decompressed file; for a throwable it is its ERROR line."""

    rule: str
    name: str
    verdict: str
    file: str
    line: int
    ts: int | None
    entity: Entity
    life: int | None
    controller_epoch: int | None
    message: str
    expected: str
    got: str
    assumption: str | None
    issue: tuple[str, ...] = ()
    known_issue: str | None = None
    fixed_in: str | None = None
    decided_by: str | None = None
    excerpt: str = ""
    cluster: int = 0

    @property
    def severity(self) -> str:
        return {"illegal": "error", "suspicious": "warning"}.get(self.verdict, "note")


@dataclass
class Tally:
    """How often a rule was evaluated, and with which result."""

    evaluated: int = 0
    held: int = 0
    failed: int = 0
    undecided: int = 0

    def add(self, verdict: str, count: int) -> None:
        self.evaluated += count
        if verdict == "held":
            self.held += count
        elif verdict == "unknown":
            self.undecided += count
        else:
            self.failed += count


@dataclass
class Report:
    """All that one audited cluster gave."""

    verdict: str
    findings: list[Finding]
    rules: dict[str, Tally]
    coverage: dict[str, Any]
    files: list[dict[str, Any]]
    lives: list[dict[str, Any]]
    releases: list[dict[str, Any]]
    timeline: list[dict[str, Any]] | None = None
    transitions: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
