"""Observations are what they declare: columns with their sorts, the lines they are made of, keys and orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pytest
from isrproof.checker.audit import catalogue
from isrproof.checker.audit.catalogue import Inputs, lines_read, observations
from isrproof.checker.audit.observe.observation import Input, Observation
from isrproof.checker.audit.observe.order import NEAR
from isrproof.checker.audit.observe.placed import EVENTS
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.checker.audit.table.encoding import NO_LEADER, is_mask
from isrproof.checker.audit.table.protocol import Row, Table
from isrproof.model.sorts import BoolSort, EnumSort, IntSort, Open, OpenSort, OptionSort, SetSort, Sort
from isrproof.model.views import Broker
from isrproof.specs.errors import UnknownNameError
from isrproof.specs.lines import rows as line_rows

from tests.observed import TABLES, excerpts, inputs, recordings
from tests.recordings import ALL, RECORDED

pytest.importorskip("numpy", reason="columns in memory need NumPy")

Observed = Mapping[Input, Table]
EVERY = pytest.mark.parametrize("name", observations())
READ_BY_ALL = {"cluster", "file"}
"""Columns that counts and findings read from every row."""


ROWS, COLUMNS = TABLES


@pytest.fixture(
    scope="module",
    params=[pytest.param(ROWS, marks=pytest.mark.slow, id="rows"), pytest.param(COLUMNS, id="columns")],
)
def observed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Observed:
    """The inputs made of recordings and of the excerpts of all cases."""
    recorded = recordings() if request.param is COLUMNS else [*map(RECORDED.joinpath, ALL)]
    return inputs([*recorded, *excerpts(tmp_path_factory.mktemp("cases"))], request.param)


MADE: dict[tuple[int, str], list[Row]] = {}


def rows(name: str, observed: Observed) -> list[Row]:
    """The rows of an observation, made once for all tests: the inputs live as long as this module's tests run."""
    key = id(observed), name
    if key not in MADE:
        observation = observations()[name]
        MADE[key] = observation.of(observed[observation.made_from]).rows()
    return MADE[key]


def fits(value: Any, sort: Sort) -> bool:
    """Return True if a column of that sort can hold the value."""
    if is_mask(sort) or isinstance(sort, IntSort) or sort == Broker:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(sort, SetSort):
        return isinstance(value, list | tuple) and all(fits(each, sort.element) for each in value)
    if isinstance(sort, OptionSort):
        return value == NO_LEADER or fits(value, sort.element)
    if isinstance(sort, EnumSort):
        return value in sort.values
    assert isinstance(sort, BoolSort | OpenSort)
    return isinstance(value, bool if isinstance(sort, BoolSort) else str)


@pytest.mark.parametrize(
    ("value", "sort", "expected"),
    [(1, IntSort(), True), (True, IntSort(), False), ("A", Open("Name"), True), ([1, "x"], SetSort(Broker), False)],
)
def test_a_value_fits_its_sort_only(value: Any, sort: Sort, expected: bool) -> None:
    assert fits(value, sort) is expected


@pytest.mark.full
@EVERY
def test_every_declared_column_is_there_with_its_sort(name: str, observed: Observed) -> None:
    found, columns = rows(name, observed), observations()[name].columns
    assert found, "nothing that is recorded, and no case, shows it"
    assert set(columns) <= set().union(*found)
    for column, sort in columns.items():
        values = [row[column] for row in found if row.get(column) is not None]
        assert [value for value in values if not fits(value, sort)] == [], column


@pytest.mark.full
@EVERY
def test_what_rules_read_is_not_always_absent(name: str, observed: Observed) -> None:
    read = {str(leaf.data) for rule in rules().values() if rule.observation == name for leaf in rule.reads}
    present = {column for row in rows(name, observed) for column in read if row.get(column) is not None}
    assert present == read


@pytest.mark.full
@EVERY
def test_it_is_made_of_the_lines_that_it_declares(name: str, observed: Observed) -> None:
    """No other line changes it."""
    observation = observations()[name]
    if not observation.made_from.of_lines:
        assert not observation.lines
        return
    own = (*observation.lines, *observation.made_from.lines)
    alone = Inputs(observed[EVENTS].of_lines(own))[observation.made_from]
    assert in_order(observation.of(alone).rows(), observation) == in_order(rows(name, observed), observation)
    assert {row["row"] for row in rows(name, observed)} <= set(observation.lines)


def in_order(found: list[Row], observation: Observation) -> list[Any]:
    return sorted(tuple(repr(row.get(column)) for column in observation.columns) for row in found)


@pytest.mark.full
@EVERY
def test_the_row_before_is_an_earlier_one_of_its_key(name: str, observed: Observed) -> None:
    observation = observations()[name]
    if not observation.key:
        # What histories found beforehand may name a line that is no row.
        named = any(row.get("before_line") for row in rows(name, observed))
        assert not (named and observation.made_from.of_lines)
        return
    at: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in (*rows(name, observed), *observed[observation.made_from].rows()):
        at[row["file"], row["line"]].append(row)
    for row in rows(name, observed):
        if row.get("before_line") is not None:
            # A line that lists partitions is a row for each of them.
            key = [row[column] for column in observation.key]
            there = at[row["before_file"], row["before_line"]]
            (before, *_) = [each for each in there if [each.get(column) for column in observation.key] == key]
            assert [before[column] for column in observation.order] <= [row[column] for column in observation.order]


@EVERY
def test_it_has_what_counts_and_findings_need(name: str) -> None:
    columns = observations()[name].columns
    assert set(columns) >= READ_BY_ALL
    assert "line" in columns or "offset" in columns
    assert not observations()[name].made_from.of_lines or set(columns) >= {*NEAR, "releases", "known_since"}


@EVERY
def test_some_rule_looks_at_it(name: str) -> None:
    assert [rule for rule in rules().values() if rule.observation == name]


def test_the_lines_read_are_those_of_the_table_that_some_observation_is_made_of() -> None:
    assert lines_read() < set(line_rows())


def test_two_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (Observation("same", EVENTS, (), {}, lambda rows, *_: rows) for _ in range(2))
    monkeypatch.setattr(catalogue, "_declared", lambda: iter((one, other)))
    with pytest.raises(ValueError, match="two observations have the name 'same'"):
        observations.__wrapped__()


@pytest.mark.parametrize("part", ["key", "order", "counted_by"])
def test_its_key_order_and_counts_are_of_columns_that_it_has(part: str) -> None:
    with pytest.raises(UnknownNameError, match=r"column of the observation mine: 'topics'\. Did you mean 'topic'"):
        Observation("mine", EVENTS, (), {"topic": Open("Name")}, lambda rows, *_: rows, **{part: ("topics",)})
