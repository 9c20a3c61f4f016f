"""Contradictions between the release that the user gives and the wording of lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from ....specs.releases import names
from ..files.file import LogFile
from .histories import Histories
from .lives import Note
from .spans import Span


def contradicted(found: Histories, release: int | None, files: Mapping[int, LogFile]) -> list[Note]:
    """Return a note for each file with lines that the release, given as a mask, does not print; None: none was
    given.
    """
    doubtful: dict[tuple[int, int], list[Span]] = defaultdict(list)
    for span in found.spans:
        if release is not None and span.releases and not span.releases & release:
            doubtful[span.cluster, span.file].append(span)
    return [
        Note(
            cluster,
            f"{files[file].path}: lines {spans[0].first} to {spans[0].last} are worded as in Kafka"
            f" {names(spans[0].releases)}, which --release {names(release or 0)} contradicts"
            + (f"; so are {len(spans) - 1} more stretches" if len(spans) > 1 else ""),
        )
        for (cluster, file), spans in sorted(doubtful.items())
    ]
