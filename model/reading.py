"""Readings: meanings of the operators in another world: Python, NumPy, Z3, Spark, TLA+.

It is a table: for each operator a function `(node, *translated arguments) -> translation`, or the reason why there is
none. `NOT_YET` says that nobody has written it; `Never(why)` says that it cannot exist there. Either way a missing
operator raises with its name: no reading approximates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .errors import ImpossibleError, NotWrittenError
from .expr import (
    BINDERS,
    Expr,
    Op,
    both,
    const,
    either,
    fill,
    ite,
    replace,
    substitute,
    topological,
)
from .sorts import Settings, elements

T = TypeVar("T")


@dataclass(frozen=True)
class Never:
    """The reason that an operator cannot exist in a reading."""

    why: str


@dataclass(frozen=True)
class _NotYet:
    pass


NOT_YET = _NotYet()


@dataclass(frozen=True)
class Reading(Generic[T]):
    """A table of translations.

    Operators that bind a variable are not walked into: a reading gets the node and, as its one argument, a function
    that reads the body with further leaves; readings without them are given expressions through `unroll`.
    """

    name: str
    table: Mapping[Op, Callable[..., T] | Never | _NotYet]

    def operator(self, op: Op) -> Callable[..., T]:
        """The translation of an operator.

        Raises:
            NotWrittenError: it is missing, or marked as not written yet.
            ImpossibleError: it cannot exist in this reading.
        """
        entry = self.table.get(op, NOT_YET)
        if isinstance(entry, Never):
            raise ImpossibleError(f"the {self.name} reading cannot have the operator `{op.value}`: {entry.why}")
        if isinstance(entry, _NotYet):
            raise NotWrittenError(f"the {self.name} reading has no translation of the operator `{op.value}` yet")
        return entry


def read(expr: Expr, reading: Reading[T], leaves: Mapping[Expr, T], done: dict[Expr, T] | None = None) -> T:
    """Translate an expression, each shared node once.

    Args:
        leaves: translations of the fields, parameters and settings that the expression reads.
        done: translations made before with the same leaves, to be shared between several expressions.
    """
    memo: dict[Expr, T] = {} if done is None else done
    stack = [expr]
    while stack:
        node = stack[-1]
        if node in memo:
            stack.pop()
            continue
        if node in leaves:
            memo[node] = leaves[node]
            continue
        if node.op in BINDERS:
            body = node.args[0]
            memo[node] = reading.operator(node.op)(
                node, lambda more, body=body: read(body, reading, {**leaves, **more})
            )
            continue
        waiting = [arg for arg in node.args if arg not in memo]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        memo[node] = reading.operator(node.op)(node, *(memo[arg] for arg in node.args))
    return memo[expr]


def unroll(expr: Expr, settings: Settings) -> Expr:
    """The expression without bound variables: each binder written out over the values of its variable here."""

    def written_out(node: Expr) -> Expr | None:
        if node.op not in BINDERS:
            return None
        keys = [const(value, node.data.sort) for value in elements(node.data.sort, settings)]
        cases = [substitute(node.args[0], {node.data: key}) for key in keys]
        if node.op is Op.MAP_EACH:
            made = fill(node.sort, cases[0])
            for key, case in zip(keys[1:], cases[1:], strict=True):
                made = made.put(key, case)
            return made
        if node.op is Op.SET_EACH:
            chosen = const(frozenset(), node.sort)
            for key, case in zip(keys, cases, strict=True):
                chosen = ite(case, chosen.insert(key), chosen)
            return chosen
        return both(*cases) if node.op is Op.FORALL else either(*cases)

    return replace(expr, written_out)


def operators(*exprs: Expr) -> set[Op]:
    """The operators that expressions use: what a reading must have to read them."""
    return {node.op for node in topological(*exprs)}
