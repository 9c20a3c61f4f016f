"""docs/bugs.md: each bug has the releases of the table of behaviours, and its rule speaks of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.checker.pages.bugs import BEGINS
from isrproof.specs.behaviours import BEHAVIOURS
from isrproof.specs.releases import ALL, span

PAGE = Path(__file__).parents[3] / "docs" / "bugs.md"
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in PAGE.read_text(encoding="utf-8").partition(BEGINS)[0].splitlines()
    if line.startswith(("| KAFKA", "| KIP"))
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_says_what_the_tables_say(row: list[str]) -> None:
    issue, releases, code, shown = row
    known = next(each for each in BEHAVIOURS.values() if issue in (each.id, *each.also))
    has_it = known.releases if known.kind == "bug" else ALL & ~known.releases
    assert span(releases) & ~has_it == 0
    assert shown.endswith(".")
    if code != "-":
        rule = rules()[code]
        assert issue in (rule.bug, *rule.issues) or issue in rule.page, code
