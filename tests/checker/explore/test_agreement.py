"""Every reading agrees with the reference: on random expressions, and on random steps of random small models."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from isrproof.checker.explore.flatten import Flattener
from isrproof.checker.explore.generate import build, successors
from isrproof.checker.explore.narrow import build as build_narrow
from isrproof.checker.explore.narrow import build_effect, build_guards
from isrproof.checker.explore.program import effect, guarded, program
from isrproof.checker.explore.run import explore
from isrproof.model.action import action
from isrproof.model.errors import SortError
from isrproof.model.evaluate import compiled, evaluate
from isrproof.model.examples import EXAMPLES, SETTINGS
from isrproof.model.expr import (
    Expr,
    after,
    both,
    const,
    either,
    exists,
    field,
    fill,
    forall,
    full,
    ite,
    record,
    set_of,
    some,
    true,
    var,
)
from isrproof.model.property import Property
from isrproof.model.protocol import Model, names_an_element, starts
from isrproof.model.reading import unroll
from isrproof.model.sorts import (
    Bool,
    Enum,
    Finite,
    Int,
    MapOf,
    OpenSort,
    OptionOf,
    Record,
    SeqOf,
    SetOf,
    Setting,
    Sort,
    elements,
    with_sorts,
)
from isrproof.model.step import Reference
from isrproof.model.text import text

SIZE = Setting("size", 2, "how many elements", at_least=1)
TOP = Setting("top", 2, "the largest number")
FIXED = {"size": 2, "top": 2}
Item = Finite("Item", SIZE)
Color = Enum("Color", ("red", "green", "blue"))
Small = Int(-1, TOP)
Pair = Record("Pair", number=Small, who=OptionOf(Item))
Keys = Int(0, TOP)
SORTS: dict[str, Sort] = {
    "flag": Bool,
    "number": Small,
    "color": Color,
    "items": SetOf(Item),
    "numbers": SetOf(Small),
    "who": OptionOf(Item),
    "maybe": OptionOf(Small),
    "pair": Pair,
    "chance": OptionOf(Pair),
    "table": MapOf(Item, Small),
    "slots": MapOf(Keys, OptionOf(Item)),
    "row": SeqOf(Small, 2),
    "log": SeqOf(Pair, TOP),
}
FIELDS = {name: field(name, sort) for name, sort in SORTS.items()}
ITEM, OTHER, KEY, NUMBER = var("item", Item), var("other", Item), var("key", Keys), var("n", Small)


def values(sort: Sort) -> st.SearchStrategy[Any]:
    """Values of a sort, in the reference's form."""
    if sort in (Bool, Color, Item, Small, Keys):
        return st.sampled_from(elements(sort, FIXED))
    name = type(sort).__name__
    inner: Any = sort
    if name == "SetSort":
        return st.frozensets(values(inner.element))
    if name == "OptionSort":
        return st.none() | values(inner.element)
    if name == "RecordSort":
        return st.tuples(*(values(each) for _, each in inner.fields))
    if name == "MapSort":
        count = len(elements(inner.key, FIXED))
        return st.lists(values(inner.value), min_size=count, max_size=count).map(tuple)
    return st.lists(values(inner.element), max_size=2).map(tuple)


