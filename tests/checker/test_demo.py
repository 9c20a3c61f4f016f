"""The first command of many users: it works with the extra of the page alone, or says at once what is missing."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from isrproof.checker.cli import main


def demo(page: Path, monkeypatch: pytest.MonkeyPatch, *without: str) -> Result:
    """Run the demo where some packages are not installed."""

    def found(name: str) -> ModuleSpec | None:
        return None if name in without else importlib.util.find_spec(name)

    for module in ("packages", "audit.engine"):
        monkeypatch.setattr(f"isrproof.checker.{module}.find_spec", found)
    return CliRunner().invoke(main, ["demo", "--html", str(page)])


@pytest.mark.full
def test_it_needs_no_arrow_beside_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2")
    page = tmp_path / "page.html"
    shown = demo(page, monkeypatch, "pyarrow")
    assert shown.exit_code == 0, shown.output
    assert "KAFKA-3143, fixed in 2.3.0" in shown.stdout
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_it_says_what_is_missing_before_it_reads_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.checker.audit.command.auditing", lambda *_: pytest.fail("it was read"))
    shown = demo(tmp_path / "page.html", monkeypatch, "jinja2")
    assert shown.exit_code == 2
    assert shown.stderr == "Error: --html needs jinja2: pip install 'isrproof[reports]'\n"
