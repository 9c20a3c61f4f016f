"""Verdicts of all rules on rows of observations, whichever source gave them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from functools import cache

from ...model.expr import Expr, both, either, field
from ...model.sorts import Int
from ...specs.errors import DEBUG, in_one_line
from .catalogue import observations
from .observe.narrow import EVERYTHING, Narrow
from .observe.observation import Input
from .observe.order import NEAR
from .rules.catalogue import rules, rules_on
from .rules.rule import Rule
from .rules.verdicts import PASSING, SILENT, VERDICT
from .table.protocol import Column, Row, Table
from .table.rows import PythonTable

FINDINGS = 100_000
"""The most findings of one rule, verdict and cluster that are shown, the first by file and line; all are counted."""
_PARTITION = ("cluster", *NEAR)
NO_FIT: Mapping[tuple[int, str], int] = {}


@dataclass
class Verdicts:
    """Verdicts on rows of one source, or of several."""

    counts: list[Row] = field_of(default_factory=list)
    """Rows of `counted`."""
    fails: list[Row] = field_of(default_factory=list)
    """Rows of `failing`."""

    def __iadd__(self, other: Verdicts) -> Verdicts:
        self.counts += other.counts
        self.fails += other.fails
        return self

    def at_most_unknown(self, clusters: Container[int]) -> Verdicts:
        """The verdicts, of which none of some clusters is illegal or suspicious any more."""
        return Verdicts(at_most_unknown(self.counts, clusters), at_most_unknown(self.fails, clusters))


def verdicts(
    shown: Mapping[str, Table], narrow: Narrow, defects: list[Row], fit: Mapping[tuple[int, str], int] = NO_FIT
) -> Verdicts:
    """Judge what a source gave: every row once.

    Args:
        shown: tables of observations that are made of nothing but their rows, by name.
        narrow: the rows that are asked for.
        defects: see `judged`.
        fit: how many more rows are held, by cluster and observation; of which part of a log they are is not known.
    """
    inputs = {observations()[name].made_from: table for name, table in shown.items()}
    asked = {name: narrow.of(table) for name, table in judged(inputs, defects).items()}
    counts = counted(asked)
    concerned = with_findings(counts)
    fails = failing({name: table for name, table in asked.items() if name in concerned})
    return Verdicts([*counts, *(_held(fit) if narrow == EVERYTHING else ())], fails)


def _held(fit: Mapping[tuple[int, str], int]) -> Iterator[Row]:
    for (cluster, name), n in sorted(fit.items()):
        held = {rule.code: "held" for rule in rules_on(name)}
        yield {"observation": name, "cluster": cluster, "topic": None, "n": n, **held}


def judged(
    inputs: Mapping[Input, Table], defects: list[Row] | None = None, only: Container[str] | None = None
) -> dict[str, Table]:
    """Every observation of these inputs that rules are stated over, by its name, with their verdicts.

    Args:
        only: names of the observations that are asked for; None: all.
        defects: gets a row for each rule that fails to judge, which is then silent; None lets it end the audit.
    """
    found = {}
    for name, observation in observations().items():
        if observation.made_from not in inputs or not rules_on(name) or not (only is None or name in only):
            continue
        try:
            found[name] = _with_verdicts(observation.of(inputs[observation.made_from]), rules_on(name), defects)
        except Exception as error:
            if defects is None:
                raise
            defects += [defect(rule.code, error) for rule in rules_on(name)]
    return found


def _with_verdicts(rows: Table, its_rules: Sequence[Rule], defects: list[Row] | None) -> Table:
    """Every row with the verdict of each rule, in a column named by its code."""
    try:
        found = rows.derive(silent=SILENT, **{rule.code: rule.judgement for rule in its_rules})
    except Exception:
        if defects is None:
            raise
        found = rows.derive(silent=SILENT)
        for rule in its_rules:
            try:
                found = found.derive(**{rule.code: rule.judgement})
            except Exception as error:
                defects.append(defect(rule.code, error))
                found = found.derive(**{rule.code: SILENT})
    for rule in its_rules:
        found = found.filled(rule.code, "silent")
    return found


def defect(rule: str, error: Exception) -> Row:
    """Return a row for a rule that an error of ours keeps from judging; in debugging the error is raised."""
    if os.environ.get(DEBUG):
        raise error
    return {"rule": rule, "error": in_one_line(error)}


def with_defects(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return rows of `defect` as a report prints them."""
    return tuple(sorted({f"{row['rule']}: {row['error']}" for row in rows}))


