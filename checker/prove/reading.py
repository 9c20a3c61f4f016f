"""The Z3 reading of the language: what each operator means to the solver.

A `Domain` says how much of an instance is kept. Settings that it has a number for bound the sorts as they do in a
search; the others are left out: an `Int(0, log_size)` is then any integer from 0 on, a sequence may be of any length,
and a finite sort has any number of elements (an uninterpreted sort). Everything else is exact: an operator that cannot
be had raises with its name. But for one: the size of a set of any number of elements is an unknown function of the set,
of which two facts are known (`Domain.counting`). That is enough for a proof, and too little for a counterexample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import z3

from ...model.errors import ImpossibleError, SortError
from ...model.expr import Expr, Op, free
from ...model.reading import Reading, read
from ...model.sorts import (
    BoolSort,
    Bound,
    EnumSort,
    FiniteSort,
    Int,
    IntSort,
    MapSort,
    OpenSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Settings,
    Sort,
    Value,
    default,
)
from . import smt
from .smt import Term, choose, conj, disj, implies, neg, scalar_eq
from .values import ANYTHING, Optional, Sequence, Shape, equal, merge

MOST_LISTED = 64
"""Quantifiers over at most as many values are written out."""


class Domain:
    """The settings that a question to the solver keeps, and the sorts under them.

    Args:
        kept: numbers for settings; those without a number are left out.
        identifiers: for open sorts, by name, the only identifiers there are; without, there are infinitely many.
    """

    def __init__(self, kept: Settings, identifiers: Mapping[str, Iterable[Value]] | None = None) -> None:
        self.kept = dict(kept)
        self.identifiers = {name: tuple(values) for name, values in (identifiers or {}).items()}
        self._codes: dict[Value, int] = {}
        self._symbols: dict[str, Shape] = {}
        self._depth = 0
        self.reading = _table(self)

    # Sorts

    def bound(self, end: int | Bound | None) -> int | None:
        """The number that ends an integer range, or None where it is left out."""
        if end is None or isinstance(end, int):
            return end
        return self.kept[end.setting.name] + end.plus if end.setting.name in self.kept else None

    def sort(self, sort: Sort) -> Any:
        """The Z3 sort of a scalar."""
        if isinstance(sort, BoolSort):
            return z3.BoolSort()
        if isinstance(sort, IntSort | OpenSort):
            return z3.IntSort()
        if isinstance(sort, EnumSort):
            return _enumeration(sort.name, sort.values)[0]
        if isinstance(sort, FiniteSort):
            size = self.kept.get(sort.size.name)
            return z3.DeclareSort(sort.name) if size is None else _enumeration(*_named(sort, size))[0]
        raise SortError(f"{sort} is not a scalar; expected a Bool, an Int, an enum, a finite or an open sort")

    def listed(self, sort: Sort) -> list[Term] | None:
        """All values of a scalar sort, or None if they are too many or unknown."""
        if isinstance(sort, BoolSort):
            return [False, True]
        if isinstance(sort, EnumSort):
            return list(_enumeration(sort.name, sort.values)[1])
        if isinstance(sort, FiniteSort) and sort.size.name in self.kept:
            return list(_enumeration(*_named(sort, self.kept[sort.size.name]))[1])
        if isinstance(sort, OpenSort) and sort.name in self.identifiers:
            return [self.literal(each, sort) for each in self.identifiers[sort.name]]
        if isinstance(sort, IntSort):
            lo, hi = self.bound(sort.lo), self.bound(sort.hi)
            if lo is not None and hi is not None and hi - lo < MOST_LISTED:
                return list(range(lo, hi + 1))
        return None

    def within(self, sort: Sort, term: Term) -> Term:
        """The term is in the range of its sort, as far as that is kept."""
        if not isinstance(sort, IntSort):
            return True
        lo, hi = self.bound(sort.lo), self.bound(sort.hi)
        return conj(True if lo is None else lo <= term, True if hi is None else term <= hi)

    def every(self, sort: Sort, body: Callable[[Term], Term]) -> Term:
        """The body holds for all values of a scalar sort."""
        values = self.listed(sort)
        if values is not None:
            return conj(*(body(value) for value in values))
        self._depth += 1
        bound = z3.Const(f"any!{self._depth}", self.sort(sort))
        inner = implies(self.within(sort, bound), body(bound))
        self._depth -= 1
        return inner if isinstance(inner, bool) else z3.ForAll([bound], inner)

    def counted(self, sort: FiniteSort, members: Shape) -> Term:
        """The size of a set of unlisted elements: an unknown function of the set; `counting` says more."""
        self._depth += 1
        bound = z3.Const(f"any!{self._depth}", self.sort(sort))
        body = smt.boolean(members(bound))
        self._depth -= 1
        return _size_of(self.sort(sort))[0](z3.Lambda([bound], body))

    def counting(self, sort: FiniteSort) -> Term:
        """Return the axiom of the sizes of sets of unlisted elements.

        One above 0 has a member; two that together are more than there are elements have one in common, as any two
        majorities do.
        """
        size, member, common = _size_of(self.sort(sort))
        sets = z3.ArraySort(self.sort(sort), z3.BoolSort())
        one, other = z3.Const("one set", sets), z3.Const("other set", sets)
        shared = common(one, other)
        many = z3.Int(f"setting.{sort.size.name}") < size(one) + size(other)
        return z3.And(
            z3.ForAll([one], z3.Implies(size(one) > 0, one[member(one)]), patterns=[size(one)]),
            z3.ForAll(
                [one, other],
                z3.Implies(many, z3.And(one[shared], other[shared])),
                patterns=[z3.MultiPattern(size(one), size(other))],
            ),
        )

    def some(self, sort: Sort, body: Callable[[Term], Term]) -> Term:
        """The body holds for some value of a scalar sort."""
        return neg(self.every(sort, lambda value: neg(body(value))))

    # Records of scalars are terms of a tuple sort, others are tuples of shapes

    def is_flat(self, sort: RecordSort) -> bool:
        return all(isinstance(each, BoolSort | IntSort | EnumSort | FiniteSort | OpenSort) for _, each in sort.fields)

    def tuple_sort(self, sort: RecordSort) -> TupleSort:
        """The tuple sort of a record of scalars."""
        return _tuple_sort(sort.name, tuple((name, self.sort(each)) for name, each in sort.fields))

    def record(self, sort: RecordSort, values: Iterable[Shape]) -> Shape:
        """A record of the values of its fields."""
        return self.tuple_sort(sort).make(*values) if self.is_flat(sort) else tuple(values)

    def part(self, sort: RecordSort, shape: Shape, index: int) -> Shape:
        """One field of a record."""
        if not self.is_flat(sort):
            return shape[index]
        if z3.is_app_of(shape, z3.Z3_OP_DT_CONSTRUCTOR):
            return _folded(shape.arg(index))
        if z3.is_app_of(shape, z3.Z3_OP_ITE):
            test, then, otherwise = shape.children()
            return choose(test, self.part(sort, then, index), self.part(sort, otherwise, index))
        return self.tuple_sort(sort).parts[index](shape)

    def parts(self, sort: RecordSort, shape: Shape) -> list[Shape]:
        """The fields of a record."""
        return [self.part(sort, shape, index) for index in range(len(sort.fields))]

    # Values

    def literal(self, value: Value, sort: Sort) -> Shape:
        """A value of the reference reading."""
        if isinstance(sort, BoolSort | IntSort):
            return value
        if isinstance(sort, EnumSort):
            return _enumeration(sort.name, sort.values)[1][sort.values.index(value)]
        if isinstance(sort, FiniteSort):
            values = self.listed(sort)
            if values is None:
                raise ImpossibleError(f"element {value} of {sort} is named, but {sort} may have any number of elements")
            return values[value]
        if isinstance(sort, OpenSort):
            return self._codes.setdefault(value, len(self._codes))
        if isinstance(sort, OptionSort):
            return Optional(True, ANYTHING) if value is None else Optional(False, self.literal(value, sort.element))
        if isinstance(sort, RecordSort):
            pairs = zip(value, sort.fields, strict=True)
            return self.record(sort, [self.literal(each, inner) for each, (_, inner) in pairs])
        if isinstance(sort, SetSort):
            members = [self.literal(each, sort.element) for each in sorted(value, key=repr)]
            return lambda element: disj(*(scalar_eq(element, member) for member in members))
        if isinstance(sort, SeqSort):
            return Sequence(len(value), _table_of([self.literal(each, sort.element) for each in value]), len(value))
        if isinstance(sort, MapSort):
            return self._literal_map(value, sort)
        raise SortError(f"{sort!r} is not a sort of the language")

    def _literal_map(self, values: tuple[Value, ...], sort: MapSort) -> Shape:
        shapes = [self.literal(each, sort.value) for each in values]
        if isinstance(sort.key, IntSort):
            lo = self.bound(sort.key.lo)
            if lo is None:
                raise ImpossibleError(f"the first key of {sort} is left out; a literal map cannot be placed")
            return _table_of(shapes, lo)
        keys = self.listed(sort.key)
        if keys is None:
            raise ImpossibleError(f"{sort.key} may have any number of elements; a map of it cannot be listed")
        return _chain(keys, shapes)

    def default(self, sort: Sort) -> Shape:
        """Return the value outside a map's keys."""
        return self.literal(default(sort), sort)

    def symbol(self, name: str, sort: Sort) -> Shape:
        """A value of which nothing is known: made of uninterpreted functions."""
        if name not in self._symbols:
            self._symbols[name] = self._symbol(name, sort, ())
        return self._symbols[name]

    def _symbol(self, name: str, sort: Sort, at: tuple[tuple[Any, Term], ...]) -> Shape:
        def grow(key: Sort) -> Callable[[Term], tuple[tuple[Any, Term], ...]]:
            return lambda term: (*at, (self.sort(key), term))

        if isinstance(sort, OptionSort):
            return Optional(self._apply(f"{name}.none", z3.BoolSort(), at), self._symbol(name, sort.element, at))
        if isinstance(sort, RecordSort) and self.is_flat(sort):
            return self._apply(name, self.tuple_sort(sort).sort, at)
        if isinstance(sort, RecordSort):
            return tuple(self._symbol(f"{name}.{each}", inner, at) for each, inner in sort.fields)
        if isinstance(sort, SetSort):
            deeper = grow(sort.element)
            return lambda element: self._apply(name, z3.BoolSort(), deeper(element))
        if isinstance(sort, MapSort):
            inside, deeper = sort.value, grow(sort.key)
            return lambda key: self._symbol(name, inside, deeper(key))
        if isinstance(sort, SeqSort):
            inside, deeper = sort.element, grow(Int(0))
            length = self._apply(f"{name}.length", z3.IntSort(), at)
            return Sequence(length, lambda pos: self._symbol(name, inside, deeper(pos)), self.bound(sort.capacity))
        return self._apply(name, self.sort(sort), at)

    def _apply(self, name: str, sort: Any, at: tuple[tuple[Any, Term], ...]) -> Term:
        if not at:
            return z3.Const(name, sort)
        return z3.Function(name, *(key for key, _ in at), sort)(*(term for _, term in at))

    def proper(self, shape: Shape, sort: Sort, *, ranges: bool) -> Term:
        """Return what is true of every value of a sort: no length is negative.

        Args:
            ranges: also that integers and lengths are in the range that is kept. A state of a search is made so; in a
                proof it must not be taken for granted but proved (`types.py`).
        """
        if isinstance(sort, IntSort):
            return self.within(sort, shape) if ranges else True
        if isinstance(sort, OpenSort) and sort.name in self.identifiers:
            return disj(*(scalar_eq(shape, each) for each in self.listed(sort) or ()))
        if isinstance(sort, OptionSort):
            held = True if shape.value is ANYTHING else self.proper(shape.value, sort.element, ranges=ranges)
            return implies(neg(shape.none), held)
        if isinstance(sort, RecordSort):
            pairs = zip(self.parts(sort, shape), sort.fields, strict=True)
            return conj(*(self.proper(each, inner, ranges=ranges) for each, (_, inner) in pairs))
        if isinstance(sort, SetSort):
            inside = sort.element
            if not (ranges and isinstance(inside, IntSort)):
                return True
            return self.every(Int(), lambda element: implies(shape(element), self.within(inside, element)))
        if isinstance(sort, MapSort):
            inside = sort.value
            return self.every(sort.key, lambda key: self.proper(shape(key), inside, ranges=ranges))
        if isinstance(sort, SeqSort):
            element, most = sort.element, self.bound(sort.capacity)
            places = IntSort(0, None if most is None else most - 1)
            ends = conj(shape.length >= 0, shape.length <= most if ranges and most is not None else True)

            def inside_at(pos: Term) -> Term:
                return implies(pos < shape.length, self.proper(shape.at(pos), element, ranges=ranges))

            return conj(ends, self.every(places, inside_at))
        return True

    # Reading

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


