"""The columns of a stored event: declared once, for the writer, the readers and the page."""

from __future__ import annotations

from collections.abc import Mapping

from ....traces.events.event import FIELDS, PRINTED

VERSION = 1
"""The version of the table: of these columns, of the manifest, and of the folders."""
RELEASES = "releases"
"""The type of a set of releases: its text, since the numbers of releases change from version to version."""
PLACE: Mapping[str, str] = {
    "file_id": "int",
    "file": "str",
    "writer": "str",
    "line": "int",
    "part": "int",
    "number": "int",
}
"""The columns that say where an event's line stands, with their types as in FIELDS."""
COLUMNS: Mapping[str, str] = {
    **PLACE,
    "row": "str",
    "level": "str",
    "time": "time",
    "releases": RELEASES,
    **{name: RELEASES if name == "from_state_untrue" else FIELDS[name] for name in PRINTED},
    "text": "str",
}
"""The type of each column; `time` is a timestamp in milliseconds without a zone, as the line prints it."""
MEANING: Mapping[str, str] = {
    "file_id": "The number of the file, or of one writer's lines in it, in this table.",
    "file": "The path of the file when it was parsed.",
    "writer": "The writer of the line, in a file of several.",
    "line": "The number of the line in the file, from 1.",
    "part": "The position among the log lines that this line contains, from 2; null for the first.",
    "number": "The number of the line among those of its writer; null where it is `line`.",
    "row": "The id of the line's wording (docs/lines.md).",
    "level": "The level of the line.",
    "time": "The time of the line as printed, without a zone.",
    "text": "The line, without its envelope.",
}
"""The meaning of the columns that are no field of an event, or have no documentation there."""
