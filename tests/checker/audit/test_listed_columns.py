"""Lines that list partitions: their columns say what the reference's events say."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.checker.audit.files.listed import LISTING, listed
from isrproof.traces.events.event import FIELDS, Event
from isrproof.traces.events.event import event as made

pytest.importorskip("numpy", reason="columns need NumPy")

TOPIC = st.sampled_from(("t", "a.b-1", "t-0", "x_y"))
NUMBER = st.integers(0, 3)
ADDED = st.one_of(
    st.builds("[{},{}], initOffset {} to broker BrokerEndPoint({},h:9092)".format, TOPIC, NUMBER, NUMBER, NUMBER),
    st.builds("{}-{} -> (offset={}, leaderEpoch={})".format, TOPIC, NUMBER, NUMBER, NUMBER),
    st.builds(
        "{}-{} -> InitialFetchState(Some(AAAAAAAAAAAAAAAAAAAAAQ),BrokerEndPoint(id={}, host=h:9092),{},{})".format,
        *(TOPIC, NUMBER, NUMBER, NUMBER, NUMBER),
    ),
    st.builds(
        "{}-{} -> InitialFetchState(Some(AAAAAAAAAAAAAAAAAAAAAQ),BrokerEndPoint[id={}, host=h, port=1],{},{})".format,
        *(TOPIC, NUMBER, NUMBER, NUMBER, NUMBER),
    ),
)
DETAIL = st.none() | st.lists(ADDED, max_size=3).map(", ".join).map("Map({})".format)
LAGGING = st.none() | st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=3).map(lambda each: sum(each, ()))


@st.composite
def lines(draw: st.DrawFn) -> Event:
    """Rows that list partitions and one that does not, whatever their fields."""
    row = draw(st.sampled_from((*sorted(LISTING), "fetchers-removed", "isr-shrinks")))
    shrinks = row == "isr-shrinks"
    return made(
        {
            "row": row,
            "ts": draw(NUMBER),
            "topic": draw(st.none() | TOPIC),
            "leader": draw(st.none() | NUMBER),
            "detail": None if shrinks else draw(DETAIL),
            "lagging": draw(LAGGING) if shrinks else None,
            "last_offset": draw(st.none() | NUMBER),
        }
    )


@given(st.lists(lines(), min_size=1, max_size=6))
def test_columns_list_what_the_reference_lists(given: list[Event]) -> None:
    from isrproof.checker.audit.files.listed_columns import listed_columns
    from isrproof.checker.audit.table.arrays import Dictionary, array_of

    dictionary = Dictionary()
    columns = {name: array_of([getattr(line, name) for line in given], dictionary) for name in FIELDS}
    plain = {name: array.plain(dictionary) for name, array in listed_columns(columns, dictionary).items()}
    assert Counter(zip(*plain.values(), strict=True)) == Counter(
        tuple(getattr(event, name) for name in plain) for line in given for event in listed(line)
    )


@pytest.mark.parametrize("leader", ["BrokerEndPoint(id=2, host=h:9092)", "BrokerEndPoint[id=2, host=::1, port=9092]"])
def test_the_leader_of_a_fetcher_as_each_release_prints_it(leader: str) -> None:
    """BrokerEndPoint is a Java record since 4.1 (commit b90ef861dd)."""
    detail = f"HashMap(t-1 -> InitialFetchState(Some(AAAAAAAAAAAAAAAAAAAAAQ),{leader},5,100))"
    (found,) = listed(made({"row": "fetchers-added", "detail": detail}))
    assert (found.topic, found.partition, found.leader, found.leader_epoch, found.offset) == ("t", 1, 2, 5, 100)
