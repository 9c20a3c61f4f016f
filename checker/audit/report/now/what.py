"""Advice as dataclasses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CauseNow:
    """A cause of trouble, or of findings."""

    text: str
    """A sentence without its full stop."""
    issue: str | None
    """The issue of Kafka, where it is a known bug, or looks like one."""
    certain: bool
    """False where it only looks like that bug."""


@dataclass(frozen=True)
class Upgrade:
    """A release that is without the most of the bugs."""

    release: str
    fixes: tuple[str, ...]
    """The bugs that it is without."""
    of_line: str | None
    """A release of the line that runs that is without fewer of them; None where there is none."""
    of_line_fixes: tuple[str, ...]
    """The bugs that that is without."""
    has: tuple[str, ...]
    """Known bugs that it has and that the releases that ran lack, or that are worse than all that it fixes."""
    needs: str | None
    """The work that comes before it; None where there is none."""


@dataclass(frozen=True)
class StepNow:
    """A step of an operator."""

    do: str
    """Sentences."""
    run: str | None
    """The command, as the cluster's release has it; None where it takes none, or the release has none."""
    check: str | None
    """A command, and what it shows if the step helped; None where nothing shows it."""
    loses: bool
    """True if it loses data."""


@dataclass(frozen=True)
class WhatNow:
    """Advice about one report."""

    summary: str
    """Sentences: how many causes an upgrade fixes, and what the others are."""
    causes: tuple[CauseNow, ...]
    upgrade: Upgrade | None
    steps: tuple[StepNow, ...]
    """The steps in the order in which an operator does them; those that lose data are the last."""
