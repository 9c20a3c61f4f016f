"""The Z3 reading of the language: what each operator means to the solver.

How much of an instance is kept, `sorts.py` says. Everything else is exact: an operator that cannot be had raises with
its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import z3

from ...model.errors import ImpossibleError, SortError
from ...model.expr import Expr, Op, free
from ...model.protocol import settings_of
from ...model.reading import Reading, read
from ...model.sorts import (
    FiniteSort,
    IntSort,
    MapSort,
    RecordSort,
    SetSort,
    Settings,
    Sort,
    Value,
)
from . import smt
from .smt import Term, choose, conj, disj, implies, neg, scalar_eq
from .sorts import Sorts
from .values import ANYTHING, Optional, Sequence, Shape, equal, merge


class Domain(Sorts):
    """The sorts under which a question to the solver is read, and the reading."""

    def __init__(self, kept: Settings, identifiers: Mapping[str, Iterable[Value]] | None = None) -> None:
        super().__init__(kept, identifiers)
        self.reading = _table(self)

    def read(self, expr: Expr, leaves: Mapping[Expr, Shape], done: dict[Expr, Shape] | None = None) -> Shape:
        """An expression as terms.

        Args:
            leaves: the shapes of fields and parameters. Settings need none.
            done: what was read before with the same leaves.
        """
        return read(expr, self.reading, leaves, done)

    def symbols(self, exprs: Iterable[Expr], tag: str = "") -> dict[Expr, Shape]:
        """Unknown values for all fields, fields after and free variables of expressions."""
        leaves = sorted({leaf for expr in exprs for leaf in free(expr) if leaf.op is not Op.SETTING}, key=repr)
        return {leaf: self.symbol(f"{leaf!r}{tag}", leaf.sort) for leaf in leaves}


# The operators


def _table(domain: Domain) -> Reading[Shape]:
    def given(node: Expr) -> Shape:
        raise SortError(f"`{node!r}` has no translation; add it to the leaves")

    def setting(node: Expr) -> Term:
        name = node.data.name
        return domain.kept[name] if name in domain.kept else z3.Int(f"setting.{name}")

    def key_sort(node: Expr) -> Sort:
        sort = node.args[0].sort
        assert isinstance(sort, MapSort)
        return sort.key

    def map_get(node: Expr, a_map: Shape, key: Term) -> Shape:
        sort = key_sort(node)
        if not isinstance(sort, IntSort):
            return a_map(key)
        inside = domain.within(sort, key)
        return a_map(key) if inside is True else merge(inside, a_map(key), domain.default(node.sort))

    def map_put(node: Expr, a_map: Shape, key: Term, value: Shape) -> Shape:
        inside = domain.within(key_sort(node), key)
        return lambda each: merge(conj(inside, scalar_eq(each, key)), value, a_map(each))

    def seq_at(node: Expr, values: Sequence, at: Term) -> Shape:
        outside = disj(at < 0, values.length <= at)
        return Optional(outside, ANYTHING) if outside is True else Optional(outside, values.at(at))

    def seq_append(node: Expr, values: Sequence, value: Shape) -> Shape:
        most = None if values.most is None else values.most + 1
        return Sequence(values.length + 1, lambda at: merge(scalar_eq(at, values.length), value, values.at(at)), most)

    def seq_take(node: Expr, values: Sequence, count: Term) -> Shape:
        length = choose(count <= 0, 0, choose(values.length <= count, values.length, count))
        return Sequence(length, values.at, values.most)

    def seq_drop(node: Expr, values: Sequence, count: Term) -> Sequence:
        dropped = choose(count <= 0, 0, choose(values.length <= count, values.length, count))
        return Sequence(values.length - dropped, lambda at: values.at(at + dropped), values.most)

    def size(node: Expr, members: Shape) -> Term:
        sort = node.args[0].sort
        assert isinstance(sort, SetSort)
        values = domain.listed(sort.element)
        if values is None and isinstance(sort.element, FiniteSort):
            return domain.counted(sort.element, members)
        if values is None:
            given = " ".join(
                f"--set {each.name}={each.default}" for each in sorted(settings_of(sort.element), key=repr)
            )
            raise ImpossibleError(
                f"`{node.args[0]!r}` is counted, so the proof needs a given number of elements of {sort.element}"
                + (f"; for example {given}" if given else ", which has no end")
            )
        return sum((choose(members(value), 1, 0) for value in values), start=0)

    def record_get(node: Expr, value: Shape) -> Shape:
        sort = node.args[0].sort
        assert isinstance(sort, RecordSort)
        return domain.part(sort, value, sort.index(str(node.data)))

    def record(node: Expr, *values: Shape) -> Shape:
        assert isinstance(node.sort, RecordSort)
        return domain.record(node.sort, values)

    def set_relation(relation: Callable[[Term, Term], Term]) -> Callable[..., Term]:
        def translate(node: Expr, left: Shape, right: Shape) -> Term:
            sort = node.args[0].sort
            assert isinstance(sort, SetSort)
            return domain.every(sort.element, lambda element: relation(left(element), right(element)))

        return translate

    def set_function(operation: Callable[[Term, Term], Term]) -> Callable[..., Shape]:
        return lambda node, left, right: lambda element: operation(left(element), right(element))

    def is_empty(node: Expr, members: Shape) -> Term:
        sort = node.args[0].sort
        assert isinstance(sort, SetSort)
        return domain.every(sort.element, lambda element: neg(members(element)))

    def quantifier(over: Callable[[Sort, Callable[[Term], Term]], Term]) -> Callable[..., Term]:
        def translate(node: Expr, body: Callable[[Mapping[Expr, Shape]], Shape]) -> Term:
            return over(node.data.sort, lambda value: body({node.data: value}))

        return translate

    return Reading(
        "Z3",
        {
            Op.CONST: lambda node: domain.literal(node.data, node.sort),
            Op.FIELD: given,
            Op.AFTER: given,
            Op.VAR: given,
            Op.SETTING: setting,
            Op.NOT: lambda node, a: neg(a),
            Op.AND: lambda node, *args: conj(*args),
            Op.OR: lambda node, *args: disj(*args),
            Op.IMPLIES: lambda node, a, b: implies(a, b),
            Op.EQ: lambda node, a, b: equal(a, b, node.args[0].sort, domain.every),
            Op.LE: lambda node, a, b: a <= b,
            Op.LT: lambda node, a, b: a < b,
            Op.ADD: lambda node, a, b: a + b,
            Op.ITE: lambda node, test, then, other: merge(test, then, other),
            Op.MEMBER: lambda node, element, members: members(element),
            Op.SUBSET: set_relation(implies),
            Op.UNION: set_function(disj),
            Op.MINUS: set_function(lambda a, b: conj(a, neg(b))),
            Op.INTERSECT: set_function(conj),
            Op.SET_EACH: lambda node, body: lambda each: body({node.data: each}),
            Op.INSERT: lambda node, members, new: lambda each: disj(members(each), scalar_eq(each, new)),
            Op.REMOVE: lambda node, members, old: lambda each: conj(members(each), neg(scalar_eq(each, old))),
            Op.IS_EMPTY: is_empty,
            Op.SIZE: size,
            Op.SOME: lambda node, value: Optional(False, value),
            Op.IS_NONE: lambda node, option: option.none,
            Op.GET: lambda node, option, other: merge(option.none, other, option.value),
            Op.OPTION_SET: lambda node, option: (
                lambda each: (
                    False if option.value is ANYTHING else conj(neg(option.none), scalar_eq(each, option.value))
                )
            ),
            Op.FULL: lambda node: lambda each: True,
            Op.RECORD: record,
            Op.RECORD_GET: record_get,
            Op.MAP_FILL: lambda node, value: lambda key: value,
            Op.MAP_EACH: lambda node, body: lambda key: body({node.data: key}),
            Op.MAP_GET: map_get,
            Op.MAP_PUT: map_put,
            Op.SEQ_LEN: lambda node, values: values.length,
            Op.SEQ_AT: seq_at,
            Op.SEQ_APPEND: seq_append,
            Op.SEQ_TAKE: seq_take,
            Op.SEQ_DROP: seq_drop,
            Op.FORALL: quantifier(domain.every),
            Op.EXISTS: quantifier(domain.some),
        },
    )


def claim(domain: Domain, shape: Shape, expected: Value, sort: Sort) -> Term:
    """The shape has this value."""
    return smt.boolean(equal(shape, domain.literal(expected, sort), sort, domain.every))
