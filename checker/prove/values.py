"""Values of the language as Z3 sees them: trees of terms, and functions from terms to such trees.

| sort | here |
|---|---|
| Bool, Int, Enum, Finite, Open | a term |
| Option | `Optional(none, value)` |
| Record | a term of a tuple sort if all fields are scalars, else a tuple |
| Set | a function from an element to a Bool term |
| Map | a function from a key to a value |
| Seq | `Sequence(length, at)`, `at` a function from a position to a value |

A field of the state is made of uninterpreted functions: `log: Replica -> Seq of Entry` becomes `log.length(r)` and
`log(r, o)`, a tuple of id and epoch. An update of a map or a sequence is a new Python function that asks the old one,
so a state after a step has no symbols of its own and no frame conditions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ...model.sorts import SCALARS, BySort, IntSort, MapSort, OptionSort, RecordSort, SeqSort, SetSort, Sort
from .smt import Term, choose, conj, disj, iff, implies, neg, scalar_eq

Shape = Any
ForAll = Callable[[Sort, Callable[[Term], Term]], Term]


class _Anything:
    """The value in an option that holds nothing: no operator can see it."""


ANYTHING: Final = _Anything()


@dataclass(frozen=True)
class Optional:
    none: Term
    value: Shape


@dataclass(frozen=True)
class Sequence:
    """`most`: no longer than this, where that is known; None where the capacity is left out."""

    length: Term
    at: Callable[[Term], Shape]
    most: int | None


def merge(test: Term, then: Shape, otherwise: Shape) -> Shape:
    """If-then-else on values of one sort."""
    if isinstance(test, bool):
        return then if test else otherwise
    if then is otherwise or otherwise is ANYTHING:
        return then
    if then is ANYTHING:
        return otherwise
    if isinstance(then, Optional):
        return Optional(choose(test, then.none, otherwise.none), merge(test, then.value, otherwise.value))
    if isinstance(then, tuple):
        return tuple(merge(test, one, other) for one, other in zip(then, otherwise, strict=True))
    if isinstance(then, Sequence):
        most = None if then.most is None or otherwise.most is None else max(then.most, otherwise.most)
        length = choose(test, then.length, otherwise.length)
        return Sequence(length, lambda at: merge(test, then.at(at), otherwise.at(at)), most)
    if callable(then):
        return lambda key: merge(test, then(key), otherwise(key))
    return choose(test, then, otherwise)


def equal(left: Shape, right: Shape, sort: Sort, every: ForAll) -> Term:
    """The equation of two values of a sort; `every` writes "for all of a sort"."""
    if left is right or left is ANYTHING or right is ANYTHING:
        return True
    return _EQUAL[type(sort)](left, right, sort, every)


def _equal_options(left: Optional, right: Optional, sort: OptionSort, every: ForAll) -> Term:
    held = equal(left.value, right.value, sort.element, every)
    return disj(conj(left.none, right.none), conj(neg(left.none), neg(right.none), held))


def _equal_records(left: Shape, right: Shape, sort: RecordSort, every: ForAll) -> Term:
    if not isinstance(left, tuple):
        return scalar_eq(left, right)
    pairs = zip(left, right, sort.fields, strict=True)
    return conj(*(equal(one, other, each, every) for one, other, (_, each) in pairs))


def _equal_sequences(left: Sequence, right: Sequence, sort: SeqSort, every: ForAll) -> Term:
    def same_at(at: Term) -> Term:
        held = equal(left.at(at), right.at(at), sort.element, every)
        return implies(conj(at >= 0, at < left.length), held)

    known = [each.most for each in (left, right) if each.most is not None]
    return conj(scalar_eq(left.length, right.length), every(IntSort(0, min(known) - 1 if known else None), same_at))


_EQUAL: BySort[Term] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda left, right, sort, every: scalar_eq(left, right)),
        SetSort: lambda left, right, sort, every: every(sort.element, lambda one: iff(left(one), right(one))),
        OptionSort: _equal_options,
        RecordSort: _equal_records,
        MapSort: lambda left, right, sort, every: every(
            sort.key, lambda key: equal(left(key), right(key), sort.value, every)
        ),
        SeqSort: _equal_sequences,
    }
)
