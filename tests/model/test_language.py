"""The core of the language: construction, misuse, and the readings of model/ on the table of examples."""

from __future__ import annotations

import pickle

import pytest
from isrproof.model.errors import (
    DefinitionError,
    ImpossibleError,
    NotWrittenError,
    SortError,
    UnknownNameError,
)
from isrproof.model.evaluate import compiled, evaluate, name_of
from isrproof.model.examples import EXAMPLES, SETTINGS, Entry, Example, Replica, State
from isrproof.model.expr import (
    Op,
    after,
    both,
    const,
    exists,
    field,
    forall,
    free,
    ite,
    record,
    some,
    substitute,
    topological,
    var,
)
from isrproof.model.reading import NOT_YET, Never, Reading, operators, read, unroll
from isrproof.model.sorts import Bool, Enum, Finite, Int, MapOf, OptionOf, SetOf, Setting, canonical
from isrproof.model.text import text

x, y = field("x", Int(0, 3)), field("y", Int(0, 3))
p = field("p", Bool)
r = var("r", Replica)
chosen = field("chosen", SetOf(Replica))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_python_readings_give_the_value_of_the_table(example: Example) -> None:
    for env, expected in example.cases:
        everything = {**env, **SETTINGS}
        assert evaluate(example.expr, everything) == expected
        assert compiled(example.expr, list(env), SETTINGS)(*env.values()) == expected
        assert evaluate(unroll(example.expr, SETTINGS), everything) == expected
        assert canonical(expected, example.expr.sort, SETTINGS) == expected
        for leaf in free(example.expr):
            if leaf.op is not Op.SETTING:
                assert canonical(env[name_of(leaf)], leaf.sort, SETTINGS) == env[name_of(leaf)]


def test_every_operator_has_an_example() -> None:
    assert operators(*(example.expr for example in EXAMPLES)) == set(Op)


def test_every_example_has_a_text_and_no_two_are_alike() -> None:
    texts = [text(example.expr) for example in EXAMPLES]
    assert all(texts)
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (x + 1 <= y, "x + 1 <= y"),
        (x - 1 < y, "x - 1 < y"),
        (~(p & x.eq(2)) | p, "not (p and x = 2) or p"),
        (p.implies(x.ne(y)), "p implies x != y"),
        (forall(r, ~chosen.contains(r)), "every r in Replica: r not in chosen"),
        (chosen.insert(r).eq({1, 0}), "chosen with r = {0, 1}"),
        (after(x).eq(x), "x' = x"),
    ],
)
def test_text(expr: object, expected: str) -> None:
    assert repr(expr) == expected


def test_equal_expressions_are_one_object() -> None:
    assert (x + 1 <= y) is (x + 1 <= y)
    assert (x <= y) != (y <= x)
    assert pickle.loads(pickle.dumps(x + 1 <= y)) is (x + 1 <= y)
    assert const(True, Bool) is not const(1, Int())


@pytest.mark.parametrize(
    ("misuse", "error", "says"),
    [
        (lambda: bool(x.eq(y)), SortError, "no truth value"),
        (lambda: 0 <= x <= 3, SortError, "chained comparison"),
        (lambda: r in chosen, SortError, "contains"),
        (lambda: list(chosen), SortError, "forall"),
        (lambda: x.eq(True), SortError, "True is not a value of Int"),
        (lambda: x.eq(p), SortError, "compares Int 0..3 with Bool"),
        (lambda: x & p, SortError, "expected a Bool; equations are built with .eq()"),
        (lambda: r < r, SortError, "no order"),
        (lambda: chosen.contains(x), SortError, "expected a Replica"),
        (lambda: x - y, SortError, "only a number can be subtracted"),
        (lambda: field("s", State).eq("Onlin"), SortError, "expected one of New, Online, Offline"),
        (lambda: field("e", Entry)["epok"], UnknownNameError, "did you mean 'epoch'"),
        (lambda: record(Entry, id=1), DefinitionError, "no value for epoch"),
        (lambda: field("o", OptionOf(Replica)).value, SortError, "no default value"),
        (lambda: chosen.contains(some(r)), SortError, r"take it out of the option"),
        (lambda: field("o", OptionOf(Replica)).eq(r), SortError, "compares Option of Replica with Replica; wrap it in"),
        (lambda: chosen | chosen, SortError, r"sets are combined by .union\(\)"),
        (lambda: ite(p, 1, x), SortError, r"write const\(1, sort\)"),  # type: ignore[arg-type]
        (lambda: Finite("Box", 3), DefinitionError, "expected Finite"),  # type: ignore[arg-type]
        (lambda: Enum("State", "New"), DefinitionError, "a tuple of at least one value"),  # type: ignore[arg-type]
        (lambda: Setting("n", "3", "?"), DefinitionError, "expected an integer as its default, got '3'"),  # type: ignore[arg-type]
        (lambda: const(0, MapOf(Replica, Bool)), SortError, r"expected fill\(sort, value\)"),
        (lambda: forall(x, p), DefinitionError, "made by var"),
        (lambda: forall(r, exists(r, p & chosen.contains(r))), DefinitionError, "bound twice"),
        (lambda: substitute(forall(r, chosen.contains(r)), {r: r}), DefinitionError, "another name"),
        (lambda: substitute(x <= y, {x: p}), SortError, "its replacement"),
        (lambda: MapOf(SetOf(Replica), Bool), SortError, "keys of a map"),
        (lambda: evaluate(x <= y, {"x": 1, "yy": 2}), UnknownNameError, "did you mean 'yy'"),
        (lambda: compiled(x <= y, ["x"]), UnknownNameError, "'y'"),
        (lambda: evaluate(forall(r, p), {"p": True}), UnknownNameError, "replicas"),
    ],
)
def test_misuse_says_what_was_expected(misuse: object, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        misuse()  # type: ignore[operator]


def test_expressions_are_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        x.op = Op.NOT  # type: ignore[misc]


def test_a_missing_operator_raises_with_its_name() -> None:
    reading: Reading[str] = Reading("tiny", {Op.ADD: NOT_YET, Op.SIZE: Never("sets have no size here")})
    with pytest.raises(NotWrittenError, match="tiny reading has no translation of the operator `add` yet"):
        read(x + y, reading, {x: "x", y: "y"})
    with pytest.raises(NotWrittenError, match="`le`"):
        read(x <= y, reading, {x: "x", y: "y"})
    with pytest.raises(ImpossibleError, match="`size`: sets have no size here"):
        read(chosen.size(), reading, {chosen: "chosen"})


def test_walking() -> None:
    expr = both(x <= y, forall(r, chosen.contains(r)))
    order = topological(expr)
    assert all(order.index(arg) < order.index(node) for node in order for arg in node.args)
    assert free(expr) == {x, y, chosen}


def test_deep_expressions_are_walked_without_recursion() -> None:
    deep = x
    for _ in range(5000):
        deep = deep + 1
    assert compiled(deep, ["x"])(1) == 5001
