"""Tests of the repository itself: what a newcomer and the installer rely on."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

ROOT = Path(__file__).parent.parent
FOLDERS = ("specs", "model", "checker", "traces")


def test_every_package_is_listed_in_setup_cfg() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    listed = set(setup["options"]["packages"].split())
    found = {
        "isrproof." + ".".join(init.parent.relative_to(ROOT).parts)
        for folder in FOLDERS
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert listed == found


def test_help_lists_every_subcommand() -> None:
    shown = CliRunner().invoke(main, ["--help"]).output
    for module in (ROOT / "checker" / "commands").glob("[a-z]*.py"):
        assert re.search(rf"^  {module.stem}\b", shown, re.MULTILINE), module.stem


@pytest.mark.parametrize(
    ("folder", "may_import"),
    [("specs", {"specs"}), ("model", {"specs", "model"}), ("traces", {"specs", "model", "traces"})],
)
def test_imports_go_one_way(folder: str, may_import: set[str]) -> None:
    """specs <- model <- (checker, traces); checker may import traces, never the reverse."""
    for module in (ROOT / folder).rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        depth = len(module.relative_to(ROOT).parts)
        beyond = re.findall(rf"^\s*from \.{{{depth}}}(\w+)", text, re.MULTILINE)
        beyond += re.findall(r"^\s*(?:from|import) isrproof\.(\w+)", text, re.MULTILINE)
        assert set(beyond) <= may_import, f"{module} imports {set(beyond) - may_import}"
