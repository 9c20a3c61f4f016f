"""What `--out DIR` leaves: audit.json, findings.parquet, and timeline.parquet where a timeline was asked for."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .finding import Report
from .model import as_json


def write_out(folder: Path, whole: Mapping[str, Any], reports: Sequence[Report]) -> None:
    """Write each file under a temporary name, then rename it: nobody sees half a file."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    _put(folder / "audit.json", lambda path: _write_text(path, text))
    shown = [as_json(report) for report in reports]
    findings = [_flat(finding) | {"cluster": i} for i, report in enumerate(shown) for finding in report["findings"]]
    _put(folder / "findings.parquet", lambda path: _write_parquet(path, findings, _FINDING_COLUMNS))
    timeline = [row | {"cluster": i} for i, report in enumerate(shown) for row in report.get("timeline", ())]
    if timeline:
        _put(folder / "timeline.parquet", lambda path: _write_parquet(path, timeline, _TIMELINE_COLUMNS))


def _put(path: Path, write: Callable[[str], None]) -> None:
    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    os.close(handle)
    try:
        write(name)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _write_text(path: str, text: str) -> None:
    Path(path).write_text(text, encoding="utf-8")


_FINDING_COLUMNS = {
    "cluster": "int64",
    "rule": "string",
    "name": "string",
    "verdict": "string",
    "severity": "string",
    "file": "string",
    "line": "int64",
    "ts": "int64",
    "kind": "string",
    "topic": "string",
    "partition": "int64",
    "replica": "int64",
    "broker": "int64",
    "life": "int64",
    "controller_epoch": "int64",
    "message": "string",
    "expected": "string",
    "got": "string",
    "assumption": "string",
    "issue": "strings",
    "known_issue": "string",
    "fixed_in": "string",
    "decided_by": "string",
    "excerpt": "string",
}
_TIMELINE_COLUMNS = {
    "cluster": "int64",
    "topic": "string",
    "partition": "int64",
    "leader": "int64",
    "isr": "int64s",
    "leader_epoch": "int64",
    "controller_epoch": "int64",
    "partition_epoch": "int64",
    "life": "int64",
    "file": "string",
    "line": "int64",
    "ts": "int64",
}


def _flat(finding: Mapping[str, Any]) -> dict[str, Any]:
    return {**finding, **finding["entity"]}


def _write_parquet(path: str, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> None:
    import pyarrow
    import pyarrow.parquet

    def kind(name: str) -> Any:
        plain = {"int64": pyarrow.int64(), "string": pyarrow.string()}
        return plain[name] if name in plain else pyarrow.list_(plain[name.removesuffix("s")])

    schema = pyarrow.schema([(name, kind(type_)) for name, type_ in columns.items()])
    pyarrow.parquet.write_table(
        pyarrow.Table.from_pylist([{name: row.get(name) for name in columns} for row in rows], schema), path
    )
