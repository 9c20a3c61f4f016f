"""Range analysis: bounds of an expression from the ranges of fields and parameters, before anything runs.

The ends of a range are numbers or settings plus a number; the bounds are true in every instance.

    >>> from isrproof.model.expr import field
    >>> from isrproof.model.sorts import Int, Setting
    >>> top = Setting("top", 5, "where the counter ends", at_least=1)
    >>> count = field("count", Int(0, top))
    >>> [str(end) for end in between(count + 1)]
    ['1', 'top + 1']
    >>> outside(count + top + 1, count.sort)
    '`count + top + 1` is top + 1 or more, never a value of Int 0..top'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .expr import Expr, Op
from .sorts import Bound, IntSort, SeqSort, Sort

End = int | Bound | None
Range = tuple[End, End]


def between(expr: Expr) -> Range:
    """The least and the largest value that an integer expression may have; None where that is not known."""
    if expr.op is Op.CONST:
        return expr.data, expr.data
    if expr.op is Op.SETTING:
        return Bound(expr.data), Bound(expr.data)
    if expr.op is Op.ADD:
        (low, high), (other_low, other_high) = (between(arg) for arg in expr.args)
        return _sum(low, other_low, lower=True), _sum(high, other_high, lower=False)
    if expr.op is Op.ITE:
        return _around(between(expr.args[1]), between(expr.args[2]))
    if expr.op is Op.GET:
        return _around(_of(expr.sort), between(expr.args[1]))
    if expr.op is Op.SEQ_LEN and isinstance(expr.args[0].sort, SeqSort):
        return 0, expr.args[0].sort.capacity
    return _of(expr.sort)


def outside(expr: Expr, sort: Sort) -> str | None:
    """Return why an expression is never a value of a sort, by its range or a part's range; None if it may be."""
    if isinstance(sort, IntSort):
        low, high = between(expr)
        if _certainly_less(high, sort.lo) or _certainly_less(sort.hi, low):
            return f"`{expr!r}` is {_printed(low, high)}, never a value of {sort}"
        return None
    if expr.op is Op.ITE:
        then, otherwise = (outside(arg, sort) for arg in expr.args[1:])
        return then if otherwise else None
    for part, inner in _PARTS[expr.op](expr.args, sort) if expr.op in _PARTS else ():
        why = outside(part, inner)
        if why is not None:
            return why
    return None


_PARTS: Mapping[Op, Callable[[tuple[Expr, ...], Any], Iterable[tuple[Expr, Sort]]]] = {
    Op.RECORD: lambda args, sort: zip(args, (inner for _, inner in sort.fields), strict=True),
    Op.SOME: lambda args, sort: [(args[0], sort.element)],
    **dict.fromkeys((Op.MAP_FILL, Op.MAP_EACH), lambda args, sort: [(args[0], sort.value)]),
    Op.MAP_PUT: lambda args, sort: [(args[0], sort), (args[2], sort.value)],
    **dict.fromkeys((Op.SEQ_APPEND, Op.INSERT), lambda args, sort: [(args[0], sort), (args[1], sort.element)]),
}
"""By operator the expressions that a value is put together of, and the sorts they must have in a value of a sort."""


def _of(sort: Sort) -> Range:
    return (sort.lo, sort.hi) if isinstance(sort, IntSort) else (None, None)


def _least(end: int | Bound) -> int:
    return end if isinstance(end, int) else end.setting.at_least + end.plus


def _certainly_less(one: End, other: End) -> bool:
    """Check whether an end is less than another in every instance. A setting has no largest value."""
    if one is None or other is None:
        return False
    if isinstance(one, Bound):
        return isinstance(other, Bound) and one.setting == other.setting and one.plus < other.plus
    return one < _least(other)


def _sum(one: End, other: End, lower: bool) -> End:
    if one is None or other is None:
        return None
    if isinstance(one, Bound) and isinstance(other, Bound):
        return _least(one) + _least(other) if lower else None
    fixed, end = (one, other) if isinstance(one, int) else (other, one)
    assert isinstance(fixed, int)
    return end + fixed if isinstance(end, int) else Bound(end.setting, end.plus + fixed)


def _around(one: Range, other: Range) -> Range:
    """The smallest range that is known to hold both."""
    (low, high), (other_low, other_high) = one, other
    least: End = None
    if low is not None and other_low is not None:
        same = isinstance(low, Bound) and isinstance(other_low, Bound) and low.setting == other_low.setting
        least = min(low, other_low, key=_least) if same else min(_least(low), _least(other_low))
    if high == other_high or _certainly_less(high, other_high):
        return least, other_high
    return least, high if _certainly_less(other_high, high) else None


def _printed(low: End, high: End) -> str:
    if low == high:
        return str(low)
    if high is None:
        return f"{low} or more"
    return f"{high} or less" if low is None else f"{low}..{high}"
