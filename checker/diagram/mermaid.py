"""A picture as a Mermaid flowchart (its state diagrams have no dashed and no coloured moves)."""

from __future__ import annotations

from .drawing import START, Drawing, Edge, Node
from .style import SEED, STATES, edge_colour, printable


def write(drawing: Drawing) -> str:
    """Mermaid text, the same for the same picture."""
    lines = ["---", f"title: {_title(drawing.title)}", "---"]
    lines += [f"%% {printable(line, 200)}" for line in drawing.caption]
    lines += ["flowchart TB"]
    lines += [_node(node) for node in drawing.nodes]
    if drawing.seeds:
        lines.append(f"    start(({_quoted([START])})):::start")
    lines += [_edge(edge) for edge in drawing.edges]
    lines += [f"    start -. {_quoted([condition])} .-> {state}" for state, condition in drawing.seeds]
    lines += [f"    classDef {kind} fill:{f},stroke:{s},color:{t}" for kind, (f, s, t) in STATES.items()]
    lines.append(f"    classDef start fill:#ffffff,stroke:{SEED},color:{SEED},stroke-dasharray:2 2")
    for number, edge in enumerate(drawing.edges):
        colour = edge_colour(edge)
        lines.append(f"    linkStyle {number} stroke:{colour},color:{colour}")
    return "\n".join([*lines, ""])


def _node(node: Node) -> str:
    code = "" if node.code is None else f" ({node.code})"
    return f"    {node.id}({_quoted([node.name + code])}):::{node.kind}"


def _edge(edge: Edge) -> str:
    if not edge.labels:
        return f"    {edge.source} {'-.->' if edge.hidden else '-->'} {edge.target}"
    opened, closed = ("-.", ".->") if edge.hidden else ("--", "-->")
    return f"    {edge.source} {opened} {_quoted(edge.labels)} {closed} {edge.target}"


def _quoted(lines: list[str] | tuple[str, ...]) -> str:
    """A quoted Mermaid text; whatever is not plain becomes one of its `#code;` entities."""
    return '"' + "<br/>".join("".join(_char(char) for char in printable(line)) for line in lines) + '"'


def _char(char: str) -> str:
    return char if char.isalnum() or char in " .,()-_" else f"#{ord(char)};"


def _title(text: str) -> str:
    return '"' + printable(text, 200).replace("\\", "\\\\").replace('"', '\\"') + '"'
