"""The plain-Python reading: the reference meaning of the language.

Two forms of the same table: `evaluate` interprets an expression with closures, `compiled` writes a Python function.
Names in an environment: a field is its name, the field after a step is the name and a prime (`isr'`), parameters,
quantified variables and settings are their names.

    >>> from isrproof.model.expr import field
    >>> from isrproof.model.sorts import Open, OptionOf, SetOf
    >>> broker = Open("Broker")
    >>> in_isr = field("leader", OptionOf(broker)).set().subset_of(field("isr", SetOf(broker)))
    >>> evaluate(in_isr, {"leader": 1, "isr": frozenset({1, 2})})
    True
    >>> compiled(in_isr, ["leader", "isr"])(3, frozenset({1, 2}))
    False
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .errors import unknown
from .expr import LEAVES, Expr, Op, free, topological
from .reading import Reading, read, unroll
from .sorts import (
    FiniteSort,
    IntSort,
    MapSort,
    RecordSort,
    Settings,
    Sort,
    Value,
    default,
    elements,
    resolve,
)

Env = Mapping[str, Value]
Closure = Callable[[Env], Value]

NO_SETTINGS: Settings = {}


def name_of(leaf: Expr) -> str:
    """The name of a leaf in an environment."""
    if leaf.op is Op.SETTING:
        return str(leaf.data.name)
    return f"{leaf.data}'" if leaf.op is Op.AFTER else str(leaf.data)


def evaluate(expr: Expr, env: Env) -> Value:
    """The value of an expression.

    Raises:
        UnknownNameError: the environment lacks a field, parameter or setting that the expression reads.
    """
    return closure(expr)(env)


def closure(expr: Expr) -> Closure:
    """The expression as a function of an environment (translated once, to be called often)."""
    return read(expr, PYTHON, {})


def position(key: Value, sort: Sort, env: Env) -> int:
    """The index of a key in a map's tuple; out of range for an integer that is no key."""
    if isinstance(sort, IntSort):
        assert sort.lo is not None
        return int(key) - resolve(sort.lo, env)
    if isinstance(sort, FiniteSort):
        return int(key)
    return elements(sort, env).index(key)


def _leaf(node: Expr) -> Closure:
    name = name_of(node)

    def look_up(env: Env) -> Value:
        try:
            return env[name]
        except KeyError:
            raise unknown("name", name, env, "the environment") from None

    return look_up


def _const(node: Expr) -> Closure:
    value = node.data
    return lambda env: value


def _lifted(function: Callable[..., Value]) -> Callable[..., Closure]:
    """An operator on values as an operator on closures."""

    def translate(node: Expr, *args: Closure) -> Closure:
        if len(args) == 1:
            (one,) = args
            return lambda env: function(one(env))
        if len(args) == 2:
            left, right = args
            return lambda env: function(left(env), right(env))
        return lambda env: function(*(arg(env) for arg in args))

    return translate


def _get(option: Value, otherwise: Value) -> Value:
    return otherwise if option is None else option


def _option_set(option: Value) -> Value:
    return frozenset() if option is None else frozenset((option,))


def _record_index(node: Expr) -> int:
    sort = node.args[0].sort
    assert isinstance(sort, RecordSort)
    return sort.index(str(node.data))


def _record_get(node: Expr, value: Closure) -> Closure:
    index = _record_index(node)
    return lambda env: value(env)[index]


def _map_sort(node: Expr) -> MapSort:
    sort = node.args[0].sort if node.op is Op.MAP_GET else node.sort
    assert isinstance(sort, MapSort)
    return sort


def _map_fill(node: Expr, value: Closure) -> Closure:
    sort = _map_sort(node)
    return lambda env: (value(env),) * len(elements(sort.key, env))


def _map_each(node: Expr, body: Callable[[Mapping[Expr, Closure]], Closure]) -> Closure:
    value, name, sort = body({}), name_of(node.data), node.data.sort
    return lambda env: tuple(value({**env, name: key}) for key in elements(sort, env))


def _set_each(node: Expr, body: Callable[[Mapping[Expr, Closure]], Closure]) -> Closure:
    holds, name, sort = body({}), name_of(node.data), node.data.sort
    return lambda env: frozenset(each for each in elements(sort, env) if holds({**env, name: each}))


def _map_get(node: Expr, a_map: Closure, key: Closure) -> Closure:
    sort = _map_sort(node)

    def get(env: Env) -> Value:
        values, at = a_map(env), position(key(env), sort.key, env)
        return values[at] if 0 <= at < len(values) else default(sort.value)

    return get


