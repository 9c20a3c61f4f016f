"""Sorts as Z3 sees them: for each the sort of its terms, its literals, its symbols, and what is true of its values.

`Sorts` says how much of an instance is kept. Settings that it has a number for bound the sorts as they do in a search;
the others are left out: an `Int(0, log_size)` is then any integer from 0 on, a sequence may be of any length, and a
finite sort has any number of elements (an uninterpreted sort). The size of a set of any number of elements is an
unknown function of the set, of which two facts are known (`Sorts.counting`). That is enough for a proof, and too little
for a counterexample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import z3

from ...model.errors import ImpossibleError
from ...model.sorts import (
    SCALARS,
    BoolSort,
    Bound,
    BySort,
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
from .values import ANYTHING, Optional, Sequence, Shape, merge

MOST_LISTED = 64
"""Quantifiers over at most as many values are written out."""
At = tuple[tuple[Any, Term], ...]
"""The keys and positions that a symbol is applied to, each with its Z3 sort."""


class Sorts:
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

    # Sorts

    def bound(self, end: int | Bound | None) -> int | None:
        """The number that ends an integer range, or None where it is left out."""
        if end is None or isinstance(end, int):
            return end
        return self.kept[end.setting.name] + end.plus if end.setting.name in self.kept else None

    def sort(self, sort: Sort) -> Any:
        """The Z3 sort of a scalar."""
        return _Z3_SORT[type(sort)](self, sort)

    def listed(self, sort: Sort) -> list[Term] | None:
        """All values of a scalar sort, or None if they are too many or unknown."""
        return _LISTED[type(sort)](self, sort)

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
        return all(isinstance(each, SCALARS) for _, each in sort.fields)

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

    def code(self, value: Value) -> int:
        """The number that stands for an identifier."""
        return self._codes.setdefault(value, len(self._codes))

    def literal(self, value: Value, sort: Sort) -> Shape:
        """A value of the reference reading."""
        return _LITERAL[type(sort)](self, value, sort)

    def default(self, sort: Sort) -> Shape:
        """Return the value outside a map's keys."""
        return self.literal(default(sort), sort)

    def symbol(self, name: str, sort: Sort) -> Shape:
        """A value of which nothing is known: made of uninterpreted functions."""
        if name not in self._symbols:
            self._symbols[name] = self.symbol_at(name, sort, ())
        return self._symbols[name]

    def symbol_at(self, name: str, sort: Sort, at: At) -> Shape:
        """A symbol, applied to the keys and positions under which it lies."""
        return _SYMBOL[type(sort)](self, name, sort, at)

    def deeper(self, at: At, key: Sort) -> Callable[[Term], At]:
        """Return the keys with one more."""
        return lambda term: (*at, (self.sort(key), term))

    def apply(self, name: str, sort: Any, at: At) -> Term:
        """An uninterpreted function of keys and positions; without any, a constant."""
        if not at:
            return z3.Const(name, sort)
        return z3.Function(name, *(key for key, _ in at), sort)(*(term for _, term in at))

    def proper(self, shape: Shape, sort: Sort, *, ranges: bool) -> Term:
        """Return what is true of every value of a sort: no length is negative.

        Args:
            ranges: also that integers and lengths are in the range that is kept. A state of a search is made so; in a
                proof it must not be taken for granted but proved (`types.py`).
        """
        return _PROPER[type(sort)](self, shape, sort, ranges)


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


# Readings of sorts


def _z3_element(sorts: Sorts, sort: FiniteSort) -> Any:
    size = sorts.kept.get(sort.size.name)
    return z3.DeclareSort(sort.name) if size is None else _enumeration(*_named(sort, size))[0]


_Z3_SORT: BySort[Any] = BySort(
    {
        BoolSort: lambda sorts, sort: z3.BoolSort(),
        **dict.fromkeys((IntSort, OpenSort), lambda sorts, sort: z3.IntSort()),
        EnumSort: lambda sorts, sort: _enumeration(sort.name, sort.values)[0],
        FiniteSort: _z3_element,
    },
    "{sort} is no scalar; expected a Bool, an Int, an enum, a finite or an open sort",
)


