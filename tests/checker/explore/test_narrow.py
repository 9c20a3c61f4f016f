"""Plain Python and NumPy are two readings of one program: a search gives the same with either."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isrproof.checker.explore.program import program
from isrproof.checker.explore.search import Found, Search
from isrproof.checker.explore.symmetry import orbits
from isrproof.model.action import action
from isrproof.model.catalogue import model
from isrproof.model.expr import field, ite, true
from isrproof.model.property import Property
from isrproof.model.protocol import Model, starts
from isrproof.model.sorts import Int, Setting
from isrproof.model.step import Reference


def _search(name: str, narrow: bool, symmetry: bool, wide: int = 1 << 15, **values: int) -> tuple[Found, Search]:
    chosen = model(name)
    translated = program(chosen.instance(**values), chosen.properties)
    limit = 10**9 if narrow else 0
    search = Search(translated, narrow=limit, narrow_levels=0, wide=wide)
    initial = translated.packing.pack(Reference(chosen.instance(**values)).initial())
    found = orbits(translated.packing) if symmetry else None
    return search.run(initial, orbits=found), search


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("name", ["kip101", "kip320-first-try", "kip966"])
def test_both_engines_find_the_same(name: str, symmetry: bool) -> None:
    values = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 2}
    wide, table = _search(name, False, symmetry, **values)
    narrow, other = _search(name, True, symmetry, **values)
    assert other.expand_one is not None
    assert table.expand_one is None
    for each in ("distinct", "searched", "generated", "depth", "deadlocks", "taken", "levels", "overflow", "stopped"):
        assert getattr(wide, each) == getattr(narrow, each), each
    assert {prop: hit.length for prop, hit in wide.hits.items()} == {
        prop: hit.length for prop, hit in narrow.hits.items()
    }
    states = [{each.packed(at) for at in range(wide.searched)} for each in (table, other)]
    assert states[0] == states[1]


@pytest.mark.parametrize("name", ["kip101", "kip320-first-try", "unclean-election"])
def test_what_is_decided_is_watched_no_more(name: str) -> None:
    values = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 2}
    found, whole = _search(name, False, False, **values)
    again, less = _search(name, False, False, wide=1, **values)
    assert again == found
    watched = {each.prop for each in less.program.state_watches}
    watched |= {watch.prop for move in less.program.moves for watch in move.watches}
    decided = {prop for prop, hit in found.hits.items() if hit.length < found.depth}
    assert decided
    assert not decided & watched
    assert len(whole.program.state_watches) > len(less.program.state_watches)


def test_a_long_narrow_search_is_quick() -> None:
    top = Setting("top", 3000, "where the counter ends")
    count = field("count", Int(0, top))
    grow = action(
        "Grow", "One more.", guard={"always": true}, limits={"below the top": count < top}, updates={count: count + 1}
    )
    counter = Model(
        "counter", "A number grows.", (top,), (starts(count, 0, "?"),), (grow,), (Property("Below", "?", count < 2999),)
    )
    translated = program(counter.instance(), counter.properties)
    search = Search(translated)
    found = search.run(0)
    assert (found.distinct, found.depth, found.hits[0].length) == (3001, 3001, 3000)
    assert search.expand_one is not None


@settings(max_examples=40)
@given(st.data())
def test_random_counters_overflow_alike(data: Any) -> None:
    low, high = data.draw(st.integers(-3, 0)), data.draw(st.integers(1, 6))
    a, b = field("a", Int(low, high)), field("b", Int(low, high))
    steps = st.integers(low - high, high - low)  # a larger one would never fit, which is refused at definition
    step = data.draw(steps)
    actions = (
        action("A", "?", guard={"g": (a <= b) | (b < data.draw(st.integers(low, high)))}, updates={a: a + step, b: a}),
        action("B", "?", guard={"g": a < b}, updates={b: ite(a.eq(b), a, b + data.draw(steps))}),
        action("C", "?", guard={"g": b <= a}, updates={b: b + 1}),
    )
    two = Model("two", "?", (), (starts(a, 0, "?"), starts(b, 0, "?")), actions, ())
    results = []
    for narrow in (0, 10**9):
        translated = program(two.instance(), [])
        search = Search(translated, narrow=narrow, narrow_levels=0)
        found = search.run(translated.packing.pack((0, 0)))
        results.append((found.distinct, found.generated, found.taken, found.overflow and found.overflow.length))
    assert results[0] == results[1]
