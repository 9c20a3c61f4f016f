"""What a finding is: one report by one rule about one entity, with its evidence."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from ....traces.place import Place
from ....traces.timeline import Lost

Role = Literal["seen", "contradicts", "decides"]
"""What a place is to a finding.

seen: the finding is about this line. contradicts: this line, usually an earlier one, and the one seen do not go
together; of a refusal it is the throwable. decides: after this line some may be missing that would decide an unknown.
"""


@dataclass(frozen=True)
class Entity:
    """What a finding is about."""

    kind: str
    topic: str | None = None
    partition: int | None = None
    replica: int | None = None
    broker: int | None = None


@dataclass(frozen=True)
class Evidence:
    """A place, and what it is to the finding."""

    role: Role
    place: Place


@dataclass(frozen=True)
class Origin:
    """Another finding that explains one, known by its fingerprint."""

    rule: str
    name: str
    fingerprint: str
    place: Place


@dataclass(frozen=True)
class Finding:
    """One report by one rule. `evidence` begins with what was seen; for a throwable that is its ERROR line.

    `ts` is that line's time, milliseconds as printed, and `excerpt` its text. Findings of a rule that have the same
    `cause` have one cause, which it says; None: the rule knows none that several share. `lost` are offsets of committed
    records that are gone, at least. `caused_by` are findings about the same partition that explain this one.
    """

    rule: str
    name: str
    verdict: str
    evidence: tuple[Evidence, ...]
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
    cause: str | None = None
    lost: tuple[Lost, ...] = ()
    caused_by: tuple[Origin, ...] = ()
    cluster: int = 0
    not_illegal_because: str | None = None
    """Why it is not illegal, where its rule says so of lines that can be taken at their word."""

    @property
    def known_as(self) -> str | None:
        """The known bug that it is, and since when it is fixed: "KAFKA-3143, fixed in 2.3.0"."""
        if self.known_issue is None:
            return None
        return f"{self.known_issue}, " + (f"fixed in {self.fixed_in}" if self.fixed_in else "not fixed in any release")

    @property
    def place(self) -> Place:
        """What was seen."""
        return self.evidence[0].place

    @property
    def file(self) -> str:
        return self.place.file

    @property
    def line(self) -> int | None:
        """None in a binary log."""
        return self.place.line

    @property
    def severity(self) -> str:
        return {"illegal": "error", "suspicious": "warning"}.get(self.verdict, "note")

    @property
    def fingerprint(self) -> str:
        """What two runs know it by, though files were rotated, renamed, or more of them given.

        It is of the rule, what it is about, and the line itself; of neither file, number nor verdict, which a longer
        log may change.
        """
        about = self.entity
        parts = (
            self.rule,
            *(about.kind, about.topic, about.partition, about.replica, about.broker),
            *(self.controller_epoch, self.ts, self.excerpt or self.message),
        )
        return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def in_report_order(finding: Finding) -> tuple[object, ...]:
    """By this, findings are sorted; a line that lists several partitions may have one of each."""
    about = finding.entity
    return (
        *(finding.cluster, finding.life or 0, finding.controller_epoch or 0, *finding.place.order, finding.rule),
        *(
            about.topic or "",
            *(-1 if each is None else each for each in (about.partition, about.replica, about.broker)),
        ),
    )
