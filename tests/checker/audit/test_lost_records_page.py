"""docs/lost-records.md: every command of it does what the page says."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

from tests.recordings import RECORDED

ROOT = RECORDED.parents[1]
PAGE = (ROOT / "docs" / "lost-records.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
LEFT_OUT = "..."


def run(command: str, folder: Path) -> str:
    """What a command prints, or writes to a file of the folder."""
    command, _, written = command.partition(" > ")
    program, *arguments = shlex.split(command)
    assert program == "isrproof"
    found = [str(ROOT / each) if each.startswith("traces/") else each for each in arguments]
    before = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(main, found)
    finally:
        os.chdir(before)
    assert done.exit_code == 0, done.output
    if written:
        (folder / written).write_text(done.stdout, encoding="utf-8")
    return done.output.replace(f"{ROOT}/", "")


def holds(shown: list[str], printed: list[str]) -> bool:
    """Whether lines are printed in this order, with nothing between but where lines are left out."""
    if not shown:
        return True
    if shown[0] == LEFT_OUT:
        return any(holds(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and holds(shown[1:], printed[1:])


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0])
def test_a_block_shows_what_its_commands_print(block: str, tmp_path: Path) -> None:
    commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    shown = [line for line in block.splitlines() if not line.startswith("$ ")]
    printed = [run(command, tmp_path) for command in commands][-1]
    assert holds(shown, printed.splitlines()), printed


def test_a_line_that_is_not_printed_is_missed() -> None:
    assert not holds(["a", LEFT_OUT, "c"], ["a", "b"])
    assert not holds(["a", "c"], ["a", "b", "c"])
    assert holds(["a", LEFT_OUT, "c", LEFT_OUT], ["a", "b", "c", "d"])
