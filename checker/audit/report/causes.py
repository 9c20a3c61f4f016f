"""Findings grouped by cause: a thousand with one cause are one paragraph, and causes come before their consequences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ..findings.finding import Finding
from ..rules.catalogue import rules
from .model import VERDICTS

_Kind = tuple[str, str, int | None, bool]
_EPOCHS = 3
"""Findings in more controller epochs than these have one cause."""


@dataclass(frozen=True)
class Cause:
    """Findings of one rule and verdict with one cause, in the order of the report."""

    findings: tuple[Finding, ...]
    follows_from: str = ""

    @property
    def first(self) -> Finding:
        return self.findings[0]

    @property
    def sentence(self) -> str:
        """Return what all of them have in common, or the message of the first or only one."""
        return self.first.cause if self.first.cause and len(self.findings) > 1 else self.first.message

    @property
    def sentence_alone(self) -> str:
        """Return the same sentence as it begins a line. The name of a topic keeps its case."""
        text, topic = self.sentence, self.first.entity.topic
        return text if topic and text.startswith(topic) else text[0].upper() + text[1:]

    @property
    def partitions(self) -> list[tuple[str, int]]:
        entities = (each.entity for each in self.findings)
        return sorted({(each.topic, each.partition or 0) for each in entities if each.topic is not None})

    @property
    def times(self) -> list[int]:
        """Return the times of the first and the last; empty where lines have no times."""
        times = [each.ts for each in self.findings if each.ts is not None]
        return [min(times), max(times)] if times else []

    @property
    def epochs(self) -> list[int]:
        return sorted({each.controller_epoch for each in self.findings if each.controller_epoch is not None})


def causes(findings: Sequence[Finding]) -> list[Cause]:
    """Group findings by cause: the rule names it, otherwise it is their controller epoch."""
    by_event: dict[tuple[_Kind, str | int | None], list[Finding]] = defaultdict(list)
    for finding in findings:
        kind = (finding.rule, finding.verdict, finding.life, finding.cause is None)
        by_event[kind, finding.controller_epoch if finding.cause is None else finding.cause].append(finding)
    events = Counter(kind for kind, _ in by_event)
    groups: dict[tuple[_Kind, str | int | None], list[Finding]] = defaultdict(list)
    for (kind, event), group in by_event.items():
        *_, by_epoch = kind
        groups[kind, None if by_epoch and events[kind] > _EPOCHS else event] += group
    ordered = sorted(groups.values(), key=lambda group: (_depth(group[0].rule), group[0].ts or 0, group[0].rule))
    return [Cause(tuple(group), _follows_from(group)) for group in ordered]


def severest_first(findings: Sequence[Finding]) -> list[Cause]:
    """Return the causes by verdict, those of one verdict in the order of `causes`."""
    return sorted(causes(findings), key=lambda cause: VERDICTS.index(cause.first.verdict))


def _depth(code: str) -> int:
    """Return 0 for a cause, more for what follows from others."""
    rule = rules().get(code)
    return 0 if rule is None or not rule.follows_from else 1 + max(_depth(other) for other in rule.follows_from)


def _follows_from(group: Sequence[Finding]) -> str:
    """Return the rule whose findings explain all of the group."""
    origins = [each.caused_by[0] for each in group if each.caused_by]
    return f"{origins[0].rule} {origins[0].name}" if len(origins) == len(group) else ""
