"""The state machines on the page, drawn or as counts, with the moves of this log."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.pages import SOUND, chaos, page
from tests.recordings import CHAOS
from tests.reports import made

pytest.importorskip("jinja2")


def test_state_machines_are_drawn_with_the_moves_of_this_log() -> None:
    pytest.importorskip("pygraphviz")
    text = chaos()
    drawn = re.findall(r'<svg viewBox[^>]*class="machine".*?</svg>', text, re.DOTALL)
    moves = made(CHAOS).transitions
    assert len(drawn) == len({each.machine for each in moves})
    assert sum(each.count('class="move seen"') for each in drawn) == sum(not each.illegal for each in moves)
    assert sum(each.count('class="move illegal"') for each in drawn) == sum(each.illegal for each in moves)
    assert not re.search(r"style=|href|<title|<style|fill=", "".join(drawn))


def test_a_count_of_a_move_leads_to_its_first_lines() -> None:
    text = chaos()
    links = re.findall(r'<td class="(?:seen|illegal)"><a href="#([^"]+)">([\d,]+)</a>', text)
    shown = dict(re.findall(r'<figure id="([^"]+)" tabindex="-1" data-move(.*?)</figure>', text, re.DOTALL))
    assert len(links) == len(shown) == len(made(CHAOS).transitions)
    for name, count in links:
        lines = shown[name].count('<div class="named">')
        assert lines == min(int(count), 5)
        assert ("more</figcaption>" in shown[name]) == (int(count) > 5)
    assert "state-change.log" in shown[links[0][0]]


def test_a_report_without_lines_of_moves_has_their_counts() -> None:
    bare = replace(made(CHAOS), transitions=tuple(replace(each, first_lines=()) for each in made(CHAOS).transitions))
    text = page(bare)
    assert "data-move data-from" not in text
    assert '<td class="seen">' in text


def test_without_graphviz_the_page_has_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.checker.audit.report.page.machines.find_spec", lambda name: None)
    text = page(made(SOUND))
    assert 'class="machine"' not in text
    assert 'class="matrix"' in text
