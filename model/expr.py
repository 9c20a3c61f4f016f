"""Expressions: immutable typed nodes, made only by constructors that check sorts.

A node is (operator, arguments, sort, data). Equal nodes are one object, so Python's `==` and `hash` are structural and
fast; an *equation* of the language is `a.eq(b)`. Every operator is total: it has a value for all arguments of the right
sorts, and that value is the same in every reading.

    >>> from isrproof.model.sorts import Int
    >>> high_watermark, end = field("hw", Int(0)), field("end", Int(0))
    >>> high_watermark <= end
    hw <= end
    >>> (high_watermark + 1) == (high_watermark + 1)
    True
    >>> bool(high_watermark.eq(end))
    Traceback (most recent call last):
    ...
    isrproof.model.errors.SortError: `hw = end` has no truth value before it is evaluated; combine conditions ...
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from .errors import DefinitionError, SortError
from .operators import BINDERS as BINDERS
from .operators import LEAVES as LEAVES
from .operators import QUANTIFIERS as QUANTIFIERS
from .operators import Op as Op
from .operators import topological as topological
from .sorts import (
    SCALARS,
    Bool,
    BoolSort,
    Bound,
    BySort,
    EnumSort,
    FiniteSort,
    Int,
    IntSort,
    MapSort,
    OpenSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Setting,
    Sort,
    Value,
    canonical,
    default,
    is_key,
    same,
    with_sorts,
)
from .text import text

Number = int | Setting | Bound


_NOTHING: frozenset[Any] = frozenset()

_nodes: weakref.WeakValueDictionary[Any, Expr] = weakref.WeakValueDictionary()
_lock = threading.Lock()


def _node(op: Op, args: tuple[Expr, ...], sort: Sort, data: Any = None) -> Expr:
    key = (op, args, sort, data)
    with _lock:
        found = _nodes.get(key)
        if found is None:
            found = object.__new__(Expr)
            put = object.__setattr__
            put(found, "op", op)
            put(found, "args", args)
            put(found, "sort", sort)
            put(found, "data", data)
            free, bound = _variables(found)
            put(found, "_free", free)
            put(found, "_bound", bound)
            _nodes[key] = found
        return found


def _variables(node: Expr) -> tuple[frozenset[Expr], frozenset[Expr]]:
    """Return what a node reads, and the variables that quantifiers in it bind."""
    if node.op in LEAVES:
        return _NOTHING if node.op is Op.CONST else frozenset((node,)), _NOTHING
    free = _NOTHING.union(*[arg._free for arg in node.args])
    bound = _NOTHING.union(*[arg._bound for arg in node.args])
    return (free - {node.data}, bound | {node.data}) if node.op in BINDERS else (free, bound)


class Expr:
    """A node. Inspect `op`, `args`, `sort`, `data`; build with the functions and methods of this module."""

    __slots__ = ("__weakref__", "_bound", "_free", "args", "data", "op", "sort")
    op: Op
    args: tuple[Expr, ...]
    sort: Sort
    data: Any
    _free: frozenset[Expr]
    _bound: frozenset[Expr]

    def __init__(self) -> None:
        raise DefinitionError("nodes are made by the constructors of isrproof.model.expr, not by Expr()")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("expressions are immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("expressions are immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        return _node, (self.op, self.args, self.sort, self.data)

    def __repr__(self) -> str:
        return text(self)

    def __bool__(self) -> bool:
        raise SortError(
            f"`{self!r}` has no truth value before it is evaluated; combine conditions with & | ~ .implies() or "
            "both()/either(), not with and, or, not, if or a chained comparison"
        )

    def __contains__(self, element: object) -> bool:
        raise SortError("`in` cannot build an expression; write set.contains(element)")

    def __iter__(self) -> Iterator[Expr]:
        raise SortError(f"an expression of sort {self.sort} cannot be iterated; use forall() or exists()")

    # Conditions
    def eq(self, other: Expr | Value) -> Expr:
        """The equation `self = other` (`==` compares the nodes themselves)."""
        other = lift(other, self.sort)
        if not same(self.sort, other.sort):
            hint = _about_options(self.sort, other.sort) or _about_options(other.sort, self.sort)
            raise SortError(f"`{self!r} = {other!r}` compares {self.sort} with {other.sort}{hint}")
        return _node(Op.EQ, (self, other), Bool)

    def ne(self, other: Expr | Value) -> Expr:
        return ~self.eq(other)

    def implies(self, other: Expr | bool) -> Expr:
        return _node(Op.IMPLIES, (_want(self, Bool), _want(lift(other, Bool), Bool)), Bool)

    def __and__(self, other: Expr | bool) -> Expr:
        return both(self, other)

    def __or__(self, other: Expr | bool) -> Expr:
        return either(self, other)

    def __invert__(self) -> Expr:
        return _node(Op.NOT, (_want(self, Bool),), Bool)

    # Integers
    def __le__(self, other: Expr | Number) -> Expr:
        return _node(Op.LE, (_integer(self), _integer(lift(other, Int()))), Bool)

    def __lt__(self, other: Expr | Number) -> Expr:
        return _node(Op.LT, (_integer(self), _integer(lift(other, Int()))), Bool)

    def __ge__(self, other: Expr | Number) -> Expr:
        return lift(other, Int()) <= self

    def __gt__(self, other: Expr | Number) -> Expr:
        return lift(other, Int()) < self

    def __add__(self, other: Expr | Number) -> Expr:
        return _node(Op.ADD, (_integer(self), _integer(lift(other, Int()))), Int())

    def __radd__(self, other: Number) -> Expr:
        return lift(other, Int()) + self

    def __sub__(self, other: int) -> Expr:
        if not isinstance(other, int):
            raise SortError(f"only a number can be subtracted, not `{other!r}`; compare with the other side moved over")
        return self + (-other)

    # Sets
    def contains(self, element: Expr | Value) -> Expr:
        sort = _set(self)
        return _node(Op.MEMBER, (_want(lift(element, sort.element), sort.element), self), Bool)

    def subset_of(self, other: Expr | Value) -> Expr:
        return _node(Op.SUBSET, (self, _want(lift(other, _set(self)), self.sort)), Bool)

    def union(self, other: Expr | Value) -> Expr:
        return _node(Op.UNION, (self, _want(lift(other, _set(self)), self.sort)), self.sort)

    def minus(self, other: Expr | Value) -> Expr:
        return _node(Op.MINUS, (self, _want(lift(other, _set(self)), self.sort)), self.sort)

    def intersect(self, other: Expr | Value) -> Expr:
        return _node(Op.INTERSECT, (self, _want(lift(other, _set(self)), self.sort)), self.sort)

    def intersects(self, other: Expr | Value) -> Expr:
        return ~self.intersect(other).is_empty()

    def insert(self, element: Expr | Value) -> Expr:
        sort = _set(self)
        return _node(Op.INSERT, (self, _want(lift(element, sort.element), sort.element)), sort)

    def remove(self, element: Expr | Value) -> Expr:
        sort = _set(self)
        return _node(Op.REMOVE, (self, _want(lift(element, sort.element), sort.element)), sort)

    def is_empty(self) -> Expr:
        _set(self)
        return _node(Op.IS_EMPTY, (self,), Bool)

    def size(self) -> Expr:
        _set(self)
        return _node(Op.SIZE, (self,), Int(0))

    # Options
    def is_none(self) -> Expr:
        _option(self)
        return _node(Op.IS_NONE, (self,), Bool)

    def is_some(self) -> Expr:
        return ~self.is_none()

    def get(self, otherwise: Expr | Value) -> Expr:
        """The value in the option, or `otherwise`."""
        sort = _option(self)
        return _node(Op.GET, (self, _want(lift(otherwise, sort.element), sort.element)), sort.element)

    @property
    def value(self) -> Expr:
        """The value in the option, or the default of its sort (0, false, {}, none): guard it with `is_some()`."""
        sort = _option(self)
        return _node(Op.GET, (self, _node(Op.CONST, (), sort.element, default(sort.element))), sort.element)

    def set(self) -> Expr:
        """The set of what the option holds: {} or {x}. `leader.set().subset_of(isr)`: no leader, or one in the ISR."""
        sort = _option(self)
        return _node(Op.OPTION_SET, (self,), SetSort(sort.element))

    # Records, maps, sequences
    def __getitem__(self, key: Expr | Value) -> Expr:
        if isinstance(self.sort, RecordSort):
            if not isinstance(key, str):
                raise SortError(f"a field of record {self.sort} is selected by its name, not by {key!r}")
            return _node(Op.RECORD_GET, (self,), self.sort.field(key), key)
        sort = _map(self)
        if isinstance(sort.key, IntSort):
            default(sort.value)
        return _node(Op.MAP_GET, (self, _want(lift(key, sort.key), sort.key)), sort.value)

    def changed(self, **values: Expr | Value) -> Expr:
        """The record with some fields changed."""
        if not isinstance(self.sort, RecordSort):
            raise SortError(f".changed() needs a record, `{self!r}` is a {self.sort}")
        for name in values:
            self.sort.field(name)
        return record(self.sort, **{name: values.get(name, self[name]) for name, _ in self.sort.fields})

    def put(self, key: Expr | Value, value: Expr | Value) -> Expr:
        sort = _map(self)
        args = (self, _want(lift(key, sort.key), sort.key), _want(lift(value, sort.value), sort.value))
        return _node(Op.MAP_PUT, args, sort)

    def length(self) -> Expr:
        _seq(self)
        return _node(Op.SEQ_LEN, (self,), Int(0))

    def at(self, position: Expr | int) -> Expr:
        """The value at a position as an option: none beyond the end."""
        sort = _seq(self)
        return _node(Op.SEQ_AT, (self, _integer(lift(position, Int()))), OptionSort(sort.element))

    def append(self, value: Expr | Value) -> Expr:
        sort = _seq(self)
        return _node(Op.SEQ_APPEND, (self, _want(lift(value, sort.element), sort.element)), sort)

    def take(self, count: Expr | int) -> Expr:
        _seq(self)
        return _node(Op.SEQ_TAKE, (self, _integer(lift(count, Int()))), self.sort)

    def drop(self, count: Expr | int) -> Expr:
        """The sequence without its first values: `channel.drop(1)` once its head is read."""
        _seq(self)
        return _node(Op.SEQ_DROP, (self, _integer(lift(count, Int()))), self.sort)


def lift(value: Expr | Value, sort: Sort) -> Expr:
    """A Python value as a literal of the sort; an expression unchanged."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Setting | Bound):
        return setting(value)
    return const(value, sort)


