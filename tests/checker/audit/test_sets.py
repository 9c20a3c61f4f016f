"""Columns of sets of brokers answer as Python's sets do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.checker.audit.table.arrays import Dictionary
from isrproof.checker.audit.table.sets import Sets, answered

BROKERS = st.frozensets(st.integers(0, 12) | st.sampled_from([-(2**63), 2**63 - 1]), max_size=10)
TEXTS = st.frozensets(st.sampled_from("abc"), max_size=3)
OF_SETS: dict[str, Callable[[Any, Any], Any]] = {
    "subset": lambda a, b: a <= b,
    "union": lambda a, b: a | b,
    "minus": lambda a, b: a - b,
    "intersect": lambda a, b: a & b,
}
WITH_MEMBER: dict[str, Callable[[Any, Any], Any]] = {
    "member": lambda a, id: id in a,
    "insert": lambda a, id: a | {id},
    "remove": lambda a, id: a - {id},
}


def shown(dictionary: Dictionary, values: np.ndarray) -> list[Any]:
    found = values.tolist()
    return found if values.dtype == bool else [frozenset(dictionary.values[each]) for each in found]


def index(dictionary: Dictionary, members: frozenset[Any]) -> int:
    return dictionary.index(tuple(sorted(members)))


@pytest.mark.parametrize("operator", OF_SETS)
@given(pairs=st.lists(st.tuples(BROKERS, BROKERS) | st.tuples(TEXTS, TEXTS), max_size=8), before=st.lists(BROKERS))
def test_two_sets(operator: str, pairs: list[tuple[Any, Any]], before: list[Any]) -> None:
    dictionary = Dictionary()
    dictionary.index("a text")
    sets = Sets(dictionary)
    sets.size(np.array([index(dictionary, each) for each in before], dtype=np.int64))
    a, b = (np.array([index(dictionary, pair[i]) for pair in pairs], dtype=np.int64) for i in (0, 1))
    asked = OF_SETS[operator]

    def of_python(rows: np.ndarray) -> list[Any]:
        found = [asked(*pairs[row]) for row in rows.tolist()]
        return [each if isinstance(each, bool) else index(dictionary, each) for each in found]

    found = answered(getattr(sets, operator)(a, b), of_python)
    assert shown(dictionary, found) == [asked(*pair) for pair in pairs]


@pytest.mark.parametrize("operator", WITH_MEMBER)
@given(pairs=st.lists(st.tuples(BROKERS, st.integers(0, 12)), max_size=8))
def test_a_set_and_a_member(operator: str, pairs: list[tuple[Any, int]]) -> None:
    dictionary = Dictionary()
    a = np.array([index(dictionary, members) for members, _ in pairs], dtype=np.int64)
    ids = np.array([id for _, id in pairs], dtype=np.int64)
    asked = WITH_MEMBER[operator]

    def of_python(rows: np.ndarray) -> list[Any]:
        found = [asked(*pairs[row]) for row in rows.tolist()]
        return [each if isinstance(each, bool) else index(dictionary, each) for each in found]

    found = answered(getattr(Sets(dictionary), operator)(a, ids), of_python)
    assert shown(dictionary, found) == [asked(*pair) for pair in pairs]


@given(several=st.lists(BROKERS | TEXTS, max_size=8))
def test_one_set(several: list[Any]) -> None:
    dictionary = Dictionary()
    sets = Sets(dictionary)
    a = np.array([index(dictionary, members) for members in several], dtype=np.int64)
    sizes, sure = sets.size(a)
    assert sizes.tolist() == [len(members) for members in several]
    assert sure.all()
    empty, sure = sets.is_empty(a)
    assert empty.tolist() == [not members for members in several]
    assert sure.all()


def test_small_sets_of_brokers_are_answered_without_python() -> None:
    dictionary = Dictionary()
    sets = Sets(dictionary)
    a, b, texts = (np.array([dictionary.index(each)]) for each in ((1, 2), (1, 2, 3), ("a", "b")))
    for operator in (sets.subset, sets.minus, sets.union, sets.intersect):
        assert all(operator(a, b)[1])
    assert not any(sets.subset(texts, texts)[1])
    assert not any(sets.minus(b, a)[1])  # {3}: no set that was asked about