@st.composite
def expressions(draw: Callable[..., Any], sort: Sort, depth: int, variables: tuple[Expr, ...]) -> Expr:
    """Random expressions of a sort over the fields and some variables."""
    leaves = [each for each in (*FIELDS.values(), *variables) if each.sort == sort]
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        if sort == Item:
            return draw(st.sampled_from(leaves)) if leaves else const(draw(values(Item)), Item)
        return draw(st.sampled_from(leaves)) if leaves and draw(st.booleans()) else const(draw(values(sort)), sort)

    def sub(of: Sort, more: tuple[Expr, ...] = ()) -> Expr:
        return draw(expressions(of, depth - 1, (*variables, *more)))

    kind = type(sort).__name__
    inner: Any = sort
    choices: list[Callable[[], Expr]] = [lambda: ite(sub(Bool), sub(sort), sub(sort))]
    if sort == Bool:
        any_sort = st.sampled_from([*SORTS.values(), Item])
        choices += [
            lambda: ~sub(Bool),
            lambda: both(sub(Bool), sub(Bool)),
            lambda: either(sub(Bool), sub(Bool)),
            lambda: sub(Bool).implies(sub(Bool)),
            lambda: (lambda of: sub(of).eq(sub(of)))(draw(any_sort)),
            lambda: sub(Small) <= sub(Small),
            lambda: sub(Small) < sub(Small),
            lambda: sub(SetOf(Item)).contains(sub(Item)),
            lambda: sub(SetOf(Small)).contains(sub(Small)),
            lambda: sub(SetOf(Item)).subset_of(sub(SetOf(Item))),
            lambda: sub(OptionOf(Item)).set().subset_of(sub(SetOf(Item))),
            lambda: sub(SetOf(Small)).is_empty(),
            lambda: sub(OptionOf(Pair)).is_none(),
            lambda: sub(SeqOf(Small, 2)).at(sub(Small)).eq(sub(OptionOf(Small))),
            lambda: sub(MapOf(Keys, OptionOf(Item)))[sub(Small)].is_none(),
            lambda: (sub(Small) + sub(Small)).eq(sub(Small)),
        ]
        for bound in (OTHER, KEY):
            if bound not in variables:
                choices.append(lambda bound=bound: forall(bound, sub(Bool, (bound,))))  # type: ignore[misc]
                choices.append(lambda bound=bound: exists(bound, sub(Bool, (bound,))))  # type: ignore[misc]
    elif sort == Small:
        choices = [
            lambda: ite(sub(Bool), sub(Small), sub(Small)),
            lambda: sub(Pair)["number"],
            lambda: sub(MapOf(Item, Small))[sub(Item)],
            lambda: sub(OptionOf(Small)).get(sub(Small)),
            lambda: sub(OptionOf(Pair)).value["number"],
        ]
    elif kind == "SetSort":
        element = inner.element
        choices += [
            lambda: sub(sort).union(sub(sort)),
            lambda: sub(sort).minus(sub(sort)),
            lambda: sub(sort).intersect(sub(sort)),
            lambda: sub(sort).insert(sub(element)),
            lambda: sub(sort).remove(sub(element)),
            lambda: sub(OptionOf(element)).set(),
        ]
        if element == Item:
            choices.append(lambda: full(Item))
        for bound in (OTHER, KEY):
            if bound not in variables and bound.sort == element:
                choices.append(lambda bound=bound: set_of(bound, sub(Bool, (bound,))))  # type: ignore[misc]
    elif kind == "OptionSort":
        choices.append(lambda: some(sub(inner.element)))
        if sort == OptionOf(Item):
            choices += [lambda: sub(Pair)["who"], lambda: sub(MapOf(Keys, OptionOf(Item)))[sub(Small)]]
        if sort == OptionOf(Pair):
            choices.append(lambda: sub(SeqOf(Pair, TOP)).at(sub(Small)))
    elif sort == Pair:
        choices += [
            lambda: record(Pair, number=sub(Small), who=sub(OptionOf(Item))),
            lambda: sub(Pair).changed(number=sub(Small)),
            lambda: sub(OptionOf(Pair)).get(sub(Pair)),
        ]
    elif kind == "MapSort":
        key = Small if inner.key == Keys else inner.key
        choices += [lambda: fill(sort, sub(inner.value)), lambda: sub(sort).put(sub(key), sub(inner.value))]
    elif kind == "SeqSort":
        choices += [lambda: sub(sort).take(sub(Small)), lambda: sub(sort).drop(sub(Small))]
    return draw(st.sampled_from(choices))()


STATES = st.tuples(*(values(sort) for sort in SORTS.values()))
QUIET = settings(max_examples=30)


def _model(actions: tuple[Any, ...] = (), properties: tuple[Property, ...] = (), state: Any = None) -> Model:
    fields = tuple(
        starts(FIELDS[name], _literal(value, sort), name)
        for (name, sort), value in zip(SORTS.items(), state or _BLANK, strict=True)
    )
    return Model("random", "A random model.", (SIZE, TOP), fields, actions, properties)


def _literal(value: Any, sort: Sort) -> Expr:
    return const(value, sort)


_BLANK = (False, 0, "red", frozenset(), frozenset(), None, None, (0, None), None, (0, 0), (None,) * 3, (), ())


@QUIET
@given(st.data(), STATES)
def test_python_readings_agree(data: Any, state: Any) -> None:
    sort = data.draw(st.sampled_from([Bool, *SORTS.values()]))
    expr = data.draw(expressions(sort, 3, (ITEM,)))
    env = {**dict(zip(SORTS, state, strict=True)), "item": 1, **FIXED}
    expected = evaluate(expr, env)
    assert evaluate(unroll(expr, FIXED), env) == expected
    assert compiled(expr, [*SORTS, "item"], FIXED)(*state, 1) == expected
    assert text(expr)


