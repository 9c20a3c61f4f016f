"""The representation of the model language's values in columns, the same in every reading.

| value | in a column |
|---|---|
| no broker | -1 |
| a set of brokers, or of texts | a list |
| a set of releases | a bitmask over the rows of releases.toml |
| a state, a text | its name |

An absent column (the line did not print it) has no value at all, except one of the sort `Flag`: it is false there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from ....model.errors import NotWrittenError
from ....model.expr import BINDERS, Expr, Op, const
from ....model.reading import Never
from ....model.sorts import BoolSort, Enum, OptionSort, SetOf, SetSort, Sort
from ....specs.releases import RELEASES, span

T = TypeVar("T")
NO_LEADER = -1
Flag = BoolSort(absent=False)
"""Truth values of events: one that a line does not print did not happen there."""
RELEASE = Enum("Release", tuple(release.name for release in RELEASES))

_NOT_PRINTED = (
    *(Op.RECORD, Op.RECORD_GET, Op.MAP_FILL, Op.MAP_PUT),
    *(Op.SEQ_LEN, Op.SEQ_AT, Op.SEQ_APPEND, Op.SEQ_TAKE, Op.SEQ_DROP),
)
NOT_IN_RULES: Mapping[Op, Never] = {
    Op.FIELD: Never("fields are columns, given as leaves"),
    Op.AFTER: Never("a rule reads the columns of one row; `step` makes a step's two states columns"),
    Op.VAR: Never("a rule has no parameters"),
    Op.SETTING: Never("an audit has no instance"),
    **dict.fromkeys(
        (*_NOT_PRINTED, *BINDERS), Never("a rule looks at printed values, which are not sequences, records or maps")
    ),
}
"""The operators that the audit's readings of columns lack, and why."""


def is_mask(sort: Sort) -> bool:
    """Return whether columns hold values of this sort as bitmasks: sets of releases."""
    return isinstance(sort, SetSort) and sort.element == RELEASE


def of_brokers(operator: Callable[..., T]) -> Callable[..., T]:
    """Return an operator on a set and one member, for readings that hold sets of releases as masks: these are not
    supported.
    """

    def apply(node: Expr, *args: T) -> T:
        if any(is_mask(arg.sort) for arg in node.args):
            raise NotWrittenError(
                f"columns have no translation of the operator `{node.op.value}` on sets of releases yet"
            )
        return operator(node, *args)

    return apply


@cache
def release_set(mask: int) -> frozenset[str]:
    """Return the names in a mask of releases."""
    return frozenset(release.name for release in RELEASES if release.mask & mask)


@cache
def release_mask(names: frozenset[str]) -> int:
    """Return the mask of a set of release names."""
    return sum(release.mask for release in RELEASES if release.name in names)


def in_releases(text: str) -> Expr:
    """Return the constant set of releases that `text` names, as specs.releases.span reads it."""
    return const(release_set(span(text)), SetOf(RELEASE))


def where_absent(sort: Sort) -> bool | None:
    """Return the value of an absent column of this sort; None: it has none."""
    return sort.absent if isinstance(sort, BoolSort) else None


def decoder(sort: Sort) -> Callable[[Any], Any] | None:
    """Return a function from a column's value to the language's; None where they are the same."""
    if isinstance(sort, OptionSort):
        return lambda value: None if value == NO_LEADER else value
    if isinstance(sort, SetSort):
        return release_set if is_mask(sort) else frozenset
    return None


def encoder(sort: Sort) -> Callable[[Any], Any] | None:
    """Return a function from the language's value to a column's; None where they are the same."""
    if isinstance(sort, OptionSort):
        return lambda value: NO_LEADER if value is None else value
    if isinstance(sort, SetSort):
        return release_mask if is_mask(sort) else sorted
    return None
