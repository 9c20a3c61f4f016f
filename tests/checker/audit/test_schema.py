"""The audit's JSON follows its published schema."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.report.schema import schema
from isrproof.checker.commands.audit import command

from tests.observed import recordings
from tests.recordings import CHAOS, FAILOVER, RECORDED

jsonschema = pytest.importorskip("jsonschema")


def errors(document: Any) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema())
    return [f"{each.json_path}: {each.message[:200]}" for each in validator.iter_errors(document)]


def printed(*arguments: str) -> Any:
    return json.loads(CliRunner().invoke(command, ["--json", *arguments]).stdout)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.full
def test_every_recording_is_reported_as_the_schema_says() -> None:
    document = printed("--engine", "columns", "--each", "--timeline", *map(str, recordings()))
    assert errors(document) == []
    assert len(document["clusters"]) == len(recordings())


def test_a_metadata_log_is_reported_as_the_schema_says() -> None:
    document = printed("--engine", "columns", "--timeline", str(RECORDED.parent / "recorded-kraft" / "chaos-3.5.2"))
    assert errors(document) == []
    assert document["metadata"]


def test_one_report_and_a_failure_are_what_the_schema_says(tmp_path: Path) -> None:
    assert errors(printed("--engine", "columns", str(FAILOVER))) == []
    assert errors(of_chaos()) == []
    assert errors(printed(str(tmp_path / "none.log"))) == []


@cache
def of_chaos() -> dict[str, Any]:
    return printed("--engine", "columns", "--timeline", str(CHAOS))


@pytest.mark.parametrize("change", [{"verdict": 3}, {"findings": [{}]}, {"schema": "isrproof-audit/0"}])
def test_the_schema_refuses_another_object(change: dict[str, Any]) -> None:
    assert errors(of_chaos() | change)


def test_an_object_has_no_key_that_the_schema_does_not_name() -> None:
    document = of_chaos()
    definitions = schema()["$defs"]
    report = {key for key in document if key not in ("schema", "version")}
    assert set(definitions["Report"]["properties"]) - report == {"metadata"}  # there is no metadata log
    assert report <= set(definitions["Report"]["properties"])
    assert set(document["findings"][0]) <= set(definitions["Finding"]["properties"])
    assert set(document["timeline"][0]) <= set(definitions["TimelineRow"]["properties"])
