"""Building blocks of expressions: the operators, the shape of a node, and the walk over nodes.

Below `expr`, which makes nodes, so that their text (`text`) is a reading like any other and yet their `repr`.
"""

from __future__ import annotations

import enum
from typing import Any, Protocol, TypeVar

from .sorts import Sort

N = TypeVar("N", bound="Node")


class Op(enum.Enum):
    """The operators. `arguments -> value`, and what is not obvious."""

    __hash__ = object.__hash__  # the one of enum is written in Python, and nodes are hashed often

    CONST = "const"  # a literal; data: its value
    FIELD = "field"  # a field of the state or view; data: its name
    AFTER = "after"  # the same field after the step; data: its name
    VAR = "var"  # a parameter or a quantifier's variable; data: its name
    SETTING = "setting"  # a number that the instance chooses; data: the Setting
    NOT = "not"
    AND = "and"  # any number of Bools
    OR = "or"  # any number of Bools; as a guard clause, each true disjunct is a successor of its own
    IMPLIES = "implies"
    EQ = "eq"  # two values of one sort
    LE = "le"
    LT = "lt"
    ADD = "add"
    ITE = "ite"  # condition, then, else
    FULL = "full"  # no argument: the set of all elements of a finite sort, an enum or a Bool
    MEMBER = "member"  # element, set -> Bool
    SUBSET = "subset"
    UNION = "union"
    MINUS = "minus"
    INTERSECT = "intersect"
    SET_EACH = "set_each"  # data: the bound variable, over the elements; argument: whether that one is in the set
    INSERT = "insert"  # set, element
    REMOVE = "remove"  # set, element
    IS_EMPTY = "is_empty"
    SIZE = "size"  # how many elements; not available for an uninterpreted sort
    SOME = "some"
    IS_NONE = "is_none"
    GET = "get"  # option, default -> element
    OPTION_SET = "option_set"  # option -> the set of what it holds: {} or {x}
    RECORD = "record"  # a value for each field, in order
    RECORD_GET = "record_get"  # data: the field's name
    MAP_FILL = "map_fill"  # the same value at every key
    MAP_EACH = "map_each"  # data: the bound variable, over the keys; argument: the value at that key
    MAP_GET = "map_get"  # map, key; outside an integer range of keys: the default of the value sort
    MAP_PUT = "map_put"  # map, key, value; outside an integer range of keys: the map unchanged
    SEQ_LEN = "seq_len"
    SEQ_AT = "seq_at"  # sequence, position -> option: none beyond either end
    SEQ_APPEND = "seq_append"  # longer than the capacity is an overflow, reported where it is written to a field
    SEQ_TAKE = "seq_take"  # the first n (all, if there are fewer; none, if n < 0)
    SEQ_DROP = "seq_drop"  # what follows the first n (all of it, if n <= 0)
    FORALL = "forall"  # data: the bound variable, of a scalar sort; argument: the body
    EXISTS = "exists"


LEAVES = frozenset({Op.CONST, Op.FIELD, Op.AFTER, Op.VAR, Op.SETTING})
QUANTIFIERS = frozenset({Op.FORALL, Op.EXISTS})
BINDERS = QUANTIFIERS | {Op.MAP_EACH, Op.SET_EACH}
"""The operators that bind a variable in their one argument."""


class Node(Protocol):
    """An operator, its arguments, the sort of the value, and what the operator needs besides."""

    @property
    def op(self) -> Op: ...
    @property
    def args(self: N) -> tuple[N, ...]: ...
    @property
    def sort(self) -> Sort: ...
    @property
    def data(self) -> Any: ...


def topological(*roots: N) -> list[N]:
    """All nodes below the roots, each once, arguments before the nodes that use them; bodies of quantifiers too."""
    order: dict[N, None] = {}
    stack: list[tuple[N, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if node in order:
            continue
        if ready:
            order[node] = None
            continue
        stack.append((node, True))
        stack.extend((arg, False) for arg in reversed(node.args))
    return list(order)
