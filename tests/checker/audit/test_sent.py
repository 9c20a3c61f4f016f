"""Counts that brokers print of requests, beside those that their controller printed (sources/requests/sent.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isrproof.checker.audit.catalogue import lines_read
from isrproof.checker.audit.doubt.fit import fitted
from isrproof.checker.audit.files.python import InProcess
from isrproof.checker.audit.pipeline import first_look
from isrproof.checker.audit.sources.requests.columns import REQUESTS_ANSWERED, REQUESTS_COUNTED, REQUESTS_IN_TURN
from isrproof.checker.audit.sources.requests.handled import handled, requests
from isrproof.checker.audit.sources.requests.sent import _changing, _Line, _matched
from isrproof.checker.audit.table.protocol import Row, Table
from isrproof.checker.audit.table.rows import PythonTable
from isrproof.traces.formats.detect import UNASKED

from tests.engines import sources
from tests.recordings import RECORDED

COUNTS = st.lists(st.integers(1, 4), min_size=1, max_size=12)


def lines(totals: Sequence[int]) -> list[_Line]:
    return [_Line((0, at), total, {"file": 0, "line": at, "total": total}) for at, total in enumerate(totals)]


def misfits(taken: Sequence[int], sent: Sequence[int]) -> list[int]:
    judged = _matched(_changing(lines(taken)), lines(sent))
    return [row["line"] for row in judged if row["total"] != row["sent_total"]]


@given(COUNTS, st.data())
def test_what_is_lost_or_sent_again_fits(sent: list[int], data: Any) -> None:
    times = [data.draw(st.integers(0, 2)) for _ in sent]
    taken = [total for total, n in zip(sent, times, strict=True) for _ in range(n)]
    assert misfits(taken, sent) == []


@given(COUNTS, COUNTS)
def test_a_count_that_was_never_sent_does_not_fit(before: list[int], after: list[int]) -> None:
    assert misfits([*before, 9, *after], [*before, *after]) == [len(before)]


@pytest.mark.parametrize(
    ("taken", "sent", "wrong"),
    [
        ([4, 3, 5, 3], [4, 2, 5, 3], [1]),  # what is sent later does not excuse it
        ([3, 5, 3], [2, 5, 3], [0]),  # the tenure is shown from its start
        ([3, 9], [4, 5], []),  # nothing that fits
        ([4, 5, 6], [4, 5], []),  # nothing after it
        ([4, 9, 4, 5], [4, 5], [1]),  # the one before may have been sent again
    ],
)
def test_a_request_is_judged_between_two_that_fit(taken: list[int], sent: list[int], wrong: list[int]) -> None:
    assert misfits(taken, sent) == wrong


def test_of_very_many_the_first_that_could_be_is_taken() -> None:
    many = [1, 2] * 1_000
    assert misfits([*many, 9, *many], [*many, 7, *many]) == [len(many)]


@pytest.mark.parametrize("size", [7, 40])
@pytest.mark.parametrize("name", ["traffic-3.9.1", "stale-broker-3.5.2"])
def test_requests_are_the_same_however_files_are_cut(name: str, size: int) -> None:
    def of_pieces(events: Table) -> list[Row]:
        rows = events.rows()
        pieces = (rows[at : at + size] for at in range(0, len(rows), size))
        return [row for piece in pieces for row in handled(PythonTable(piece))]

    log = InProcess(sources([RECORDED / name]), UNASKED, False, lines_read(), PythonTable)
    read = log.read(first_look)
    histories = fitted(log, read, None)
    whole = requests(read.rows, histories.journals, histories.spans)
    assert whole.rows[REQUESTS_COUNTED.name]
    assert {name for _, name in whole.fit} >= {REQUESTS_ANSWERED.name, REQUESTS_IN_TURN.name}
    assert requests(log.read(of_pieces).rows, histories.journals, histories.spans) == whole
