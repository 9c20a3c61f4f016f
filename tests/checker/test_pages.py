"""The generated pages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import isrproof.checker.pages as pages
import isrproof.checker.pages.__main__ as command
import pytest
from isrproof.checker.pages import outdated
from isrproof.specs.behaviours import BEHAVIOURS
from isrproof.specs.machines import machine, machine_names
from isrproof.specs.releases import RELEASES


@pytest.fixture(scope="module")
def texts() -> Mapping[str, str]:
    """The pages, written once."""
    return pages.pages()


@pytest.fixture(autouse=True)
def _written_once(texts: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (pages, command):
        monkeypatch.setattr(module, "pages", lambda: texts)


def test_the_pages_are_what_the_data_says() -> None:
    assert outdated() == (), "run python -m isrproof.checker.pages"


def test_a_page_that_differs_is_found(texts: Mapping[str, str], tmp_path: Path) -> None:
    paths = tuple(texts)
    assert outdated(tmp_path) == paths
    (tmp_path / "docs" / "rules").mkdir(parents=True)
    for path, text in texts.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert outdated(tmp_path) == ()
    (tmp_path / paths[0]).write_text("by hand", encoding="utf-8")
    assert outdated(tmp_path) == paths[:1]


def test_no_page_is_of_a_rule_that_is_gone(texts: Mapping[str, str]) -> None:
    found = {path.relative_to(pages.ROOT).as_posix() for path in (pages.ROOT / "docs" / "rules").iterdir()}
    assert found == {path for path in texts if path.startswith("docs/rules/")}


def test_a_page_ends_with_the_next_step(texts: Mapping[str, str]) -> None:
    assert pages.ending("# A\n\n", "[B](b.md)") == "# A\n\n**Next:** [B](b.md).\n"
    assert all("\n\n**Next:** [" in text for path, text in texts.items() if path.endswith(".md"))


def test_the_pages_tell_everything(texts: Mapping[str, str]) -> None:
    text = "\n".join(texts.values())
    for name in machine_names():
        assert all(state.meaning in text for state in machine(name).states)
        assert all(row.target in text and ", ".join(row.previous) in text for row in machine(name).rows)
    assert all(one.meaning in text for one in BEHAVIOURS.values())
    assert all(tag in text for row in RELEASES for tag in row.tags)


def test_check_mode_is_a_command(
    texts: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--chek"]) == 2
    capsys.readouterr()
    assert command.main(["--check"]) == 0
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(command, "outdated", lambda: outdated(tmp_path))
    assert command.main(["--check"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == len(texts)


@pytest.mark.full
def test_the_command_checks_in_a_process_of_its_own() -> None:
    program = [sys.executable, "-m", "isrproof.checker.pages", "--check"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
