"""Colours of pictures, in every format: (fill, line, text) by kind of state, and those of moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .drawing import Edge, Node

STATES = {
    "plain": ("#f4f6f8", "#8a97a6", "#22303c"),
    "seeded": ("#e3eef9", "#5b8db8", "#22303c"),
    "unknown": ("#ffffff", "#b4bdc7", "#5a6672"),
    "stranger": ("#fdecea", "#c62828", "#8e1b1b"),
}
ILLEGAL = "#c62828"
NEVER_SEEN = "#b4bdc7"
LEGAL = "#44525f"
SEED = "#5b8db8"
GROUPS = (
    *("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#9c755f", "#2aa198"),
    *("#d4a017", "#ff7f9f", "#8c8c8c", "#6a51a3", "#1f6f3f", "#a0522d"),
)
"""Distinct colours for groups of moves."""
LABEL = 32
"""Letters of a line of a move's label: wide ones push the states apart."""


def edge_colour(edge: Edge) -> str:
    """Red for illegal moves, pale for moves that a counted log never showed."""
    if edge.illegal:
        return ILLEGAL
    return NEVER_SEEN if edge.count == 0 else LEGAL


def group_colours(edges: Iterable[Edge]) -> Mapping[str, str]:
    """A colour for each group that moves have, by name; beyond a dozen they begin again."""
    groups = sorted({edge.group for edge in edges if edge.group})
    return {group: GROUPS[number % len(GROUPS)] for number, group in enumerate(groups)}


def in_order_of_life(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes in the order of a life, which begins and ends unknown: layouts put the first ones on top."""
    return sorted(nodes, key=lambda node: node.kind != "unknown")


def printable(text: str, longest: int = 60) -> str:
    """Text of a log made safe to print: no control characters, cut to a length."""
    kept = "".join(char if char.isprintable() else " " for char in text)
    return kept if len(kept) <= longest else kept[: longest - 1] + "…"
