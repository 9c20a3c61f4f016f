"""Columns in memory give the reports that plain rows give."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isrproof.checker.audit.table.protocol import Column, Row, Table
from isrproof.checker.audit.table.rows import PythonTable
from isrproof.model.expr import const, field, ite
from isrproof.model.sorts import Bool, Int, OptionOf
from isrproof.model.views import Broker

from tests.doubled import doubled
from tests.engines import columns, reference
from tests.histories import history, save, texts, with_faults
from tests.recordings import RECORDED

pytest.importorskip("numpy", reason="columns in memory need NumPy")

RELEASES = ("0.8.1", "0.11.0", "1.0.0", "1.1.1", "2.0.0", "2.3", "2.5", "2.8.1", "3.9")


def in_columns(table: Table) -> Table:
    from isrproof.checker.audit.table.columns import ColumnTable

    return ColumnTable.of_rows(table.rows())


@pytest.mark.full(every=2)
@pytest.mark.parametrize("piece", [250_000, 10])
def test_what_is_printed_twice_gives_the_same_reports(piece: int, tmp_path: Path) -> None:
    doubled(RECORDED / "failover-on-leader-2.2.2-kill", tmp_path)
    (plain,) = reference([tmp_path])
    assert columns([tmp_path], piece=piece) == [plain]
    assert [note for note in plain["notes"] if "twice" in note]


@pytest.mark.full
@pytest.mark.corpus
@pytest.mark.parametrize("every", [16, pytest.param(1, marks=pytest.mark.slow)])
def test_the_corpus_gives_the_same_reports(every: int, corpus: Path) -> None:
    """Return the events of all its files, or of some."""
    paths = sorted(corpus.iterdir())[::every]
    assert columns(paths) == reference(paths)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("histories")


CASES = {
    "seed": st.integers(0, 10_000),
    "release": st.sampled_from(RELEASES),
    "wipes": st.integers(0, 1),
    "faults": st.integers(0, 6),
    "piece": st.sampled_from((1, 7, 100, 250_000)),
    "buckets": st.sampled_from((1, 3, 100)),
}


@pytest.mark.full
@settings(max_examples=4)
@given(**CASES)
def test_histories_with_faults_give_the_same_reports(root: Path, **case: Any) -> None:
    _give_the_same_reports(root, **case)


@pytest.mark.slow
@settings(max_examples=30)
@given(**CASES)
def test_more_histories_with_faults_give_the_same_reports(root: Path, **case: Any) -> None:
    _give_the_same_reports(root, **case)


def _give_the_same_reports(
    root: Path, seed: int, release: str, wipes: int, faults: int, piece: int, buckets: int
) -> None:
    """However few rows are looked at together."""
    made = history(seed, release, wipes=wipes)
    made.written = with_faults(made.written, random.Random(seed), faults)
    folder = root / str(sum(1 for _ in root.iterdir()))
    path = save(folder, texts(made.written, release))
    assert columns([path], piece=piece, buckets=buckets) == reference([path])


# ---- Steps that no audit takes to their ends


ROWS: list[Row] = [
    {"key": "a", "at": 3, "n": 1, "yes": True, "line": 5, "time": 900000000000000},
    {"key": None, "at": 1, "n": None, "yes": False, "line": 6, "time": -50000000000000},
    {"key": "a", "at": 2, "n": 2**62, "yes": None, "line": 9, "time": 40000000000000},
    {"key": "b", "at": 2, "n": -(2**62), "yes": True, "line": 5, "time": -20000000000000},
    {"key": None, "at": 0, "n": 7, "yes": True, "line": 1, "time": 0},
    {"key": "b", "at": 3, "n": 7, "yes": True, "line": 5, "time": None},
    {"key": "b", "at": 4, "n": 7, "yes": None, "line": 5, "time": 10000000000000},
    {"key": "b", "at": 5, "n": 7, "yes": None, "line": 5, "time": 7},
]
STEPS = {
    "along": lambda t: t.along(
        ("key",),
        ("at",),
        previous=Column("previous", "n"),
        last=Column("last", "n"),
        so_far=Column("so_far", "yes"),
        count=Column("so_far"),
        gathered=Column("gathered", "n"),
    ),
    "along nothing": lambda t: t.present("none").along(("key",), ("at",), last=Column("last", "n")),
    "grouped": lambda t: t.grouped(
        ("key",),
        least=Column("min", "n"),
        most=Column("max", "n"),
        count=Column("count", "yes"),
        all=Column("count"),
        common=Column("common", "n"),
        total=Column("sum", "at"),
    ),
    "grouped by wide numbers": lambda t: t.grouped(("n", "at", "line", "key"), count=Column("count")),
    "grouped nothing": lambda t: t.present("none").grouped(("key",), count=Column("count")),
    "joined": lambda t: t.joined(
        [
            {"at": 2, "x": "u", "a": 0, "b": 5},
            {"at": 2, "x": "v", "a": 6, "b": 9},
            {"at": 3, "x": None, "a": 6, "b": 9},
        ],
        ("at",),
        {"x": str},
        ("a", "b"),
    ),
    "joined by times of any year": lambda t: t.joined(
        [
            {"at": 1, "x": "u", "a": -(10**14), "b": 10**14},
            {"at": 2, "x": "u", "a": -(10**14), "b": -(10**13)},
            {"at": 2, "x": "v", "a": 1, "b": 10**14},
            {"at": 3, "x": "w", "a": -(10**13), "b": 10**15},
            {"at": 4, "x": "y", "a": 8 * 10**14, "b": 10**15},
        ],
        ("at",),
        {"x": str},
        ("a", "b"),
        "time",
    ),
    "joined by numbers of any size": lambda t: t.joined(
        [{"at": at, "x": at, "a": -(2**62) + 1, "b": 2**62} for at in range(6)], ("at",), {"x": int}, ("a", "b"), "n"
    ),
    "joined without stretches": lambda t: t.joined([{"key": "a", "x": 1}, {"key": "c", "x": 2}], ("key",), {"x": int}),
    "joined to nothing": lambda t: t.joined([], ("key",), {}),
    "attached": lambda t: t.attached(t.present("key").grouped(("key",), most=Column("max", "at")), ("key",), ("most",)),
    "attached to nothing": lambda t: t.attached(t.present("none"), ("key",), ("most",)),
    "matching": lambda t: t.matching(t.present("yes"), ("key",)),
    "matching nothing": lambda t: t.matching(t.present("none"), ("key",)),
    "filled": lambda t: t.filled("n", "at").filled("none", "key").filled("key", "none"),
    "plus": lambda t: t.plus(t.select("key", "n").renamed(n="at")),
    "renamed over another": lambda t: t.renamed(n="at"),
    "absent": lambda t: t.absent("key").absent("none"),
    "present": lambda t: t.present("key", "yes"),
    "again": lambda t: t.along(("key",), ("at",), seen=Column("again", "n", alike=("line", "yes"))),
    "again of what is absent": lambda t: t.only_where(field("yes", Bool), "n").along(
        ("key",), ("at",), seen=Column("again", "n"), high=Column("greatest", "n")
    ),
    "greatest": lambda t: t.along(("key",), ("at",), high=Column("greatest", "n")),
    "kept": lambda t: t.kept(("key",), ("key", "at")).along(("key",), ("at",), count=Column("so_far")),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_does_to_columns_what_it_does_to_rows(step: str) -> None:
    def rows(table: Table) -> list[Row]:
        found = [{name: value for name, value in row.items() if value is not None} for row in STEPS[step](table).rows()]
        return sorted(({n: tuple(v) if isinstance(v, list) else v for n, v in row.items()} for row in found), key=repr)

    assert rows(in_columns(PythonTable(ROWS))) == rows(PythonTable(ROWS))


NUMBER, BROKER = field("n", Int()), field("broker", OptionOf(Broker))
WIDE = {
    "otherwise": ite(NUMBER.eq(1), const(300, Int()), NUMBER),
    "sum": NUMBER + 127,
    "equal": NUMBER.eq(300),
    "less": NUMBER < 2**40,
    "get": BROKER.get(40_000).eq(field("leader", Broker)),
}


@pytest.mark.parametrize("name", WIDE)
def test_a_column_of_small_numbers_meets_large_ones(name: str) -> None:
    rows = [{"n": 1, "broker": -1, "leader": 40_000}, {"n": 127, "broker": 7, "leader": 7}]
    shown = [
        [row["made"] for row in table.derive(made=WIDE[name]).rows()]
        for table in (in_columns(PythonTable(rows)), PythonTable(rows))
    ]
    assert shown[0] == shown[1]


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-200, 200), max_size=5))
def test_numbers_keep_their_values_in_less_room(values: list[int]) -> None:
    import numpy as np
    from isrproof.checker.audit.table.arrays import narrow

    assert narrow(np.array(values, dtype=np.int64)).tolist() == values


@given(st.lists(st.integers(0, 9) | st.integers(0, 2**60), min_size=1), st.integers(1, 5))
def test_parts_have_whole_keys_and_about_so_many_rows(keys: list[int], size: int) -> None:
    import numpy as np
    from isrproof.checker.audit.table.arrays import parts_of

    part = parts_of(np.array(keys), size).tolist()
    assert all((a == b) >= (x == y) for a, x in zip(part, keys, strict=True) for b, y in zip(part, keys, strict=True))
    for number in set(part):
        own = [key for key, each in zip(keys, part, strict=True) if each == number]
        assert len(own) - own.count(max(own)) < size


def test_two_kinds_of_table_do_not_meet() -> None:
    with pytest.raises(TypeError, match="tables of two engines"):
        in_columns(PythonTable(ROWS)).plus(PythonTable(ROWS))