def const(value: Value, sort: Sort) -> Expr:
    """A literal.

    Raises:
        SortError: the value is not of the sort.
    """
    return _node(Op.CONST, (), sort, canonical(value, sort))


def setting(value: Setting | Bound) -> Expr:
    """The number that an instance chooses, as an expression: for limits."""
    if isinstance(value, Bound):
        return setting(value.setting) + value.plus if value.plus else setting(value.setting)
    return _node(Op.SETTING, (), Int(0), value)


def field(name: str, sort: Sort) -> Expr:
    """A field of the state or view; in a property of steps, its value before the step."""
    return _node(Op.FIELD, (), sort, _identifier(name))


def after(expr: Expr) -> Expr:
    """The expression with every field as it is after the step."""
    return replace(expr, lambda node: _node(Op.AFTER, (), node.sort, node.data) if node.op is Op.FIELD else None)


def var(name: str, sort: Sort) -> Expr:
    """A parameter of an action, or the variable of a quantifier."""
    return _node(Op.VAR, (), sort, _identifier(name))


def both(*conditions: Expr | bool) -> Expr:
    """All of the conditions."""
    return _junction(Op.AND, conditions)


def either(*conditions: Expr | bool) -> Expr:
    """The disjunction: at least one of the conditions holds."""
    return _junction(Op.OR, conditions)


