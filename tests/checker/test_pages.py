"""The generated pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from isrproof.checker.pages import outdated, pages
from isrproof.specs.behaviours import BEHAVIOURS
from isrproof.specs.machines import machine, machine_names
from isrproof.specs.releases import RELEASES


def test_the_pages_are_what_the_data_says() -> None:
    assert outdated() == (), "run python -m isrproof.checker.pages"


def test_a_page_that_differs_is_found(tmp_path: Path) -> None:
    paths = tuple(pages())
    assert outdated(tmp_path) == paths
    (tmp_path / "docs").mkdir()
    for path, text in pages().items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert outdated(tmp_path) == ()
    (tmp_path / paths[0]).write_text("by hand", encoding="utf-8")
    assert outdated(tmp_path) == paths[:1]


def test_the_pages_tell_everything() -> None:
    text = "\n".join(pages().values())
    for name in machine_names():
        assert all(state.meaning in text for state in machine(name).states)
        assert all(row.target in text and ", ".join(row.previous) in text for row in machine(name).rows)
    assert all(one.meaning in text for one in BEHAVIOURS.values())
    assert all(tag in text for row in RELEASES for tag in row.tags)


def test_check_mode_is_a_command() -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-m", "isrproof.checker.pages", *arguments]
        return subprocess.run(program, capture_output=True, text=True, check=False)

    right = run("--check")
    assert (right.returncode, right.stdout) == (0, "")
    assert run("--chek").returncode == 2
