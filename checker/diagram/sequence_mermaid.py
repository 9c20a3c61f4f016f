"""A sequence diagram as Mermaid text."""

from __future__ import annotations

from collections.abc import Iterator

from .sequence import BAD, GOOD, Happening, SequenceDrawing, wrapped
from .style import printable

WIDTH = 44
"""The characters of a line in a note: wider ones push the lanes apart."""
_BEHIND = {BAD: "rgb(253, 236, 234)", GOOD: "rgb(227, 238, 249)"}
_CODES = {"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "&": "#amp;", '"': "#quot;"}


def write(drawing: SequenceDrawing) -> str:
    """Mermaid text, the same for the same diagram."""
    lines = ["---", f"title: {_title(drawing.title)}", "---", "sequenceDiagram"]
    lines += [f"    %% {printable(line, 200)}" for line in drawing.caption]
    lines += [f"    participant {lane} as {_text(label)}" for lane, label in drawing.lanes]
    for number, each in enumerate(drawing.happenings):
        if number == drawing.loop:
            lines.append("    loop and so on, forever")
        lines += _happening(each)
    if drawing.loop is not None and drawing.loop < len(drawing.happenings):
        lines.append("    end")
    return "\n".join([*lines, ""])


def _happening(each: Happening) -> Iterator[str]:
    behind = _BEHIND.get(each.kind)
    if behind is not None:
        yield f"    rect {behind}"
    shown = (f"{each.time} {each.lines[0]}", *each.lines[1:]) if each.time else each.lines
    text = "<br/>".join(map(_text, wrapped(shown, WIDTH)))
    ends = (each.lanes[0], each.lanes[-1])
    if each.is_arrow:
        yield f"    {ends[0]}->>{ends[1]}: {text}"
    else:
        yield f"    Note over {','.join(dict.fromkeys(ends))}: {text}"
    if behind is not None:
        yield "    end"


def _text(text: str) -> str:
    return "".join(_CODES.get(char, char) for char in printable(text, 300))


def _title(text: str) -> str:
    return '"' + printable(text, 200).replace("\\", "\\\\").replace('"', '\\"') + '"'
