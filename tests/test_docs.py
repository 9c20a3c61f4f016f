"""Pages whose commands are run: what a block shows after `$ isrproof ...` is what that prints."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

from tests.imports import ROOT

PAGES = {"README.md", "kraft.md", "kraft-incident.md", "lost-records.md", "recordings.md", "whatif.md", "why.md"}
LEFT_OUT = "..."
_BLOCK = re.compile(r"^```(?:console)?\n(?P<lines>\$ isrproof .*?)^```$", re.DOTALL | re.MULTILINE)


def blocks() -> Iterator[tuple[str, str]]:
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
            yield page.name, block["lines"]


def run(command: str) -> list[str]:
    """The lines that a command prints; with `> FILE` it writes them."""
    command, _, written = command.partition(" > ")
    program, *arguments = shlex.split(command)
    assert program == "isrproof"
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code in (0, 1), done.output
    if written:
        Path(written).write_text(done.stdout, encoding="utf-8")
    return done.stdout.splitlines()


def holds(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Return True if lines are printed in this order, with others between only where lines are left out; a line may go
    on."""
    if not shown:
        return True
    if shown[0] == LEFT_OUT:
        return any(holds(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and printed[0].startswith(shown[0]) and holds(shown[1:], printed[1:])


@pytest.mark.parametrize(("page", "block"), list(blocks()), ids=lambda each: each.splitlines()[0][:50])
def test_a_block_shows_what_its_commands_print(
    page: str, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "traces").symlink_to(ROOT / "traces")
    monkeypatch.chdir(tmp_path)
    for each in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *shown = each.splitlines()
        printed = run(command)
        assert not shown or holds([*shown, LEFT_OUT], printed), (page, printed)


def test_these_pages_have_commands() -> None:
    assert {page for page, _ in blocks()} == PAGES


def test_a_line_that_is_not_printed_is_missed() -> None:
    assert not holds(["a", LEFT_OUT, "c"], ["a", "b"])
    assert not holds(["a", "c"], ["a", "b", "c"])
    assert holds(["a", LEFT_OUT, "c", LEFT_OUT], ["a", "b", "c", "d"])
