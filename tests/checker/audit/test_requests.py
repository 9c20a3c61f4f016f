"""Whole requests, as brokers handle them."""

from __future__ import annotations

import pytest
from isrproof.checker.audit.catalogue import lines_read
from isrproof.checker.audit.doubt.fit import fitted
from isrproof.checker.audit.files.python import InProcess
from isrproof.checker.audit.pipeline import first_look
from isrproof.checker.audit.sources.requests.columns import REQUESTS_ANSWERED, REQUESTS_IN_TURN
from isrproof.checker.audit.sources.requests.handled import handled, requests
from isrproof.checker.audit.table.protocol import Row, Table
from isrproof.checker.audit.table.rows import PythonTable
from isrproof.traces.formats.detect import UNASKED

from tests.engines import sources
from tests.recordings import RECORDED


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
    whole = requests(read.rows, histories.journals)
    assert {name for _, name in whole.fit} >= {REQUESTS_ANSWERED.name, REQUESTS_IN_TURN.name}
    assert requests(log.read(of_pieces).rows, histories.journals) == whole