def ite(condition: Expr | bool, then: Expr, otherwise: Expr | Value) -> Expr:
    """`then` if the condition holds, else `otherwise`."""
    if not isinstance(then, Expr):
        raise SortError(f"the first branch of an if gives the sort: write const({then!r}, sort)")
    otherwise = lift(otherwise, then.sort)
    if not same(then.sort, otherwise.sort):
        raise SortError(f"the branches of an if have two sorts: {then.sort} and {otherwise.sort}")
    sort = then.sort if then.sort == otherwise.sort else general(then.sort)
    return _node(Op.ITE, (_want(lift(condition, Bool), Bool), then, otherwise), sort)


def minimum(left: Expr, right: Expr) -> Expr:
    """The smaller of two integers."""
    return ite(left <= right, left, right)


def some(value: Expr) -> Expr:
    """An option that holds the value."""
    if isinstance(value.sort, OptionSort):
        raise SortError("an option of an option has two ways to be nothing")
    return _node(Op.SOME, (value,), OptionSort(value.sort))


def none(element: Sort) -> Expr:
    """An option that holds nothing, where it could hold an element of the sort."""
    return const(None, OptionSort(element))


def record(sort: RecordSort, **values: Expr | Value) -> Expr:
    """A record; every field needs a value."""
    if not isinstance(sort, RecordSort):
        raise SortError(f"record() needs a record sort, got {sort}")
    for name in values:
        sort.field(name)
    missing = [name for name, _ in sort.fields if name not in values]
    if missing:
        raise DefinitionError(f"{sort}: no value for {', '.join(missing)}")
    args = tuple(_want(lift(values[name], each), each) for name, each in sort.fields)
    return _node(Op.RECORD, args, sort)