@cache
def _fails(observation: str) -> Expr:
    """Return the condition that some rule's verdict on a row makes a finding."""
    return either(*map(_is_finding, rules_on(observation)))


@cache
def _is_finding(rule: Rule) -> Expr:
    verdict = field(rule.code, VERDICT)
    return both(*(verdict.ne(passing) for passing in PASSING))


def failing(judged: Mapping[str, Table]) -> list[Row]:
    """A row for each finding, with the name of its `observation`, the code of its `rule`, and its `verdict`."""
    found: list[Row] = []
    for name, table in judged.items():
        fails = table.where(_fails(name))
        for rule in rules_on(name):
            of_rule = _first(fails.where(_is_finding(rule)).derive(verdict=field(rule.code, VERDICT)), rule)
            found += [row | {"observation": name, "rule": rule.code} for row in of_rule.rows()]
    return found


def with_findings(counts: Iterable[Row]) -> set[str]:
    """The observations of which `failing` has a row, by what `counted` gave of them: most logs have none."""
    return {
        row["observation"]
        for row in counts
        if any(row[rule.code] not in PASSING for rule in rules_on(row["observation"]))
    }


def first_failing(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that `failing` would give for all tables in one, from those that it gave for each."""
    by_rule: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_rule[row["rule"]].append(row)
    return [row for code, own in by_rule.items() for row in _first(PythonTable(own), rules()[code]).rows()]


def _first(rows: Table, rule: Rule) -> Table:
    """The first of each cluster and verdict."""
    columns = observations()[rule.observation].columns
    place = ("file", "line" if "line" in columns else "offset")
    numbered = rows.along(("cluster", "verdict"), place, number=Column("so_far"))
    return numbered.where(field("number", Int()) < FINDINGS)


def counted(judged: Mapping[str, Table]) -> list[Row]:
    """Return how often (`n`) which verdicts came together, by observation, its `counted_by`, and cluster.

    Where one of the verdicts is a finding, by partition too.
    """
    found: list[Row] = []
    for name, table in judged.items():
        key = (*observations()[name].counted_by, *(rule.code for rule in rules_on(name)), *_PARTITION)
        counts = table.only_where(_fails(name), *NEAR).grouped(key, n=Column("count"))
        found += [row | {"observation": name} for row in counts.rows()]
    return found


def at_most_unknown(rows: Iterable[Row], clusters: Container[int]) -> list[Row]:
    """Rows of `failing` or `counted` in which nothing of some clusters is illegal or suspicious any more: they ran a
    release that this program does not know, so it is *unknown*."""
    return [_capped(row) if row["cluster"] in clusters else row for row in rows]


def _capped(row: Row) -> Row:
    codes = ("verdict",) if "rule" in row else [rule.code for rule in rules_on(row["observation"])]
    return row | {code: "unknown" for code in codes if row[code] in ("illegal", "suspicious")} | {"unsure": True}


def of_concerned(events: Table, counts: Sequence[Row]) -> Table | None:
    """The lines of the partitions that findings are about, if there are any: they need no other partition's.

    Looking at these again costs less than to carry all that a finding names through every count.
    """
    concerned = {tuple(row[name] for name in _PARTITION) for row in counts if row["topic"] is not None}
    if not concerned:
        return None
    rows = [dict(zip(_PARTITION, partition, strict=True)) for partition in sorted(concerned)]
    ours, of_none = events.joined(rows, _PARTITION, {}), events.present("cluster").absent("topic")
    throwables = events.absent("cluster")  # they are in no cluster's tenure
    return ours.plus(of_none).plus(throwables)
