"""The NumPy reading of the audit's conditions: an expression over whole columns in memory.

Values are represented as in encoding.py; texts, and sets of brokers, are indices of a `Dictionary`. An operation on two
sets is evaluated once for each pair of sets that occurs in an audit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

from ....model.evaluate import name_of
from ....model.expr import Expr, Op, free
from ....model.reading import Reading, read
from ....model.sorts import EnumSort, MapSort, OptionSort, SetSort, Sort
from .arrays import Array, Dictionary, Mask, Numbers, absent, different
from .constant_maps import ConstantMap
from .encoding import NO_LEADER, NOT_IN_RULES, is_mask, of_brokers, release_mask, where_absent
from .sets import Answer, Sets, answered


class ColumnReading:
    """The reading for columns of the same `dictionary`."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._reading = reading(dictionary)

    def array(self, expr: Expr, column: Callable[[str], Array], size: int) -> Array:
        """Return the expression in every row; absent as soon as one column that it reads has no value."""
        if not size:
            return absent(0)
        fields = {leaf: _with_value(leaf, column(name_of(leaf))) for leaf in sorted(free(expr), key=name_of)}
        present = _all_there(list(fields.values()))
        rows = None if present is None else np.flatnonzero(present)
        leaves = {leaf: self._leaf(leaf, array if rows is None else array.take(rows)) for leaf, array in fields.items()}
        encoded = _is_words(expr.sort)
        if not (size if rows is None else len(rows)):
            return absent(size)
        value = read(expr, self._reading, leaves)
        if rows is None:
            return Array(np.broadcast_to(np.asarray(value), (size,)), None, encoded)
        data = np.zeros(size, dtype=np.asarray(value).dtype)
        data[rows] = value
        return Array(data, present, encoded)

    def _leaf(self, leaf: Expr, array: Array) -> Numbers:
        if isinstance(leaf.sort, SetSort) and not is_mask(leaf.sort):
            return self._dictionary.sets(array.data)
        return array.data


def _with_value(leaf: Expr, column: Array) -> Array:
    otherwise = where_absent(leaf.sort)
    if otherwise is None or column.present is None:
        return column
    return Array(np.where(column.present, column.data, otherwise).astype(bool))


def _all_there(columns: list[Array]) -> Mask | None:
    masks = [column.present for column in columns if column.present is not None]
    return reduce(np.logical_and, masks) if masks else None


def _is_words(sort: Sort) -> bool:
    return isinstance(sort, EnumSort) or (isinstance(sort, SetSort) and not is_mask(sort))


def _bits(mask: Numbers) -> Numbers:
    return sum(np.right_shift(mask, bit) & 1 for bit in range(64))  # type: ignore[return-value]


class _Asked:
    """Operations on sets, evaluated once for the distinct rows of columns, and once for each pair of sets.

    A set is the index of a sorted list in the `dictionary`. Where `Sets` is not sure, Python's sets answer.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def of_sets(self, quick: Callable[..., Answer], function: Callable[..., Any]) -> Callable[..., Numbers]:
        """Return an operator whose arguments are all sets."""
        asked = cache(lambda *numbers: self._number_of(function(*map(self._members, numbers))))
        return lambda *sets: self.each(asked, *sets, quick=quick)

    def of_a_set_and_a_broker(
        self, quick: Callable[..., Answer], function: Callable[[frozenset[int], int], Any]
    ) -> Callable[[Numbers, Numbers], Numbers]:
        asked = cache(lambda number, id: self._number_of(function(self._members(number), id)))
        return lambda a, id: self.each(asked, a, id, quick=quick)

    def each(
        self, function: Callable[..., Any], *args: Numbers | int, quick: Callable[..., Answer] | None = None
    ) -> Numbers:
        """Return a function of numbers, called once for the distinct rows that `quick` does not answer."""
        columns = np.broadcast_arrays(*args)
        first, place = different([Array(column.ravel()) for column in columns], columns[0].size)
        distinct = [column.ravel()[first] for column in columns]

        def called(rows: Numbers) -> list[Any]:
            return [function(*row) for row in zip(*(column[rows].tolist() for column in distinct), strict=True)]

        found = np.array(called(np.arange(len(first)))) if quick is None else answered(quick(*distinct), called)
        return found[place].reshape(columns[0].shape)

    def _members(self, number: int) -> frozenset[int]:
        return frozenset(self._dictionary.values[number])

    def _number_of(self, result: Any) -> Any:
        return self._dictionary.index(tuple(sorted(result))) if isinstance(result, frozenset) else result


def _where(condition: Mask, a: Any, b: Any) -> Numbers:
    """Choose between two values; constants keep their type: a column may have no room for them."""
    return np.where(condition, np.asarray(a), np.asarray(b))


def _either_kind(masks: Callable[..., Any], lists: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator on sets: on releases, which are bitmasks, or on sets that are indices of lists."""
    return lambda node, *args: (masks if is_mask(node.args[0].sort) else lists)(*args)


