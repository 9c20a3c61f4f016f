"""A picture as Graphviz DOT."""

from __future__ import annotations

from .drawing import START, Drawing, Edge, Node
from .sequence import wrapped
from .style import LABEL, SEED, STATES, edge_colour, group_colours, in_order_of_life, printable

_FONT = 'fontname="Helvetica,Arial,sans-serif"'


def write(drawing: Drawing) -> str:
    """DOT text, the same for the same picture."""
    return _crowded(drawing) if drawing.crowded else _labelled(drawing)


def _labelled(drawing: Drawing) -> str:
    lines = [
        "digraph machine {",
        f'  graph [label="{_caption(drawing)}" labelloc=t labeljust=l {_FONT} fontsize=10 fontcolor="#5a6672"'
        " nodesep=0.55 ranksep=0.75 pad=0.3 forcelabels=true];",
        f'  node [shape=box style="rounded,filled" margin="0.16,0.08" penwidth=1.2 {_FONT} fontsize=12];',
        f"  edge [{_FONT} fontsize=10 arrowsize=0.7];",
    ]
    lines += [_node(node) for node in in_order_of_life(drawing.nodes)]
    lines += [_edge(edge) for edge in drawing.edges]
    if drawing.seeds:
        lines.append(f'  start [shape=plain style="" fontsize=10 fontcolor="{SEED}" label="{_text(START)}"];')
    lines += [_seed(state, condition) for state, condition in drawing.seeds]
    return "\n".join([*lines, "}", ""])


def _crowded(drawing: Drawing) -> str:
    """Draw small states and moves without labels: colours show groups, and hints under the pointer show the rest."""
    colours = group_colours(drawing.edges)
    lines = [
        "digraph machine {",
        f'  graph [label="{_caption(drawing)}" labelloc=t labeljust=l {_FONT} fontsize=14 fontcolor="#5a6672"'
        " nodesep=0.12 ranksep=0.45 pad=0.3 outputorder=edgesfirst];",
        f"  node [shape=circle style=filled fixedsize=true width=0.3 penwidth=0.8 {_FONT} fontsize=8];",
        "  edge [arrowsize=0.4 penwidth=0.8];",
    ]
    for node in drawing.nodes:
        fill, line, text = STATES[node.kind]
        lines.append(
            f'  {node.id} [label="{_text(node.name)}" fillcolor="{fill}" color="{line}" fontcolor="{text}"'
            f' class="{node.kind}"{_hint(node.hint)}];'
        )
    lines += [
        f'  {edge.source} -> {edge.target} [color="{colours.get(edge.group, edge_colour(edge))}"'
        f"{_hint(', '.join(edge.labels))}];"
        for edge in drawing.edges
    ]
    lines += [
        f'  group{number} [shape=plain style="" fixedsize=false label="{_text(group)}" fontsize=14'
        f' fontcolor="{colour}"];'
        for number, (group, colour) in enumerate(colours.items())
    ]
    # One below the other.
    lines += [f"  group{number} -> group{number + 1} [style=invis];" for number in range(len(colours) - 1)]
    return "\n".join([*lines, "}", ""])


def _caption(drawing: Drawing) -> str:
    # An empty first line crashes Graphviz at some lengths of the others.
    return "".join(_text(line, 200) + "\\l" for line in (drawing.title, *drawing.caption))


def _hint(text: str) -> str:
    """Return the hint that a reader sees under the pointer."""
    return f' tooltip="{_text(text, 1000)}"' if text else ""


def _node(node: Node) -> str:
    fill, line, text = STATES[node.kind]
    code = "" if node.code is None else f" ({node.code})"
    label = _text(node.name + code)
    return (
        f'  {node.id} [label="{label}" fillcolor="{fill}" color="{line}" fontcolor="{text}"'
        f' class="{node.kind}"{_hint(node.hint)}];'
    )


def _edge(edge: Edge) -> str:
    colour = edge_colour(edge)
    # An empty label crashes Graphviz beside an edge of a state to itself that has one.
    text = "\\n".join(map(_beside, wrapped(edge.labels, LABEL)))
    label = f'label="{text}" ' if text else ""
    style = "dashed" if edge.hidden else "solid"
    kind = " ".join(word for word, holds in (("hidden", edge.hidden), ("illegal", edge.illegal)) if holds) or "legal"
    return (
        f'  {edge.source} -> {edge.target} [{label}style={style} color="{colour}" fontcolor="{colour}"'
        f' class="{kind}"{" penwidth=1.8" if edge.illegal else ""}];'
    )


def _seed(state: str, condition: str) -> str:
    return (
        f'  start -> {state} [label="{_beside(condition)}" style=dotted color="{SEED}" fontcolor="{SEED}"'
        ' class="seed"];'
    )


def _beside(text: str) -> str:
    """A label with room towards its line: fonts of readers are wider than Graphviz knows."""
    return f"  {_text(text)}  "


def _text(text: str, longest: int = 60) -> str:
    """Text inside a quoted DOT string: Graphviz reads backslashes and HTML entities in it."""
    escaped = printable(text, longest).replace("\\", "\\\\").replace('"', '\\"')
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
