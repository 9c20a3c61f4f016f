"""The text reading: expressions as a person writes them. Every operator has a text; it is not parsed back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .operators import Node, Op, topological
from .sorts import (
    SCALARS,
    BoolSort,
    BySort,
    EnumSort,
    FiniteSort,
    MapSort,
    OpenSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Sort,
    Value,
    default,
)

# How tightly an operator binds; an argument that binds less gets parentheses.
_IMPLIES, _OR, _AND, _NOT, _COMPARE, _SUM, _ATOM = range(7)
Part = tuple[str, int]


def text(expr: Node) -> str:
    """The expression on one line.

    >>> from isrproof.model.expr import field
    >>> from isrproof.model.sorts import Int
    >>> text(field("leader_epoch", Int()) + 1 <= 3)
    'leader_epoch + 1 <= 3'
    """
    parts: dict[Node, Part] = {}
    for node in topological(expr):
        parts[node] = _TABLE[node.op](node, *(parts[arg] for arg in node.args))
    return parts[expr][0]


def show(value: Value, sort: Sort) -> str:
    """A value as text: `none`, `{1, 2}`, `[a; b]`, `(id=0, epoch=1)`."""
    return _SHOW[type(sort)](value, sort)


def _show_set(value: Value, sort: SetSort) -> str:
    shown = [show(each, sort.element) for each in sorted(value, key=_order(sort.element))]
    return "{" + ", ".join(shown) + "}"


def _show_record(value: Value, sort: RecordSort) -> str:
    pairs = zip(sort.fields, value, strict=True)
    return "(" + ", ".join(f"{name}={show(each, inner)}" for (name, inner), each in pairs) + ")"


_SHOW: BySort[str] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda value, sort: str(value)),
        BoolSort: lambda value, sort: "true" if value else "false",
        SetSort: _show_set,
        OptionSort: lambda value, sort: "none" if value is None else show(value, sort.element),
        RecordSort: _show_record,
        MapSort: lambda value, sort: "[" + "; ".join(show(each, sort.value) for each in value) + "]",
        SeqSort: lambda value, sort: "[" + ", ".join(show(each, sort.element) for each in value) + "]",
    }
)


def _order(sort: Sort) -> Callable[[Value], Any]:
    """Numbers before other identifiers; an enum's values as they are declared."""
    if isinstance(sort, EnumSort):
        return sort.values.index
    return lambda value: (0, value, "") if isinstance(value, int) else (1, 0, str(value))


def _wrap(part: Part, least: int) -> str:
    return part[0] if part[1] >= least else f"({part[0]})"


def _infix(word: str, binds: int, inner: int) -> Callable[..., Part]:
    return lambda node, *args: (f" {word} ".join(_wrap(arg, inner) for arg in args), binds)


def _call(word: str) -> Callable[..., Part]:
    return lambda node, *args: (f"{word}({', '.join(arg[0] for arg in args)})", _ATOM)


def _add(node: Node, left: Part, right: Part) -> Part:
    if right[0].startswith("-"):
        return f"{_wrap(left, _SUM)} - {right[0][1:]}", _SUM
    return f"{_wrap(left, _SUM)} + {_wrap(right, _ATOM)}", _SUM


_OPPOSITE = {Op.EQ: "!=", Op.MEMBER: "not in", Op.SUBSET: "not within"}


def _not(node: Node, arg: Part) -> Part:
    inner = node.args[0]
    if inner.op in _OPPOSITE:
        left, right = (text(each) for each in inner.args)
        return f"{left} {_OPPOSITE[inner.op]} {right}", _COMPARE
    if inner.op is Op.IS_NONE:
        return arg[0].replace(" = none", " != none"), _COMPARE
    if inner.op is Op.IS_EMPTY:
        return arg[0].replace(" = {}", " != {}"), _COMPARE
    return f"not {_wrap(arg, _NOT)}", _NOT


def _quantifier(word: str) -> Callable[..., Part]:
    return lambda node, body: (f"{word} {node.data.data} in {node.data.sort}: {body[0]}", _IMPLIES)


def _get(node: Node, option: Part, otherwise: Part) -> Part:
    """`option?` is what it holds or the default of its sort, `option?x` what it holds or x."""
    other = node.args[1]
    usual = other.op is Op.CONST and not isinstance(other.sort, FiniteSort | OpenSort)
    if usual and other.data == default(other.sort):
        return f"{_wrap(option, _ATOM)}?", _ATOM
    return f"{_wrap(option, _ATOM)}?{_wrap(otherwise, _ATOM)}", _ATOM


