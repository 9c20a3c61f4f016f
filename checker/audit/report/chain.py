"""The consequences of a cause: findings that follow from it, and what brokers could not do until it healed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ....traces.timeline import Lost
from ..findings.finding import Finding
from ..findings.refusals import FOLLOW, Refusal
from ..observe.controller.conditions import OFFLINE
from ..rules.catalogue import rules
from .causes import Cause
from .healing import Healings
from .model import Report
from .shown import and_more, brokers_named, count, partition_name, printed

_Partition = tuple[str | None, int | None]


@dataclass(frozen=True)
class Chains:
    """The findings of a report by the fingerprint of the one that explains them, and its refusals by partition."""

    follows: Mapping[str, Sequence[Finding]]
    refusals: Mapping[_Partition, Sequence[Refusal]]
    healings: Healings

    @staticmethod
    def of(report: Report, healings: Healings) -> Chains:
        follows: dict[str, list[Finding]] = defaultdict(list)
        for finding in report.findings:
            for origin in finding.caused_by:
                follows[origin.fingerprint].append(finding)
        refusals: dict[_Partition, list[Refusal]] = defaultdict(list)
        for each in report.state.refusals:
            refusals[each.topic, each.partition].append(each)
        return Chains(follows, refusals, healings)

    def of_cause(self, cause: Cause) -> list[str]:
        """Return a sentence for each consequence, in causal order."""
        return [*_lost(cause), *self._refused(cause), *self._followed(cause)]

    def _followed(self, cause: Cause) -> Iterator[str]:
        by_rule: dict[str, dict[str, Finding]] = defaultdict(dict)
        for finding in cause.findings:
            for each in self.follows.get(finding.fingerprint, ()):
                by_rule[each.rule][each.fingerprint] = each
        for rule, found in sorted(by_rule.items()):
            first = min(found.values(), key=lambda each: (each.ts or 0, each.place.order))
            yield f"Then {rule} {first.name}: {count(len(found), 'finding')}, the first {first.place}"

    def _refused(self, cause: Cause) -> Iterator[str]:
        """Yield what brokers could not do while the partitions of the cause had no working leader."""
        by_kind: dict[str, set[Refusal]] = defaultdict(set)
        for finding in cause.findings:
            healing = self.healings.healing(finding)
            if healing is None or finding.ts is None or healing.condition != OFFLINE:
                continue
            for each in self.refusals.get((finding.entity.topic, finding.entity.partition), ()):
                if (each.until or 0) >= finding.ts and (healing.until is None or (each.since or 0) <= healing.until):
                    by_kind[each.kind].add(each)
        for kind, found in sorted(by_kind.items(), reverse=True):
            yield _sentence(kind, sorted(found, key=lambda each: (each.since or 0, each.place.order)))


def records_lost(findings: Iterable[Finding]) -> list[Lost]:
    """Return the committed records that the findings are about, each once: findings that follow from others repeat
    them.
    """
    found: list[Lost] = []
    firsts = (each for each in findings if not any(rules()[origin.rule].lost for origin in each.caused_by))
    lost = (each for finding in firsts for each in finding.lost)
    for each in sorted(lost, key=lambda each: (each.topic, each.partition, each.start)):
        last = found[-1] if found else None
        if last is not None and (last.topic, last.partition) == (each.topic, each.partition) and each.start <= last.end:
            found[-1] = replace(last, end=max(last.end, each.end))
        else:
            found.append(each)
    return found


def records_in_words(found: Iterable[Lost]) -> str:
    return count(sum(each.end - each.start for each in found), "committed record")


def _lost(cause: Cause) -> Iterator[str]:
    found = records_lost(cause.findings)
    if found:
        shown = [f"{partition_name(each.topic, each.partition)} {each.start} to {each.end - 1}" for each in found]
        yield f"{records_in_words(found)} concerned, by offset: {and_more(shown)}"


def _sentence(kind: str, found: Sequence[Refusal]) -> str:
    brokers = sorted({each.broker for each in found})
    to_whom = "them" if len(brokers) > 1 else "it"
    did = f"could not follow: the leader is not alive to {to_whom}" if kind == FOLLOW else "refused what producers sent"
    last = max(each.until or 0 for each in found)
    lines = count(sum(each.lines for each in found), "line")
    when = f", until {printed(last)}" if last else ""
    return f"Then {brokers_named(brokers)} {did}; {lines}{when}, the first {found[0].place}"
