"""Metadata folders of many clusters in one audit on Spark: what this process says, to the letter."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.audit import command
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json

pytest.importorskip("pyspark", reason="the Spark engine needs PySpark")
pytestmark = [pytest.mark.spark, pytest.mark.full]

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"


def said(engine: str, paths: list[str]) -> list[dict[str, Any]]:
    return [as_json(each) for each in command.audit(paths, Options(engine=engine, each=True, timeline=True))]


def test_folders_of_many_clusters_are_judged_as_by_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among them one without a metadata log, one with a damaged segment, and lines that are held against the log."""
    for name in ("elr-4.0.0", "unclean-3.3.2", "reassign-3.9.1"):
        shutil.copytree(RECORDED / name, tmp_path / name)
    (segment, *_) = sorted((tmp_path / "reassign-3.9.1").rglob("*0.log"))
    segment.write_bytes(segment.read_bytes()[:-100] + bytes(50))
    shutil.copytree(RECORDED / "chaos-3.5.2" / "node-1", tmp_path / "lines", ignore=shutil.ignore_patterns("metadata"))
    paths = sorted(str(each) for each in tmp_path.iterdir())
    python = said("columns", paths)

    def here(*_: object, **__: object) -> None:
        raise AssertionError("a metadata log was read by the driver")

    monkeypatch.setattr(command, "audited_metadata", here)
    assert said("spark", paths) == python
    decoded = [report["coverage"].get("records", {"decoded": 0})["decoded"] for report in python]
    assert [count > 0 for count in decoded] == [True, False, True, True]
    assert {found["rule"] for report in python for found in report["findings"]} >= {"KR524", "KR546"}