def _record(node: Node, *args: Part) -> Part:
    assert isinstance(node.sort, RecordSort)
    return "(" + ", ".join(
        f"{name}={arg[0]}" for (name, _), arg in zip(node.sort.fields, args, strict=True)
    ) + ")", _ATOM


_TABLE: Mapping[Op, Callable[..., Part]] = {
    Op.CONST: lambda node: (show(node.data, node.sort), _ATOM),
    Op.FIELD: lambda node: (node.data, _ATOM),
    Op.AFTER: lambda node: (f"{node.data}'", _ATOM),
    Op.VAR: lambda node: (node.data, _ATOM),
    Op.SETTING: lambda node: (node.data.name, _ATOM),
    Op.NOT: _not,
    Op.AND: _infix("and", _AND, _NOT),
    Op.OR: _infix("or", _OR, _AND),
    Op.IMPLIES: _infix("implies", _IMPLIES, _OR),
    Op.EQ: _infix("=", _COMPARE, _SUM),
    Op.LE: _infix("<=", _COMPARE, _SUM),
    Op.LT: _infix("<", _COMPARE, _SUM),
    Op.ADD: _add,
    Op.ITE: lambda node, test, then, other: (f"if {test[0]} then {then[0]} else {other[0]}", _IMPLIES),
    Op.FULL: lambda node: (f"every {node.sort.element}", _SUM),
    Op.MEMBER: _infix("in", _COMPARE, _SUM),
    Op.SUBSET: _infix("within", _COMPARE, _SUM),
    Op.UNION: _infix("union", _SUM, _ATOM),
    Op.MINUS: _infix("minus", _SUM, _ATOM),
    Op.INTERSECT: _infix("intersect", _SUM, _ATOM),
    Op.SET_EACH: lambda node, body: (f"{{{node.data.data} in {node.data.sort}: {body[0]}}}", _ATOM),
    Op.INSERT: lambda node, members, element: (f"{_wrap(members, _ATOM)} with {_wrap(element, _ATOM)}", _SUM),
    Op.REMOVE: lambda node, members, element: (f"{_wrap(members, _ATOM)} without {_wrap(element, _ATOM)}", _SUM),
    Op.IS_EMPTY: lambda node, members: (f"{_wrap(members, _SUM)} = {{}}", _COMPARE),
    Op.SIZE: _call("size"),
    Op.SOME: lambda node, value: value,
    Op.IS_NONE: lambda node, option: (f"{_wrap(option, _SUM)} = none", _COMPARE),
    Op.GET: _get,
    Op.OPTION_SET: _call("set"),
    Op.RECORD: _record,
    Op.RECORD_GET: lambda node, value: (f"{_wrap(value, _ATOM)}.{node.data}", _ATOM),
    Op.MAP_FILL: lambda node, value: (f"[every {node.sort.key}: {value[0]}]", _ATOM),
    Op.MAP_EACH: lambda node, value: (f"[{node.data.data} in {node.data.sort}: {value[0]}]", _ATOM),
    Op.MAP_GET: lambda node, a_map, key: (f"{_wrap(a_map, _ATOM)}[{key[0]}]", _ATOM),
    Op.MAP_PUT: lambda node, a_map, key, value: (f"{_wrap(a_map, _ATOM)} with [{key[0]}] = {value[0]}", _SUM),
    Op.SEQ_LEN: _call("length"),
    Op.SEQ_AT: lambda node, values, at: (f"{_wrap(values, _ATOM)}[{at[0]}]", _ATOM),
    Op.SEQ_APPEND: lambda node, values, value: (f"{_wrap(values, _ATOM)} then {_wrap(value, _ATOM)}", _SUM),
    Op.SEQ_TAKE: lambda node, values, count: (f"{_wrap(values, _ATOM)} cut to {_wrap(count, _ATOM)}", _SUM),
    Op.SEQ_DROP: lambda node, values, count: (f"{_wrap(values, _ATOM)} from {_wrap(count, _ATOM)} on", _SUM),
    Op.FORALL: _quantifier("every"),
    Op.EXISTS: _quantifier("some"),
}
