"""docs/formats.md: how logs may arrive, from specs/envelopes.toml, specs/layouts.toml and traces/limits.py."""

from __future__ import annotations

from collections.abc import Iterator

from ...specs.formats import Envelope, envelopes, fragments, layouts
from ...traces.limits import LIMITS, Limit
from . import table

PATH = "docs/formats.md"
NEXT = "[Lines of logs](lines.md), for what is understood in them"
_ORDER = {"written": "as written", "any": "sorted if newest first, or not in order"}


def write() -> str:
    """Return the tables of envelopes and layouts, with an example of each."""
    lines = [
        "# Formats of logs",
        "",
        "This page lists the formats of logs that `isrproof audit` reads. An envelope is the wrapping of a line, a",
        "layout is the form in which Kafka prints it. Every pair works, and an envelope may be inside another. The",
        "first lines of a file decide how it is read, never its name. The report names the format, `isrproof formats",
        "FILE` explains it, and `isrproof audit --input ENVELOPE[/LAYOUT]` forces it.",
        "",
        "Files may be UTF-8 or UTF-16, with any line ends; compressed by gzip, zstd, xz or bzip2; in tar or zip",
        "archives. `-` is standard input.",
        "",
        "`python -m isrproof.checker.pages` writes this page from `specs/envelopes.toml`, `specs/layouts.toml` and",
        "`traces/limits.py`: change the data, not this page.",
        "",
        "## Envelopes",
        "",
        *table(("envelope", "written by", "writer", "order of lines", "row limits"), map(_row, envelopes().values())),
        "",
        "`LINE` stands for a line in any layout. A file with exactly as many records as a row limit allows was cut:",
        "any line may be missing.",
    ]
    for row in envelopes().values():
        lines += ["", f"### {row.id}", "", f"Source: {row.source}.", "", "```text", *row.example.split("\n"), "```"]
    lines += ["", "## Layouts", ""]
    lines += table(("layout", "printed by"), ((row.id, row.meaning) for row in layouts().values()))
    for layout in layouts().values():
        lines += ["", f"### {layout.id}", "", f"Source: {layout.source}.", "", "```text", layout.example, "```"]
    lines += [
        "",
        "## Pasted text",
        "",
        "Text that a person pasted needs no option either. The head of a file shows it, and its note says what was",
        "done: sentences around lines are left out, with their count; lines that were wrapped at a width are",
        "joined where that gives a known line, lines that run on are parted; a prefix, a date of the viewer, blank",
        "lines, and what a terminal, a browser or Markdown made of brackets are taken off; two spaces that became",
        "one are put back. Any line may be missing from such a text. Output of kafka-topics --describe, kafka-",
        "metadata-quorum describe and kafka-reassign-partitions --verify, alone or among lines, is named, with",
        "what it shows; that of kafka-dump-log is read as the files that were dumped. A line of which a part is",
        "missing is read in one of these layouts, if no other explains it:",
        "",
    ]
    lines += table(
        ("part", "form", "example"), ((row.id, row.meaning, f"`{row.example}`") for row in fragments().values())
    )
    lines += ["", "## Limits", "", "No file takes more time or memory than its size explains: more is not read.", ""]
    lines += table(("of", "at most", "beyond"), ((each.of, _at_most(each), each.beyond) for each in LIMITS))
    return "\n".join([*lines, ""])


def _at_most(limit: Limit) -> str:
    if not limit.unit:
        return f"2^{limit.most.bit_length() - 1} - 1"
    for power, unit in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if limit.unit == "bytes" and limit.most >= power:
            return f"{limit.most // power} {unit}"
    return f"{limit.most:,} {limit.unit}"


def _row(row: Envelope) -> Iterator[str]:
    yield row.id
    yield row.meaning
    labels = [key.removeprefix("resource.attributes.") for key in row.label]
    if not labels and row.line and "<label>" in row.line:
        labels = ["in the line"]
    if row.line and "<labels>" in row.line:
        labels = ["the labels"]
    yield ", ".join(labels) or "the file"
    yield _ORDER[row.order]
    yield ", ".join(f"{limit:,}" for limit in row.limits)
