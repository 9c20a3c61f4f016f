"""docs/observations.md: each observation with what it looks at, and each column with what it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from isrproof.checker.audit.catalogue import observations
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.checker.pages import observations as page

from tests.citations import anchor
from tests.imports import ROOT

TEXT = page.write()
NAMES = ("_known", "_rows", "meaning", "meanings", "parts")


@pytest.fixture
def fresh() -> Iterator[None]:
    """Nothing that is kept of the declarations, before and after."""
    for name in NAMES:
        getattr(page, name).cache_clear()
    yield
    for name in NAMES:
        getattr(page, name).cache_clear()


def test_each_observation_has_a_section_with_its_rules_and_columns() -> None:
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))
    assert sections.keys() >= observations().keys()
    for name, each in observations().items():
        assert page.described(each) in sections[name]
        for rule in rules().values():
            assert (f"[{rule.code}]" in sections[name]) == (rule.observation == name), rule.code
        sets = {column for part in page.parts(name) for column in page.sets()[part]}
        assert all(f"| `{column}` |" in sections[name] for column in each.columns if column not in sets), name


def test_links_lead_to_headings() -> None:
    text = (ROOT / "docs" / "lines.md").read_text(encoding="utf-8")
    known = {anchor(each) for each in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    linked = set(re.findall(r"\(lines.md#([^)]+)\)", TEXT))
    assert len(linked) > 30
    assert linked <= known


def test_links_lead_to_rules() -> None:
    linked = set(re.findall(r"\((rules/[^)]+)\)", TEXT))
    assert len(linked) > 30
    assert all((ROOT / "docs" / each).is_file() for each in linked)


def test_a_column_without_a_meaning_is_refused() -> None:
    with pytest.raises(ValueError, match="say what the column 'unheard' of states means"):
        page.meaning("unheard", "states")
    with pytest.raises(ValueError, match="say what the column 'before_unheard' of states means"):
        page.meaning("before_unheard", "states")


@pytest.mark.usefixtures("fresh")
def test_an_observation_without_a_literal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(observations()["states"], name="planted")
    monkeypatch.setattr(page, "observations", lambda: {"planted": other})
    with pytest.raises(ValueError, match="say under the constant of the observation 'planted' what it looks at"):
        page.check()


@pytest.mark.parametrize("name", [page.SHARED, "states", "HOSTED"])
@pytest.mark.usefixtures("fresh")
def test_a_meaning_of_no_column_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = page.meanings()
    more = {**known, name: {**known.get(name, {}), "unheard": "nothing"}}
    monkeypatch.setattr(page, "meanings", lambda: more)
    with pytest.raises(ValueError, match=f"{name} has no column unheard"):
        page.check()
