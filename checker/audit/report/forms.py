"""The forms of a report: a table. Each is a module of this folder, imported when it is requested."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Report
    from .page.next_fault import NextFault


@dataclass(frozen=True)
class Form:
    """A value of `--format`."""

    says: str
    """The purpose of the form, in a few words."""
    timeline: bool = False
    """True if the form shows the reconstructed states of partitions."""
    partition: bool = False
    """True if the form is about one partition, which the user has to name."""
    context: bool = False
    """True if the form shows the lines around those that findings name."""
    needs: str = ""
    """The package that writes it, which not everybody has installed."""


FORMS: Mapping[str, Form] = {
    "text": Form("a summary for a terminal"),
    "json": Form("everything as one object, for programs"),
    "html": Form("one self-contained page, to open and to send", timeline=True, context=True, needs="jinja2"),
    "markdown": Form("a short version, for a ticket"),
    "csv": Form("a row for each finding"),
    "sarif": Form("SARIF 2.1.0, for code scanning"),
    "junit": Form("JUnit XML: a test case for each rule", needs="junitparser"),
    "github": Form("annotations for GitHub Actions, and a step summary"),
    "perfetto": Form("leaders of partitions over time, for ui.perfetto.dev", timeline=True),
    "shiviz": Form("controllers' writes with vector clocks, for ShiViz", timeline=True),
    "ndjson": Form("the states of one partition, a line each, for trace checkers", timeline=True, partition=True),
}

Lines = Mapping[str, Mapping[int, str]]
"""Text of lines by file and number; of records by file and offset."""


@dataclass(frozen=True)
class AuditRun:
    """The audit of one command."""

    paths: Sequence[str]
    """The PATH arguments."""
    reports: Sequence[Report]
    """A report of each cluster."""
    each: bool = False
    """True if each PATH is a cluster of its own."""
    verbose: bool = False
    failing: Sequence[str] = ("illegal",)
    """The verdicts of findings that make the exit code 1."""
    context: Lines = field(default_factory=dict)
    """The lines around those that findings name, and the records that they name, if the form shows them."""
    seconds: float | None = None
    """The time that the audit took, where that is measured."""
    next_faults: Sequence[NextFault | None] = ()
    """For each cluster what the failure of a broker would do; empty if the form does not show it."""

    @property
    def clusters(self) -> list[tuple[str, Report]]:
        """Return a title and a report for each cluster; the title of a single cluster is empty."""
        titles = self.paths if self.each else [""]
        return list(zip(titles, self.reports, strict=True))


def write(form: str, run: AuditRun) -> str:
    """Return the report in one form.

    Raises:
        IsrproofError: a library that the form needs is not installed.
    """
    written: str = importlib.import_module(f".{form}", __package__).write(run)
    return written