@QUIET
@given(st.data(), st.lists(STATES, min_size=1, max_size=8))
def test_generated_code_decides_conditions_as_the_reference_does(data: Any, states: Any) -> None:
    conditions = [data.draw(expressions(Bool, 4, ())) for _ in range(3)]
    model = _model(properties=tuple(Property(f"P{index}", "?", each) for index, each in enumerate(conditions)))
    translated = program(model.instance(), model.properties)
    words = _words([translated.packing.pack(state) for state in states], translated.packing.sizes)
    masks, _ = build(translated)(words)
    fires = dict(zip((each.prop for each in translated.state_watches), masks, strict=True))
    reference = Reference(model.instance())
    for index, prop in enumerate(model.properties):
        for row, state in enumerate(states):
            assert translated.packing.unpack(translated.packing.pack(state)) == state
            broken = bool(fires[index][row]) if index in fires else False
            assert broken != reference.holds(prop, state), text(prop.condition)


def _words(packed: list[int], sizes: list[int]) -> list[Any]:
    return [np.array([each >> (64 * at) & (2**64 - 1) for each in packed], f"u{size}") for at, size in enumerate(sizes)]


@st.composite
def actions(draw: Callable[..., Any], name: str) -> Any:
    """A random action; its new values may leave their ranges."""
    params = draw(st.sampled_from([(), (ITEM,), (ITEM, NUMBER)]))
    guard = {"first": draw(expressions(Bool, 2, params)), "second": draw(expressions(Bool, 2, params))}
    targets = draw(st.lists(st.sampled_from(list(SORTS)), min_size=1, max_size=3, unique=True))
    updates: dict[Expr, Expr] = {}
    for target in targets:
        sort = SORTS[target]
        value = draw(expressions(sort, 2, params))
        if sort == Small and draw(st.booleans()):
            value = value + draw(st.integers(-1, 1))
        if target in ("row", "log") and draw(st.booleans()):
            value = value.append(draw(expressions(sort.element, 1, params)))  # type: ignore[attr-defined]
        updates[FIELDS[target]] = value
    try:
        return action(name, "Random.", *params, guard=guard, updates=updates)
    except SortError:  # a value that never fits is refused
        reject()


@QUIET
@given(st.data(), st.lists(STATES, min_size=1, max_size=6))
def test_generated_successors_are_the_reference_s(data: Any, states: Any) -> None:
    chosen = tuple(data.draw(actions(f"A{index}")) for index in range(2))
    falls = Property("Falls", "?", after(FIELDS["number"]) <= FIELDS["number"], "step")
    prop = Property("Step", "?", both(falls.condition, data.draw(expressions(Bool, 2, ()))), "step")
    _compare_successors(_model(chosen, (prop,)), states)


WIDE = st.sampled_from(
    [(0, 1), (-1, 1), (0, 127), (0, 128), (-128, 127), (0, 255), (-200, 300), (0, 70000), (-(2**40), 3)]
)


@QUIET
@given(st.data(), WIDE, WIDE)
def test_numbers_of_every_width_are_computed_alike(data: Any, first: Any, second: Any) -> None:
    """Cells of one byte and of more, with and without sign, in one expression."""
    a, b, c = field("a", Int(*first)), field("b", Int(*second)), field("c", OptionOf(Int(*second)))
    add = st.sampled_from([-1, 0, 1, first[1] - first[0], second[0] - second[1]])

    def number(depth: int) -> Expr:
        if depth == 0:
            return data.draw(st.sampled_from([a, b, c.value, c.get(b)]))
        kind = data.draw(st.integers(0, 2))
        if kind == 0:
            return number(depth - 1) + data.draw(add)
        if kind == 1:
            return ite(number(0) <= number(depth - 1), number(depth - 1), number(0))
        return ite(number(0).eq(number(depth - 1)), number(0), const(data.draw(st.sampled_from(first)), Int(*first)))

    chosen = []
    for target in (a, b, c):
        value = number(2)
        with contextlib.suppress(SortError):  # a value that never fits is refused
            updates = {target: some(value) if target is c else value}
            chosen.append(action(f"A{len(chosen)}", "?", guard={"g": number(1) <= number(2)}, updates=updates))
    ends = [st.sampled_from([lo, hi, 0]) | st.integers(lo, hi) for lo, hi in (first, second)]
    states = data.draw(st.lists(st.tuples(*ends, st.none() | ends[1]), min_size=1, max_size=6))
    fields = (starts(a, 0, "?"), starts(b, 0, "?"), starts(c, None, "?"))
    falls = Property("Falls", "?", after(a) <= b, "step")
    _compare_successors(Model("wide", "?", (), fields, tuple(chosen), (falls,)), states)


