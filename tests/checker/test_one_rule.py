"""One rule, all readings: every property over a view has one truth in every reading, on all small views.

A reading is one line of READINGS: a function from a property and views to its truth on each of them. The reference
(`evaluate`) says what is expected; the audit sees what is printed (-1 for no leader, lists for sets), the explorer sees
packed states, and for a property of steps, steps from every view to every view.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
from isrproof.checker.prove import smt
from isrproof.checker.prove.reading import Domain, claim
from isrproof.model.action import action
from isrproof.model.evaluate import evaluate, name_of
from isrproof.model.expr import Expr, Op, const, field, free
from isrproof.model.property import Property
from isrproof.model.protocol import Instance, Model, starts
from isrproof.model.sorts import (
    BoolSort,
    Finite,
    Int,
    IntSort,
    OptionSort,
    SetSort,
    Setting,
    default,
    with_sorts,
)
from isrproof.model.views import (
    LOG,
    LOG_PROPERTIES,
    PARTITION,
    PARTITION_PROPERTIES,
    REPLICA,
    REPLICA_PROPERTIES,
    Broker,
    Projection,
)

OF_VIEWS = ((PARTITION, PARTITION_PROPERTIES), (REPLICA, REPLICA_PROPERTIES), (LOG, LOG_PROPERTIES))
BROKERS = (0, 1)
EPOCHS = (0, 1)
View = dict[str, Any]
Views = Sequence[View]


def leaves(prop: Property) -> list[Expr]:
    """The fields that the property reads, and those that it reads after a step."""
    return sorted(free(prop.condition), key=name_of)


def values(leaf: Expr) -> list[Any]:
    """Every value that a field of a small view may have."""
    if isinstance(leaf.sort, IntSort):
        return list(EPOCHS)
    if isinstance(leaf.sort, OptionSort):
        return [None, *BROKERS]
    if isinstance(leaf.sort, BoolSort):
        return [False, True]
    assert isinstance(leaf.sort, SetSort)
    return [frozenset(each) for size in range(3) for each in itertools.combinations(BROKERS, size)]


@cache
def small_views(prop: Property) -> Views:
    """All views over two brokers and two epochs, as far as the property reads them."""
    read = leaves(prop)
    return [
        dict(zip(map(name_of, read), chosen, strict=True))
        for chosen in itertools.product(*(values(leaf) for leaf in read))
    ]


@cache
def truth(prop: Property) -> list[bool]:
    """The reference reading."""
    return [bool(evaluate(prop.condition, view)) for view in small_views(prop)]


# The audit


def printed(view: View) -> View:
    """A view as the columns of a line."""
    shown = {name: -1 if value is None else value for name, value in view.items()}
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in shown.items()}


def audit_in_python(prop: Property, views: Views) -> list[bool]:
    from isrproof.checker.audit.table.rows import PythonTable

    table = PythonTable([printed(view) for view in views]).derive(holds=prop.condition)
    return [row["holds"] for row in table.rows()]


def audit_in_memory(prop: Property, views: Views) -> list[bool]:
    from isrproof.checker.audit.table.columns import ColumnTable

    table = ColumnTable.of_rows([printed(view) for view in views]).derive(holds=prop.condition)
    return [row["holds"] for row in table.rows()]


# The explorer


Replica = Finite("Replica", Setting("brokers", len(BROKERS), "two brokers"))


@cache
def every_step(prop: Property) -> tuple[Instance, Property]:
    """A model whose states are all small views, with a step from every one to every one; the property over it."""
    names = sorted({str(leaf.data) for leaf in leaves(prop)})
    epoch = Int(EPOCHS[0], EPOCHS[-1])
    (view,) = (view for view, own in OF_VIEWS if prop in own)

    def sort_of(name: str) -> Any:
        sort = view[name].sort
        return epoch if isinstance(sort, IntSort) else with_sorts(sort, {Broker: Replica})

    fields = {name: field(name, sort_of(name)) for name in names}
    later = [leaf for leaf in leaves(prop) if leaf.op is Op.AFTER]
    moves = []
    for number, chosen in enumerate(itertools.product(*(values(leaf) for leaf in later))):
        updates = {
            fields[str(leaf.data)]: const(value, fields[str(leaf.data)].sort)
            for leaf, value in zip(later, chosen, strict=True)
        }
        if updates:
            moves.append(action(f"Becomes{number}", "The view changes.", guard={}, updates=updates))
    projected = Projection(view, {Broker: Replica}, fields).of(prop)
    model = Model(
        "views",
        "Any view.",
        (Replica.size,),
        tuple(starts(each, const(default(each.sort), each.sort), "a field of the view") for each in fields.values()),
        tuple(moves),
        (projected,),
    )
    return model.instance(), projected


def _before(prop: Property, views: Views) -> tuple[list[tuple[Any, ...]], list[tuple[int, str]]]:
    """The different states, and for each view the number of its state and the name of its step ("" for none)."""
    instance, _ = every_step(prop)
    now = [each.name for each in instance.model.fields]
    later = [leaf for leaf in leaves(prop) if leaf.op is Op.AFTER]
    chosen = list(itertools.product(*(values(leaf) for leaf in later)))
    states: dict[tuple[Any, ...], int] = {}
    places = []
    for view in views:
        state = tuple(view.get(name, default(each.sort)) for name, each in zip(now, instance.model.fields, strict=True))
        step = f"Becomes{chosen.index(tuple(view[name_of(leaf)] for leaf in later))}" if later else ""
        places.append((states.setdefault(state, len(states)), step))
    return list(states), places


def explorer_with_numpy(prop: Property, views: Views) -> list[bool]:
    import numpy as np
    from isrproof.checker.explore.generate import build
    from isrproof.checker.explore.program import program

    instance, projected = every_step(prop)
    states, places = _before(prop, views)
    made = program(instance, [projected])
    packed = [made.packing.pack(state) for state in states]
    words = [
        np.array([each >> (64 * at) & (2**64 - 1) for each in packed], f"u{size}")
        for at, size in enumerate(made.packing.sizes)
    ]
    broken: set[tuple[int, str]] = set()
    watched, steps = build(made)(words)
    for mask in watched:
        broken |= {(row, "") for row in np.flatnonzero(mask)}
    for index, guard, _, _, overflow, fires in steps:
        assert overflow is None
        assert bool(guard.all())
        for _, fired in fires:
            broken |= {(row, made.moves[index].action.name) for row in np.flatnonzero(fired)}
    return [place not in broken for place in places]


def explorer_in_python(prop: Property, views: Views) -> list[bool]:
    from isrproof.checker.explore.narrow import build
    from isrproof.checker.explore.program import program

    instance, projected = every_step(prop)
    states, places = _before(prop, views)
    made = program(instance, [projected])
    expand = build(made)
    broken: set[tuple[int, str]] = set()
    for row, state in enumerate(states):
        fires, steps = expand(made.packing.pack(state))
        broken |= {(row, "") for _ in fires}
        broken |= {(row, made.moves[index].action.name) for index, _, _, fired in steps if fired}
    return [place not in broken for place in places]


# The prover


def z3(prop: Property, views: Views) -> list[bool]:
    """Asked the other way round: is there a view on which the solver's truth is not the reference's?"""
    domain = Domain({}, {"Broker": BROKERS})
    symbols = domain.symbols([prop.condition])
    holds = domain.read(prop.condition, symbols)
    expected = truth(prop)

    def is_view(view: View) -> Any:
        return smt.conj(*(claim(domain, shape, view[name_of(leaf)], leaf.sort) for leaf, shape in symbols.items()))

    differs = [
        smt.conj(is_view(view), smt.neg(smt.iff(holds, told))) for view, told in zip(views, expected, strict=True)
    ]
    assert smt.ask([smt.disj(*differs)], 120, search=True).outcome == "unsat"
    assert smt.ask([is_view(views[-1]), smt.iff(holds, expected[-1])], 60, search=True).outcome == "sat"
    return expected


READINGS: tuple[Any, ...] = (
    audit_in_python,
    audit_in_memory,
    explorer_with_numpy,
    explorer_in_python,
    z3,
)


@pytest.mark.full(every=8)
@pytest.mark.parametrize("prop", [prop for _, own in OF_VIEWS for prop in own], ids=lambda prop: prop.name)
@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.__name__)
def test_a_property_has_one_truth_in_every_reading(
    reading: Callable[[Property, Views], list[bool]], prop: Property
) -> None:
    views = small_views(prop)
    assert set(truth(prop)) == {True, False}, "the small views decide nothing"
    assert reading(prop, views) == truth(prop)
