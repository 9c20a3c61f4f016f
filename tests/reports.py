"""Reports of recordings, as they are and with hostile text in them: what tests of forms and of the page are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.forms import AuditRun, write
from isrproof.checker.audit.report.model import Report

from tests.recordings import CHAOS

HOSTILE = (
    '"></script x><script>alert(1)</script><img src=x onerror=alert(2)>`|]]>%0A\n::error::\x1b[31m@all {{ 7*7 }} \udce9'
)
"""Texts that break out of attributes, elements, code, cells, sections, lines, or cannot be encoded."""
OURS = (
    "rule",
    "name",
    "verdict",
    "kind",
    "role",
    "condition",
    "end",
    "by",
    "machine",
    "issue",
    "known_issue",
    "fixed_in",
    "assumption",
    "what",
    "health",
)
"""Fields that hold words of this project only."""
CONTEXT = {str(CHAOS / "broker-3" / "state-change.log"): {221: "before", 222: "the line"}}
"""Lines around a finding of CHAOS."""


@cache
def made(path: Path, partition: str | None = None) -> Report:
    """The report of a log, with its timeline."""
    (report,) = audit([str(path)], Options.of(engine="columns", timeline=True, partition=partition))
    return report


def form(name: str, path: Path, partition: str | None = None, failing: Sequence[str] = ("illegal",)) -> str:
    """The report of a log in one of its forms."""
    return write(name, AuditRun([str(path)], [made(path, partition)], failing=failing, context=CONTEXT))


def poisoned(value: Any) -> Any:
    """The parts of a report, with a script in each text that a log or a path can bring in."""
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, tuple):
        return tuple(map(poisoned, value))
    if isinstance(value, Mapping):
        return {key: poisoned(each) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value) if each.init and each.name not in OURS]
        return replace(value, **{name: poisoned(getattr(value, name)) for name in names})
    return value
