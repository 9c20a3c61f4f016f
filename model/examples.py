"""The table of examples: an expression, environments, and the value that every reading must give.

Every operator is in it. A reading's test walks the table; where the reading cannot have an operator it says so by name
(`Reading.operator` raises), and the test counts on exactly that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .expr import (
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
    mapped,
    minimum,
    record,
    set_of,
    setting,
    some,
    true,
    var,
)
from .sorts import (
    Bool,
    Enum,
    Finite,
    Int,
    MapOf,
    OptionOf,
    Record,
    SeqOf,
    SetOf,
    Setting,
    Value,
)
from .views import Broker

REPLICAS = Setting("replicas", 3, "the number of replicas", at_least=1)
SETTINGS = {"replicas": 3}

Replica = Finite("Replica", REPLICAS)
State = Enum("State", ("New", "Online", "Offline"))
Release = Enum("Release", ("R1", "R2", "R3"))
Entry = Record("Entry", id=Int(0, 7), epoch=Int(0, 7))
Log = SeqOf(Entry, 2)
Epoch = Int(0, 2)

a, b = field("a", Bool), field("b", Bool)
i, j = field("i", Int(-4, 9)), field("j", Int(-4, 9))
state, other = field("state", State), field("other", State)
leader, isr, replicas = field("leader", OptionOf(Broker)), field("isr", SetOf(Broker)), field("assigned", SetOf(Broker))
broker = field("broker", Broker)
member, members = field("member", Replica), field("members", SetOf(Replica))
hw = field("hw", MapOf(Replica, Int(0, 7)))
log = field("log", Log)
entry = field("entry", Entry)
requests = field("requests", MapOf(Epoch, OptionOf(Entry)))
r = var("r", Replica)
e = var("e", Epoch)

VALID_IN = const(
    {
        "New": {"New": [], "Online": ["R1", "R2", "R3"], "Offline": ["R1", "R2", "R3"]},
        "Online": {"New": [], "Online": ["R1", "R2", "R3"], "Offline": ["R1", "R2", "R3"]},
        "Offline": {"New": ["R3"], "Online": ["R1", "R2", "R3"], "Offline": ["R2"]},
    },
    MapOf(State, MapOf(State, SetOf(Release))),
)


@dataclass(frozen=True)
class Example:
    """An expression and what it is worth.

    `cases`: (environment, value); the settings are `SETTINGS`, and each environment gives every field that is read.
    """

    name: str
    expr: Expr
    cases: tuple[tuple[dict[str, Any], Value], ...]


def _cases(names: str, *rows: tuple[Any, ...]) -> tuple[tuple[dict[str, Any], Value], ...]:
    return tuple((dict(zip(names.split(), row[:-1], strict=True)), row[-1]) for row in rows)


def _set(*values: Any) -> frozenset[Any]:
    return frozenset(values)


EXAMPLES: tuple[Example, ...] = (
    Example("literal", true, _cases("", (True,))),
    Example("not", ~a, _cases("a", (True, False), (False, True))),
    Example("and", a & b, _cases("a b", (True, True, True), (True, False, False), (False, True, False))),
    Example("and of three", both(a, b, i <= 2), _cases("a b i", (True, True, 2, True), (True, True, 3, False))),
    Example("or", a | b, _cases("a b", (False, False, False), (True, False, True), (False, True, True))),
    Example("or of none", either(), _cases("", (False,))),
    Example("implies", a.implies(b), _cases("a b", (True, False, False), (False, False, True), (True, True, True))),
    Example("eq of Bools", a.eq(b), _cases("a b", (False, False, True), (True, False, False))),
    Example("eq of Ints", i.eq(j), _cases("i j", (3, 3, True), (3, -3, False))),
    Example("eq of enums", state.eq(other), _cases("state other", ("New", "New", True), ("New", "Online", False))),
    Example("enum literal", state.eq("Offline"), _cases("state", ("Offline", True), ("New", False))),
    Example("ne", state.ne("Offline"), _cases("state", ("Offline", False), ("New", True))),
    Example("le", i <= j, _cases("i j", (2, 2, True), (3, 2, False), (-4, 2, True))),
    Example("lt", i < j, _cases("i j", (2, 2, False), (1, 2, True), (2, -1, False))),
    Example("add", i + j, _cases("i j", (2, 3, 5), (-4, -4, -8), (9, 9, 18))),
    Example("add a number", (i - 1).eq(j), _cases("i j", (1, 0, True), (0, -1, True), (0, 0, False))),
    Example("if", ite(a, i, j), _cases("a i j", (True, 1, 2, 1), (False, 1, 2, 2))),
    Example("minimum", minimum(i, j), _cases("i j", (1, 2, 1), (2, -1, -1), (3, 3, 3))),
    Example("setting", setting(REPLICAS) <= i, _cases("i", (3, True), (2, False))),
    Example(
        "leader in isr",
        leader.set().subset_of(isr),
        _cases(
            "leader isr",
            (None, _set(), True),
            (1, _set(1, 2), True),
            (3, _set(1, 2), False),
            (3, _set(), False),
            (0, _set(0), True),
        ),
    ),
    Example("member", isr.contains(broker), _cases("broker isr", (1, _set(1, 2), True), (0, _set(1, 2), False))),
    Example(
        "subset",
        isr.subset_of(replicas),
        _cases(
            "isr assigned",
            (_set(), _set(), True),
            (_set(1), _set(1, 2), True),
            (_set(1, 3), _set(1, 2), False),
        ),
    ),
    Example("union", isr.union(replicas), _cases("isr assigned", (_set(1), _set(2, 1), _set(1, 2)))),
    Example("minus", isr.minus(replicas), _cases("isr assigned", (_set(1, 3), _set(2, 1), _set(3)))),
    Example("intersect", isr.intersect(replicas), _cases("isr assigned", (_set(1, 3), _set(2, 1), _set(1)))),
    Example(
        "intersects",
        isr.intersects(replicas),
        _cases("isr assigned", (_set(1, 3), _set(2, 1), True), (_set(3), _set(1), False), (_set(), _set(), False)),
    ),
    Example("insert", isr.insert(broker), _cases("broker isr", (1, _set(), _set(1)), (1, _set(1), _set(1)))),
    Example("remove", isr.remove(broker), _cases("broker isr", (1, _set(), _set()), (1, _set(1, 2), _set(2)))),
    Example("is empty", isr.is_empty(), _cases("isr", (_set(), True), (_set(7), False))),
    Example("size", isr.size(), _cases("isr", (_set(), 0), (_set(7, 9), 2))),
    Example(
        "eq of sets", isr.eq(replicas), _cases("isr assigned", (_set(1, 2), _set(2, 1), True), (_set(1), _set(), False))
    ),
    Example("set literal", members.eq({0, 2}), _cases("members", (_set(0, 2), True), (_set(0), False))),
    Example(
        "full set", full(Replica).minus(members), _cases("members", (_set(0, 2), _set(1)), (_set(), _set(0, 1, 2)))
    ),
    Example("full set of an enum", full(State).contains(state), _cases("state", ("New", True))),
    Example("some", some(broker).eq(leader), _cases("broker leader", (1, 1, True), (1, None, False), (1, 2, False))),
    Example("is none", leader.is_none(), _cases("leader", (None, True), (0, False))),
    Example("is some", leader.is_some(), _cases("leader", (None, False), (0, True))),
    Example("get", leader.get(broker), _cases("leader broker", (None, 5, 5), (0, 5, 0), (3, 5, 3))),
    Example(
        "eq of options",
        leader.eq(after(leader)),
        _cases("leader leader'", (None, None, True), (None, 1, False), (1, 1, True)),
    ),
    Example("set of an option", leader.set(), _cases("leader", (None, _set()), (4, _set(4)))),
    Example("after", i <= after(i), _cases("i i'", (1, 2, True), (2, 1, False))),
    Example("record", record(Entry, id=i, epoch=2), _cases("i", (1, (1, 2)))),
    Example("record field", entry["epoch"], _cases("entry", ((1, 2), 2))),
    Example("record changed", entry.changed(id=0), _cases("entry", ((1, 2), (0, 2)))),
    Example("eq of records", entry.eq(record(Entry, id=1, epoch=2)), _cases("entry", ((1, 2), True), ((1, 3), False))),
    Example("map fill", fill(hw.sort, 3), _cases("", ((3, 3, 3),))),
    Example(
        "map of a value for each key",
        mapped(r, ite(members.contains(r), hw[r] + 1, i)),
        _cases("members hw i", (_set(0, 2), (1, 5, 1), 7, (2, 7, 2)), (_set(), (0, 0, 0), 1, (1, 1, 1))),
    ),
    Example(
        "map of maps",
        mapped(e, mapped(r, hw[r].eq(e))),
        _cases(
            "hw",
            ((0, 1, 2), ((True, False, False), (False, True, False), (False, False, True))),
        ),
    ),
    Example(
        "the elements for which a condition holds",
        set_of(r, hw[r] < i),
        _cases("hw i", ((1, 5, 1), 2, _set(0, 2)), ((1, 5, 1), 1, _set()), ((0, 0, 0), 9, _set(0, 1, 2))),
    ),
    Example(
        "the elements of a range",
        set_of(e, exists(r, hw[r].eq(e))),
        _cases("hw", ((0, 2, 2), _set(0, 2)), ((1, 1, 7), _set(1))),
    ),
    Example("map get", hw[member], _cases("hw member", ((1, 2, 3), 2, 3), ((1, 2, 3), 0, 1))),
    Example("map put", hw.put(member, i), _cases("hw member i", ((1, 2, 3), 1, 5, (1, 5, 3)))),
    Example(
        "map beyond its keys",
        requests[i],
        _cases(
            "requests i", ((None, (1, 1), None), 1, (1, 1)), ((None, (1, 1), None), 3, None), (((0, 1),) * 3, -1, None)
        ),
    ),
    Example("put beyond the keys", requests.put(i, None), _cases("requests i", (((1, 1),) * 3, 3, ((1, 1),) * 3))),
    Example("look-up", VALID_IN[state]["New"], _cases("state", ("New", _set()), ("Offline", _set("R3")))),
    Example(
        "look-up in two steps",
        VALID_IN[state][other].contains("R2"),
        _cases("state other", ("New", "New", False), ("Offline", "Offline", True), ("New", "Online", True)),
    ),
    Example("length", log.length(), _cases("log", ((), 0), (((1, 1), (2, 1)), 2))),
    Example(
        "at",
        log.at(i),
        _cases("log i", (((1, 1), (2, 1)), 1, (2, 1)), (((1, 1),), 1, None), (((1, 1),), -1, None), ((), 0, None)),
    ),
    Example("value of at", log.at(i).value["epoch"], _cases("log i", (((1, 1),), 0, 1), (((1, 1),), 1, 0))),
    Example("append", log.append(entry), _cases("log entry", (((1, 1),), (2, 2), ((1, 1), (2, 2))))),
    Example(
        "take",
        log.take(i),
        _cases(
            "log i",
            (((1, 1), (2, 1)), 1, ((1, 1),)),
            (((1, 1), (2, 1)), 0, ()),
            (((1, 1),), 5, ((1, 1),)),
            (((1, 1), (2, 1)), -1, ()),
        ),
    ),
    Example(
        "drop",
        log.drop(i),
        _cases(
            "log i",
            (((1, 1), (2, 1)), 1, ((2, 1),)),
            (((1, 1), (2, 1)), 0, ((1, 1), (2, 1))),
            (((1, 1),), 5, ()),
            (((1, 1),), -1, ((1, 1),)),
        ),
    ),
    Example(
        "put behind the first",
        log.drop(1).append(entry),
        _cases("log entry", (((1, 1), (2, 1)), (3, 1), ((2, 1), (3, 1))), ((), (3, 1), ((3, 1),))),
    ),
    Example("eq of sequences", log.take(1).eq(log), _cases("log", (((1, 1),), True), (((1, 1), (1, 1)), False))),
    Example(
        "every",
        forall(r, members.contains(r).implies(hw[r].eq(i))),
        _cases(
            "members hw i",
            (_set(0, 2), (1, 5, 1), 1, True),
            (_set(1), (1, 5, 1), 1, False),
            (_set(), (0, 0, 0), 1, True),
        ),
    ),
    Example("some of", exists(r, hw[r] < i), _cases("hw i", ((1, 2, 3), 2, True), ((2, 2, 3), 2, False))),
    Example(
        "every of some",
        forall(r, exists(e, hw[r].eq(e))),
        _cases("hw", ((0, 1, 2), True), ((0, 3, 2), False)),
    ),
)
