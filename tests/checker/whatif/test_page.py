"""docs/whatif.md lists what is asked, in the order of the answer."""

from __future__ import annotations

import re

from isrproof.checker.whatif.answer import KINDS
from isrproof.model.kraft.at_stake import at_stake

from tests.imports import ROOT


def test_the_page_lists_the_properties() -> None:
    text = (ROOT / "docs" / "whatif.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", text, re.MULTILINE)
    for eligible in (False, True):
        assert rows == [(kind, prop.name) for kind, prop in zip(KINDS, at_stake(eligible), strict=True)]
