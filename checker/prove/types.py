"""The property that every field stays in the range of its sort: a search takes it from the types, a proof proves it.

Upper ends given by settings are left out, as the proof leaves out the settings themselves.
"""

from __future__ import annotations

from ...model.expr import Expr, both, const, fill, forall, none, record, true, var
from ...model.property import Property
from ...model.protocol import Field
from ...model.sorts import (
    Bound,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SeqSort,
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
    if isinstance(sort, IntSort):
        ends = [expr >= sort.lo] if sort.lo is not None and not isinstance(sort.lo, Bound) else []
        return both(*ends, *([expr <= sort.hi] if sort.hi is not None and not isinstance(sort.hi, Bound) else []))
    if isinstance(sort, RecordSort):
        return _all([_in_range(expr[name], inner, depth) for name, inner in sort.fields])
    if isinstance(sort, OptionSort) and _has_range(sort.element):
        return expr.is_some().implies(_in_range(expr.get(_something(sort.element)), sort.element, depth))
    if isinstance(sort, MapSort) and _has_range(sort.value):
        key = var(f"key{depth}", sort.key)
        return forall(key, _in_range(expr[key], sort.value, depth + 1))
    if isinstance(sort, SeqSort) and _has_range(sort.element):
        last = (
            sort.capacity - 1
            if isinstance(sort.capacity, int)
            else Bound(sort.capacity.setting, sort.capacity.plus - 1)
        )
        at = var(f"at{depth}", IntSort(0, last))
        held = _in_range(expr.at(at).get(_something(sort.element)), sort.element, depth + 1)
        return forall(at, expr.at(at).is_some().implies(held))
    return true


def _something(sort: Sort) -> Expr:
    """Return any value of a sort, where there is none."""
    if isinstance(sort, MapSort):
        return fill(sort, _something(sort.value))
    if isinstance(sort, RecordSort):
        return record(sort, **{name: _something(inner) for name, inner in sort.fields})
    return none(sort.element) if isinstance(sort, OptionSort) else const(default(sort), sort)


def _all(conditions: list[Expr]) -> Expr:
    return both(*(each for each in conditions if each is not true))


def _has_range(sort: Sort) -> bool:
    if isinstance(sort, IntSort):
        return any(end is not None and not isinstance(end, Bound) for end in (sort.lo, sort.hi))
    if isinstance(sort, RecordSort):
        return any(_has_range(inner) for _, inner in sort.fields)
    if isinstance(sort, OptionSort | SeqSort):
        return _has_range(sort.element)
    return isinstance(sort, MapSort) and _has_range(sort.value)
