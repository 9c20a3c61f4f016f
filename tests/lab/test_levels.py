"""Whenever the level of a log is raised or lowered, an audit says nothing illegal that it does not say of the whole."""

from __future__ import annotations

import pytest

from lab.levels import Change, changed, gained, spread
from lab.mangled.harness import in_process
from lab.mangled.parts import read, recorded

LOWERED = Change("WARN", False, "broker-3/state-change.log", 535)
"""Moves that led to one that was refused are hidden: it was illegal."""


@pytest.mark.parametrize(
    ("name", "cases"),
    [
        pytest.param("chaos-2.3.1-1", 20, marks=pytest.mark.full),
        pytest.param("text-kraft-migration-3.9.1", 30, marks=pytest.mark.full),
        *(pytest.param(name, 1_000, marks=pytest.mark.slow) for name in recorded()),
    ],
)
def test_a_level_that_is_changed_is_no_evidence(name: str, cases: int) -> None:
    pytest.importorskip("numpy", reason="columns in memory need NumPy")
    chosen = spread(read(recorded()[name]), cases)
    assert chosen or name.startswith(("kraft", "text"))
    for _, found in gained(name, chosen, in_process("columns")):
        assert found == []


def test_nothing_illegal_is_gained_where_it_once_was() -> None:
    (found,) = gained("chaos-2.3.1-1", (LOWERED,), in_process("python"))
    assert found == (1, [])


def test_lines_below_the_level_are_missing_on_one_side() -> None:
    files = {"broker-1/a.log": [f"[2018-09-01 10:00:0{i},000] {level} x" for i, level in enumerate(("TRACE", "INFO"))]}
    files["broker-1/a.log"].insert(1, "a line that follows the first")
    whole, info = files["broker-1/a.log"], files["broker-1/a.log"][2:]
    for whose in ("broker-1/a.log", "broker-1/", ""):
        for raised, places in ((False, (0, "2018-09-01 10:00:00,000")), (True, (1, "2018-09-01 10:00:00,000~"))):
            place = places[whose != "broker-1/a.log"]
            assert changed(files, Change("INFO", raised, whose, place)) == {"broker-1/a.log": info}
            assert changed(files, Change("INFO", raised, "broker-2/", place)) == {"broker-1/a.log": whole}
