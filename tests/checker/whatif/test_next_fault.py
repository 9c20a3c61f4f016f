"""The page's section: what the next fault would do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.whatif.answer import whatif
from isrproof.checker.whatif.next_fault import next_fault
from isrproof.checker.whatif.plan import Question
from isrproof.traces.metadata.files import must_be_found

from lab import RECORDED, RECORDED_KRAFT

NODE = RECORDED_KRAFT / "reassign-3.9.1" / "node-1" / "metadata"


def page(folder: Path, out: Path) -> str:
    CliRunner().invoke(main, ["audit", str(folder), "--engine", "python", "--html", str(out / "page.html")])
    return (out / "page.html").read_text(encoding="utf-8")


def test_the_section_has_the_answer_of_the_command_for_one_broker() -> None:
    found = next_fault(must_be_found([str(NODE)]))
    expected = whatif([str(NODE)], Question(fail=["1"]))
    assert found is not None
    assert found.verdict == expected.verdict == "unsafe"
    assert any(line == "1 partition can go offline" for line in found.findings)
    assert found.path is not None
    assert "move-0" in found.path[0]
    assert "Broker 3 fails" in found.path[1][0]
    assert [title for title, _ in found.sections] == ["By topic, the worst first", "What to do instead", "It assumes"]


def test_the_page_of_a_metadata_log_has_the_section(tmp_path: Path) -> None:
    text = page(RECORDED_KRAFT / "reassign-3.9.1" / "node-1", tmp_path)
    assert "What the next fault would do" in text
    assert "Broker 3 fails: its session ends" in text


def test_the_page_of_a_cluster_without_a_metadata_log_has_none(tmp_path: Path) -> None:
    assert "What the next fault would do" not in page(RECORDED / "chaos-1.1.1-2" / "broker-1", tmp_path)


def test_without_the_packages_of_models_the_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    text = page(RECORDED_KRAFT / "reassign-3.9.1" / "node-1", tmp_path)
    assert "This needs numpy" in text


def test_no_files_and_no_brokers_give_no_section(tmp_path: Path) -> None:
    assert next_fault([]) is None
    bootstrap = RECORDED_KRAFT / "reassign-3.9.1" / "node-1" / "bootstrap.checkpoint"
    assert next_fault(must_be_found([str(bootstrap)])) is None


def test_a_log_that_does_not_show_the_state_is_unknown_with_the_reason() -> None:
    two = must_be_found([str(RECORDED_KRAFT / name / "node-1") for name in ("reassign-3.9.1", "failover-3.5.2")])
    found = next_fault(two)
    assert found is not None
    assert found.verdict == "unknown"
    assert "expected the metadata log of one cluster" in found.sentence
