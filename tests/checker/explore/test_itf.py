"""ITF output against the rules of the format (Apalache's ADR-015), and against the path that it writes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from isrproof.checker.explore import report
from isrproof.checker.explore.run import explore
from isrproof.model.action import action
from isrproof.model.expr import const, field, some, true
from isrproof.model.property import Property
from isrproof.model.protocol import Model, starts
from isrproof.model.sorts import (
    Bool,
    Enum,
    EnumSort,
    Int,
    MapOf,
    MapSort,
    OptionOf,
    OptionSort,
    RecordSort,
    SeqSort,
    SetOf,
    SetSort,
    Settings,
    Sort,
    Value,
    elements,
)

Colour = Enum("Colour", ("red", "green"))
lamp, lit = field("lamp", Colour), field("lit", Bool)
past, degrees = field("past", SetOf(Colour)), field("degrees", MapOf(Colour, OptionOf(Int(-9, 9))))
LAMP = Model(
    "lamp",
    "What the replication models do not have: enums, truth values, negative numbers.",
    (),
    (
        starts(lamp, "red", "?"),
        starts(lit, False, "?"),
        starts(past, frozenset(), "?"),
        starts(degrees, [None] * 2, "?"),
    ),
    (
        action(
            "Switch",
            "It becomes green.",
            guard={"always": true},
            updates={lamp: "green", lit: true, past: past.insert(lamp), degrees[lamp]: some(const(-7, Int()))},
        ),
    ),
    (Property("StaysRed", "It is red.", lamp.eq("red")),),
)


def _check(shown: Any) -> None:
    """The grammar of expressions: no JSON number, no null, and no key with # that is not of the format."""
    if isinstance(shown, list):
        for each in shown:
            _check(each)
    elif isinstance(shown, dict):
        special = [key for key in shown if key.startswith("#")]
        if not special:
            for each in shown.values():
                _check(each)
            return
        assert list(shown) == special
        (kind,) = special
        if kind == "#bigint":
            assert re.fullmatch(r"-?[0-9]+", shown[kind])
        elif kind == "#map":
            assert all(len(pair) == 2 for pair in shown[kind])
            keys = [json.dumps(key) for key, _ in shown[kind]]
            assert len(set(keys)) == len(keys)
            _check([each for pair in shown[kind] for each in pair])
        else:
            assert kind in ("#set", "#tup")
            assert isinstance(shown[kind], list)
            _check(shown[kind])
    else:
        assert isinstance(shown, str | bool)


def _value(shown: Any, sort: Sort, settings: Settings) -> Value:
    """The value of the reference that is shown."""
    if isinstance(sort, OptionSort):
        return _value(shown[0], sort.element, settings) if shown else None
    if isinstance(sort, SetSort):
        return frozenset(_value(each, sort.element, settings) for each in shown["#set"])
    if isinstance(sort, SeqSort):
        return tuple(_value(each, sort.element, settings) for each in shown)
    if isinstance(sort, RecordSort):
        assert list(shown) == [name for name, _ in sort.fields]
        return tuple(_value(shown[name], inner, settings) for name, inner in sort.fields)
    if isinstance(sort, MapSort):
        pairs = [(_value(key, sort.key, settings), _value(each, sort.value, settings)) for key, each in shown["#map"]]
        assert [key for key, _ in pairs] == list(elements(sort.key, settings))
        return tuple(each for _, each in pairs)
    return shown if isinstance(sort, EnumSort) or sort == Bool else int(shown["#bigint"])


SMALL = {"log_size": 1, "max_records": 1}


@pytest.mark.parametrize(
    ("chosen", "name", "settings"),
    [
        (LAMP, "StaysRed", {}),
        ("kip101", "WeakIsr", {"replicas": 2}),
        ("kip497-committed-isr-only", "StrongIsr", SMALL),
        ("last-replica-standing", "NoAcknowledgedRecordLost", {**SMALL, "max_leader_epoch": 3}),
    ],
)
def test_a_trace_keeps_the_rules_and_tells_the_path(chosen: Any, name: str, settings: dict[str, int]) -> None:
    path = explore(chosen, [name], until_decided=True, **settings)[name].path
    assert path is not None
    trace = json.loads(json.dumps(report.itf(path, "it"), allow_nan=False))
    assert set(trace) <= {"#meta", "params", "vars", "states", "loop"}
    assert isinstance(trace["#meta"], dict)
    assert trace["params"] == []
    fields = path.instance.model.fields
    assert trace["vars"] == [each.name for each in fields]
    assert not [each for each in trace["vars"] if each.startswith("#")]
    assert [state.pop("#meta")["index"] for state in trace["states"]] == list(range(path.length))
    for shown, state in zip(trace["states"], path.states, strict=True):
        assert list(shown) == trace["vars"]
        _check(list(shown.values()))
        values = [_value(shown[each.name], each.sort, path.instance.settings) for each in fields]
        assert tuple(values) == state


def test_values_as_they_are_shown() -> None:
    path = explore(LAMP)["StaysRed"].path
    assert path is not None
    state = report.itf(path, "lamp")["states"][1]
    assert (state["lamp"], state["lit"], state["past"]) == ("green", True, {"#set": ["red"]})
    assert state["degrees"] == {"#map": [["red", [{"#bigint": "-7"}]], ["green", []]]}