def reading(dictionary: Dictionary) -> Reading[Any]:
    """Return the table of operators."""
    asked, small = _Asked(dictionary), Sets(dictionary)

    def literal(value: Any, sort: Sort) -> Any:
        if isinstance(sort, OptionSort):
            return NO_LEADER if value is None else value
        if is_mask(sort):
            return np.int64(release_mask(value))  # a column of few releases may have a smaller type
        if isinstance(sort, SetSort):
            return dictionary.index(tuple(sorted(value)))
        return dictionary.index(value) if isinstance(value, str) else value

    def constant(node: Expr) -> Any:
        return ConstantMap.of(node) if isinstance(node.sort, MapSort) else literal(node.data, node.sort)

    def map_get(node: Expr, table: ConstantMap[Numbers], key: Numbers) -> Any:
        found = table.at(key)
        if not found.whole:
            return found
        index: Any = 0
        for names, wanted in found.axes:
            numbers = dictionary.indices(names)
            place = np.zeros(len(dictionary.values), dtype=np.int64)
            place[numbers] = np.arange(len(names))
            index = index * len(names) + place[wanted]
        return np.array([literal(value, found.sort) for value in found.values()])[index]

    def option_set(node: Expr, option: Numbers) -> Numbers:
        return asked.each(lambda id: dictionary.index(() if id == NO_LEADER else (id,)), option)

    def sets(masks: Callable[..., Any], quick: Callable[..., Answer], plain: Callable[..., Any]) -> Callable[..., Any]:
        return _either_kind(masks, asked.of_sets(quick, plain))

    member = asked.of_a_set_and_a_broker(small.member, lambda members, id: id in members)
    insert = asked.of_a_set_and_a_broker(small.insert, lambda members, id: members | {id})
    remove = asked.of_a_set_and_a_broker(small.remove, lambda members, id: members - {id})
    return Reading(
        "NumPy columns",
        {
            **NOT_IN_RULES,
            Op.CONST: constant,
            Op.NOT: lambda node, a: np.logical_not(a),
            Op.AND: lambda node, *args: reduce(np.logical_and, args, True),
            Op.OR: lambda node, *args: reduce(np.logical_or, args, False),
            Op.IMPLIES: lambda node, a, b: np.logical_or(np.logical_not(a), b),
            Op.EQ: lambda node, a, b: np.equal(a, b),
            Op.LE: lambda node, a, b: np.less_equal(a, b),
            Op.LT: lambda node, a, b: np.less(a, b),
            Op.ADD: lambda node, a, b: np.add(a, b, dtype=np.int64),
            Op.ITE: lambda node, condition, a, b: _where(condition, a, b),
            Op.MEMBER: of_brokers(lambda node, id, a: member(a, id)),
            Op.SUBSET: sets(lambda a, b: np.bitwise_and(a, np.invert(b)) == 0, small.subset, lambda a, b: a <= b),
            Op.UNION: sets(np.bitwise_or, small.union, lambda a, b: a | b),
            Op.MINUS: sets(lambda a, b: np.bitwise_and(a, np.invert(b)), small.minus, lambda a, b: a - b),
            Op.INTERSECT: sets(np.bitwise_and, small.intersect, lambda a, b: a & b),
            Op.INSERT: of_brokers(lambda node, a, id: insert(a, id)),
            Op.REMOVE: of_brokers(lambda node, a, id: remove(a, id)),
            Op.IS_EMPTY: sets(lambda a: np.equal(a, 0), small.is_empty, lambda a: not a),
            Op.SIZE: sets(_bits, small.size, len),
            Op.SOME: lambda node, a: a,
            Op.IS_NONE: lambda node, a: np.equal(a, NO_LEADER),
            Op.GET: lambda node, a, otherwise: _where(np.equal(a, NO_LEADER), otherwise, a),
            Op.OPTION_SET: option_set,
            Op.MAP_GET: map_get,
        },
    )