def _listed_ints(sorts: Sorts, sort: IntSort) -> list[Term] | None:
    lo, hi = sorts.bound(sort.lo), sorts.bound(sort.hi)
    few = lo is not None and hi is not None and hi - lo < MOST_LISTED
    return list(range(lo, hi + 1)) if few else None  # type: ignore[arg-type, operator]


def _listed_elements(sorts: Sorts, sort: FiniteSort) -> list[Term] | None:
    size = sorts.kept.get(sort.size.name)
    return None if size is None else list(_enumeration(*_named(sort, size))[1])


def _listed_identifiers(sorts: Sorts, sort: OpenSort) -> list[Term] | None:
    known = sorts.identifiers.get(sort.name)
    return None if known is None else [sorts.literal(each, sort) for each in known]


_LISTED: BySort[list[Term] | None] = BySort(
    {
        BoolSort: lambda sorts, sort: [False, True],
        IntSort: _listed_ints,
        EnumSort: lambda sorts, sort: list(_enumeration(sort.name, sort.values)[1]),
        FiniteSort: _listed_elements,
        OpenSort: _listed_identifiers,
        **dict.fromkeys((SetSort, OptionSort, RecordSort, MapSort, SeqSort), lambda sorts, sort: None),
    }
)


def _literal_element(sorts: Sorts, value: Value, sort: FiniteSort) -> Shape:
    values = sorts.listed(sort)
    if values is None:
        raise ImpossibleError(f"element {value} of {sort} is named, but {sort} may have any number of elements")
    return values[value]


def _literal_option(sorts: Sorts, value: Value, sort: OptionSort) -> Shape:
    return Optional(True, ANYTHING) if value is None else Optional(False, sorts.literal(value, sort.element))


def _literal_record(sorts: Sorts, value: Value, sort: RecordSort) -> Shape:
    pairs = zip(value, sort.fields, strict=True)
    return sorts.record(sort, [sorts.literal(each, inner) for each, (_, inner) in pairs])


def _literal_set(sorts: Sorts, value: Value, sort: SetSort) -> Shape:
    members = [sorts.literal(each, sort.element) for each in sorted(value, key=repr)]
    return lambda element: disj(*(scalar_eq(element, member) for member in members))


def _literal_map(sorts: Sorts, values: tuple[Value, ...], sort: MapSort) -> Shape:
    shapes = [sorts.literal(each, sort.value) for each in values]
    if isinstance(sort.key, IntSort):
        lo = sorts.bound(sort.key.lo)
        if lo is None:
            raise ImpossibleError(f"the first key of {sort} is left out; a literal map cannot be placed")
        return _table_of(shapes, lo)
    keys = sorts.listed(sort.key)
    if keys is None:
        raise ImpossibleError(f"{sort.key} may have any number of elements; a map of it cannot be listed")
    return _chain(keys, shapes)


def _literal_seq(sorts: Sorts, value: Value, sort: SeqSort) -> Shape:
    return Sequence(len(value), _table_of([sorts.literal(each, sort.element) for each in value]), len(value))


_LITERAL: BySort[Shape] = BySort(
    {
        **dict.fromkeys((BoolSort, IntSort), lambda sorts, value, sort: value),
        EnumSort: lambda sorts, value, sort: _enumeration(sort.name, sort.values)[1][sort.values.index(value)],
        FiniteSort: _literal_element,
        OpenSort: lambda sorts, value, sort: sorts.code(value),
        SetSort: _literal_set,
        OptionSort: _literal_option,
        RecordSort: _literal_record,
        MapSort: _literal_map,
        SeqSort: _literal_seq,
    }
)


def _symbol_set(sorts: Sorts, name: str, sort: SetSort, at: At) -> Shape:
    deeper = sorts.deeper(at, sort.element)
    return lambda element: sorts.apply(name, z3.BoolSort(), deeper(element))


