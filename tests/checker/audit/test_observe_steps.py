"""The steps that observations share: rows before, duplicates, absent truth values; in rows and in columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from isrproof.checker.audit.doubt.signs.late import late_tenures
from isrproof.checker.audit.lines import LEADER_AND_ISR_SENT, MOVED
from isrproof.checker.audit.observe.compared import compared, compared_sorts, earlier, earlier_sorts
from isrproof.checker.audit.observe.duplicates import repeated, without_duplicates
from isrproof.checker.audit.observe.placed import marked
from isrproof.checker.audit.table.encoding import Flag
from isrproof.checker.audit.table.protocol import Row, Table
from isrproof.model.expr import field
from isrproof.model.sorts import Bool, BoolSort, Int

from tests.observed import TABLES

OfRows = Callable[[list[Row]], Table]

pytest.importorskip("numpy", reason="columns in memory need NumPy")
BOTH = pytest.mark.parametrize("table", [each.of_rows for each in TABLES], ids=("rows", "columns"))


def row(at: int, **columns: Any) -> Row:
    span = {"lossy": False, "tenure": 1, "block": 1, "known_since": 1, "controller_epoch": 1}
    return {"key": "a", "at": at, "line": at, "file": 0, "leader": at, **span, **columns}


@BOTH
@pytest.mark.parametrize(("sort", "of_absent"), [(Flag, (False, True, False)), (Bool, (None, None, None))])
def test_an_absent_flag_is_false_and_an_absent_truth_value_is_none(
    table: OfRows, sort: BoolSort, of_absent: tuple[bool | None, ...]
) -> None:
    here, other = field("here", sort), field("other", Bool)
    rows = [{"n": 1, "here": True, "other": True}, {"n": 2, "here": None, "other": True}]
    found = table(rows).derive(same=here, opposite=~here, together=here & other).rows()
    assert [(each["same"], each["opposite"], each["together"]) for each in found] == [(True, False, True), of_absent]
    assert [each["n"] for each in table(rows).where(~here).rows()] == ([2] if sort is Flag else [])


@BOTH
def test_a_flag_that_no_row_has_is_false(table: OfRows) -> None:
    rows = [{"n": 1}, {"n": 2}]
    assert [each["no"] for each in table(rows).derive(no=~field("here", Flag)).rows()] == [True, True]


@BOTH
def test_a_row_before_is_the_last_of_its_key_in_the_order(table: OfRows) -> None:
    rows = [row(3), row(1), row(2, key="b")]
    found = table(rows).along(("key",), ("at",), **earlier("leader")).rows()
    assert {each["at"]: each["before_leader"] for each in found} == {1: None, 2: None, 3: 1}


@BOTH
def test_a_row_before_may_be_the_last_that_meets_a_condition(table: OfRows) -> None:
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
def test_a_gap_is_where_lines_may_be_missing_between_two_rows(case: str, table: OfRows) -> None:
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


def said(line: int, **columns: Any) -> Row:
    """A placed event, but for its marks."""
    told = {"topic": "t", "partition": 0, "controller": 1, "controller_epoch": 1, "replica": 1, "ts": 5}
    return {"row": MOVED["replica"][0], "file": 0, "line": line, "at": line, "life": 1, "tenure": 1, **told, **columns}


@BOTH
def test_a_line_that_says_the_same_of_the_same_millisecond_is_read_once(table: OfRows) -> None:
    rows = [
        said(1),
        said(2, ts=6),
        said(3),  # again, after others
        said(4, replica=2),
        said(5, tenure=2),
        said(6, ts=None),
        said(7, ts=None),  # without a time nothing tells that it is the same
        said(8, row=LEADER_AND_ISR_SENT[0]),
        said(9, row=LEADER_AND_ISR_SENT[0]),
        said(10, partition=1),
        said(11, file=1),
    ]
    events = marked(table(rows))
    left = without_duplicates(events).rows()
    assert sorted((each["file"], each["line"]) for each in left) == [(0, n) for n in (1, 2, 4, 5, 6, 7, 8, 10)]
    # Requests to several brokers are equal: they are no line that is there twice.
    assert sorted(repeated(events), key=lambda each: int(each["file"])) == [
        {"file": 0, "n": 1, "first": 3, "last": 3},
        {"file": 1, "n": 1, "first": 11, "last": 11},
    ]


@BOTH
def test_a_line_is_late_that_stands_below_one_written_later(table: OfRows) -> None:
    """Later than threads print late, for the same partition."""
    times = [1_000, 2_000, 1_950, 1_899, 2_001, 1_000]
    rows = [said(n, ts=ts, partition=int(n == 6)) for n, ts in enumerate(times, start=1)]
    events = marked(table(rows))
    assert [each["line"] for each in events.rows() if each["late"]] == [4]
    assert late_tenures(events) == [{"file": 0, "controller": 1, "controller_epoch": 1}]
