"""The report as JSON: one object per cluster. Only this module makes dicts.

An object's keys are the fields of its dataclass, in order; a place adds its keys to the object that contains it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib.metadata import version
from typing import Any

from ....traces.place import Place
from ....traces.timeline import Lost, ReplicaRow, TimelineRow
from ..findings.finding import Finding
from ..findings.happened import Happened
from ..findings.moves import Move
from ..findings.state import StoppedMove
from ..findings.tally import Tally
from ..rules.advice import advice
from ..rules.catalogue import rules
from .forms import AuditRun
from .model import Report

SCHEMA = "isrproof-audit/1"
"""The version of the object's keys and their meaning; the number changes if a key is removed or changes its meaning."""
OPTIONAL = ("timeline", "brokers", "replicas", "metadata", "records")
"""Keys that are present only if requested, or if there is such data."""
OF_HAPPENED = ("lasts", "moment", "at")
"""Fields of what happened that only this program uses."""
INNER = ("index", "cluster", "course", "first_lines")
"""Numbers with a meaning within one run only, and lines that only the page shows."""


def write(run: AuditRun) -> str:
    """Return the report of all logs, or with `each` one object that has a report for every path."""
    shown = [as_json(report) for report in run.reports]
    whole = {"clusters": [{"path": p, **r} for p, r in zip(run.paths, shown, strict=True)]} if run.each else shown[0]
    return json.dumps({"schema": SCHEMA, "version": version("isrproof"), **whole}, indent=2, ensure_ascii=False)


def as_json(report: Report) -> dict[str, Any]:
    """Return the object that `--format json` prints for a cluster.

    Optional keys that were not requested, or have no data, are absent: `metadata` and `coverage.records` where there is
    no metadata log.
    """
    shown = _object(report)
    if report.coverage.records is None:
        del shown["coverage"]["records"]
    kept = {name: value for name, value in shown.items() if name not in OPTIONAL or value is not None}
    return kept | {"what_to_do": _advice(report)}


def _advice(report: Report) -> dict[str, Any]:
    """Return the advice by the code of each rule that has a finding."""
    found = {code: advice(rules()[code]) for code in sorted({each.rule for each in report.findings})}
    return {code: _object(each) for code, each in found.items() if each is not None}


def row_object(row: TimelineRow | ReplicaRow | Lost) -> dict[str, Any]:
    """Return an element of `timeline`, of `replicas`, or of a finding's `lost`."""
    return (
        {"topic": row.topic, "partition": row.partition, "from": row.start, "to": row.end}
        if isinstance(row, Lost)
        else _object(row)
    )


def _object(value: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name in (each.name for each in fields(value)):
        each = getattr(value, name)
        if isinstance(each, Place):
            shown |= _place(each)
        elif name not in INNER:
            shown[name] = _shown(each)
    return shown


def _shown(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Finding):
        return _finding(value)
    if isinstance(value, Move):
        return _move(value)
    if isinstance(value, Lost):
        return row_object(value)
    if isinstance(value, StoppedMove):
        return {"machine": value.machine, "from": value.source, "to": value.target} | _rest(value)
    if isinstance(value, Happened):
        return _happened(value)
    if isinstance(value, Tally):
        return {"evaluated": value.evaluated, **_object(value)}
    if is_dataclass(value):
        return _object(value)
    if isinstance(value, Mapping):
        return {key: _shown(each) for key, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, (tuple, list)) else value


def _place(place: Place) -> dict[str, Any]:
    return {name: value for name, value in vars(place).items() if value is not None}


def _finding(finding: Finding) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name, value in _object(finding).items():
        shown |= _place(finding.place) if name == "evidence" else {name: value}
    evidence = _shown(finding.evidence)
    derived = {"severity": finding.severity, "fingerprint": finding.fingerprint, "place": _place(finding.place)}
    return {**shown, **derived, "evidence": evidence}


def _happened(each: Happened) -> dict[str, Any]:
    """Return an element of `happened`, without what does not apply; `until` is null to the end of the log."""
    shown = {name: value for name, value in _object(each).items() if value is not None and name not in OF_HAPPENED}
    shown["places"] = [_place(place) for place in each.places]
    if each.why is not None:
        shown["why"] = each.why
    return shown | ({"until": None} if each.lasts else {})


def _rest(move: StoppedMove) -> dict[str, Any]:
    return {name: value for name, value in _object(move).items() if name not in ("machine", "source", "target")}


def _move(move: Move) -> dict[str, Any]:
    return {
        "machine": move.machine,
        "from": move.source,
        "to": move.target,
        "count": move.count,
        "illegal": move.illegal,
    }
