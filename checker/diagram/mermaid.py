"""A picture as a Mermaid flowchart (its state diagrams have no dashed and no coloured moves)."""

from __future__ import annotations

from .drawing import START, Drawing, Edge, Node
from .sequence import wrapped
from .style import LABEL, SEED, STATES, edge_colour, in_order_of_life, printable

# Names of HTML: Mermaid 11.17 shows its own `#60;` undecoded in nodes.
_NAMES = {
    "<": "lt",
    ">": "gt",
    "&": "amp",
    '"': "quot",
    "'": "apos",
    "#": "num",
    "%": "percnt",
    "`": "grave",
    "[": "lbrack",
    "]": "rbrack",
    "{": "lbrace",
    "}": "rbrace",
    "|": "vert",
    "\\": "bsol",
    "/": "sol",
    ";": "semi",
    ":": "colon",
    "=": "equals",
    "+": "plus",
    "*": "ast",
    "!": "excl",
    "@": "commat",
    "$": "dollar",
}


def write(drawing: Drawing) -> str:
    """Mermaid text, the same for the same picture."""
    lines = ["---", f"title: {_title(drawing.title)}", "---"]
    lines += [f"%% {printable(line, 200)}" for line in drawing.caption]
    lines += ["flowchart TB"]
    lines += [_node(node) for node in in_order_of_life(drawing.nodes)]
    if drawing.seeds:
        lines.append(f"    start([{_quoted([START])}]):::start")
    lines += [_edge(edge) for edge in drawing.edges]
    lines += [f"    start -. {_quoted([condition])} .-> {state}" for state, condition in drawing.seeds]
    lines += [f"    classDef {kind} fill:{f},stroke:{s},color:{t}" for kind, (f, s, t) in STATES.items()]
    lines.append(f"    classDef start fill:#ffffff,stroke:{SEED},color:{SEED},stroke-dasharray:2 2")
    colours = [*map(edge_colour, drawing.edges), *(SEED for _ in drawing.seeds)]
    lines += [f"    linkStyle {number} stroke:{colour},color:{colour}" for number, colour in enumerate(colours)]
    return "\n".join([*lines, ""])


def _node(node: Node) -> str:
    code = "" if node.code is None else f" ({node.code})"
    return f"    {node.id}({_quoted([node.name + code])}):::{node.kind}"


def _edge(edge: Edge) -> str:
    if not edge.labels:
        return f"    {edge.source} {'-.->' if edge.hidden else '-->'} {edge.target}"
    opened, closed = ("-.", ".->") if edge.hidden else ("--", "-->")
    return f"    {edge.source} {opened} {_quoted(wrapped(edge.labels, LABEL))} {closed} {edge.target}"


def _quoted(lines: list[str] | tuple[str, ...]) -> str:
    """A quoted Mermaid text, in which punctuation that means something to Mermaid or HTML is written by name."""
    return '"' + "<br/>".join("".join(map(_char, printable(line))) for line in lines) + '"'


def _char(char: str) -> str:
    if char.isalnum() or char in " .,()-_":
        return char
    return f"&{_NAMES[char]};" if char in _NAMES else "?"


def _title(text: str) -> str:
    return '"' + printable(text, 200).replace("\\", "\\\\").replace('"', '\\"') + '"'
