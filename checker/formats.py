"""The table of formats as text, and the explanation of how a file is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..specs.errors import IsrproofError
from ..specs.formats import envelopes, fragments, layouts
from ..traces.formats.detect import Detected, detect, holds_lines
from ..traces.metadata.files import found_in
from ..traces.sources.paths import expand, is_elsewhere
from ..traces.sources.text import Lines

_WIDTH = 17


def listing() -> str:
    """All envelopes and layouts, one a line."""
    lines = ["Envelopes: how a line is wrapped", ""]
    lines += [f"  {row.id:<{_WIDTH}}{row.meaning}" for row in envelopes().values()]
    lines += ["", "Layouts: how Kafka prints a line", ""]
    lines += [f"  {row.id:<{_WIDTH}}{row.meaning}" for row in layouts().values()]
    lines += ["", "Parts of lines, in pasted text", ""]
    lines += [f"  {row.id:<{_WIDTH}} {row.meaning}" for row in fragments().values()]
    lines += [
        "",
        "Every pair works. --input ENVELOPE[/LAYOUT] forces one: --input cri/strimzi; cri over docker: docker/cri.",
    ]
    return "\n".join(lines)


def as_json() -> dict[str, object]:
    """The rows of both tables."""

    def shown(row: Any) -> dict[str, str]:
        return {name: getattr(row, name) for name in ("id", "meaning", "source", "example")}

    return {
        "envelopes": [{**shown(row), "kind": row.kind, "order": row.order} for row in envelopes().values()],
        "layouts": [{**shown(row), "pattern": row.pattern} for row in layouts().values()],
    }


def detected(path: str) -> Iterator[tuple[str, Detected]]:
    """Yield the text files of a path, each with how it is read.

    Raises:
        IsrproofError: the path does not exist, a file cannot be read, or there are only files of a metadata log.
    """
    if is_elsewhere(path):
        raise IsrproofError(f"{path}: expected a file on this machine.")
    metadata = found_in([path])
    for _, files in expand([path], other={file.real for file in metadata}, holds_lines=holds_lines):
        if metadata and not files:
            raise IsrproofError(
                f"{path}: expected text logs, got files of KRaft's metadata log, which has one format; isrproof "
                "records prints its records."
            )
        for source in files:
            lines = Lines(source.there)
            if next(iter(lines), None) is None and lines.problem:
                raise IsrproofError(f"{source.path}: {lines.problem}.")
            yield source.path, detect(source.there)


def explained(path: str, found: Detected) -> Mapping[str, object]:
    """Return what a detection found, and why."""
    reading = found.reading
    return {
        "file": path,
        "read_as": str(reading) if found.known else None,
        "envelopes": list(reading.chain),
        "layout": reading.layout,
        "lines": found.lines,
        "known": found.known,
        "newest_first": reading.falls,
        "problem": found.problem,
    }


def as_text(shown: Mapping[str, object]) -> str:
    """An explanation as sentences."""
    lines = [f"{shown['file']}: read as {shown['read_as'] or 'plain lines: no known layout'}"]
    held = " -> ".join([*(f"{id} ({envelopes()[id].meaning})" for id in shown["envelopes"]), _layout(shown)])  # type: ignore[attr-defined]
    lines.append(f"  {held}")
    lines.append(f"  {shown['known']} lines of a known layout among its first {shown['lines']} non-blank lines")
    if shown["newest_first"]:
        lines.append("  newest line first; the order is reversed")
    if shown["problem"]:
        lines.append(f"  {shown['problem']}")
    return "\n".join(lines)


def _layout(shown: Mapping[str, object]) -> str:
    row = {**layouts(), **fragments()}.get(str(shown["layout"]))
    return "no known layout" if row is None else f"{row.id} ({row.meaning})"
