"""Conditions as flat clauses: for all values of some variables, conditions imply one conclusion.

A solver instantiates flat universal clauses quickly; the same condition with quantifiers inside quantifiers it may not
finish. So lemmas may be written as they read best, and are taken apart here. The clauses together say exactly what the
condition says.

    >>> from isrproof.model.expr import field, forall, var
    >>> from isrproof.model.sorts import Bool, Int
    >>> x, y, p = var("x", Int(0, 3)), var("y", Int(0, 3)), field("p", Bool)
    >>> for clause in clauses(forall(x, p.implies(forall(y, x <= y)) & (x < 9))):
    ...     print(clause.variables, clause.conditions, clause.conclusion)
    (x, y) (p,) x <= y
    (x,) () x < 9
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from ...model.expr import QUANTIFIERS, Expr, Op, substitute, topological, var
from ...model.sorts import SetSort, Sort


@dataclass(frozen=True)
class FlatClause:
    """For all values of the variables, the conditions together imply the conclusion."""

    variables: tuple[Expr, ...]
    conditions: tuple[Expr, ...]
    conclusion: Expr


_SET_RELATIONS = frozenset({Op.SUBSET, Op.EQ, Op.IS_EMPTY})


def clauses(condition: Expr) -> tuple[FlatClause, ...]:
    """The clauses of a condition."""
    names = {str(node.data) for node in topological(condition) if node.op is Op.VAR}
    return tuple(_split(condition, (), (), names))


def _split(expr: Expr, variables: tuple[Expr, ...], given: tuple[Expr, ...], names: set[str]) -> Iterator[FlatClause]:
    op, args = expr.op, expr.args
    if op is Op.FORALL:
        bound, body = _own(expr.data, args[0], variables, names)
        yield from _split(body, (*variables, bound), given, names)
    elif op is Op.AND:
        for each in args:
            yield from _split(each, variables, given, names)
    elif op is Op.IMPLIES:
        premise, more = _premise(args[0], variables, names)
        yield from _split(args[1], (*variables, *more), (*given, *premise), names)
    elif op is Op.OR and any(_hides(each) for each in args):
        last = max(range(len(args)), key=lambda index: (_hides(args[index]), -index))
        rest = tuple(~each for index, each in enumerate(args) if index != last)
        premises: tuple[Expr, ...] = ()
        more = variables
        for each in rest:
            premise, new = _premise(each, more, names)
            premises = (*premises, *premise)
            more = (*more, *new)
        yield from _split(args[last], more, (*given, *premises), names)
    elif op is Op.NOT and args[0].op is Op.EXISTS:
        inner = args[0]
        bound, body = _own(inner.data, inner.args[0], variables, names)
        yield from _split(~body, (*variables, bound), given, names)
    elif op is Op.NOT and args[0].op is Op.NOT:
        yield from _split(args[0].args[0], variables, given, names)
    elif op is Op.ITE and (_hides(args[1]) or _hides(args[2])):
        yield from _split(args[1], variables, (*given, args[0]), names)
        yield from _split(args[2], variables, (*given, ~args[0]), names)
    elif op in _SET_RELATIONS and isinstance(args[0].sort, SetSort):
        yield from _members(expr, args[0].sort.element, variables, given, names)
    else:
        yield FlatClause(variables, given, expr)


def _members(
    expr: Expr, element: Sort, variables: tuple[Expr, ...], given: tuple[Expr, ...], names: set[str]
) -> Iterator[FlatClause]:
    """A relation of sets as clauses about any one element."""
    any_one = _fresh(element, names)
    everything = (*variables, any_one)
    if expr.op is Op.IS_EMPTY:
        yield FlatClause(everything, given, ~expr.args[0].contains(any_one))
        return
    inside = [arg.contains(any_one) for arg in expr.args]
    yield FlatClause(everything, (*given, inside[0]), inside[1])
    if expr.op is Op.EQ:
        yield FlatClause(everything, (*given, inside[1]), inside[0])


def _premise(expr: Expr, variables: tuple[Expr, ...], names: set[str]) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """A premise as conditions, and the variables of the `exists` that it starts with."""
    if expr.op is Op.AND:
        conditions: tuple[Expr, ...] = ()
        bound: tuple[Expr, ...] = ()
        for each in expr.args:
            more, new = _premise(each, (*variables, *bound), names)
            conditions, bound = (*conditions, *more), (*bound, *new)
        return conditions, bound
    if expr.op is Op.EXISTS:
        one, body = _own(expr.data, expr.args[0], variables, names)
        more, new = _premise(body, (*variables, one), names)
        return more, (one, *new)
    return (expr,), ()


def _own(bound: Expr, body: Expr, variables: tuple[Expr, ...], names: set[str]) -> tuple[Expr, Expr]:
    """The bound variable, under another name if that name is taken."""
    if bound not in variables:
        return bound, body
    other = _fresh(bound.sort, names)
    return other, substitute(body, {bound: other})


def _fresh(sort: Sort, names: set[str]) -> Expr:
    name = next(each for each in (f"x{number}" for number in itertools.count(1)) if each not in names)
    names.add(name)
    return var(name, sort)


def _hides(expr: Expr) -> bool:
    """Check whether something below would be a quantifier to the solver and can be pulled out."""
    if expr.op in QUANTIFIERS:
        return expr.op is Op.FORALL
    if expr.op in _SET_RELATIONS and isinstance(expr.args[0].sort, SetSort):
        return True
    if expr.op is Op.NOT:
        return expr.args[0].op is Op.EXISTS
    if expr.op in (Op.AND, Op.OR):
        return any(_hides(each) for each in expr.args)
    return expr.op is Op.IMPLIES and _hides(expr.args[1])
