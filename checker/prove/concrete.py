"""Translation of a solver's assignment back to values of the reference reading."""

from __future__ import annotations

from typing import Any

import z3

from ...model.errors import ImpossibleError
from ...model.sorts import (
    BoolSort,
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
    if isinstance(sort, OptionSort):
        if scalar(assignment, shape.none) or shape.value is ANYTHING:
            return None
        return concrete(domain, assignment, shape.value, sort.element)
    if isinstance(sort, RecordSort):
        parts = zip(domain.parts(sort, shape), sort.fields, strict=True)
        return tuple(concrete(domain, assignment, each, inner) for each, (_, inner) in parts)
    if isinstance(sort, SetSort):
        keys = _listed(domain, sort.element)
        return frozenset(
            concrete(domain, assignment, each, sort.element) for each in keys if scalar(assignment, shape(each))
        )
    if isinstance(sort, MapSort):
        return tuple(concrete(domain, assignment, shape(key), sort.value) for key in _listed(domain, sort.key))
    if isinstance(sort, SeqSort):
        length = scalar(assignment, shape.length)
        return tuple(concrete(domain, assignment, shape.at(at), sort.element) for at in range(length))
    found = scalar(assignment, shape)
    if isinstance(sort, BoolSort | IntSort):
        return found
    if isinstance(sort, EnumSort):
        return sort.values[_index(domain, sort, found)]
    if isinstance(sort, FiniteSort):
        return _index(domain, sort, found)
    if isinstance(sort, OpenSort) and sort.name in domain.identifiers:
        return domain.identifiers[sort.name][_index(domain, sort, found)]
    raise ImpossibleError(f"a value of {sort} cannot be read back; the domain keeps no list of its values")


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
