"""Translation of a solver's assignment back to values of the reference reading."""

from __future__ import annotations

from typing import Any

import z3

from ...model.errors import ImpossibleError
from ...model.sorts import (
    BoolSort,
    BySort,
    EnumSort,
    FiniteSort,
    IntSort,
    MapSort,
    OpenSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Sort,
    Value,
)
from .reading import Domain
from .smt import Term
from .values import ANYTHING, Shape


def concrete(domain: Domain, assignment: Any, shape: Shape, sort: Sort) -> Value:
    """The value that an assignment gives to a shape; the domain must keep all settings of the sort."""
    return _CONCRETE[type(sort)](domain, assignment, shape, sort)


def _number(domain: Domain, assignment: Any, shape: Shape, sort: Sort) -> Value:
    return scalar(assignment, shape)


def _element(domain: Domain, assignment: Any, shape: Shape, sort: Sort) -> int:
    return _index(domain, sort, scalar(assignment, shape))


def _identifier(domain: Domain, assignment: Any, shape: Shape, sort: OpenSort) -> Value:
    if sort.name not in domain.identifiers:
        raise ImpossibleError(f"a value of {sort} cannot be read back; the domain keeps no list of its values")
    return domain.identifiers[sort.name][_element(domain, assignment, shape, sort)]


def _option(domain: Domain, assignment: Any, shape: Shape, sort: OptionSort) -> Value:
    if scalar(assignment, shape.none) or shape.value is ANYTHING:
        return None
    return concrete(domain, assignment, shape.value, sort.element)


def _record(domain: Domain, assignment: Any, shape: Shape, sort: RecordSort) -> Value:
    parts = zip(domain.parts(sort, shape), sort.fields, strict=True)
    return tuple(concrete(domain, assignment, each, inner) for each, (_, inner) in parts)


def _set(domain: Domain, assignment: Any, shape: Shape, sort: SetSort) -> Value:
    keys = _listed(domain, sort.element)
    return frozenset(
        concrete(domain, assignment, each, sort.element) for each in keys if scalar(assignment, shape(each))
    )


def _map(domain: Domain, assignment: Any, shape: Shape, sort: MapSort) -> Value:
    return tuple(concrete(domain, assignment, shape(key), sort.value) for key in _listed(domain, sort.key))


def _sequence(domain: Domain, assignment: Any, shape: Shape, sort: SeqSort) -> Value:
    length = scalar(assignment, shape.length)
    return tuple(concrete(domain, assignment, shape.at(at), sort.element) for at in range(length))


_CONCRETE: BySort[Value] = BySort(
    {
        **dict.fromkeys((BoolSort, IntSort), _number),
        EnumSort: lambda domain, assignment, shape, sort: sort.values[_element(domain, assignment, shape, sort)],
        FiniteSort: _element,
        OpenSort: _identifier,
        SetSort: _set,
        OptionSort: _option,
        RecordSort: _record,
        MapSort: _map,
        SeqSort: _sequence,
    }
)


def scalar(assignment: Any, term: Term) -> Any:
    """The number, truth value or element that a term is given."""
    if isinstance(term, bool | int):
        return term
    found = assignment.eval(term, model_completion=True)
    if z3.is_int_value(found):
        return found.as_long()
    if z3.is_true(found) or z3.is_false(found):
        return z3.is_true(found)
    return found


def _listed(domain: Domain, sort: Sort) -> list[Term]:
    keys = domain.listed(sort)
    if keys is None:
        raise ImpossibleError(f"a map over {sort} cannot be read back; the domain keeps no list of its keys")
    return keys


def _index(domain: Domain, sort: Sort, found: Any) -> int:
    for index, each in enumerate(_listed(domain, sort)):
        if (each == found) if isinstance(each, int) else each.eq(found):
            return index
    raise ImpossibleError(f"{found} is not a value of {sort}")