def _map_put(node: Expr, a_map: Closure, key: Closure, value: Closure) -> Closure:
    sort = _map_sort(node)

    def put(env: Env) -> Value:
        values, at = a_map(env), position(key(env), sort.key, env)
        return (*values[:at], value(env), *values[at + 1 :]) if 0 <= at < len(values) else values

    return put


def _seq_at(values: Value, at: int) -> Value:
    return values[at] if 0 <= at < len(values) else None


def _quantifier(decide: Callable[[Any], bool]) -> Callable[..., Closure]:
    def translate(node: Expr, body: Callable[[Mapping[Expr, Closure]], Closure]) -> Closure:
        holds, name, sort = body({}), name_of(node.data), node.data.sort
        return lambda env: decide(holds({**env, name: value}) for value in elements(sort, env))

    return translate


PYTHON: Reading[Closure] = Reading(
    "Python",
    {
        Op.CONST: _const,
        Op.FIELD: _leaf,
        Op.AFTER: _leaf,
        Op.VAR: _leaf,
        Op.SETTING: _leaf,
        Op.NOT: _lifted(lambda a: not a),
        Op.AND: lambda node, *args: lambda env: all(arg(env) for arg in args),
        Op.OR: lambda node, *args: lambda env: any(arg(env) for arg in args),
        Op.IMPLIES: _lifted(lambda a, b: not a or b),
        Op.EQ: _lifted(lambda a, b: a == b),
        Op.LE: _lifted(lambda a, b: a <= b),
        Op.LT: _lifted(lambda a, b: a < b),
        Op.ADD: _lifted(lambda a, b: a + b),
        Op.ITE: lambda node, test, then, other: lambda env: then(env) if test(env) else other(env),
        Op.FULL: lambda node: lambda env: frozenset(elements(node.sort.element, env)),
        Op.MEMBER: _lifted(lambda element, members: element in members),
        Op.SUBSET: _lifted(lambda a, b: a <= b),
        Op.UNION: _lifted(lambda a, b: a | b),
        Op.MINUS: _lifted(lambda a, b: a - b),
        Op.INTERSECT: _lifted(lambda a, b: a & b),
        Op.SET_EACH: _set_each,
        Op.INSERT: _lifted(lambda members, element: members | {element}),
        Op.REMOVE: _lifted(lambda members, element: members - {element}),
        Op.IS_EMPTY: _lifted(lambda members: not members),
        Op.SIZE: _lifted(len),
        Op.SOME: lambda node, value: value,
        Op.IS_NONE: _lifted(lambda option: option is None),
        Op.GET: _lifted(_get),
        Op.OPTION_SET: _lifted(_option_set),
        Op.RECORD: lambda node, *args: lambda env: tuple(arg(env) for arg in args),
        Op.RECORD_GET: _record_get,
        Op.MAP_FILL: _map_fill,
        Op.MAP_EACH: _map_each,
        Op.MAP_GET: _map_get,
        Op.MAP_PUT: _map_put,
        Op.SEQ_LEN: _lifted(len),
        Op.SEQ_AT: _lifted(_seq_at),
        Op.SEQ_APPEND: _lifted(lambda values, value: (*values, value)),
        Op.SEQ_TAKE: _lifted(lambda values, count: values[: max(count, 0)]),
        Op.SEQ_DROP: _lifted(lambda values, count: values[max(count, 0) :]),
        Op.FORALL: _quantifier(all),
        Op.EXISTS: _quantifier(any),
    },
)


# The second form: the same operators as the text of a Python function.


def compiled(expr: Expr, arguments: Sequence[str], settings: Settings = NO_SETTINGS) -> Callable[..., Value]:
    """The expression as a Python function of positional arguments, named as in an environment.

    Quantifiers are written out for the given settings; shared nodes are computed once.

    Raises:
        UnknownNameError: the expression reads a name that is neither an argument nor a setting.
    """
    expr = unroll(expr, settings)
    names: dict[Expr, str] = {}
    for leaf in free(expr):
        name = name_of(leaf)
        if leaf.op is Op.SETTING and name in settings:
            names[leaf] = repr(settings[name])
        elif name in arguments:
            names[leaf] = f"a{list(arguments).index(name)}"
        else:
            raise unknown("name", name, [*arguments, *settings], "the arguments of a compiled expression")
    uses: dict[Expr, int] = {}
    order = topological(expr)
    for node in order:
        for arg in node.args:
            uses[arg] = uses.get(arg, 0) + 1
    source, constants, depth, lines = _source(settings), dict[str, Value](), dict[Expr, int](), list[str]()
    done: dict[Expr, str] = dict(names)
    for node in order:
        if node in done:
            continue
        depth[node] = 1 + max((depth.get(arg, 0) for arg in node.args), default=0)
        if node.op is Op.CONST and not isinstance(node.data, bool | int | None):
            done[node] = f"c{len(constants)}"
            constants[done[node]] = node.data
            continue
        done[node] = source.operator(node.op)(node, *(done[arg] for arg in node.args))
        if node.op not in LEAVES and (uses.get(node, 0) > 1 or depth[node] > 20):
            lines.append(f"    t{len(lines)} = {done[node]}\n")
            done[node] = f"t{len(lines) - 1}"
            depth[node] = 0
    parameters = ", ".join(f"a{index}" for index in range(len(arguments)))
    text = f"def function({parameters}):\n{''.join(lines)}    return {done[expr]}\n"
    scope: dict[str, Any] = {**constants, **_RUNTIME}
    exec(compile(text, "<compiled expression>", "exec"), scope)
    function: Callable[..., Value] = scope["function"]
    return function