@dataclass(frozen=True)
class TupleSort:
    sort: Any
    make: Any
    parts: tuple[Any, ...]


@cache
def _tuple_sort(name: str, fields: tuple[tuple[str, Any], ...]) -> TupleSort:
    suffix = "_".join(str(sort) for _, sort in fields)
    made, make, parts = z3.TupleSort(f"{name}_{suffix}", [sort for _, sort in fields])
    return TupleSort(made, make, tuple(parts))


def _folded(term: Term) -> Term:
    """A number or truth value as Python's, so that it goes on being folded."""
    if z3.is_int_value(term):
        return term.as_long()
    return z3.is_true(term) if z3.is_true(term) or z3.is_false(term) else term


@cache
def _size_of(element: Any) -> tuple[Any, Any, Any]:
    """The size of a set of these elements, a member of it, and one that it has in common with another set."""
    sets = z3.ArraySort(element, z3.BoolSort())
    return (
        z3.Function(f"size.{element}", sets, z3.IntSort()),
        z3.Function(f"member.{element}", sets, element),
        z3.Function(f"common.{element}", sets, sets, element),
    )


@cache
def _enumeration(name: str, values: tuple[str, ...]) -> Any:
    return z3.EnumSort(f"{name}.{'.'.join(values)}", list(values))


def _named(sort: FiniteSort, size: int) -> tuple[str, tuple[str, ...]]:
    return f"{sort.name}{size}", tuple(f"{sort.name.lower()}{index}of{size}" for index in range(size))


def _chain(keys: list[Term], shapes: list[Shape]) -> Callable[[Term], Shape]:
    def look_up(key: Term) -> Shape:
        found: Shape = shapes[-1] if shapes else ANYTHING
        for each, shape in reversed(list(zip(keys, shapes, strict=True))[:-1]):
            found = merge(scalar_eq(key, each), shape, found)
        return found

    return look_up


def _table_of(shapes: list[Shape], first: int = 0) -> Callable[[Term], Shape]:
    """The values by position; outside of it nobody may look."""
    return _chain([first + index for index in range(len(shapes))], shapes)


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
            raise ImpossibleError(f"`{node.args[0]!r}` is counted, but there is no list of elements of {sort.element}")
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
