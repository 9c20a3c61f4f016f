"""Pictures that are parts of a web page, and Mermaid blocks of docs/ as such pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from isrproof.checker.diagram import inlined, sequence_svg
from isrproof.checker.diagram.counts import MoveCount
from isrproof.checker.diagram.drawing import Drawing, Edge, Node, draw
from isrproof.checker.diagram.sequence import BAD, Happening, SequenceDrawing
from isrproof.checker.pages import _drawn, source

from tests.imports import ROOT

HOSTILE = '<script>"&\x1b'
BLOCK = re.compile(r"^```mermaid\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SEQUENCE = SequenceDrawing(
    "Title",
    (),
    (("a", "node a"), ("b", "node b")),
    (
        Happening(("a first line that is broken", "second"), ("a",), kind=BAD),
        Happening(("to the left",), ("b", "a"), is_arrow=True),
    ),
)


def test_a_picture_has_classes_and_names_and_no_colours() -> None:
    pytest.importorskip("pygraphviz")
    text = inlined.write(draw("replica", "2.0.0", seen=[MoveCount("NewReplica", "OnlineReplica", 3)]))
    root = ElementTree.fromstring(text)
    (seen,) = (each for each in root.iter() if each.get("class") == "move seen")
    assert (seen.get("data-from"), seen.get("data-to")) == ("NewReplica", "OnlineReplica")
    assert sum("unseen" in each.get("class", "").split() for each in root.iter()) > 5
    assert {"state plain", "state seeded", "state unknown", "seed"} <= {each.get("class") for each in root.iter()}
    assert not re.search(r"fill=|stroke=|style=| id=|<!--", text)


def test_a_state_with_a_hint_is_drawn_with_it() -> None:
    pytest.importorskip("pygraphviz")
    nodes = (Node("n0", "a", None, "plain", "what a <holds>"), Node("n1", "b", None, "plain"))
    edges = (Edge("n0", "n1", ("step",), None, hidden=True, illegal=False),)
    root = ElementTree.fromstring(inlined.write(Drawing("two", ("left out",), nodes, edges, ())))
    assert [each.text for each in root.iter("title")] == ["what a <holds>"]
    assert {" ".join((each.text or "").split()) for each in root.iter("text")} == {"two", "a", "b", "step"}
    assert [each.get("class") for each in root.iter("g") if each.get("data-from")] == ["move hidden"]


def test_hostile_names_are_text_and_printable() -> None:
    pytest.importorskip("pygraphviz")
    text = inlined.write(draw("replica", seen=[MoveCount(HOSTILE, "OnlineReplica", 1, 1)]))
    assert "<script" not in text
    assert "\x1b" not in text
    root = ElementTree.fromstring(text)
    assert [each.get("data-from") for each in root.iter() if each.get("class") == "move illegal"] == ['<script>"& ']


def test_lanes_of_a_sequence_are_as_narrow_as_asked_and_the_whole_first_line_is_bold() -> None:
    wide, narrow = (ElementTree.fromstring(text) for text in (sequence_svg.write(SEQUENCE), _narrow()))
    assert int(narrow.attrib["width"]) < int(wide.attrib["width"])
    bold = [each.text for each in narrow.iter() if each.get("class") == "on-bad" and each.get("font-weight")]
    assert " ".join(filter(None, bold)) == "a first line that is broken"
    assert len(bold) == 2


def _narrow() -> str:
    return sequence_svg.write(SEQUENCE, 16, 0)


def test_an_arrow_points_to_where_it_leads() -> None:
    (arrow,) = re.findall(r'<path d="M(\d+),\d+ L(\d+),\d+ l(-?\d+),', _narrow())
    first, last, back = map(int, arrow)
    assert last < first
    assert back > 0


def test_every_mermaid_block_of_docs_is_drawn_from_what_it_was_made_of() -> None:
    blocks = [
        block for page in sorted((ROOT / "docs").glob("*.md")) for block in BLOCK.findall(page.read_text("utf-8"))
    ]
    assert len(blocks) == 43
    for block in blocks:
        assert source(_drawn.drawing(block)) == block.strip()


def test_a_block_that_nothing_draws_ends_the_build() -> None:
    superfences = pytest.importorskip("pymdownx.superfences")
    with pytest.raises(superfences.SuperFencesException, match="A Mermaid block that no page of checker/pages draws"):
        _drawn.fence("flowchart TB\n    a --> b", "mermaid", "mermaid", {}, None)


def test_a_figure_has_the_caption_as_text_and_shrinks_only_while_it_can_be_read() -> None:
    pytest.importorskip("pygraphviz")
    shown = Drawing("t", ("a < b",), (Node("n0", "a", None, "plain"),), (), ())
    text = _drawn.figure(shown)
    assert "<figcaption>a &lt; b</figcaption>" in text
    (width, least) = map(int, re.findall(r'width="(\d+)pt" style="min-width:(\d+)pt"', text)[0])
    assert least == round(width * _drawn.LEAST)
    assert "min-width" not in _drawn.figure(SEQUENCE)
