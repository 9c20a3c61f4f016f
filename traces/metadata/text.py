"""Metadata logs from lines as `isrproof records` prints them, for cases that people read and write.

A line is a JSON object with `offset`, `type` and `data`. A missing `epoch` is that of the previous line, `version` the
newest, `batch` the record's own offset, `timestamp` 1 s after the previous record; missing fields of `data` are zero,
empty or null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from ...specs.errors import IsrproofError
from ...specs.metadata import Field, control_types, types_by_name, zero
from .writer import batch

_BEGAN = 1_700_000_000_000


def log_bytes(lines: Iterable[str]) -> bytes:
    """Return a segment or a snapshot with these records.

    Raises:
        IsrproofError: a line is not a record.
    """
    rows: list[dict[str, Any]] = []
    before: Mapping[str, Any] = {"epoch": 0, "timestamp": _BEGAN}
    for line in lines:
        try:
            record = json.loads(line)
            row = {
                "epoch": before["epoch"],
                "timestamp": before["timestamp"] + 1000,
                "batch": record["offset"],
                **record,
            }
            kind = types_by_name()[row["type"]]
        except (ValueError, KeyError, TypeError) as error:
            raise IsrproofError(f"expected a record as `isrproof records` prints it, got {line[:200]!r}") from error
        version = row.get("version", len(kind.since) - 1)
        rows.append(row | {"version": version, "data": _filled(kind.fields, version, row.get("data", {}))})
        before = row
    return b"".join(_batch(list(group)) for _, group in groupby(rows, key=lambda row: row["batch"]))


def _batch(rows: list[dict[str, Any]]) -> bytes:
    first = rows[0]
    messages = [(row["type"], row["version"], row["data"]) for row in rows]
    control = first["type"] in {kind.name for kind in control_types().values()}
    return batch(messages, first["offset"], first["epoch"], first["timestamp"], control=control)


def _filled(fields: tuple[Field, ...], version: int, data: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(data)
    for field in fields:
        if field.tag is None and field.since <= version:
            given: Any = found.get(field.name, None if field.nullable else zero(field.type))
            if field.type == "[]":
                given = [_filled(field.fields, version, each) for each in given]
            elif field.type == "struct":
                given = _filled(field.fields, version, given or {})
            found[field.name] = given
    return found
