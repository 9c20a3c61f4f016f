"""Translation of typed expressions to scalar ones: parameters and quantifiers expanded, maps and sequences spread.

Shapes are those of `packing.py`, with scalar nodes in the place of cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...model.errors import NotWrittenError
from ...model.expr import BINDERS, Expr, Op
from ...model.sorts import (
    BoolSort,
    BySort,
    EnumSort,
    FiniteSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Sort,
    Value,
    default,
    elements,
    resolve,
)
from .packing import (
    Bits,
    Cell,
    Fused,
    Optional,
    Packing,
    Rows,
    Sequence,
    blank,
    scalar_range,
)
from .scalars import Scalars

Binding = Mapping[Expr, Value]

# What an expression reads of a step: a field after it, all of it or the value at the key that a variable names.
Later = tuple[str, Expr | None]


class Flattener:
    """The translation of one instance's expressions; a part that depends on no parameter is translated once."""

    def __init__(self, packing: Packing, scalars: Scalars) -> None:
        self.packing = packing
        self.settings = packing.settings
        self.s = scalars
        self.fields = {name: self._loaded(shape) for name, shape in packing.shapes.items()}
        self.after: dict[str, Any] = {}
        self._changes: dict[str, tuple[int, tuple[int, ...]]] = {}
        self._numbered: dict[tuple[str, int, Any], int] = {}
        self._memo: dict[tuple[Expr, tuple[Value, ...], tuple[int, ...]], Any] = {}
        self._variables: dict[Expr, tuple[Expr, ...]] = {}
        self._later: dict[Expr, frozenset[Later]] = {}

    def _loaded(self, shape: Any) -> Any:
        if isinstance(shape, Cell):
            return self.s.cell(shape.index, shape.lo, shape.hi)
        if isinstance(shape, Bits):
            return Bits(self._loaded(shape.mask), shape.base, shape.width)
        if isinstance(shape, Fused):
            return Fused(self._loaded(shape.code), shape.base)
        if isinstance(shape, Optional):
            return Optional(self.s.truth(self._loaded(shape.present)), self._loaded(shape.value))
        if isinstance(shape, Rows):
            return Rows(tuple(self._loaded(part) for part in shape.parts))
        return Sequence(self._loaded(shape.length), tuple(self._loaded(item) for item in shape.items))

    def step(self, after: dict[str, Any]) -> None:
        """Set what `after(field)` means: the new shapes of the fields that an action updates."""
        self.after = after
        self._changes = {}
        for name, shape in after.items():
            old = self.fields[name]
            parts = zip(shape.parts, old.parts, strict=True) if isinstance(shape, Rows) else ()
            by_key = tuple(self._change(name, at, new, was) for at, (new, was) in enumerate(parts))
            self._changes[name] = self._change(name, -1, shape, old), by_key

    def _change(self, name: str, at: int, new: Any, old: Any) -> int:
        """A number for the new shape of a field, or of its value at a key: 0 where it does not change."""
        return 0 if new == old else self._numbered.setdefault((name, at, new), len(self._numbered) + 1)

    def _changed(self, later: Later, binding: Binding) -> int:
        name, key = later
        if name not in self._changes:
            return 0
        whole, by_key = self._changes[name]
        if key is None:
            return whole
        at = self.packing.number(binding[key], key.sort) - self._base(key.sort)
        return by_key[at] if 0 <= at < len(by_key) else 0

    def variables(self, expr: Expr) -> tuple[Expr, ...]:
        """The unbound variables that an expression reads, in a fixed order; and what it reads after the step."""
        found = self._variables.get(expr)
        if found is None:
            below: set[Expr] = set()
            later: set[Later] = set()
            for arg in expr.args:
                below.update(self.variables(arg))
                later.update(self._later[arg])
            if expr.op is Op.VAR:
                below = {expr}
            elif expr.op is Op.AFTER:
                later = {(str(expr.data), None)}
            elif expr.op is Op.MAP_GET and expr.args[0].op is Op.AFTER and expr.args[1].op is Op.VAR:
                later = {(str(expr.args[0].data), expr.args[1])}
            elif expr.op in BINDERS:
                below.discard(expr.data)
                later = {(name, None if key is expr.data else key) for name, key in later}
            found = self._variables[expr] = tuple(sorted(below, key=lambda each: str(each.data)))
            self._later[expr] = frozenset(later)
        return found

    def flat(self, expr: Expr, binding: Binding) -> Any:
        """The shape of an expression, with its variables bound to values.

        It is kept for other callers: another action, and another step that leaves alone, or changes in the same
        way, what the expression reads after it.
        """
        values = tuple([binding[each] for each in self.variables(expr)])
        later = self._later[expr]
        changes = tuple([self._changed(each, binding) for each in later]) if later else ()
        key = (expr, values, changes)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._flat(expr, binding)
        return found

    def truth(self, expr: Expr, binding: Binding) -> int:
        """The scalar node of a condition."""
        return int(self.s.truth(self.flat(expr, binding)))

    def _flat(self, expr: Expr, binding: Binding) -> Any:
        op = expr.op
        if op is Op.CONST:
            return self.value(expr.data, expr.sort)
        if op is Op.FIELD:
            return self.fields[expr.data]
        if op is Op.AFTER:
            return self.after.get(expr.data, self.fields[expr.data])
        if op is Op.VAR:
            return self.value(binding[expr], expr.sort)
        if op is Op.SETTING:
            return self.s.const(self.settings[expr.data.name])
        if op in BINDERS:
            values = elements(expr.data.sort, self.settings)
            if op is Op.MAP_EACH:
                return Rows(tuple(self.flat(expr.args[0], {**binding, expr.data: value}) for value in values))
            cases = [self.truth(expr.args[0], {**binding, expr.data: value}) for value in values]
            if op is Op.SET_EACH:
                return self._set_of(cases, self.packing.number(values[0], expr.data.sort))
            return self.s.both(*cases) if op is Op.FORALL else self.s.either(*cases)
        if op not in _TABLE:
            raise NotWrittenError(f"the explorer has no translation of the operator `{op.value}` yet")
        return _TABLE[op](self, expr, *(self.flat(arg, binding) for arg in expr.args))

    def _set_of(self, members: list[int], base: int) -> Bits:
        """The set of those elements, from `base` on, for which a truth value holds."""
        mask = self.s.const(0)
        for at, holds in enumerate(members):
            mask = self.s.bit_or(mask, self.s.ite(holds, self.s.const(1 << at), self.s.const(0)))
        return Bits(mask, base, len(members))

    def value(self, value: Value, sort: Sort) -> Any:
        """The shape of a value of the reference."""
        return _VALUE[type(sort)](self, value, sort)

    def set_value(self, value: Value, sort: SetSort) -> Bits:
        """The shape of a set."""
        numbers = [self.packing.number(each, sort.element) for each in value]
        base, width = self._universe(sort.element, numbers)
        return Bits(self.s.const(sum(1 << (each - base) for each in numbers)), base, width)

    def option_value(self, value: Value, sort: OptionSort) -> Fused | Optional:
        """The shape of an option."""
        if self._fuses(sort.element):
            base = self._base(sort.element)
            code = 0 if value is None else self.packing.number(value, sort.element) - base + 1
            return Fused(self.s.const(code), base)
        held = blank(sort.element, self.settings) if value is None else value
        return Optional(self.s.false if value is None else self.s.true, self.value(held, sort.element))

    def record_value(self, value: Value, sort: RecordSort) -> Rows:
        """The shape of a record."""
        return Rows(tuple(self.value(each, inner) for each, (_, inner) in zip(value, sort.fields, strict=True)))

    def sequence_value(self, value: Value, sort: SeqSort) -> Sequence:
        """The shape of a sequence, filled up to its capacity."""
        capacity = max(resolve(sort.capacity, self.settings), len(value))
        items = (*value, *[blank(sort.element, self.settings)] * (capacity - len(value)))
        return Sequence(self.s.const(len(value)), tuple(self.value(each, sort.element) for each in items))

    def _fuses(self, sort: Sort) -> bool:
        return isinstance(sort, BoolSort | IntSort | EnumSort | FiniteSort)

    def _base(self, sort: Sort) -> int:
        """The number of a sort's first value (a map's first key, code 1 of an option); 0 without a lower bound."""
        if isinstance(sort, IntSort) and sort.lo is not None:
            return resolve(sort.lo, self.settings)
        return 0

    def _universe(self, sort: Sort, numbers: list[int]) -> tuple[int, int]:
        if isinstance(sort, IntSort) and (sort.lo is None or sort.hi is None):
            return (min(numbers), max(numbers) - min(numbers) + 1) if numbers else (0, 1)
        around = scalar_range(sort, self.settings)
        assert around is not None
        return around[0], around[1] - around[0] + 1

    def choose(self, test: int, then: Any, other: Any) -> Any:
        """`then` or `other`, cell by cell."""
        if test == self.s.true or then is other:
            return then
        if test == self.s.false:
            return other
        if isinstance(then, int):
            return self.s.ite(test, then, other)
        if isinstance(then, Bits):
            then, other = self.aligned(then, other)
            return Bits(self.s.ite(test, then.mask, other.mask), then.base, then.width)
        if isinstance(then, Fused):
            then, other = self.rebased(then, other)
            return Fused(self.s.ite(test, then.code, other.code), then.base)
        if isinstance(then, Optional):
            return Optional(self.s.ite(test, then.present, other.present), self.choose(test, then.value, other.value))
        if isinstance(then, Rows):
            pairs = zip(then.parts, other.parts, strict=True)
            return Rows(tuple(self.choose(test, left, right) for left, right in pairs))
        items = zip(*self.padded(then, other), strict=True)
        length = self.s.ite(test, then.length, other.length)
        return Sequence(length, tuple(self.choose(test, left, right) for left, right in items))

    def equal(self, a: Any, b: Any) -> int:
        """Return the node that says whether two shapes hold the same value."""
        s = self.s
        if isinstance(a, int):
            return s.eq(a, b)
        if isinstance(a, Bits):
            a, b = self.aligned(a, b)
            return s.eq(a.mask, b.mask)
        if isinstance(a, Fused):
            a, b = self.rebased(a, b)
            return s.eq(a.code, b.code)
        if isinstance(a, Optional):
            return s.both(self.same(a.present, b.present), self.equal(a.value, b.value))
        if isinstance(a, Rows):
            return s.both(*(self.equal(left, right) for left, right in zip(a.parts, b.parts, strict=True)))
        items = zip(*self.padded(a, b), strict=True)
        return s.both(s.eq(a.length, b.length), *(self.equal(left, right) for left, right in items))

    def same(self, a: int, b: int) -> int:
        """Return the node that says whether two truth values agree."""
        s = self.s
        if s.true in (a, b) or s.false in (a, b):
            other, known = (b, a) if a in (s.true, s.false) else (a, b)
            return other if known == s.true else s.invert(other)
        return s.eq(a, b)

    def aligned(self, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        """Two sets over one range of elements."""
        if a.base == b.base:
            return a, b
        base = min(a.base, b.base)
        width = max(a.base + a.width, b.base + b.width) - base
        return self.counted_from(base, a, width), self.counted_from(base, b, width)

    def counted_from(self, base: int, a: Bits, width: int) -> Bits:
        """The set with bit 0 for the element `base`, without the elements below that."""
        if a.base == base:
            return Bits(a.mask, base, width)
        s, by = self.s, a.base - base
        mask = s.const(0)
        for at in range(max(-by, 0), a.width):
            mask = s.bit_or(mask, s.ite(s.test(a.mask, s.const(at)), s.const(1 << (at + by)), s.const(0)))
        return Bits(mask, base, width)

    def rebased(self, a: Fused, b: Fused) -> tuple[Fused, Fused]:
        """Two options whose codes count from the same element."""
        if a.base == b.base:
            return a, b
        base = min(a.base, b.base)
        return self._shifted(a, base), self._shifted(b, base)

    def _shifted(self, a: Fused, base: int) -> Fused:
        if a.base == base:
            return a
        s = self.s
        is_none = s.eq(a.code, s.const(0))
        return Fused(s.ite(is_none, s.const(0), s.add(a.code, s.const(a.base - base))), base)

    def padded(self, a: Sequence, b: Sequence) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The items of two sequences, the shorter capacity filled up with blanks of the longer."""
        if len(a.items) == len(b.items):
            return a.items, b.items
        raise NotWrittenError("the explorer compares sequences of one capacity only")

    def pick(self, shapes: tuple[Any, ...], index: int, first: int, beyond: Any) -> Any:
        """The shape at a position that is only known when the search runs."""
        s = self.s
        if s.los[index] == s.his[index]:
            at = s.los[index] - first
            return shapes[at] if 0 <= at < len(shapes) else beyond
        result = beyond
        for at in reversed(range(len(shapes))):
            test = s.eq(index, s.const(first + at))
            result = shapes[at] if result is None else self.choose(test, shapes[at], result)
        return result


def _map_get(f: Flattener, node: Expr, a_map: Rows, key: int) -> Any:
    sort = node.args[0].sort
    assert isinstance(sort, MapSort)
    beyond = f.value(default(sort.value), sort.value) if isinstance(sort.key, IntSort) else None
    return f.pick(a_map.parts, key, f._base(sort.key), beyond)


def _map_put(f: Flattener, node: Expr, a_map: Rows, key: int, value: Any) -> Rows:
    assert isinstance(node.sort, MapSort)
    first = f._base(node.sort.key)
    return Rows(tuple(f.choose(f.s.eq(key, f.s.const(first + at)), value, part) for at, part in enumerate(a_map.parts)))


def _map_fill(f: Flattener, node: Expr, value: Any) -> Rows:
    assert isinstance(node.sort, MapSort)
    return Rows((value,) * len(elements(node.sort.key, f.settings)))


def _some(f: Flattener, node: Expr, value: Any) -> Any:
    if not isinstance(value, int):
        return Optional(f.s.true, value)
    assert isinstance(node.sort, OptionSort)
    base = f._base(node.sort.element)
    if f.s.los[value] < base:  # a general Int that may be below the option's usual range
        base = f.s.los[value]
    return Fused(f.s.add(value, f.s.const(1 - base)), base)


def _is_none(f: Flattener, node: Expr, option: Any) -> int:
    if isinstance(option, Optional):
        return f.s.invert(option.present)
    return f.s.eq(option.code, f.s.const(0))


def _held(f: Flattener, option: Fused) -> int:
    """The value of an option that is not none (its least value otherwise)."""
    s = f.s
    code = option.code
    if s.los[code] == s.his[code]:
        return s.const(max(s.los[code] - 1 + option.base, option.base))
    positive = code if s.los[code] > 0 else s.ite(s.eq(code, s.const(0)), s.const(1), code)
    return s.add(positive, s.const(option.base - 1))


def _get(f: Flattener, node: Expr, option: Any, otherwise: Any) -> Any:
    if isinstance(option, Optional):
        return f.choose(option.present, option.value, otherwise)
    return f.choose(_is_none(f, node, option), otherwise, _held(f, option))


def _option_set(f: Flattener, node: Expr, option: Fused) -> Bits:
    # Code c is the element base + c - 1: bit c - 1, and no bit for 0. So the set is (1 << c) >> 1.
    s = f.s
    width = max(s.his[option.code], 1)
    mask = s.const(0)
    for code in range(max(s.los[option.code], 1), s.his[option.code] + 1):
        mask = s.bit_or(mask, s.ite(s.eq(option.code, s.const(code)), s.const(1 << (code - 1)), s.const(0)))
    return Bits(mask, option.base, width)


def _member(f: Flattener, node: Expr, element: int, members: Bits) -> int:
    return f.s.test(members.mask, f.s.add(element, f.s.const(-members.base)))


def _bits(combine: Callable[[Scalars, int, int], int]) -> Callable[..., Bits]:
    def translate(f: Flattener, node: Expr, a: Bits, b: Bits) -> Bits:
        a, b = f.aligned(a, b)
        return Bits(combine(f.s, a.mask, b.mask), a.base, max(a.width, b.width))

    return translate


def _single(f: Flattener, element: int) -> Bits:
    s = f.s
    base = s.los[element]
    return Bits(s.bit(s.add(element, s.const(-base))), base, s.his[element] - base + 1)


def _subset(f: Flattener, node: Expr, a: Bits, b: Bits) -> int:
    a, b = f.aligned(a, b)
    return f.s.eq(f.s.and_not(a.mask, b.mask), f.s.const(0))


def _full(f: Flattener, node: Expr) -> Bits:
    assert isinstance(node.sort, SetSort)
    return f.value(frozenset(elements(node.sort.element, f.settings)), node.sort)  # type: ignore[no-any-return]


def _record_get(f: Flattener, node: Expr, value: Rows) -> Any:
    sort = node.args[0].sort
    assert isinstance(sort, RecordSort)
    return value.parts[sort.index(node.data)]


def _seq_at(f: Flattener, node: Expr, values: Sequence, at: int) -> Any:
    s = f.s
    sort = node.args[0].sort
    assert isinstance(sort, SeqSort)
    inside = s.both(s.le(s.const(0), at), s.lt(at, values.length))
    empty = f.value(blank(sort.element, f.settings), sort.element)
    item = f.pick(values.items, at, 0, empty)
    if isinstance(item, int):
        base = f._base(sort.element)
        code = s.add(item, s.const(1 - base))
        return Fused(s.ite(inside, code, s.const(0)), base)
    return Optional(inside, item)


def _seq_append(f: Flattener, node: Expr, values: Sequence, value: Any) -> Sequence:
    s = f.s
    items = [f.choose(s.eq(values.length, s.const(at)), value, item) for at, item in enumerate(values.items)]
    return Sequence(s.add(values.length, s.const(1)), tuple(items))


def _seq_take(f: Flattener, node: Expr, values: Sequence, count: int) -> Sequence:
    s = f.s
    assert isinstance(node.sort, SeqSort)
    empty = f.value(blank(node.sort.element, f.settings), node.sort.element)
    items = [f.choose(s.lt(s.const(at), count), item, empty) for at, item in enumerate(values.items)]
    positive = s.ite(s.le(s.const(0), count), count, s.const(0))
    return Sequence(s.ite(s.le(positive, values.length), positive, values.length), tuple(items))


def _seq_drop(f: Flattener, node: Expr, values: Sequence, count: int) -> Sequence:
    s = f.s
    assert isinstance(node.sort, SeqSort)
    empty = f.value(blank(node.sort.element, f.settings), node.sort.element)
    dropped = s.ite(s.le(s.const(0), count), count, s.const(0))
    dropped = s.ite(s.le(dropped, values.length), dropped, values.length)
    ends = range(max(s.los[dropped], 0), min(s.his[dropped], len(values.items)) + 1)
    items = []
    for at in range(len(values.items)):
        moved = tuple(values.items[at + by] if at + by < len(values.items) else empty for by in ends)
        items.append(f.pick(moved, dropped, ends.start, empty))
    # Written out by length, so that its range is known to have no negative number in it.
    known = range(s.his[values.length] + 1)
    lengths = [f.pick(tuple(s.const(max(each - by, 0)) for each in known), values.length, 0, s.const(0)) for by in ends]
    return Sequence(f.pick(tuple(lengths), dropped, ends.start, s.const(0)), tuple(items))


_VALUE: BySort[Any] = BySort(
    {
        **dict.fromkeys((BoolSort, IntSort, FiniteSort), lambda f, value, sort: f.s.const(int(value))),
        EnumSort: lambda f, value, sort: f.s.const(sort.values.index(value)),
        SetSort: Flattener.set_value,
        OptionSort: Flattener.option_value,
        RecordSort: Flattener.record_value,
        MapSort: lambda f, value, sort: Rows(tuple(f.value(each, sort.value) for each in value)),
        SeqSort: Flattener.sequence_value,
    },
    "the explorer has no translation of values of sort {sort}",
    NotWrittenError,
)
_TABLE: Mapping[Op, Callable[..., Any]] = {
    Op.NOT: lambda f, node, a: f.s.invert(f.s.truth(a)),
    Op.AND: lambda f, node, *args: f.s.both(*(f.s.truth(arg) for arg in args)),
    Op.OR: lambda f, node, *args: f.s.either(*(f.s.truth(arg) for arg in args)),
    Op.IMPLIES: lambda f, node, a, b: f.s.either(f.s.invert(f.s.truth(a)), f.s.truth(b)),
    Op.EQ: lambda f, node, a, b: f.equal(a, b),
    Op.LE: lambda f, node, a, b: f.s.le(a, b),
    Op.LT: lambda f, node, a, b: f.s.lt(a, b),
    Op.ADD: lambda f, node, a, b: f.s.add(a, b),
    Op.ITE: lambda f, node, test, then, other: f.choose(f.s.truth(test), then, other),
    Op.FULL: _full,
    Op.MEMBER: _member,
    Op.SUBSET: _subset,
    Op.UNION: _bits(Scalars.bit_or),
    Op.MINUS: _bits(Scalars.and_not),
    Op.INTERSECT: _bits(Scalars.bit_and),
    Op.INSERT: lambda f, node, members, element: _bits(Scalars.bit_or)(f, node, members, _single(f, element)),
    Op.REMOVE: lambda f, node, members, element: _bits(Scalars.and_not)(f, node, members, _single(f, element)),
    Op.IS_EMPTY: lambda f, node, members: f.s.eq(members.mask, f.s.const(0)),
    Op.SIZE: lambda f, node, members: f.s.count(members.mask),
    Op.SOME: _some,
    Op.IS_NONE: _is_none,
    Op.GET: _get,
    Op.OPTION_SET: _option_set,
    Op.RECORD: lambda f, node, *args: Rows(args),
    Op.RECORD_GET: _record_get,
    Op.MAP_FILL: _map_fill,
    Op.MAP_GET: _map_get,
    Op.MAP_PUT: _map_put,
    Op.SEQ_LEN: lambda f, node, values: values.length,
    Op.SEQ_AT: _seq_at,
    Op.SEQ_APPEND: _seq_append,
    Op.SEQ_TAKE: _seq_take,
    Op.SEQ_DROP: _seq_drop,
}
