"""The report: typed all the way, and the same in every form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from isrproof.checker.audit.command import audit, audit_command
from isrproof.checker.audit.findings.finding import Finding
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json, row_object
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.report.terms import last_time
from isrproof.traces import timeline

from tests.recordings import CHAOS, RECORDED


def leaves(kind: Any) -> Iterator[Any]:
    """The types that a report is made of, its frozen dataclasses and named tuples taken apart."""
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        assert hasattr(kind, "_fields") or kind.__dataclass_params__.frozen, kind  # type: ignore[attr-defined]
        yield from (leaf for hint in get_type_hints(kind).values() for leaf in leaves(hint))
    elif get_origin(kind) in (tuple, Sequence, Union, UnionType, Mapping):
        yield from (leaf for each in get_args(kind) if each is not Ellipsis for leaf in leaves(each))
    else:
        yield kind if get_origin(kind) is not Literal else str


def test_a_report_is_immutable_all_the_way() -> None:
    assert set(leaves(Report)) == {int, str, bool, NoneType}


def test_a_finding_names_its_place_and_its_evidence() -> None:
    (report,) = audit([str(CHAOS)], Options(engine="python"))
    for finding, shown in zip(report.findings, as_json(report)["findings"], strict=True):
        assert shown["place"] == {"file": shown["file"], "line": shown["line"]}
        assert shown["evidence"][0] == {"role": "seen", **shown["place"]}
        assert str(finding.place) == f"{shown['file']}:{shown['line']}"


def test_a_row_of_the_timeline_reads_as_it_was_written() -> None:
    (report,) = audit([str(CHAOS)], Options(engine="python", timeline=True))
    assert report.timeline
    assert tuple(timeline.timeline_row(json.loads(json.dumps(row_object(row)))) for row in report.timeline) == (
        report.timeline
    )


def test_parquet_has_what_the_json_has(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    audit_command([str(CHAOS)], Options(engine="python", timeline=True), out=tmp_path)
    shown = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    findings = parquet.read_table(tmp_path / "findings.parquet")
    expected = [{**each, **each["entity"], "cluster": 0, "offset": None, "part": None} for each in shown["findings"]]
    for each in expected:
        del each["entity"], each["place"]
        each["evidence"] = [{**one, "offset": None, "part": None} for one in each["evidence"]]
    assert findings.to_pylist() == expected
    assert findings.schema.field("partition").type == "int64"
    conditions = parquet.read_table(tmp_path / "conditions.parquet").to_pylist()
    assert conditions == [{**each, "offset": None, "part": None} for each in shown["state"]["conditions"]]
    stopped = parquet.read_table(tmp_path / "stopped_moves.parquet").to_pylist()
    names = {"source": "from", "target": "to"}
    assert [{names.get(name, name): value for name, value in each.items()} for each in stopped] == shown["state"][
        "stopped"
    ]
    rows = parquet.read_table(tmp_path / "timeline.parquet").to_pylist()
    assert rows == [{**each, "cluster": 0, "offset": None, "part": None} for each in shown["timeline"]]


def test_conditions_of_a_metadata_log_are_those_of_the_report(tmp_path: Path) -> None:
    """One list for the Parquet file, the page and a trace; the terms of leaders reach to the last of its times."""
    parquet = pytest.importorskip("pyarrow.parquet")
    recording = RECORDED.parent / "recorded-kraft" / "elr-4.0.0"
    answer = audit_command(
        [str(recording / "node-1" / "metadata")], Options(engine="python", timeline=True), out=tmp_path
    )
    assert answer.code == 1
    shown = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    (log,) = shown["metadata"]
    assert {each["condition"] for each in log["conditions"]} == {"offline", "under-replicated"}
    rows = parquet.read_table(tmp_path / "conditions.parquet").to_pylist()
    assert [(row["topic"], row["partition"], row["since"], row["until"]) for row in rows] == [
        (each["topic"], each["partition"], each["since"], each["until"]) for each in log["conditions"]
    ]
    (report,) = audit([str(recording / "node-1" / "metadata")], Options(engine="python"))
    assert last_time(replace(report, findings=())) == max(each["until"] or each["since"] for each in log["conditions"])


def test_findings_of_a_clean_log_have_the_columns_all_the_same(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    audit_command([str(RECORDED / "lifecycle-2.0.0")], Options(engine="python"), out=tmp_path)
    columns = parquet.read_schema(tmp_path / "findings.parquet").names
    assert set(get_type_hints(Finding)) - {"entity"} < set(columns)
    assert not (tmp_path / "timeline.parquet").exists()
