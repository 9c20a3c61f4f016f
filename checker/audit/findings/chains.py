"""Chains of findings: a controller's fault, and its consequences on brokers, are one story.

A rule names the rules whose findings explain its own (`follows_from`). Of those about the same partition, the finding
nearest in time is named; within one file, none below the line itself. Brokers' clocks may differ: they affect only
which finding is named, never a verdict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..rules.catalogue import rules
from .finding import Finding, Origin

_Key = tuple[int, str, str | None, int | None]
"""Cluster, rule, topic and partition."""


def chained(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, each with those that explain it."""
    known: dict[_Key, list[Finding]] = defaultdict(list)
    for each in findings:
        known[_key(each, each.rule)].append(each)
    return [replace(each, caused_by=tuple(_origins(each, known))) for each in findings]


def _key(finding: Finding, rule: str) -> _Key:
    return finding.cluster, rule, finding.entity.topic, finding.entity.partition


def _origins(finding: Finding, known: Mapping[_Key, Sequence[Finding]]) -> Iterator[Origin]:
    """Yield one finding of each rule that may explain it: of the same life, where both have one."""
    rule = rules().get(finding.rule)
    for code in () if rule is None else rule.follows_from:
        own = known.get(_key(finding, code), ())
        lives = [each for each in own if _same_life(each, finding) and not _below(each, finding)]
        if lives:
            nearest = min(lives, key=lambda each: (abs((each.ts or 0) - (finding.ts or 0)), *each.place.order))
            yield Origin(nearest.rule, nearest.name, nearest.fingerprint, nearest.place)


def _below(one: Finding, other: Finding) -> bool:
    """Return whether one is about the same thing below the other, in one file: a fault's consequence does not explain
    it.
    """
    return (one.entity, one.file) == (other.entity, other.file) and (other.line or 0) < (one.line or 0)


def _same_life(one: Finding, other: Finding) -> bool:
    return one.life is None or other.life is None or one.life == other.life