def _symbol_option(sorts: Sorts, name: str, sort: OptionSort, at: At) -> Shape:
    return Optional(sorts.apply(f"{name}.none", z3.BoolSort(), at), sorts.symbol_at(name, sort.element, at))


def _symbol_record(sorts: Sorts, name: str, sort: RecordSort, at: At) -> Shape:
    if sorts.is_flat(sort):
        return sorts.apply(name, sorts.tuple_sort(sort).sort, at)
    return tuple(sorts.symbol_at(f"{name}.{each}", inner, at) for each, inner in sort.fields)


def _symbol_map(sorts: Sorts, name: str, sort: MapSort, at: At) -> Shape:
    inside, deeper = sort.value, sorts.deeper(at, sort.key)
    return lambda key: sorts.symbol_at(name, inside, deeper(key))


def _symbol_seq(sorts: Sorts, name: str, sort: SeqSort, at: At) -> Shape:
    inside, deeper = sort.element, sorts.deeper(at, Int(0))
    length = sorts.apply(f"{name}.length", z3.IntSort(), at)
    return Sequence(length, lambda pos: sorts.symbol_at(name, inside, deeper(pos)), sorts.bound(sort.capacity))


_SYMBOL: BySort[Shape] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda sorts, name, sort, at: sorts.apply(name, sorts.sort(sort), at)),
        SetSort: _symbol_set,
        OptionSort: _symbol_option,
        RecordSort: _symbol_record,
        MapSort: _symbol_map,
        SeqSort: _symbol_seq,
    }
)


def _proper_identifier(sorts: Sorts, shape: Shape, sort: OpenSort, ranges: bool) -> Term:
    known = sorts.listed(sort)
    return True if known is None else disj(*(scalar_eq(shape, each) for each in known))


def _proper_option(sorts: Sorts, shape: Shape, sort: OptionSort, ranges: bool) -> Term:
    held = True if shape.value is ANYTHING else sorts.proper(shape.value, sort.element, ranges=ranges)
    return implies(neg(shape.none), held)


def _proper_record(sorts: Sorts, shape: Shape, sort: RecordSort, ranges: bool) -> Term:
    pairs = zip(sorts.parts(sort, shape), sort.fields, strict=True)
    return conj(*(sorts.proper(each, inner, ranges=ranges) for each, (_, inner) in pairs))


def _proper_set(sorts: Sorts, shape: Shape, sort: SetSort, ranges: bool) -> Term:
    inside = sort.element
    if not (ranges and isinstance(inside, IntSort)):
        return True
    return sorts.every(Int(), lambda element: implies(shape(element), sorts.within(inside, element)))


def _proper_map(sorts: Sorts, shape: Shape, sort: MapSort, ranges: bool) -> Term:
    inside = sort.value
    return sorts.every(sort.key, lambda key: sorts.proper(shape(key), inside, ranges=ranges))


def _proper_seq(sorts: Sorts, shape: Shape, sort: SeqSort, ranges: bool) -> Term:
    element, most = sort.element, sorts.bound(sort.capacity)
    places = IntSort(0, None if most is None else most - 1)
    ends = conj(shape.length >= 0, shape.length <= most if ranges and most is not None else True)

    def inside_at(pos: Term) -> Term:
        return implies(pos < shape.length, sorts.proper(shape.at(pos), element, ranges=ranges))

    return conj(ends, sorts.every(places, inside_at))


_PROPER: BySort[Term] = BySort(
    {
        **dict.fromkeys((BoolSort, EnumSort, FiniteSort), lambda sorts, shape, sort, ranges: True),
        IntSort: lambda sorts, shape, sort, ranges: sorts.within(sort, shape) if ranges else True,
        OpenSort: _proper_identifier,
        SetSort: _proper_set,
        OptionSort: _proper_option,
        RecordSort: _proper_record,
        MapSort: _proper_map,
        SeqSort: _proper_seq,
    }
)
