"""The verdicts of all rules on the observations of some partitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...model.expr import Expr, both, either, field
from .observe.catalogue import observations
from .observe.observation import Input
from .observe.order import NEAR
from .observe.placed import EVENTS
from .rules.catalogue import rules_on
from .rules.rule import Rule
from .rules.verdicts import PASSING, SILENT, VERDICT
from .table.protocol import Column, Row, Table

_FINDINGS_PER_RULE = 100_000
_PARTITION = ("cluster", *NEAR)


def judge(inputs: Mapping[Input, Table]) -> tuple[list[Row], Table | None]:
    """What the rules give of all the lines of some partitions: counts, and the events that findings are about, if any.

    Args:
        inputs: of observations, made from the events of these partitions.
    """
    counts = counted(judged(inputs))
    return counts, _of_concerned(inputs[EVENTS], counts)


def judged(inputs: Mapping[Input, Table]) -> dict[str, Table]:
    """Every observation of these inputs that rules are stated over, by its name, with their verdicts."""
    return {
        name: _with_verdicts(observation.of(inputs[observation.made_from]), rules_on(name))
        for name, observation in observations().items()
        if observation.made_from in inputs and rules_on(name)
    }


def _with_verdicts(rows: Table, its_rules: Sequence[Rule]) -> Table:
    """Every row with the verdict of each rule, in a column named by its code."""
    verdicts = {rule.code: rule.judgement for rule in its_rules}
    found = rows.derive(**verdicts, silent=SILENT)
    for code in verdicts:
        found = found.filled(code, "silent")
    return found


def _fails(observation: str) -> Expr:
    """Whether some rule has a verdict on a row that makes a finding."""
    verdicts = [field(rule.code, VERDICT) for rule in rules_on(observation)]
    return either(*(both(*(verdict.ne(passing) for passing in PASSING)) for verdict in verdicts))


def failing(judged: Mapping[str, Table]) -> list[Row]:
    """The rows that some rule fails, with the name of their `observation`."""
    return [
        row | {"observation": name}
        for name, table in judged.items()
        for row in table.where(_fails(name)).rows(_FINDINGS_PER_RULE * len(rules_on(name)))
    ]


def counted(judged: Mapping[str, Table]) -> list[Row]:
    """How often (`n`) which verdicts came together, by observation, its `counted_by`, and cluster.

    Where one of the verdicts is a finding, by partition too.
    """
    found: list[Row] = []
    for name, table in judged.items():
        key = (*observations()[name].counted_by, *(rule.code for rule in rules_on(name)), *_PARTITION)
        counts = table.only_where(_fails(name), *NEAR).grouped(key, n=Column("count"))
        found += [row | {"observation": name} for row in counts.rows()]
    return found


def _of_concerned(events: Table, counts: Sequence[Row]) -> Table | None:
    """The lines of the partitions that findings are about: they need no other partition's.

    Looking at these again costs less than to carry all that a finding names through every count.
    """
    concerned = {tuple(row[name] for name in _PARTITION) for row in counts if row["topic"] is not None}
    if not concerned:
        return None
    rows = [dict(zip(_PARTITION, partition, strict=True)) for partition in sorted(concerned)]
    ours, of_none = events.joined(rows, _PARTITION, {}), events.present("cluster").absent("topic")
    throwables = events.absent("cluster")  # they are in no cluster's tenure
    return ours.plus(of_none).plus(throwables)
