"""Refusals of what cannot be audited: it is not there, cannot be read, or has nothing of what is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from ...specs.errors import IsrproofError
from ...traces.formats.dumps import is_output
from ...traces.metadata.files import BESIDE, MetadataFile
from .files.file import FileFacts
from .files.log import Log
from .findings.audited import Audited
from .findings.metadata import Metadata
from .observe.narrow import EVERYTHING, Narrow
from .report.nothing import nothing_there


def must_be_more(beside: Sequence[MetadataFile], facts: Sequence[FileFacts]) -> None:
    """Refuse files of a metadata folder that are no copy of the log, where there is nothing else."""
    if beside and not facts:
        raise IsrproofError(
            f"{beside[0].path}: expected segments (NNNNNNNNNNNNNNNNNNNN.log) or snapshots (OFFSET-EPOCH.checkpoint) of"
            f" the metadata log beside it, or text logs, found none. It has {BESIDE[beside[0].kind]}, but no history."
        )


def must_have_read(facts: Sequence[FileFacts], pattern: str | None) -> None:
    """Refuse files of which none could be read, or has a line of Kafka's."""
    if all(fact.unread for fact in facts):
        first = facts[0]
        more = f" (and {len(facts) - 1} more files)" if len(facts) > 1 else ""
        raise IsrproofError(f"{first.path}: {first.problem}{more}.")
    if not any(fact.coverage["understood"] or fact.coverage["irrelevant"] for fact in facts):
        lines = sum(fact.lines for fact in facts)
        needs_layout = next((fact.unknown_layout for fact in facts if fact.unknown_layout), None)
        if is_output(needs_layout):
            dumped = next(fact for fact in facts if fact.unknown_layout == needs_layout)
            raise IsrproofError(f"{dumped.path}: {needs_layout}.")
        hint = f"In it, {needs_layout}." if needs_layout else "If it has a layout of its own, give that by --layout."
        unread = next((fact for fact in facts if fact.unread), None)
        if unread is not None:
            hint = f"{unread.path}: {unread.problem}."
        if pattern is not None:
            hint = f"No line that Kafka prints is in the layout {pattern!r}; omit --layout to try the known ones."
        raise IsrproofError(
            f"expected lines of Kafka's state-change.log or controller.log, found none in {lines} lines of"
            f" {len(facts)} file(s), the first {facts[0].path}. {hint}"
        )


def must_be_there(log: Log, kept: Metadata, narrow: Narrow, found: Audited) -> None:
    """Refuse a partition, or a time, of which the log has nothing."""
    if narrow != EVERYTHING and not found.scopes:
        missing = nothing_there(narrow, [*log.over_partitions(narrow.nearest), *kept.nearest])
        if missing is not None:
            raise IsrproofError(missing)