def _put(values: Value, at: int, value: Value) -> Value:
    return (*values[:at], value, *values[at + 1 :]) if 0 <= at < len(values) else values


def _at(values: Value, at: int, otherwise: Value) -> Value:
    return values[at] if 0 <= at < len(values) else otherwise


_RUNTIME = {"p_get": _get, "p_option_set": _option_set, "p_seq_at": _seq_at, "p_put": _put, "p_at": _at}


def _infix(operator: str) -> Callable[..., str]:
    return lambda node, *args: f"({f' {operator} '.join(args)})"


def _source(settings: Settings) -> Reading[str]:
    def index(node: Expr, key: str) -> str:
        sort = _map_sort(node).key
        if isinstance(sort, IntSort):
            assert sort.lo is not None
            return f"({key} - {resolve(sort.lo, settings)})"
        return f"{ {value: at for at, value in enumerate(elements(sort, settings))} }[{key}]"

    def map_get(node: Expr, a_map: str, key: str) -> str:
        sort = _map_sort(node)
        if isinstance(sort.key, IntSort):
            return f"p_at({a_map}, {index(node, key)}, {default(sort.value)!r})"
        return f"{a_map}[{index(node, key)}]"

    return Reading(
        "Python source",
        {
            Op.CONST: lambda node: repr(node.data),
            Op.NOT: lambda node, a: f"(not {a})",
            Op.AND: _infix("and"),
            Op.OR: _infix("or"),
            Op.IMPLIES: lambda node, a, b: f"(not {a} or {b})",
            Op.EQ: _infix("=="),
            Op.LE: _infix("<="),
            Op.LT: _infix("<"),
            Op.ADD: _infix("+"),
            Op.ITE: lambda node, test, then, other: f"({then} if {test} else {other})",
            Op.FULL: lambda node: f"frozenset({list(elements(node.sort.element, settings))!r})",
            Op.MEMBER: _infix("in"),
            Op.SUBSET: _infix("<="),
            Op.UNION: _infix("|"),
            Op.MINUS: _infix("-"),
            Op.INTERSECT: _infix("&"),
            Op.INSERT: lambda node, members, element: f"({members} | {{{element}}})",
            Op.REMOVE: lambda node, members, element: f"({members} - {{{element}}})",
            Op.IS_EMPTY: lambda node, members: f"(not {members})",
            Op.SIZE: lambda node, members: f"len({members})",
            Op.SOME: lambda node, value: value,
            Op.IS_NONE: lambda node, option: f"({option} is None)",
            Op.GET: lambda node, option, otherwise: f"p_get({option}, {otherwise})",
            Op.OPTION_SET: lambda node, option: f"p_option_set({option})",
            Op.RECORD: lambda node, *args: f"({', '.join(args)},)",
            Op.RECORD_GET: lambda node, value: f"{value}[{_record_index(node)}]",
            Op.MAP_FILL: lambda node, value: f"(({value},) * {len(elements(_map_sort(node).key, settings))})",
            Op.MAP_GET: map_get,
            Op.MAP_PUT: lambda node, a_map, key, value: f"p_put({a_map}, {index(node, key)}, {value})",
            Op.SEQ_LEN: lambda node, values: f"len({values})",
            Op.SEQ_AT: lambda node, values, at: f"p_seq_at({values}, {at})",
            Op.SEQ_APPEND: lambda node, values, value: f"(*{values}, {value})",
            Op.SEQ_TAKE: lambda node, values, count: f"{values}[:max({count}, 0)]",
            Op.SEQ_DROP: lambda node, values, count: f"{values}[max({count}, 0):]",
        },
    )