def test_a_result_may_be_narrower_than_what_it_is_computed_of() -> None:
    a, b = field("a", Int(0, 127)), field("b", Int(0, 128))
    less = action("Less", "?", guard={"g": true}, updates={a: b - 1})
    falls = Property("Falls", "?", after(a) <= b, "step")
    model = Model("less", "?", (), (starts(a, 0, "?"), starts(b, 0, "?")), (less,), (falls,))
    _compare_successors(model, [(0, 0), (127, 128), (0, 1)])


def test_a_set_may_be_given_an_element_below_and_above_its_range() -> None:
    number, numbers = field("number", Int(0, 5)), field("numbers", SetOf(Int(1, 3)))
    insert = action("Insert", "?", guard={"g": true}, updates={numbers: numbers.insert(number - 1)})
    two = action("Two", "?", guard={"g": true}, updates={numbers: numbers.insert(number - 2).remove(number)})
    same = Property("Same", "?", after(numbers).eq(numbers), "step")
    fields = (starts(number, 0, "?"), starts(numbers, frozenset(), "?"))
    states = [(at, held) for at in range(6) for held in (frozenset(), frozenset({1}), frozenset({2, 3}))]
    _compare_successors(Model("sets", "?", (), fields, (insert, two), (same,)), states)


def _compare_successors(model: Model, states: Any) -> None:
    """Every step from some states: the guard, the new state, how many ways, and whether the property is broken."""
    (prop,) = model.properties
    translated = program(model.instance(), model.properties)
    packing = translated.packing
    packed = [packing.pack(state) for state in states]
    words = _words(packed, packing.sizes)
    reference = Reference(model.instance())
    expected: list[tuple[Any, ...]] = []
    for row, state in enumerate(states):
        for step in reference.successors(state):
            later = None if step.overflows else packing.pack(step.state)
            fired = None if step.overflows else not reference.holds(prop, state, step.state)
            expected.append((row, step.action, tuple(sorted(step.params.items())), step.ways, later, fired))
    order = lambda each: (each[0], each[1], str(each[2]))  # noqa: E731
    for apart_from in (1, 10**9):
        found: list[tuple[Any, ...]] = []
        _, steps = build(translated, apart_from)(words)
        for index, mask, changed, ways, overflow, fires in steps:
            move = translated.moves[index]
            new = successors(words, np.arange(len(packed)), changed)
            for row in np.flatnonzero(mask):
                out = overflow is not None and bool(overflow[row])
                later = None if out else sum(int(word[row]) << (64 * at) for at, word in enumerate(new))
                fired = None if out else any(bool(each[row]) for _, each in fires)
                binding = tuple(sorted(move.binding.items()))
                found.append((row, move.action.name, binding, 1 if ways is None else int(ways[row]), later, fired))
        assert sorted(found, key=order) == sorted(expected, key=order), apart_from
    expand = build_narrow(translated)
    narrow = []
    for row, state in enumerate(packed):
        for index, new, ways, fires in expand(state)[1]:
            move = translated.moves[index]
            binding = tuple(sorted(move.binding.items()))
            narrow.append((row, move.action.name, binding, ways, new, None if new is None else bool(fires)))
    assert sorted(narrow, key=order) == sorted(expected, key=order)
    enabled = build_guards(translated, [move.guard for move in translated.moves])
    flat = Flattener(packing, translated.scalars)
    effects = [build_effect(translated, effect(flat, each)) for each in guarded(flat, translated.instance)]
    apart = [
        (row, move.action.name, tuple(sorted(move.binding.items())), after(state))
        for row, state in enumerate(packed)
        for move, holds, after in zip(translated.moves, enabled(state), effects, strict=True)
        if holds
    ]
    assert sorted(apart, key=order) == sorted(((*each[:3], each[4]) for each in expected), key=order)


