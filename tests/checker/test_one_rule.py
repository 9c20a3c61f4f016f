"""One rule, all readings: every property over the partition view has one truth in every reading, on all small views.

A reading is one line of READINGS: a function from a property and views to its truth on each of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from isrproof.checker.prove import smt
from isrproof.checker.prove.reading import Domain, claim
from isrproof.model.evaluate import compiled, evaluate, name_of
from isrproof.model.expr import Expr, free
from isrproof.model.property import Property
from isrproof.model.sorts import IntSort, OptionSort, SetSort
from isrproof.model.views import PARTITION_PROPERTIES

BROKERS = (0, 1)
Views = Sequence[dict[str, Any]]


def values(leaf: Expr) -> list[Any]:
    """Every value that a field of a small view may have."""
    if isinstance(leaf.sort, IntSort):
        return [0, 1]
    if isinstance(leaf.sort, OptionSort):
        return [None, *BROKERS]
    assert isinstance(leaf.sort, SetSort)
    return [frozenset(each) for size in range(3) for each in itertools.combinations(BROKERS, size)]


def small_views(prop: Property) -> Iterator[dict[str, Any]]:
    """All views over two brokers and few epochs, as far as the property reads them."""
    leaves = sorted(free(prop.condition), key=name_of)
    for chosen in itertools.product(*(values(leaf) for leaf in leaves)):
        yield dict(zip(map(name_of, leaves), chosen, strict=True))


def python(prop: Property, views: Views) -> list[bool]:
    return [bool(evaluate(prop.condition, view)) for view in views]


def generated_python(prop: Property, views: Views) -> list[bool]:
    function = compiled(prop.condition, list(views[0]))
    return [bool(function(*view.values())) for view in views]


def z3(prop: Property, views: Views) -> list[bool]:
    """Asked the other way round: is there a view on which the solver's truth is not the reference's?"""
    domain = Domain({}, {"Broker": BROKERS})
    leaves = domain.symbols([prop.condition])
    truth = domain.read(prop.condition, leaves)
    expected = python(prop, views)
    differs = []
    for view, told in zip(views, expected, strict=True):
        is_view = smt.conj(*(claim(domain, shape, view[name_of(leaf)], leaf.sort) for leaf, shape in leaves.items()))
        assert is_view is not False
        differs.append(smt.conj(is_view, smt.neg(smt.iff(truth, told))))
    assert smt.ask([smt.disj(*differs)], 120, search=True).outcome == "unsat"
    is_some_view = smt.conj(*(claim(domain, s, views[-1][name_of(leaf)], leaf.sort) for leaf, s in leaves.items()))
    assert smt.ask([is_some_view, smt.iff(truth, expected[-1])], 60, search=True).outcome == "sat"
    return expected


def spark(prop: Property, views: Views) -> list[bool]:
    from isrproof.checker.audit.spark_columns import column
    from isrproof.checker.spark_session import session

    names = list(views[0])

    def shown(value: Any) -> Any:
        return -1 if value is None else sorted(value) if isinstance(value, frozenset) else value

    types = {IntSort: "int", OptionSort: "int", SetSort: "array<int>"}
    leaves = {name_of(leaf): leaf for leaf in free(prop.condition)}
    schema = ", ".join(f"`{name}` {types[type(leaves[name].sort)]}" for name in names)
    rows = [(index, *(shown(view[name]) for name in names)) for index, view in enumerate(views)]
    frame = session().createDataFrame(rows, f"row int, {schema}")
    told = {row[0]: row[1] for row in frame.select("row", column(prop.condition)).collect()}
    return [bool(told[index]) for index in range(len(views))]


READINGS: tuple[Any, ...] = (
    generated_python,
    z3,
    pytest.param(spark, marks=pytest.mark.spark),
)


@pytest.mark.parametrize("prop", PARTITION_PROPERTIES, ids=lambda prop: prop.name)
@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.__name__)
def test_a_property_has_one_truth_in_every_reading(
    reading: Callable[[Property, Views], list[bool]], prop: Property
) -> None:
    views = list(small_views(prop))
    assert set(python(prop, views)) == {True, False}, "the small views decide nothing"
    assert reading(prop, views) == python(prop, views)
