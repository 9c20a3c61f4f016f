"""Paths as a page shows them: below what was given, so that they neither fill it nor name a user's machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from .....traces.timeline import TimelineRow
from ..encodable import Change, with_texts
from ..forms import AuditRun
from ..model import Report


def below(paths: Sequence[str]) -> Change:
    """Return a function that cuts a path at a folder that was given, or at the one that all that was given is in."""
    base = _base(paths)

    def cut(text: str) -> str | None:
        return text[len(base) :] if base and text.startswith(base) and len(text) > len(base) else None

    return cut


def _base(paths: Sequence[str]) -> str:
    if len(paths) == 1 and not os.path.isfile(paths[0]):
        return os.path.join(paths[0], "")
    folders = [os.path.dirname(path.rstrip("/")) for path in paths]
    if not folders or len({os.path.isabs(path) for path in folders}) > 1:
        return ""
    return os.path.join(os.path.commonpath(folders), "") if all(folders) else ""


def names_below(run: AuditRun) -> list[str]:
    """Return the name of each cluster: its path below the folder that all are in."""
    cut = below(run.paths)
    return [cut(title) or title for title, _ in run.clusters]


def shown_below(report: Report, cut: Change) -> Report:
    """Return a report with its paths cut. States of partitions keep theirs: there may be half a million."""
    rest = replace(report, timeline=None, replicas=None)
    return replace(with_texts(rest, cut), timeline=report.timeline, replicas=report.replicas)


def row_below(row: TimelineRow, cut: Change) -> TimelineRow:
    name = cut(row.place.file)
    return row if name is None else replace(row, place=replace(row.place, file=name))