def fill(sort: Sort, value: Expr | Value) -> Expr:
    """A map with the same value at every key."""
    if not isinstance(sort, MapSort):
        raise SortError(f"fill() needs a map sort, got {sort}")
    return _node(Op.MAP_FILL, (_want(lift(value, sort.value), sort.value),), sort)


def mapped(bound: Expr, value: Expr) -> Expr:
    """The map that has at every key the value that is written with the variable: `mapped(r, end[r] + 1)`."""
    value = lift(value, Bool)
    _may_bind(bound, value, "a map")
    return _node(Op.MAP_EACH, (value,), MapSort(bound.sort, value.sort), bound)


def set_of(bound: Expr, condition: Expr | bool) -> Expr:
    """The set of the values of the variable for which a condition holds: `set_of(r, end[r] < 3)`."""
    condition = _want(lift(condition, Bool), Bool)
    _may_bind(bound, condition, "a set")
    return _node(Op.SET_EACH, (condition,), SetSort(bound.sort), bound)


def full(element: Sort) -> Expr:
    """The set of all elements of a finite sort, an enum or a Bool."""
    if not isinstance(element, FiniteSort | EnumSort | BoolSort):
        raise SortError(f"full() needs a finite sort, an enum or Bool, got {element}")
    return _node(Op.FULL, (), SetSort(element))


def forall(bound: Expr, body: Expr | bool) -> Expr:
    """The body holds for every value of the variable."""
    return _quantifier(Op.FORALL, bound, body)


def exists(bound: Expr, body: Expr | bool) -> Expr:
    """The body holds for some value of the variable."""
    return _quantifier(Op.EXISTS, bound, body)


_GENERAL: BySort[Sort] = BySort(
    {
        **dict.fromkeys((*SCALARS, RecordSort, SeqSort), lambda sort: sort),
        IntSort: lambda sort: Int(),
        SetSort: lambda sort: SetSort(general(sort.element)),
        OptionSort: lambda sort: OptionSort(general(sort.element)),
        MapSort: lambda sort: MapSort(sort.key, general(sort.value)),
    }
)


def general(sort: Sort) -> Sort:
    """The sort without the bounds of its integers."""
    return _GENERAL[type(sort)](sort)


true = const(True, Bool)
false = const(False, Bool)


# Walking


def free(expr: Expr) -> frozenset[Expr]:
    """The fields, fields after, settings and unbound variables that an expression reads."""
    return expr._free


def variables(expr: Expr) -> frozenset[Expr]:
    """The variables that quantifiers in an expression bind."""
    return expr._bound


def replace(expr: Expr, change: Any) -> Expr:
    """The expression with each node for which `change(node)` gives another put in its place, bottom up."""
    done: dict[Expr, Expr] = {}
    for node in topological(expr):
        args = tuple(done[arg] for arg in node.args)
        new = node if args == node.args else _node(node.op, args, node.sort, node.data)
        changed = change(new)
        done[node] = new if changed is None else changed
    return done[expr]


