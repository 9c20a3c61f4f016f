"""The report as JSON: one object a cluster. Only here does it become dicts.

An object's keys are the fields of its dataclass, in their order; a place gives its keys to the object that it is in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ....traces.place import Place
from ....traces.timeline import TimelineRow
from ..findings.finding import Finding
from ..findings.moves import Move
from ..findings.state import StoppedMove
from ..findings.tally import Tally
from .model import Report

_INNER = ("index", "cluster")
"""Numbers that mean something within one run only."""


def as_json(report: Report) -> dict[str, Any]:
    """The one object that `--format json` prints for a cluster; without `timeline` where it was not asked for."""
    shown = _object(report)
    return {name: value for name, value in shown.items() if name != "timeline" or value is not None}


def timeline_row(row: TimelineRow) -> dict[str, Any]:
    """An element of `timeline`."""
    return _object(row)


def _object(value: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name in (each.name for each in fields(value)):
        each = getattr(value, name)
        if isinstance(each, Place):
            shown |= _place(each)
        elif name not in _INNER:
            shown[name] = _shown(each)
    return shown


def _shown(value: Any) -> Any:
    """A value of JSON."""
    if isinstance(value, Finding):
        return _finding(value)
    if isinstance(value, Move):
        return _move(value)
    if isinstance(value, StoppedMove):
        return {"machine": value.machine, "from": value.source, "to": value.target} | _rest(value)
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
    return {**shown, "severity": finding.severity, "place": _place(finding.place), "evidence": evidence}


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
