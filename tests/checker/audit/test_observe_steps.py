"""The steps that observations share: rows before, duplicates, absent truth values; in rows and in columns."""

from __future__ import annotations

from typing import Any

import pytest
from isrproof.checker.audit.lines import LEADER_AND_ISR_SENT, MOVED
from isrproof.checker.audit.observe.absent import false_where_absent
from isrproof.checker.audit.observe.compared import compared, compared_sorts, earlier, earlier_sorts
from isrproof.checker.audit.observe.duplicates import happening_once, without_duplicates
from isrproof.checker.audit.table.protocol import Row
from isrproof.model.expr import field
from isrproof.model.sorts import Bool, Int

from tests.observed import TABLES, Tables

pytest.importorskip("numpy", reason="columns in memory need NumPy")
BOTH = pytest.mark.parametrize("table", TABLES, ids=("rows", "columns"))


def row(at: int, **columns: Any) -> Row:
    span = {"lossy": False, "tenure": 1, "block": 1, "known_since": 1, "controller_epoch": 1}
    return {"key": "a", "at": at, "line": at, "file": 0, "leader": at, **span, **columns}


@BOTH
def test_an_absent_truth_value_is_false(table: Tables) -> None:
    rows = [{"yes": True, "no": False, "n": 1}, {"yes": None, "no": None, "n": 2}]
    found = false_where_absent(table(rows), "yes", "no").rows()
    assert [(each["yes"], each["no"]) for each in found] == [(True, False), (False, False)]


@BOTH
def test_a_row_before_is_the_last_of_its_key_in_the_order(table: Tables) -> None:
    rows = [row(3), row(1), row(2, key="b")]
    found = table(rows).along(("key",), ("at",), **earlier("leader")).rows()
    assert {each["at"]: each["before_leader"] for each in found} == {1: None, 2: None, 3: 1}


@BOTH
def test_a_row_before_may_be_the_last_that_meets_a_condition(table: Tables) -> None:
    rows = [row(1, sent=True), row(2, sent=False), row(3, sent=False)]
    found = table(rows).along(("key",), ("at",), **earlier("leader", of=field("sent", Bool))).rows()
    assert {each["at"]: each["before_leader"] for each in found} == {1: None, 2: 1, 3: 1}


GAPS: dict[str, tuple[Row, Row, bool | None]] = {
    "one block of a tenure": (row(1), row(2), False),
    "two blocks of a tenure": (row(1), row(2, block=2), True),
    "lossy": (row(1), row(2, lossy=True), True),
    "a later tenure, all of whose lines are known": (row(1), row(2, tenure=2, block=2, controller_epoch=2), False),
    "a later tenure, the first that is known": (
        row(1),
        row(2, tenure=2, block=2, controller_epoch=2, known_since=2),
        True,
    ),
    "an earlier tenure, as versions are ordered": (
        row(1, tenure=2, block=2, controller_epoch=2, known_since=2),
        row(2),
        True,
    ),
}


@BOTH
@pytest.mark.parametrize("case", GAPS)
def test_a_gap_is_where_lines_may_be_missing_between_two_rows(case: str, table: Tables) -> None:
    before, here, gap = GAPS[case]
    first, second = sorted(
        compared(table([before, here]), ("key",), ("at",), "leader").rows(), key=lambda each: int(each["at"])
    )
    assert (first.get("before_leader"), second["before_leader"]) == (None, 1)
    assert second["gap"] is gap


def test_the_sorts_of_a_row_before_are_those_of_a_row() -> None:
    columns = dict.fromkeys(("leader", "tenure", "block", "controller_epoch", "known_since", "line", "file"), Int())
    assert earlier_sorts(columns, "leader") == {"before_leader": Int(), "gap": Bool}
    assert set(compared_sorts(columns, "leader")) == {*(f"before_{name}" for name in columns), "gap"}


@BOTH
def test_only_doubled_tenures_lose_their_duplicates(table: Tables) -> None:
    move, request = MOVED["replica"][0], LEADER_AND_ISR_SENT[0]
    rows = [
        {"row": move, "line": 1, "duplicate": False, "doubled": True},
        {"row": move, "line": 2, "duplicate": True, "doubled": True},
        {"row": request, "line": 3, "duplicate": True, "doubled": False},
        {"row": move, "line": 4, "duplicate": True, "doubled": None},
    ]
    assert [each["line"] for each in without_duplicates(table(rows)).rows()] == [1, 3, 4]
    assert [each["line"] for each in happening_once(table(rows)).rows()] == [1, 2, 4]
