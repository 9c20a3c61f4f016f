"""The drift between Kafka's files and the tables of one release: all findings, and what could not be checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...specs.errors import IsrproofError
from ...specs.release_sets import NAMES, TAGS
from ...specs.releases import Release, in_mode, latest, span
from . import lines, loggers, records
from .finding import Finding
from .matching import shown
from .read import Kafka
from .sources import Damaged

_NUMBERS = re.compile("[0-9]+")


@dataclass(frozen=True)
class Drift:
    """The result of a comparison."""

    version: str
    """The release that the files name, "" if they name none."""
    release: str
    """The release whose rows were compared."""
    findings: tuple[Finding, ...]
    unseen: tuple[str, ...]
    """The contents that these files cannot show."""
    damaged: tuple[Damaged, ...]

    @property
    def fails(self) -> bool:
        """Return whether something is missing that bears on a rule, or that a metadata log may hold."""
        return any(finding.fails for finding in self.findings)


def drift(kafka: Kafka, asked: str | None = None, older: Kafka | None = None) -> Drift:
    """Return the findings on Kafka's files.

    Args:
        asked: the release whose rows are compared; by default the one that the files name.
        older: files of an earlier release; lines that it also prints are not new.

    Raises:
        UnknownNameError: there is no row for the requested release.
    """
    version = asked or _newest(kafka.releases)
    row = latest(span(asked)) if asked else _row(version)
    findings = sorted(_findings(kafka, version, row.mask, older))
    damaged = (*kafka.damaged, *(older.damaged if older else ()))
    return Drift(version, row.name, tuple(findings), tuple(_unseen(kafka, older)), damaged)


def _newest(releases: Sequence[str]) -> str:
    return max(releases, key=lambda name: [int(number) for number in _NUMBERS.findall(name)], default="")


def _row(version: str) -> Release:
    try:
        return latest(span(version) & in_mode("kraft"))
    except IsrproofError:
        return latest()


def _findings(kafka: Kafka, version: str, release: int, older: Kafka | None) -> Iterator[Finding]:
    yield from _release(version)
    yield from records.records(kafka, release)
    yield from records.metadata_levels(kafka)
    yield from records.feature_levels(kafka)
    table = lines.table(kafka, release)
    yield from loggers.moved(release, kafka, table.printing)
    lacking = lines.lost(lines.table(older, release)) if older else ()
    yield from lines.stale(table, frozenset((row.id, shown(wording)) for row, wording, _ in lacking))
    yield from lines.unread(table)
    yield from lines.new(table, lines.texts(older) if older else None)


def _release(version: str) -> Iterator[Finding]:
    """Yield a finding if releases.toml lacks the version: a patch of a known line has a tag there."""
    if not version:
        return
    try:
        span(version)
    except IsrproofError:
        yield Finding("release", 1, version, f"unknown; compared with the rows of {NAMES[-1]}", False)
        return
    if version.count(".") >= 2 and version not in {tag for tags in TAGS for tag in tags}:
        yield Finding("release", 1, version, "is not a tag of its row", False)


def _unseen(kafka: Kafka, older: Kafka | None) -> Iterator[str]:
    if kafka.missing:
        yield f"no class of {', '.join(kafka.missing)}: rows whose classes are absent were left out"
    if not kafka.levels:
        yield "no MetadataVersion: levels were left out"
    if not kafka.schemas:
        yield "no schema or class of a record: records were left out"
    elif any(not schema.whole for schema in kafka.schemas.values()):
        yield "classes of records show keys, versions and names of fields; not types, tags and nullability"
    if kafka.compiled:
        yield "class files do not show which texts are printed: new lines and levels were left out"
    if older and older.empty:
        yield "--since names no Kafka files: nothing is known to be older"
