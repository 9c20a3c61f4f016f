"""The Spark reading of the language: an expression as a native Column.

How a column holds a value is said in vocabulary.py: no broker is -1, a set of brokers an array, a set of releases a
bitmask, a state its name. Only what rules need is here; another operator raises with its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from ....model.evaluate import name_of
from ....model.expr import Expr, Op, free
from ....model.reading import Reading, read
from ....model.sorts import MapSort, OptionSort, SetSort, Sort
from ..vocabulary import NO_LEADER, NOT_IN_RULES, is_mask, of_brokers, release_mask
from .constant_maps import ConstantMap


def column(expr: Expr) -> Column:
    """The expression as a Column; absent (null) as soon as one column that it reads is absent."""
    fields = sorted(free(expr), key=name_of)
    value: Column = read(expr, SPARK, {leaf: F.col(name_of(leaf)) for leaf in fields})
    if not fields:
        return value
    present = F.col(name_of(fields[0])).isNotNull()
    for leaf in fields[1:]:
        present = present & F.col(name_of(leaf)).isNotNull()
    return F.when(present, value)


def _literal(value: Any, sort: Sort) -> Column:
    if isinstance(sort, OptionSort):
        return F.lit(NO_LEADER if value is None else value)
    if is_mask(sort):
        return F.lit(release_mask(value)).cast("bigint")
    if isinstance(sort, SetSort):
        return F.array(*(F.lit(each) for each in sorted(value))).cast("array<int>")
    return F.lit(value)


def _constant(node: Expr) -> Column | ConstantMap[Column]:
    return ConstantMap.of(node) if isinstance(node.sort, MapSort) else _literal(node.data, node.sort)


def _map_get(node: Expr, table: ConstantMap[Column], key: Column) -> Column | ConstantMap[Column]:
    found = table.at(key)
    return _looked_up(found) if found.whole else found


def _looked_up(table: ConstantMap[Column]) -> Column:
    """One array literal, indexed by the places of the keys: constant time, and one constant in the plan."""
    mask = is_mask(table.sort)
    values = ",".join(str(release_mask(value) if mask else value) for value in table.values())
    index = F.lit(0)
    for names, key in table.axes:
        index = index * len(names) + F.array_position(F.array(*(F.lit(name) for name in names)), key) - 1
    kind = "array<bigint>" if mask else "array<int>"
    return F.element_at(F.split(F.lit(values), ",").cast(kind), (index + 1).cast("int"))


def _sets(masks: Callable[..., Column], arrays: Callable[..., Column]) -> Callable[..., Column]:
    """An operator whose first argument is a set: a bitmask or an array."""
    return lambda node, *args: (masks if is_mask(node.args[0].sort) else arrays)(*args)


def _equal(node: Expr, left: Column, right: Column) -> Column:
    if isinstance(node.args[0].sort, SetSort) and not is_mask(node.args[0].sort):
        return (F.size(F.array_except(left, right)) == 0) & (F.size(F.array_except(right, left)) == 0)
    return left == right


def _and(node: Expr, *args: Column) -> Column:
    whole = F.lit(True)
    for arg in args:
        whole = whole & arg
    return whole


def _or(node: Expr, *args: Column) -> Column:
    whole = F.lit(False)
    for arg in args:
        whole = whole | arg
    return whole


def _option_set(node: Expr, option: Column) -> Column:
    return F.when(option == NO_LEADER, F.array().cast("array<int>")).otherwise(F.array(option))


SPARK: Reading[Any] = Reading(
    "Spark",
    {
        **NOT_IN_RULES,
        Op.CONST: _constant,
        Op.NOT: lambda node, a: ~a,
        Op.AND: _and,
        Op.OR: _or,
        Op.IMPLIES: lambda node, a, b: ~a | b,
        Op.EQ: _equal,
        Op.LE: lambda node, a, b: a <= b,
        Op.LT: lambda node, a, b: a < b,
        Op.ADD: lambda node, a, b: a + b,
        Op.ITE: lambda node, condition, a, b: F.when(condition, a).otherwise(b),
        Op.MEMBER: of_brokers(lambda node, element, a: F.array_contains(a, element)),
        Op.SUBSET: _sets(
            lambda a, b: a.bitwiseAND(F.bitwise_not(b)) == 0, lambda a, b: F.size(F.array_except(a, b)) == 0
        ),
        Op.UNION: _sets(lambda a, b: a.bitwiseOR(b), F.array_union),
        Op.MINUS: _sets(lambda a, b: a.bitwiseAND(F.bitwise_not(b)), F.array_except),
        Op.INTERSECT: _sets(lambda a, b: a.bitwiseAND(b), F.array_intersect),
        Op.INSERT: of_brokers(lambda node, a, element: F.array_union(a, F.array(element))),
        Op.REMOVE: of_brokers(lambda node, a, element: F.array_except(a, F.array(element))),
        Op.IS_EMPTY: _sets(lambda a: a == 0, lambda a: F.size(a) == 0),
        Op.SIZE: _sets(lambda a: F.bit_count(a), lambda a: F.size(F.array_distinct(a))),
        Op.SOME: lambda node, a: a,
        Op.IS_NONE: lambda node, a: a == NO_LEADER,
        Op.GET: lambda node, a, otherwise: F.when(a == NO_LEADER, otherwise).otherwise(a),
        Op.OPTION_SET: _option_set,
        Op.MAP_GET: _map_get,
    },
)
