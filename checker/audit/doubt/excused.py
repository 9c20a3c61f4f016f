"""Failing rows and the excuses of their rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..catalogue import observations
from ..observe.observation import Input
from ..rules.catalogue import rules, rules_on
from ..table.protocol import Row, Table
from .excuses import EXCUSES
from .excuses.excuse import DOUBTED, doubted


def excused(fails: Sequence[Row], inputs: Mapping[Input, Table]) -> list[Row]:
    """The failing rows of some partitions, "suspicious" where one of the excuses of its rule explains it.

    Args:
        inputs: tables of at least these partitions, without duplicates.
    """
    found = list(fails)
    for excuse in EXCUSES:
        asked = [i for i, row in enumerate(found) if excuse.name in rules()[row["rule"]].excuses and excuse.asks(row)]
        if asked:
            explained = excuse.explained([found[i] for i in asked], inputs)
            for i in (i for i, is_explained in zip(asked, explained, strict=True) if is_explained):
                found[i] = doubted(found[i], excuse.assumes)
    return found


def corrections(fails: Iterable[Row]) -> Iterator[Row]:
    """Yield what `excused` changes in the counts of verdicts (judge.counted), from the failing rows that it returns."""
    for row in fails:
        if row.get(DOUBTED) == "illegal":
            its_rules = {rule.code: "silent" for rule in rules_on(row["observation"])}
            by = {name: row[name] for name in ("observation", *observations()[row["observation"]].counted_by)}
            for verdict, n in (("illegal", -1), ("suspicious", 1)):
                of_none: Row = {"topic": None, "partition": None}
                yield {**of_none, "cluster": row["cluster"], **by, **its_rules, row["rule"]: verdict, "n": n}
