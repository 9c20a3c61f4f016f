"""The Z3 reading agrees with the reference: on the table of examples, random expressions, and steps of all models."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from isrproof.checker.prove import smt
from isrproof.checker.prove.concrete import concrete
from isrproof.checker.prove.paths import Paths
from isrproof.checker.prove.reading import Domain, claim
from isrproof.model.action import Action, action
from isrproof.model.catalogue import model, models
from isrproof.model.errors import ImpossibleError
from isrproof.model.evaluate import evaluate, name_of
from isrproof.model.examples import EXAMPLES, REPLICAS, SETTINGS, Entry, Example, Replica
from isrproof.model.expr import (
    Expr,
    Op,
    both,
    const,
    either,
    exists,
    field,
    fill,
    forall,
    free,
    ite,
    record,
    set_of,
    setting,
    some,
    topological,
    var,
)
from isrproof.model.protocol import Model, starts
from isrproof.model.script import script_of
from isrproof.model.sorts import (
    Bool,
    BoolSort,
    Enum,
    FiniteSort,
    Int,
    IntSort,
    MapOf,
    MapSort,
    OptionOf,
    OptionSort,
    RecordSort,
    SeqOf,
    SeqSort,
    SetOf,
    SetSort,
    Sort,
    Value,
    elements,
)
from isrproof.model.step import Reference

BROKERS = {"Broker": range(10)}


def agrees(domain: Domain, expr: Expr, env: dict[str, Any], expected: Value) -> None:
    """With the fields as in `env` (and free symbols else), the expression can have, and must have, the value."""
    leaves = domain.symbols([expr])
    known = [claim(domain, shape, env[name_of(leaf)], leaf.sort) for leaf, shape in leaves.items()]
    says = claim(domain, domain.read(expr, leaves), expected, expr.sort)
    assert smt.ask([*known, says], 20, search=True).outcome == "sat"
    assert smt.ask([*known, smt.neg(says)], 20, search=True).outcome == "unsat"


@pytest.mark.full(every=3)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_z3_gives_the_value_of_the_table(example: Example) -> None:
    for env, expected in example.cases:
        agrees(Domain(SETTINGS, BROKERS), example.expr, env, expected)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_without_settings_only_counts_and_named_elements_are_refused(example: Example) -> None:
    domain = Domain({})
    used = {node.op for node in topological(example.expr)}
    if Op.SIZE in used or example.name == "set literal":
        with pytest.raises(ImpossibleError, match=r"a given number of elements|any number|no list of elements"):
            domain.read(example.expr, domain.symbols([example.expr]))
    else:
        domain.read(example.expr, domain.symbols([example.expr]))


def test_the_size_of_a_set_of_any_number_of_elements_is_a_function_of_its_members() -> None:
    one, two = field("one", SetOf(Replica)), field("two", SetOf(Replica))
    domain = Domain({})
    leaves = domain.symbols([one.size(), two.size()])
    asserted = domain.counting(Replica)

    def outcome(condition: Expr) -> str:
        return smt.ask([asserted, domain.read(condition, leaves)], 20, search=True, work=smt.FEW // 4).outcome

    assert outcome(one.eq(two) & one.size().ne(two.size())) == "unsat"
    assert outcome(one.is_empty() & (one.size() > 0)) == "unsat"
    assert outcome(one.ne(two) & one.size().ne(two.size())) != "unsat"


def test_two_majorities_have_a_member_in_common() -> None:
    """For any number of elements two halves need not, nor does a majority have any one element."""
    one, two, who = field("one", SetOf(Replica)), field("two", SetOf(Replica)), field("who", Replica)
    domain = Domain({})
    everyone, apart = setting(REPLICAS), one.intersect(two).is_empty()
    leaves = domain.symbols([one.size() + two.size(), who])

    def outcome(*conditions: Expr) -> str:
        asserted = [domain.counting(Replica), *(domain.read(each, leaves) for each in conditions)]
        return smt.ask(asserted, 20, search=True, work=smt.FEW // 4).outcome

    majorities = (everyone < one.size() + one.size(), everyone < two.size() + two.size())
    assert outcome(*majorities, apart) == "unsat"
    assert outcome(everyone < one.size() + two.size(), apart) == "unsat"
    assert outcome(everyone.eq(one.size() + two.size()), one.size().eq(two.size()), apart) != "unsat"
    assert outcome(*majorities, ~one.contains(who)) != "unsat"


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_what_is_believed_of_sizes_is_true_where_members_are_counted(count: int) -> None:
    """With a number of elements a size is a sum: there the same follows, and no more than it."""
    one, two = field("one", SetOf(Replica)), field("two", SetOf(Replica))
    domain = Domain({"replicas": count})
    together, apart = one.size() + two.size(), one.intersect(two).is_empty()
    leaves = domain.symbols([together])

    def outcome(condition: Expr) -> str:
        return smt.ask([domain.read(condition, leaves)], 20, search=True).outcome

    assert outcome((one.size() > 0) & one.is_empty()) == "unsat"
    assert outcome((setting(REPLICAS) < together) & apart) == "unsat"
    assert outcome(setting(REPLICAS).eq(together) & apart) == "sat"


# Random expressions

State = Enum("Mode", ("Idle", "Busy", "Gone"))
Number = Int(-2, 3)
SORTS: tuple[Sort, ...] = (
    Bool,
    Number,
    State,
    Replica,
    OptionOf(Replica),
    OptionOf(Entry),
    SetOf(Replica),
    Entry,
    MapOf(Replica, Number),
    MapOf(Int(0, 2), OptionOf(Replica)),
    SeqOf(Entry, 2),
)
FIELDS = [(field(f"f{index}_{copy}", sort)) for index, sort in enumerate(SORTS) for copy in range(2)]
SIZES = {"replicas": 2}


def values(sort: Sort) -> st.SearchStrategy[Any]:
    """Values of a sort."""
    return any_value(sort, SIZES)


def any_value(sort: Sort, sizes: Mapping[str, int]) -> st.SearchStrategy[Any]:
    """Values of a sort in an instance of these settings."""
    if isinstance(sort, OptionSort):
        return st.none() | any_value(sort.element, sizes)
    if isinstance(sort, SetSort):
        return st.frozensets(any_value(sort.element, sizes))
    if isinstance(sort, RecordSort):
        return st.tuples(*(any_value(each, sizes) for _, each in sort.fields))
    if isinstance(sort, MapSort):
        return st.tuples(*(any_value(sort.value, sizes) for _ in elements(sort.key, sizes)))
    if isinstance(sort, SeqSort):
        return st.lists(any_value(sort.element, sizes), max_size=2).map(tuple)
    return st.sampled_from(elements(sort, sizes))


@st.composite
def expressions(draw: st.DrawFn, sort: Sort, depth: int, scope: tuple[Expr, ...] = ()) -> Expr:
    """Expressions of a sort over the fields and the bound variables in scope."""

    def arg(of: Sort, more: tuple[Expr, ...] = ()) -> Expr:
        return draw(expressions(of, depth - 1, (*scope, *more)))

    leaves = [each for each in (*FIELDS, *scope) if each.sort == sort]
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        if leaves and draw(st.integers(0, 2)):
            return draw(st.sampled_from(leaves))
        return const(draw(values(sort)), sort)
    ways = ["ite", "leaf"]
    if isinstance(sort, BoolSort):
        ways += ["not", "and", "or", "implies", "eq", "le", "lt", "member", "subset", "empty", "none", "quantifier"] * 2
    elif isinstance(sort, IntSort):
        ways += ["add", "size", "length", "map", "field"]
    elif isinstance(sort, FiniteSort):
        ways += ["get"]
    elif isinstance(sort, OptionSort):
        ways += ["some", "at"] if sort.element == Entry else ["some", "map"]
    elif isinstance(sort, SetSort):
        ways += ["union", "minus", "intersect", "insert", "remove", "set", "set_of"]
    elif isinstance(sort, RecordSort):
        ways += ["record", "value"]
    elif isinstance(sort, MapSort):
        ways += ["fill", "put"]
    elif isinstance(sort, SeqSort):
        ways += ["append", "take", "drop"]
    way = draw(st.sampled_from(ways))
    members = SetOf(Replica)
    made: Expr
    if way == "leaf":
        made = draw(st.sampled_from(leaves)) if leaves else const(draw(values(sort)), sort)
    elif way == "ite":
        made = ite(arg(Bool), arg(sort), arg(sort))
    elif way == "not":
        made = ~arg(Bool)
    elif way == "and":
        made = both(arg(Bool), arg(Bool), arg(Bool))
    elif way == "or":
        made = either(arg(Bool), arg(Bool))
    elif way == "implies":
        made = arg(Bool).implies(arg(Bool))
    elif way == "eq":
        of = draw(st.sampled_from(SORTS))
        made = arg(of).eq(arg(of))
    elif way == "le":
        made = arg(Number) <= arg(Number)
    elif way == "lt":
        made = arg(Number) < arg(Number)
    elif way == "member":
        made = arg(members).contains(arg(Replica))
    elif way == "subset":
        made = arg(members).subset_of(arg(members))
    elif way == "empty":
        made = arg(members).is_empty()
    elif way == "none":
        made = arg(draw(st.sampled_from([OptionOf(Replica), OptionOf(Entry)]))).is_none()
    elif way == "quantifier":
        bound = var(f"v{len(scope)}", draw(st.sampled_from([Replica, Number, State])))
        made = draw(st.sampled_from([forall, exists]))(bound, arg(Bool, (bound,)))
    elif way == "add":
        made = arg(Number) + arg(Number)
    elif way == "size":
        made = arg(members).size()
    elif way == "length":
        made = arg(SeqOf(Entry, 2)).length()
    elif way == "map":
        key = draw(st.sampled_from([Number])) if isinstance(sort, OptionSort) else Replica
        owner = MapOf(Int(0, 2), OptionOf(Replica)) if isinstance(sort, OptionSort) else MapOf(Replica, Number)
        made = arg(owner)[arg(key)]
    elif way == "field":
        made = arg(Entry)["epoch"]
    elif way == "get":
        made = arg(OptionOf(Replica)).get(arg(Replica))
    elif way == "some":
        assert isinstance(sort, OptionSort)
        made = some(arg(sort.element))
    elif way == "at":
        made = arg(SeqOf(Entry, 2)).at(arg(Number))
    elif way == "set":
        made = arg(OptionOf(Replica)).set()
    elif way == "set_of":
        bound = var(f"v{len(scope)}", Replica)
        made = set_of(bound, arg(Bool, (bound,)))
    elif way == "union":
        made = arg(members).union(arg(members))
    elif way == "minus":
        made = arg(members).minus(arg(members))
    elif way == "intersect":
        made = arg(members).intersect(arg(members))
    elif way == "insert":
        made = arg(members).insert(arg(Replica))
    elif way == "remove":
        made = arg(members).remove(arg(Replica))
    elif way == "record":
        made = record(Entry, id=arg(Number), epoch=arg(Number))
    elif way == "value":
        made = arg(OptionOf(Entry)).value
    elif way == "fill":
        assert isinstance(sort, MapSort)
        made = fill(sort, arg(sort.value))
    elif way == "put":
        assert isinstance(sort, MapSort)
        made = arg(sort).put(arg(Number if isinstance(sort.key, IntSort) else Replica), arg(sort.value))
    elif way == "append":
        made = arg(sort).append(arg(Entry))
    elif way == "drop":
        made = arg(sort).drop(arg(Number))
    else:
        made = arg(sort).take(arg(Number))
    return made


@pytest.mark.full
@settings(max_examples=150)
@given(st.data())
def test_z3_agrees_with_the_reference_on_random_expressions(data: st.DataObject) -> None:
    sort = data.draw(st.sampled_from(SORTS))
    expr = data.draw(expressions(sort, 3))
    env = {name_of(leaf): data.draw(values(leaf.sort)) for leaf in sorted(free(expr), key=repr)}
    agrees(Domain(SIZES), expr, env, evaluate(expr, {**env, **SIZES}))


# Steps

PARAMS = (var("who", Replica), var("number", Number))
Successors = set[tuple[str, tuple[tuple[str, Value], ...], tuple[Value, ...] | None]]


def by_reference(reference: Reference, state: tuple[Value, ...]) -> Successors:
    """Action, parameters and new state of every step; no state where a new value is out of its range."""
    return {
        (each.action, tuple(sorted(each.params.items())), None if each.overflows else each.state)
        for each in reference.successors(state)
    }


def by_solver(paths: Paths, state: tuple[Value, ...], overflows: Successors) -> Successors:
    """The same, as the solver lists them: one assignment of the parameters after the other, until there is none."""
    domain, fields = paths.domain, paths.instance.model.fields
    held = [paths.state(0)[each.expr] for each in fields]
    is_state = [claim(domain, shape, value, each.sort) for shape, value, each in zip(held, state, fields, strict=True)]
    out_of_range = {(action, params) for action, params, _ in overflows}
    found: Successors = set()
    for step in paths.steps(0):
        solver = z3.Solver()
        solver.add(*is_state, *(smt.boolean(each) for each in step.guard))
        while solver.check() == z3.sat:
            given = solver.model()
            chosen = {each: concrete(domain, given, term, each.sort) for each, term in step.params.items()}
            params = tuple(sorted((str(each.data), value) for each, value in chosen.items()))
            later: tuple[Value, ...] | None = None
            if (step.action.name, params) not in out_of_range:
                later = tuple(concrete(domain, given, step.later[each.expr], each.sort) for each in fields)
            found.add((step.action.name, params, later))
            taken = (
                smt.scalar_eq(step.params[each], domain.literal(value, each.sort)) for each, value in chosen.items()
            )
            solver.add(smt.boolean(smt.neg(smt.conj(*taken))))
    return found


def same_successors(reference: Reference, paths: Paths, state: tuple[Value, ...]) -> None:
    expected = by_reference(reference, state)
    assert by_solver(paths, state, {each for each in expected if each[2] is None}) == expected


@st.composite
def random_actions(draw: st.DrawFn, name: str) -> Action:
    """An action over some of the fields; its new values may leave their ranges."""
    params = draw(st.sampled_from([(), PARAMS[:1], PARAMS]))
    guard = {"first": draw(expressions(Bool, 2, params)), "second": draw(expressions(Bool, 2, params))}
    targets = draw(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=4, unique=True))
    return action(
        name,
        "Random.",
        *params,
        guard=guard,
        updates={each: draw(expressions(each.sort, 2, params)) for each in targets},
    )


@pytest.mark.full
@settings(max_examples=60)
@given(st.data())
def test_z3_takes_the_steps_of_the_reference_in_random_models(data: st.DataObject) -> None:
    fields = tuple(starts(each, const(data.draw(values(each.sort)), each.sort), "random") for each in FIELDS)
    chosen = tuple(data.draw(random_actions(f"A{index}")) for index in range(2))
    instance = Model("random", "Random.", (REPLICAS,), fields, chosen, ()).instance(**SIZES)
    reference = Reference(instance)
    same_successors(reference, Paths(instance), reference.initial())


@cache
def small(name: str) -> tuple[Reference, Paths]:
    """A small instance of a model of Kafka with the ghosts of its lemmas, ready to be executed in both ways."""
    found = script_of(model(name)).model
    instance = found.instance(**dict.fromkeys((each.name for each in found.settings), 2))
    return Reference(instance), Paths(instance)


@pytest.mark.full
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("name", models())
@settings(max_examples=12)
@given(data=st.data())
def test_z3_takes_the_steps_of_the_reference_in_the_models_of_kafka(name: str, data: st.DataObject) -> None:
    """From states on random walks, which are reachable, and from any states."""
    reference, paths = small(name)
    state = reference.initial()
    for _ in range(data.draw(st.integers(0, 12))):
        steps = [each for each in reference.successors(state) if not each.overflows]
        if not steps:
            break
        state = data.draw(st.sampled_from(steps)).state
    same_successors(reference, paths, state)
    fields, sizes = reference.instance.model.fields, reference.instance.settings
    same_successors(reference, paths, tuple(data.draw(any_value(each.sort, sizes)) for each in fields))
