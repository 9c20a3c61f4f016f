"""The number of times that each rule was evaluated, by result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..rules.catalogue import rules, rules_on
from ..table.protocol import Row


@dataclass(frozen=True)
class Tally:
    """The number of times that a rule was evaluated, by result."""

    held: int = 0
    failed: int = 0
    """Every verdict but held and unknown; `illegal`, `suspicious` and `refused` are its parts."""
    undecided: int = 0
    illegal: int = 0
    suspicious: int = 0
    refused: int = 0

    @property
    def evaluated(self) -> int:
        return self.held + self.failed + self.undecided

    @property
    def verdicts(self) -> Mapping[str, int]:
        """The number of findings of each verdict."""
        found = {"illegal": self.illegal, "suspicious": self.suspicious, "refused": self.refused}
        return {**found, "unknown": self.undecided}


def tallies(counted: Iterable[Row]) -> dict[int, dict[str, Tally]]:
    """Return every rule's tally by code, per cluster that has any row.

    A row of `counted` has the number (`n`) of rows of an `observation` of a `cluster` that have the same verdicts. The
    columns of the verdicts are named by the rules' codes.
    """
    verdicts: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for row in counted:
        for rule in rules_on(row["observation"]):
            if row[rule.code] != "silent":
                verdicts[row["cluster"], rule.code][row[rule.code]] += row["n"]
    clusters = {cluster for cluster, _ in verdicts}
    return {cluster: {code: _tally(verdicts[cluster, code]) for code in rules()} for cluster in clusters}


def _tally(verdicts: Mapping[str, int]) -> Tally:
    return Tally(
        held=verdicts.get("held", 0),
        failed=sum(n for verdict, n in verdicts.items() if verdict not in ("held", "unknown")),
        undecided=verdicts.get("unknown", 0),
        illegal=verdicts.get("illegal", 0),
        suspicious=verdicts.get("suspicious", 0),
        refused=verdicts.get("refused", 0),
    )
