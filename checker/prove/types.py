"""The property that every field stays in the range of its sort: a search takes it from the types, a proof proves it.

Upper ends given by settings are left out, as the proof leaves out the settings themselves.
"""

from __future__ import annotations

from ...model.expr import Expr, both, const, fill, forall, none, record, true, var
from ...model.property import Property
from ...model.protocol import Field
from ...model.sorts import (
    SCALARS,
    SORTS,
    Bound,
    BySort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Sort,
    default,
)

IN_RANGE = "InRange"


def in_range(fields: tuple[Field, ...]) -> Property:
    """Every integer of the state is at least the lower and at most the fixed upper end of its range."""
    return Property(
        IN_RANGE,
        "Every integer is in the range of its sort, as far as no setting ends the range.",
        both(*(_in_range(each.expr, each.sort, 0) for each in fields)),
    )


def _in_range(expr: Expr, sort: Sort, depth: int) -> Expr:
    return _IN_RANGE[type(sort)](expr, sort, depth) if _has_range(sort) else true


def _integer_in_range(expr: Expr, sort: IntSort, depth: int) -> Expr:
    ends = [expr >= sort.lo] if sort.lo is not None and not isinstance(sort.lo, Bound) else []
    return both(*ends, *([expr <= sort.hi] if sort.hi is not None and not isinstance(sort.hi, Bound) else []))


def _held_in_range(expr: Expr, sort: OptionSort, depth: int) -> Expr:
    return expr.is_some().implies(_in_range(expr.get(_something(sort.element)), sort.element, depth))


def _all_in_range(expr: Expr, sort: MapSort, depth: int) -> Expr:
    key = var(f"key{depth}", sort.key)
    return forall(key, _in_range(expr[key], sort.value, depth + 1))


def _sequence_in_range(expr: Expr, sort: SeqSort, depth: int) -> Expr:
    last = sort.capacity - 1 if isinstance(sort.capacity, int) else Bound(sort.capacity.setting, sort.capacity.plus - 1)
    at = var(f"at{depth}", IntSort(0, last))
    held = _in_range(expr.at(at).get(_something(sort.element)), sort.element, depth + 1)
    return forall(at, expr.at(at).is_some().implies(held))


_IN_RANGE: BySort[Expr] = BySort(
    {
        IntSort: _integer_in_range,
        OptionSort: _held_in_range,
        RecordSort: lambda expr, sort, depth: _all([_in_range(expr[name], to, depth) for name, to in sort.fields]),
        MapSort: _all_in_range,
        SeqSort: _sequence_in_range,
    },
    "a {sort} has no range",
)
_SOMETHING: BySort[Expr] = BySort(
    {
        **dict.fromkeys(SORTS, lambda sort: const(default(sort), sort)),
        OptionSort: lambda sort: none(sort.element),
        RecordSort: lambda sort: record(sort, **{name: _something(inner) for name, inner in sort.fields}),
        MapSort: lambda sort: fill(sort, _something(sort.value)),
    }
)


def _something(sort: Sort) -> Expr:
    """Return any value of a sort, where there is none."""
    return _SOMETHING[type(sort)](sort)


def _all(conditions: list[Expr]) -> Expr:
    return both(*(each for each in conditions if each is not true))


def _has_range(sort: Sort) -> bool:
    return _HAS_RANGE[type(sort)](sort)


_HAS_RANGE: BySort[bool] = BySort(
    {
        **dict.fromkeys((*SCALARS, SetSort), lambda sort: False),
        IntSort: lambda sort: any(end is not None and not isinstance(end, Bound) for end in (sort.lo, sort.hi)),
        **dict.fromkeys((OptionSort, SeqSort), lambda sort: _has_range(sort.element)),
        RecordSort: lambda sort: any(_has_range(inner) for _, inner in sort.fields),
        MapSort: lambda sort: _has_range(sort.value),
    }
)
