"""Pages of docs/ whose commands are run: what a block shows after `$ isrproof ...` is what is printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import groupby

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

from tests.imports import ROOT

PAGES = ("kraft-incident.md",)
_BLOCK = re.compile(r"^```\n\$ isrproof (?P<command>[^\n]+)\n(?P<shown>.*?)^```$", re.DOTALL | re.MULTILINE)


def commands() -> Iterator[tuple[str, str, str]]:
    for page in PAGES:
        for block in _BLOCK.finditer((ROOT / "docs" / page).read_text(encoding="utf-8")):
            yield page, block["command"], block["shown"]


@pytest.mark.parametrize(("page", "command", "shown"), list(commands()), ids=lambda each: each[:40])
def test_a_command_prints_what_its_page_shows(
    page: str, command: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`...` stands for any lines; a line may go on."""
    monkeypatch.chdir(ROOT)
    printed = CliRunner().invoke(main, shlex.split(command)).stdout.splitlines()
    at = 0
    for skips, several in groupby(shown.splitlines(), key=lambda line: line == "..."):
        for number, line in enumerate([] if skips else several):
            there = [i for i in range(at, len(printed)) if printed[i].startswith(line)]
            assert there, (page, line, printed)
            assert number == 0 or there[0] == at, (page, line)
            at = there[0] + 1


def test_there_are_commands() -> None:
    assert {page for page, *_ in commands()} == set(PAGES)
