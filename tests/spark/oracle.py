"""Rows of the tables as the command line's JSON has them, and events and records as this process reads them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from click.testing import CliRunner
from isrproof.checker.audit.command import audit_command
from isrproof.checker.audit.files.streams import read_streams
from isrproof.checker.audit.options import Options
from isrproof.checker.cli import main
from isrproof.specs.release_sets import names
from isrproof.traces.formats.detect import UNASKED, detect, holds_lines
from isrproof.traces.metadata.files import found_in
from isrproof.traces.sources.paths import expand
from pyspark.sql import DataFrame, Row

_START = datetime(1970, 1, 1)
JSON = dict[str, Any]


def printed(paths: Sequence[str], **options: Any) -> list[JSON]:
    """The reports that the command prints, one for each path."""
    answer = audit_command(list(paths), Options(each=True, timeline=True, engine="columns", **options), "json")
    found: list[JSON] = json.loads(answer.text)["clusters"]
    return found


def shown(table: DataFrame, name: str) -> dict[str, list[JSON]]:
    """The rows of a table as the command prints them, by cluster."""
    return shown_rows((row.asDict(recursive=True) for row in table.collect()), name)


def shown_rows(rows: Iterable[JSON], name: str) -> dict[str, list[JSON]]:
    """The same of rows that are dicts."""
    found: dict[str, list[JSON]] = {}
    for row in rows:
        found.setdefault(row["cluster"], []).append(_SHOWN[name](_times(row)))
    return found


def _times(row: JSON) -> JSON:
    del row["cluster"]
    return {
        {"time": "ts"}.get(name, name): round((value - _START).total_seconds() * 1000)
        if isinstance(value, datetime)
        else value
        for name, value in row.items()
    }


def _place(place: JSON) -> JSON:
    return {name: value for name, value in place.items() if value is not None}


def _placed(row: JSON) -> JSON:
    return {name: value for name, value in row.items() if name != "place"} | _place(row["place"])


def _finding(row: JSON) -> JSON:
    evidence = [_placed(each) for each in row["evidence"]]
    lost = [{{"start": "from", "end": "to"}.get(name, name): n for name, n in each.items()} for each in row["lost"]]
    own = {"evidence": evidence, "lost": lost, "caused_by": [_placed(each) for each in row["caused_by"]]}
    return row | own | {"place": _place(row["place"])} | _place(row["place"])


def _happened(row: JSON) -> JSON:
    lasts = row.pop("lasts")
    row.pop("moment")
    kept = {name: value for name, value in row.items() if value is not None}
    return kept | {"places": [_place(place) for place in row["places"]]} | ({"until": None} if lasts else {})


def _covered(row: JSON) -> JSON:
    row["path"] = row.pop("file")
    return row


_SHOWN = {"findings": _finding, "happened": _happened, "partitions": _placed, "coverage": _covered}
KEYS = {"findings": "findings", "happened": "happened", "partitions": "timeline", "coverage": "files"}
"""The key of the command's JSON that has what a table has."""


def parsed(paths: Sequence[str]) -> Counter[str]:
    """The events of logs, read by the reference in this process: how many have these values."""
    records = {file.real for file in found_in(paths)}
    return Counter(
        json.dumps(event, sort_keys=True)
        for _, found in expand(paths, other=records, holds_lines=holds_lines)
        for source in found
        for event in _of_source(source.path, source.there)
    )


def _of_source(path: str, there: str) -> Iterator[JSON]:
    for stream in read_streams(there, detect(there, UNASKED), None).streams:
        numbering = stream.facts.numbering
        for row in stream.rows:
            line, part = (row["line"], None) if numbering is None else numbering.place(row["line"])
            own = {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}
            masks = {name: names(own[name]) for name in ("releases", "from_state_untrue") if own.get(name) is not None}
            where = {"file": path, "line": line, "part": part, "writer": stream.facts.label}
            yield {name: value for name, value in (own | masks | where).items() if value is not None}


def rows(events: DataFrame) -> Counter[str]:
    """The rows of `events` without their texts: how many have these values."""
    return Counter(json.dumps(_event(row), sort_keys=True) for row in events.drop("text").collect())


def _event(row: Row) -> JSON:
    own = row.asDict(recursive=True)
    time = own.pop("time")
    ts = None if time is None else round((time - _START).total_seconds() * 1000)
    return {name: value for name, value in (own | {"ts": ts}).items() if value is not None}


def recorded(path: str) -> list[JSON]:
    """The records that `isrproof records` prints."""
    done = CliRunner().invoke(main, ["records", path])
    return [json.loads(line) for line in done.stdout.splitlines()]
