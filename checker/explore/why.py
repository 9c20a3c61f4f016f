"""The reason why a property fails at the end of a path: the clause that is false, with the values that it reads."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from ...model.evaluate import evaluate, name_of
from ...model.expr import Expr, Op, free
from ...model.property import Property
from ...model.protocol import Instance
from ...model.sorts import Bool, Value, elements
from ...model.step import Reference
from ...model.text import show, text
from .flat import FlatClause, clauses
from .result import NO_DEADLOCK, TYPE_OK
from .trace import Path


def failing_clause(goal: Property, instance: Instance, env: Mapping[str, Value]) -> str | None:
    """The first clause of a condition that is false, with the values of its variables; None if all are true."""
    found = _failing(goal, instance, env)
    if found is None:
        return None
    clause, bound = found
    shown = ", ".join(f"{each.data}={show(bound[name_of(each)], each.sort)}" for each in clause.variables)
    return _sentence(clause.conditions, clause.conclusion) + (f"  with {shown}" if shown else "")


def why(prop: Property, path: Path) -> list[str]:
    """The reason why a property is violated at the end of a path, a clause and the values that it reads, by line."""
    if prop.name == TYPE_OK.name:
        return []
    if prop.name == NO_DEADLOCK.name:
        return ["fails: no action can be taken in this state"]
    if prop.goal is not None:
        return [f"fails: on the way round this is never true: {text(prop.goal)}"]
    states = path.states[-2:] if prop.needs_after else path.states[-1:]
    env = Reference(path.instance).env(*states)
    sentence = failing_clause(prop, path.instance, env)
    found = _failing(prop, path.instance, env)
    if sentence is None or found is None:
        return []
    clause, bound = found
    values = {text(term): show(evaluate(term, {**env, **bound}), term.sort) for term in _terms(clause)}
    return [f"fails: {sentence}", *(f"       {term} = {value}" for term, value in values.items())]


def _failing(
    goal: Property, instance: Instance, env: Mapping[str, Value]
) -> tuple[FlatClause, Mapping[str, Value]] | None:
    """Return the first clause that is false, and the values of its variables."""
    for clause in clauses(goal.condition):
        lists = [elements(each.sort, instance.settings) for each in clause.variables]
        for values in itertools.product(*lists):
            bound = dict(zip(map(name_of, clause.variables), values, strict=True))
            names = {**env, **bound}
            if all(evaluate(each, names) for each in clause.conditions) and not evaluate(clause.conclusion, names):
                return clause, bound
    return None


def _terms(clause: FlatClause) -> Iterator[Expr]:
    """Yield the values of fields that a clause compares; none that depends on a variable that it binds itself."""
    waiting = [*clause.conditions, clause.conclusion]
    while waiting:
        expr = waiting.pop(0)
        if not any(leaf.op in (Op.FIELD, Op.AFTER) for leaf in free(expr)):
            continue
        known = all(leaf in clause.variables for leaf in free(expr) if leaf.op is Op.VAR)
        if known and (expr.sort != Bool or expr.op in (Op.FIELD, Op.AFTER, Op.MAP_GET)):
            yield expr
        else:
            waiting += expr.args


def _sentence(conditions: Sequence[Expr], conclusion: Expr) -> str:
    if not conditions:
        return text(conclusion)
    return f"{' and '.join(text(each) for each in conditions)} implies {text(conclusion)}"
