"""The audit's readings of the language: plain rows and columns in memory. Each operator has one meaning in all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from isrproof.checker.audit.fields import from_state, releases, to_state
from isrproof.checker.audit.rules.conditions import in_releases
from isrproof.checker.audit.rules.moves import valid_in
from isrproof.checker.audit.table.encoding import RELEASE
from isrproof.checker.audit.table.protocol import Row
from isrproof.checker.audit.table.rows import PythonTable
from isrproof.model.errors import ImpossibleError, NotWrittenError
from isrproof.model.evaluate import evaluate, name_of
from isrproof.model.examples import EXAMPLES, Example
from isrproof.model.expr import Expr, Op, const, field, free, ite, topological
from isrproof.model.sorts import (
    BoolSort,
    EnumSort,
    IntSort,
    MapSort,
    OpenSort,
    OptionSort,
    SetOf,
    SetSort,
)

_later = field("later", SetOf(RELEASE))
_old, _new = in_releases("<=2.2"), in_releases(">=2.3")
_masks = ({"releases": 0b1011, "later": 0b110}, {"releases": 0, "later": 1}, {"releases": 1 << 20, "later": 1 << 20})
_moves = tuple(
    {"from_state": a, "to_state": b, "releases": mask, "later": 0}
    for a, b, mask in (
        ("NewReplica", "OnlineReplica", 1 << 9),
        ("OfflineReplica", "ReplicaDeletionIneligible", 1 << 9),
        ("ReplicaDeletionSuccessful", "OnlineReplica", 1),
    )
)
_allowed = valid_in("replica")[from_state("replica")][to_state("replica")]
OF_RELEASES: dict[str, tuple[Expr, tuple[Row, ...]]] = {
    "subset": (releases.subset_of(_later), _masks),
    "intersects": (releases.intersects(_later), _masks),
    "union": (releases.union(_later), _masks),
    "minus": (releases.minus(_later), _masks),
    "intersect": (releases.intersect(_later), _masks),
    "eq": (releases.eq(_later), _masks),
    "is empty": (releases.is_empty(), _masks),
    "size": (releases.size(), _masks),
    "literal": (ite(releases.subset_of(_old), _old, _new), _masks),
    "union with a literal": (releases.union(_new), _masks),
    "minus a literal": (releases.minus(_new), _masks),
    "intersects a literal": (releases.intersects(_new), _masks),
    "look-up": (_allowed, _moves),
    "a rule": (releases.subset_of(_allowed), _moves),
}
"""Sets of releases are bitmasks, in expressions and rows; the plain reading gives the value."""


def is_printed(expr: Expr) -> bool:
    """Return True if columns can hold all its values: numbers, truth values, names, brokers and sets of brokers."""

    def plain(node: Expr) -> bool:
        sort = node.sort
        if isinstance(sort, SetSort | OptionSort):
            return isinstance(sort.element, OpenSort)
        return isinstance(sort, BoolSort | IntSort | EnumSort | OpenSort) or (
            isinstance(sort, MapSort) and node.op is Op.CONST
        )

    return all(map(plain, topological(expr))) and all(leaf.op is not Op.SETTING for leaf in free(expr))


def printed(value: Any, leaf: Expr) -> Any:
    """A value as a column holds it."""
    if isinstance(leaf.sort, OptionSort):
        return -1 if value is None else value
    return tuple(sorted(value)) if isinstance(value, frozenset) else value


def rows_of(example: Example) -> list[Row]:
    leaves = free(example.expr)
    return [{name_of(leaf): printed(env[name_of(leaf)], leaf) for leaf in leaves} for env, _ in example.cases]


def in_python(expr: Expr, rows: list[Row]) -> list[Any]:
    return [row["found"] for row in PythonTable(rows).derive(found=expr).rows()]


def in_memory(expr: Expr, rows: list[Row]) -> list[Any]:
    from isrproof.checker.audit.table.columns import ColumnTable

    numbered = [row | {"row": str(i)} for i, row in enumerate(rows)]  # also where nothing is read
    return [row["found"] for row in ColumnTable.of_rows(numbered).derive(found=expr).rows()]


READINGS = (in_python, in_memory)
readings = pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.__name__)
Reader = Callable[[Expr, list[Row]], list[Any]]


@readings
@pytest.mark.parametrize("example", [each for each in EXAMPLES if is_printed(each.expr)], ids=lambda each: each.name)
def test_an_operator_means_what_it_means_in_the_table_of_examples(reading: Reader, example: Example) -> None:
    found = reading(example.expr, rows_of(example))
    for shown, (env, value) in zip(found, example.cases, strict=True):
        assert evaluate(example.expr, env) == value
        expected = printed(value, example.expr)
        assert (tuple(sorted(shown)) if isinstance(shown, list | tuple) else shown) == expected


@readings
@pytest.mark.parametrize("name", OF_RELEASES)
def test_a_set_of_releases_is_a_mask(reading: Reader, name: str) -> None:
    expr, rows = OF_RELEASES[name]
    expected = in_python(expr, list(rows))
    assert len(set(expected)) > 1
    assert reading(expr, list(rows)) == expected


@readings
def test_what_a_line_does_not_print_is_absent(reading: Reader) -> None:
    """A condition that reads it is neither true nor false."""
    number, flag = field("number", IntSort()), field("flag", BoolSort())
    expr = flag | number.eq(1)
    assert reading(expr, [{"flag": True, "number": 1}, {"flag": True, "number": None}]) == [True, None]


@pytest.mark.parametrize("op", [Op.RECORD, Op.SEQ_LEN, Op.FORALL, Op.FULL], ids=lambda op: op.value)
def test_an_operator_that_a_reading_lacks_is_refused_by_name(op: Op) -> None:
    from isrproof.checker.audit.table.arrays import Dictionary
    from isrproof.checker.audit.table.reading import reading

    with pytest.raises((ImpossibleError, NotWrittenError), match=rf"NumPy columns reading.*`{op.value}`"):
        reading(Dictionary()).operator(op)


def test_no_member_of_a_set_of_releases_is_asked_for() -> None:
    """They are masks; it is refused, not misread."""
    release = const(RELEASE.values[0], RELEASE)
    for expr in (releases.contains(release), releases.insert(release), releases.remove(release)):
        with pytest.raises(NotWrittenError, match="sets of releases"):
            in_memory(expr, [{"releases": 1}])
