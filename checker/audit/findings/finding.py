"""Findings: one report by one rule about one entity, with its evidence."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from ....traces.place import Place
from ....traces.timeline import Lost

Role = Literal["seen", "contradicts", "decides"]
"""The role of a place in a finding.

seen: the finding is about this line. contradicts: this line, usually an earlier one, is incompatible with the one seen;
for a refusal it is the throwable. decides: lines that would decide an unknown may be missing after this line.
"""


@dataclass(frozen=True)
class Entity:
    """The entity that a finding is about."""

    kind: str
    topic: str | None = None
    partition: int | None = None
    replica: int | None = None
    broker: int | None = None


@dataclass(frozen=True)
class Evidence:
    """A place with its role in the finding."""

    role: Role
    place: Place


@dataclass(frozen=True)
class Origin:
    """Another finding that explains one, identified by its fingerprint."""

    rule: str
    name: str
    fingerprint: str
    place: Place


@dataclass(frozen=True)
class Finding:
    """One report by one rule."""

    rule: str
    name: str
    verdict: str
    evidence: tuple[Evidence, ...]
    """The first is what was seen; for a throwable that is its ERROR line."""
    ts: int | None
    """The time of that line, in milliseconds as printed."""
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
    looks_like: str | None = None
    """The issue of Kafka, where it may be a known bug, or something else."""
    decided_by: str | None = None
    excerpt: str = ""
    """The text of that line."""
    cause: str | None = None
    """A sentence that all findings of the rule with this cause share; None: the rule knows none that several share."""
    lost: tuple[Lost, ...] = ()
    """Offsets of committed records that are certainly gone; there may be more."""
    caused_by: tuple[Origin, ...] = ()
    """Findings about the same partition that explain this one."""
    cluster: int = 0
    not_illegal_because: str | None = None
    """The reason why it is not illegal, where its rule would call it so if no line were in doubt."""

    @property
    def known_as(self) -> str | None:
        """The known bug behind the finding, and since when it is fixed: "KAFKA-3143, fixed in 2.3.0"."""
        if self.known_issue is None:
            return None
        return f"{self.known_issue}, " + (f"fixed in {self.fixed_in}" if self.fixed_in else "not fixed in any release")

    @property
    def place(self) -> Place:
        """The place that was seen."""
        return self.evidence[0].place

    @property
    def file(self) -> str:
        return self.place.file

    @property
    def line(self) -> int | None:
        """The line number; None in a binary log."""
        return self.place.line

    @property
    def severity(self) -> str:
        return {"illegal": "error", "suspicious": "warning"}.get(self.verdict, "note")

    @property
    def fingerprint(self) -> str:
        """The identity of the finding across runs, even if files are rotated, renamed, or added.

        It depends on the rule, the entity and the line itself; not on file, number or verdict, which a longer log may
        change.
        """
        about = self.entity
        parts = (
            self.rule,
            *(about.kind, about.topic, about.partition, about.replica, about.broker),
            *(self.controller_epoch, self.ts, self.excerpt or self.message),
        )
        return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def in_report_order(finding: Finding) -> tuple[object, ...]:
    """Return the sort key of findings; a line that lists several partitions may have one of each."""
    about = finding.entity
    return (
        *(finding.cluster, finding.life or 0, finding.controller_epoch or 0, *finding.place.order, finding.rule),
        *(
            about.topic or "",
            *(-1 if each is None else each for each in (about.partition, about.replica, about.broker)),
        ),
    )
