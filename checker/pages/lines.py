"""docs/lines.md: the lines that are read, from specs/lines/*.toml."""

from __future__ import annotations

from collections.abc import Iterator

from ...specs.lines import Row, Slot, Wording, rows
from ...specs.lines.roles import ROLES, SPEAKERS
from ...specs.releases import ANY_MODE, MODES, names
from ...traces.events.render import sample_line
from . import table

PATH = "docs/lines.md"
NEXT = "[Observations](observations.md), for what is made of these lines"


def write() -> str:
    """Each row of the line table: meaning, wordings per release, a sample."""
    lines = [
        "# Log lines",
        "",
        "This page lists the log lines that isrproof reads. A row has one meaning. Its speaker is the writer of the",
        "line, its role the class of its meaning. The same data make both parsers and the writer of lines.",
        "",
        "In a wording, `{field}` is kept in that field of the event, `{}` is read and dropped. A field is *not",
        "evidence* in some releases if these print it whatever the truth is.",
        "",
        "`python -m isrproof.checker.pages` writes this page from `specs/lines/*.toml`: change the data, not this",
        "page.",
    ]
    lines += ["", *table(("speaker", "writes the line"), SPEAKERS.items())]
    lines += ["", *table(("role", "what the line means"), ROLES.items())]
    for row in rows().values():
        lines += ["", *_section(row)]
    return "\n".join([*lines, ""])


def _section(row: Row) -> Iterator[str]:
    yield f"## {row.id}"
    yield ""
    role = f"{row.role}, {row.entity}" if row.entity else row.role
    mode = "any" if row.mode == ANY_MODE else MODES[row.mode]
    yield f"{row.meaning} Role: {role}. Speaker: {row.speaker}. Mode: {mode}."
    yield f"Source: {row.source}. Logger: {', '.join(f'`{name}`' for name, _ in row.loggers) or 'none'}."
    yield ""
    yield from table(("releases", "level", "text"), (_wording(wording) for wording in row.wordings))
    yield ""
    yield "```text"
    yield sample_line(row)
    yield "```"


def _wording(wording: Wording) -> Iterator[str]:
    yield names(wording.releases)
    yield ", ".join(level for level, _ in wording.levels if level)
    text = "".join(piece if isinstance(piece, str) else _slot(piece) for piece in wording.pieces)
    yield f"`{text}`" + "".join(f"; not evidence in {names(mask)}: `{field}`" for field, mask in wording.untrue)


def _slot(slot: Slot) -> str:
    return "{" + (slot.field or "") + "}"