@pytest.mark.full
@settings(QUIET, max_examples=20)
@given(st.data(), STATES)
def test_whole_searches_agree(data: Any, state: Any) -> None:
    chosen = tuple(data.draw(actions(f"A{index}")) for index in range(2))
    prop = Property("Always", "?", data.draw(expressions(Bool, 2, ())))
    model = _model(chosen, (prop,), state)
    result = explore(model, symmetry=False)
    reference = Reference(model.instance())
    level, seen, generated, depth = [reference.initial()], {reference.initial()}, 1, 0
    broken: int | None = None
    while level and len(seen) < 400:
        depth += 1
        if broken is None and any(not reference.holds(prop, each) for each in level):
            broken = depth
        fresh = []
        for each in level:
            for step in reference.successors(each):
                generated += step.ways
                if not step.overflows and step.state not in seen:
                    seen.add(step.state)
                    fresh.append(step.state)
        level = fresh
    if level:
        return
    assert (result.distinct, result.generated, result.depth) == (len(seen), generated, depth)
    path = result["Always"].path
    assert (path.length if path else None) == broken
    if names_an_element(model) is None and _symmetric(state):
        orbits = explore(model, symmetry=True)
        assert orbits["Always"].verdict == result["Always"].verdict
        assert (orbits.distinct, orbits.generated) == (result.distinct, result.generated)


def _symmetric(state: Any) -> bool:
    return state[3] in (frozenset(), frozenset({0, 1})) and state[5] is None


def test_the_table_of_examples_in_generated_code() -> None:
    """Each example as a condition over fields that hold its environment."""
    for example in EXAMPLES:
        for env, expected in example.cases:
            brokers = Finite("Broker", Setting("brokers", 10, "ids 0 to 9"))
            swap = dict.fromkeys(_open_sorts(example.expr), brokers)
            fields = tuple(
                starts(
                    field(name.replace("'", "_after"), with_sorts(_bounded(leaf.sort), swap)),
                    _held(env[name], leaf, swap),
                    "?",
                )
                for name, leaf in _leaves(example.expr).items()
            )
            model = Model("example", "?", (*_settings_of(example), brokers.size), fields, (), ())
            replaced = _over_fields(example.expr, swap)
            target = const(expected, replaced.sort) if replaced.sort != Bool else None
            condition = replaced if target is None else replaced.eq(target)
            wanted = expected if target is None else True
            result = explore(model, [Property("Example", "?", condition)])
            assert (result["Example"].verdict == "holds") == wanted, (example.name, env)


def _leaves(expr: Expr) -> dict[str, Expr]:
    from isrproof.model.evaluate import name_of
    from isrproof.model.expr import Op, free

    return {name_of(leaf): leaf for leaf in free(expr) if leaf.op is not Op.SETTING}


def _open_sorts(expr: Expr) -> set[Sort]:
    from isrproof.model.expr import topological

    found: set[Sort] = set()
    for node in topological(expr):
        sort: Any = node.sort
        for each in (sort, getattr(sort, "element", None)):
            if isinstance(each, OpenSort):
                found.add(each)
    return found


def _bounded(sort: Sort) -> Sort:
    return Int(-9, 20) if isinstance(sort, type(Int())) else sort


def _held(value: Any, leaf: Expr, swap: dict[Sort, Sort]) -> Expr:
    sort = with_sorts(_bounded(leaf.sort), swap)
    if type(sort).__name__ == "MapSort" and type(sort.key).__name__ == "FiniteSort":  # type: ignore[attr-defined]
        built = fill(sort, value[0])
        return built if len(set(value)) == 1 else _unequal_map(sort, value)
    return const(value, sort)


def _unequal_map(sort: Any, value: Any) -> Expr:
    built = fill(sort, value[0])
    for key, each in enumerate(value):
        built = built.put(key, each)
    return built


def _over_fields(expr: Expr, swap: dict[Sort, Sort]) -> Expr:
    from isrproof.model.expr import resort, substitute

    moved = resort(expr, swap)
    replacements = {}
    for name, leaf in _leaves(moved).items():
        replacements[leaf] = field(name.replace("'", "_after"), with_sorts(_bounded(leaf.sort), swap))
    return substitute(moved, replacements)


def _settings_of(example: Any) -> tuple[Setting, ...]:
    from isrproof.model.examples import REPLICAS

    assert SETTINGS == {"replicas": 3}
    return (REPLICAS,)
