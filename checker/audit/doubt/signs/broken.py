"""Rules that fail on partition after partition, though each rests on nothing but the lines above.

One fault affects one partition. Where several partitions each break several such rules, or many partitions break one
each, lines of another broker or cluster are mixed in, or two files of a broker were written by different clocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from ...history.doubts import MIXED
from ...rules.catalogue import rules
from ...table.protocol import Row
from ..evidence import Evidence
from ..excuses.excuse import DOUBT
from ..sign import Counts, Partitions, Sign

_COMPARED, _ONE_RULE, _SEVERAL_RULES = "compared", "breaking_a_rule", "breaking_several_rules"
_MANY, _SEVERAL = 3, 2
"""Partitions that break a rule, and those that break several, of which no one fault is the cause."""
_BREAKS = 1_000
"""The number of comparisons of which one may fail, whatever the total."""


def _counted(seen: Partitions) -> Counts:
    for row in seen.counts:
        if row["observation"] in _compared_in():
            yield row["cluster"], _COMPARED, row["n"]
    for cluster, broken in _broken(seen.fails).items():
        yield cluster, _ONE_RULE, sum(map(_is_certain, broken.values()))
        yield cluster, _SEVERAL_RULES, sum(len(verdicts) >= _SEVERAL for verdicts in broken.values())


def _broken(fails: Iterable[Row]) -> dict[int, dict[tuple[str, int], dict[str, str]]]:
    """By cluster and partition the worst verdict of each rule that a comparison with lines above breaks."""
    found: dict[int, dict[tuple[str, int], dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for row in fails:
        compares = rules()[row["rule"]].rests_on_lines_above and row.get("topic") is not None
        if compares and row["verdict"] in ("illegal", "suspicious") and row.get(DOUBT) != "order":
            verdicts = found[row["cluster"]][row["topic"], row["partition"]]
            if verdicts.get(row["rule"]) != "illegal":
                verdicts[row["rule"]] = row["verdict"]
    return found


def _is_certain(verdicts: Mapping[str, str]) -> bool:
    """Return whether a rule is illegal, or about brokers: a configuration explains some findings about controllers."""
    return any(verdict == "illegal" or rules()[code].family == "broker" for code, verdict in verdicts.items())


@cache
def _compared_in() -> frozenset[str]:
    return frozenset(rule.observation for rule in rules().values() if rule.compares_lines)


def _found(evidence: Evidence) -> Iterator[int]:
    for cluster, n in evidence.numbers.items():
        most = n[_COMPARED] / _BREAKS
        if n[_ONE_RULE] >= max(_MANY, most) or n[_SEVERAL_RULES] >= max(_SEVERAL, most):
            yield cluster


SIGN = Sign(
    "broken-throughout",
    "several partitions break rules that rest on the lines above",
    MIXED,
    _found,
    counted=_counted,
)
