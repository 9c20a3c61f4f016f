"""Observations of logs, as an audit makes them: the rows of each, and the events that they are made from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from isrproof.checker.audit.catalogue import Inputs, lines_read, observations
from isrproof.checker.audit.doubt.fit import fitted
from isrproof.checker.audit.files.metadata import copies
from isrproof.checker.audit.files.python import InProcess
from isrproof.checker.audit.metadata import audited_metadata
from isrproof.checker.audit.observe.controller.epoch_changes import CHANGES
from isrproof.checker.audit.observe.duplicates import without_duplicates
from isrproof.checker.audit.observe.observation import Input, Observation
from isrproof.checker.audit.observe.placed import placed
from isrproof.checker.audit.pipeline import first_look
from isrproof.checker.audit.sources.metadata import columns
from isrproof.checker.audit.sources.metadata.quorum import quorums
from isrproof.checker.audit.sources.metadata.seen import Collected
from isrproof.checker.audit.sources.metadata.shown import shown
from isrproof.checker.audit.sources.nodes.observed import observed
from isrproof.checker.audit.sources.requests.handled import requests
from isrproof.checker.audit.table.columns import ColumnTable
from isrproof.checker.audit.table.protocol import Row, Table, Tables
from isrproof.checker.audit.table.rows import PythonTable
from isrproof.traces.cases import cases
from isrproof.traces.formats.detect import UNASKED
from isrproof.traces.metadata.files import found_in
from isrproof.traces.sources.paths import expand

from tests.recordings import some

TABLES: tuple[Tables, ...] = (PythonTable, ColumnTable)


def inputs(paths: Sequence[Path], tables: Tables) -> dict[Input, Table]:
    """The inputs of observations that are made of logs; every path is a cluster."""
    metadata = [found_in([str(path)]) for path in paths]
    records = {os.path.realpath(file.path) for files in metadata for file in files}
    clusters = expand([str(path) for path in paths], lambda path: [], records)
    sources = [(number, source) for number, (_, found) in enumerate(clusters) for source in found]
    log = InProcess(sources, UNASKED, False, lines_read(), tables.of_rows, most=10**9)
    read = log.read(first_look)
    histories = fitted(log, read, None)
    found: dict[Input, Table] = {CHANGES: tables.of_rows([asdict(change) for change in histories.epoch_changes])}
    shown_by = dict(requests(read.rows, histories.journals).rows)

    def look(events: Table) -> list[Row]:
        found.update(Inputs(without_duplicates(placed(events, histories.spans, journals=histories.journals))))
        return []

    log.over_partitions(look)
    shown_by |= {each.name: [] for each in observations().values() if each.name in METADATA}
    for number, files in enumerate(metadata):
        for quorum in quorums(copies(files, len(sources))):
            for rows in shown(quorum, number, Collected()):
                for name, table in rows.tables(PythonTable).items():
                    shown_by[name] += table.rows()
    logs = audited_metadata(list(enumerate(metadata)), len(sources), with_chronicles=True)
    shown_by |= observed(log, read, logs.chronicles, ()).rows
    found |= {observations()[name].made_from: tables.of_rows(rows) for name, rows in shown_by.items()}
    return found


METADATA = {each.name for each in vars(columns).values() if isinstance(each, Observation)}
"""Observations of metadata logs."""


def recordings() -> list[Path]:
    return some()


def excerpts(folder: Path) -> list[Path]:
    """The excerpts of all case files, each written to a folder of its own."""
    written = []
    for case in cases().values():
        for number, excerpt in enumerate(case.excerpts):
            written.append(folder / f"{case.code}-{number}")
            excerpt.write(written[-1])
    return written
