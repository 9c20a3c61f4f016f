"""The forms of a report: a table. Each is a module of this folder, imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Report


@dataclass(frozen=True)
class Form:
    """A value of `--format`.

    Args:
        says: what it is for, in a few words.
        timeline: it tells what was reconstructed of partitions.
        partition: it is about one partition, which the user has to name.
        context: it shows the lines around those that findings name.
    """

    says: str
    timeline: bool = False
    partition: bool = False
    context: bool = False


FORMS: Mapping[str, Form] = {
    "text": Form("a summary for a terminal"),
    "json": Form("all of it as one object, for programs"),
    "html": Form("one page that needs nothing else, to open and to send", timeline=True, context=True),
    "markdown": Form("short, for a ticket"),
    "csv": Form("a row for each finding"),
    "sarif": Form("SARIF 2.1.0, for code scanning"),
    "junit": Form("JUnit's XML: a test case for each rule"),
    "github": Form("annotations of GitHub Actions, and a step summary"),
    "perfetto": Form("leaders of partitions over time, for ui.perfetto.dev", timeline=True),
    "shiviz": Form("controllers' writes with vector clocks, for ShiViz", timeline=True),
    "ndjson": Form("the states of one partition, a line each, for trace checkers", timeline=True, partition=True),
}

Lines = Mapping[str, Mapping[int, str]]
"""Text of lines, by file and number."""


@dataclass(frozen=True)
class Run:
    """What one command audited: PATHs, and a report of each cluster; a cluster is a PATH if `each`.

    `context` has the lines around those that findings name, if the form shows them. `failing`: the verdicts of findings
    that make the exit code 1.
    """

    paths: Sequence[str]
    reports: Sequence[Report]
    each: bool = False
    verbose: bool = False
    failing: Sequence[str] = ("illegal",)
    context: Lines = field(default_factory=dict)

    @property
    def clusters(self) -> list[tuple[str, Report]]:
        """A title and a report for each; the title of a cluster that is alone is empty."""
        titles = self.paths if self.each else [""]
        return list(zip(titles, self.reports, strict=True))


def write(form: str, run: Run) -> str:
    """The text of a form.

    Raises:
        IsrproofError: a library that it needs is not there.
    """
    written: str = importlib.import_module(f".{form}", __package__).write(run)
    return written
