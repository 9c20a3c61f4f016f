"""Readings of sorts: each has a row for each class of sorts, or refuses it with its name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from isrproof.model.errors import ModelError, SortError
from isrproof.model.sorts import (
    SORTS,
    Bool,
    BySort,
    Enum,
    Finite,
    Int,
    MapOf,
    Open,
    OptionOf,
    Record,
    SeqOf,
    SetOf,
    Setting,
    Sort,
    with_inner,
)

ROOT = Path(__file__).parents[2]
FOLDERS = ("model", "checker/explore", "checker/prove", "checker/conformance")
REPLICA = Finite("Replica", Setting("replicas", 3, "Replicas."))
EACH = (
    Bool,
    Int(0, 3),
    Enum("Colour", ("red", "green")),
    REPLICA,
    Open("Broker"),
    SetOf(REPLICA),
    OptionOf(Int()),
    Record("Entry", id=Int(0), by=REPLICA),
    MapOf(REPLICA, Bool),
    SeqOf(Int(), 3),
)
"""A sort of each class."""
_INNER = {"SetSort", "OptionSort", "RecordSort", "MapSort", "SeqSort"}
REFUSED = {
    ("model.sorts._ELEMENTS", "OpenSort"),
    *(("model.sorts._ELEMENTS", each) for each in _INNER),
    *(("model.sorts._DEFAULT", each) for each in ("FiniteSort", "OpenSort", "MapSort")),
    ("checker.conformance.names._PRINTED", "RecordSort"),
    ("checker.explore.flatten._VALUE", "OpenSort"),
    ("checker.explore.packing._SHAPE", "OpenSort"),
    ("checker.explore.tla._VALUE", "OpenSort"),
    *((f"checker.explore.tla.{name}", each) for name in ("_DOMAIN", "_KEY") for each in ("OpenSort", *_INNER)),
    *(("checker.prove.sorts._Z3_SORT", each) for each in _INNER),
    *(
        ("checker.prove.types._IN_RANGE", each)
        for each in ("BoolSort", "EnumSort", "FiniteSort", "OpenSort", "SetSort")
    ),
}
"""The readings with the sorts that they cannot have."""


def readings() -> Iterator[tuple[str, BySort[object]]]:
    """The readings of sorts of the language, the explorer, the prover and validate, by their names."""
    pytest.importorskip("z3")
    for path in (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))):
        if "BySort(" in path.read_text("utf-8"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found = vars(importlib.import_module(f"isrproof.{module}")).items()
            yield from ((f"{module}.{name}", each) for name, each in found if isinstance(each, BySort))


def test_each_class_of_sorts_is_known() -> None:
    assert [type(each) for each in EACH] == list(SORTS)
    assert set(Sort.__subclasses__()) == set(SORTS)


def test_each_reading_has_each_sort_or_refuses_it_with_its_name() -> None:
    found = list(readings())
    assert len(found) > 15
    refused = {(name, kind.__name__) for name, table in found for kind in SORTS if kind not in table}
    assert refused == REFUSED
    for name, table in found:
        for sort in (each for each in EACH if type(each) not in table):
            with pytest.raises(ModelError) as error:
                table[type(sort)](sort)
            assert str(sort) in str(error.value), name


def test_a_missing_row_and_another_thing_than_a_sort_are_refused() -> None:
    table: BySort[str] = BySort({type(Bool): lambda sort: "a truth value"}, "no {sort} here")
    assert table[type(Bool)](Bool) == "a truth value"
    with pytest.raises(SortError, match="no Replica here"):
        table[type(REPLICA)](REPLICA)
    with pytest.raises(SortError, match="expected a sort of the language, got a str"):
        table[str]("Replica")  # type: ignore[index]


def test_the_sorts_inside_a_sort() -> None:
    entry = Record("Entry", id=Int(0), by=OptionOf(REPLICA))
    assert list(with_inner(MapOf(Bool, entry))) == [MapOf(Bool, entry), Bool, entry, Int(0), OptionOf(REPLICA), REPLICA]