def substitute(expr: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """The expression with fields or variables replaced by expressions of the same sort.

    Raises:
        SortError: a replacement has another sort.
        DefinitionError: a quantifier inside binds a variable that is replaced, or that a replacement reads.
    """
    for leaf, value in values.items():
        if not same(leaf.sort, value.sort):
            raise SortError(f"`{leaf!r}` is a {leaf.sort}, its replacement `{value!r}` is a {value.sort}")
    reads = frozenset(values).union(*(free(value) for value in values.values()))
    for variable in expr._bound & reads:
        raise DefinitionError(f"`{variable!r}` is bound in `{expr!r}`; give the quantifier's variable another name")
    return replace(expr, lambda node: values.get(node) if node.op in LEAVES else None)


def resort(expr: Expr, instead: Mapping[Sort, Sort]) -> Expr:
    """The expression over other sorts: a condition over `Broker`s as one over a model's `Replica`s."""
    done: dict[Expr, Expr] = {}
    for node in topological(expr):
        data = resort(node.data, instead) if node.op in BINDERS else node.data
        done[node] = _node(node.op, tuple(done[arg] for arg in node.args), with_sorts(node.sort, instead), data)
    return done[expr]


def _junction(op: Op, conditions: Iterable[Expr | bool]) -> Expr:
    flat: list[Expr] = []
    for condition in conditions:
        expr = _want(lift(condition, Bool), Bool)
        flat.extend(expr.args if expr.op is op else (expr,))
    if not flat:
        return true if op is Op.AND else false
    return flat[0] if len(flat) == 1 else _node(op, tuple(flat), Bool)


def _quantifier(op: Op, bound: Expr, body: Expr | bool) -> Expr:
    body = _want(lift(body, Bool), Bool)
    _may_bind(bound, body, "a quantifier", unbounded=True)
    return _node(op, (body,), Bool, bound)


def _may_bind(bound: Expr, body: Expr, what: str, unbounded: bool = False) -> None:
    if not isinstance(bound, Expr) or bound.op is not Op.VAR:
        raise DefinitionError(f"{what} binds a variable made by var(), not `{bound!r}`")
    if not (is_key(bound.sort) or (unbounded and isinstance(bound.sort, IntSort))):
        raise SortError(f"{what} ranges over a Bool, an enum, a finite sort or an integer range, not {bound.sort}")
    if bound in body._bound:
        raise DefinitionError(f"`{bound!r}` is bound twice in `{body!r}`; give one of the two another variable")


def _identifier(name: str) -> str:
    if not name.isidentifier():
        raise DefinitionError(f"{name!r} is not a name; use letters, digits and _")
    return name


def _want(expr: Expr, sort: Sort) -> Expr:
    if not same(expr.sort, sort):
        hint = _about_options(sort, expr.sort)
        if isinstance(sort, BoolSort):
            sets = "; sets are combined by .union(), .intersect(), .minus()"
            hint = sets if isinstance(expr.sort, SetSort) else "; equations are built with .eq()"
        raise SortError(f"`{expr!r}` is a {expr.sort}, expected a {sort}{hint}")
    return expr


def _about_options(wanted: Sort, got: Sort) -> str:
    """Return the hint for two sorts of which one is the option of the other."""
    if isinstance(wanted, OptionSort) and same(got, wanted.element):
        return "; wrap it in some()"
    if isinstance(got, OptionSort) and same(got.element, wanted):
        return "; take it out of the option with .get(default) or .set()"
    return ""


def _integer(expr: Expr) -> Expr:
    if isinstance(expr.sort, FiniteSort | OpenSort):
        raise SortError(f"`{expr!r}` is a {expr.sort}: its elements have no order and no arithmetic, only .eq()")
    return _want(expr, Int())


def _set(expr: Expr) -> SetSort:
    if not isinstance(expr.sort, SetSort):
        raise SortError(f"`{expr!r}` is a {expr.sort}, expected a set")
    return expr.sort


def _option(expr: Expr) -> OptionSort:
    if not isinstance(expr.sort, OptionSort):
        raise SortError(f"`{expr!r}` is a {expr.sort}, expected an option")
    return expr.sort


def _map(expr: Expr) -> MapSort:
    if not isinstance(expr.sort, MapSort):
        raise SortError(f"`{expr!r}` is a {expr.sort}, expected a map or a record")
    return expr.sort


def _seq(expr: Expr) -> SeqSort:
    if not isinstance(expr.sort, SeqSort):
        raise SortError(f"`{expr!r}` is a {expr.sort}, expected a sequence")
    return expr.sort
