"""The files of `--out DIR`: audit.json, findings.parquet, conditions.parquet and stopped_moves.parquet (the state of
the cluster), and timeline.parquet where a timeline was requested.

A column is a field of a dataclass. The fields of nested objects (an entity, a place) are columns of their own; a field
with several values is a list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ....specs.errors import IsrproofError
from ....traces.timeline import TimelineRow
from ...replacing import replacing_together
from ..findings.finding import Finding
from ..findings.state import Condition, StoppedMove
from .model import Report


def must_have_arrow() -> None:
    """Fail early if Parquet cannot be written.

    Raises:
        IsrproofError: pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise IsrproofError(
            "--out writes Parquet, which needs pyarrow: pip install 'isrproof[audit]'. Or use --json."
        ) from error


def write_out(folder: Path, text: str, reports: Sequence[Report]) -> None:
    """Write all files completely, or none. `text` is the JSON."""
    folder.mkdir(exist_ok=True)
    findings = [finding for report in reports for finding in report.findings]
    conditions = [each for report in reports for each in report.conditions()]
    stopped = [each for report in reports for each in report.state.stopped]
    timeline = [row for report in reports for row in report.timeline or ()]
    tables: dict[str, Callable[[Path], None]] = {
        "findings.parquet": lambda place: _write_parquet(place, Finding, findings, "place", "severity", "fingerprint"),
        "conditions.parquet": lambda place: _write_parquet(place, Condition, conditions),
        "stopped_moves.parquet": lambda place: _write_parquet(place, StoppedMove, stopped),
    }
    if timeline:
        tables["timeline.parquet"] = lambda place: _write_parquet(place, TimelineRow, timeline)
    with replacing_together([folder / name for name in (*tables, "audit.json")]) as places:
        for place, write_table in zip(places, tables.values(), strict=False):
            write_table(place)
        places[-1].write_text(text + "\n", encoding="utf-8")
    if not timeline:  # that of an earlier report is none of this one
        (folder / "timeline.parquet").unlink(missing_ok=True)


def _write_parquet(path: Path, kind: type, rows: Sequence[object], *derived: str) -> None:
    """Write objects of one kind, one row each; `derived` are properties that are also columns."""
    import pyarrow
    import pyarrow.parquet

    types = _types(kind) | {name: get_type_hints(getattr(kind, name).fget)["return"] for name in derived}
    schema = pyarrow.schema(_columns(types))
    table = pyarrow.Table.from_pylist([_row(each, types) for each in rows], schema)
    pyarrow.parquet.write_table(table, path)


def _types_of(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


_types: Callable[[Any], dict[str, Any]] = cache(_types_of)
"""Field types, cached by class."""


def _columns(types: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return Arrow's types by name."""
    columns: list[tuple[str, Any]] = []
    for name, kind in types.items():
        columns += _columns(_types(kind)) if is_dataclass(kind) else [(name, _arrow(kind))]
    return columns


def _arrow(kind: Any) -> Any:
    """Return Arrow's type of a field: a number, a text, a class with fields of its own, a list of one kind, or an
    optional.
    """
    import pyarrow

    plain = {int: pyarrow.int64(), str: pyarrow.string(), bool: pyarrow.bool_()}
    if kind in plain:
        return plain[kind]
    if is_dataclass(kind):
        return pyarrow.struct(_columns(_types(kind)))
    if get_origin(kind) is Literal:
        return pyarrow.string()
    inner = next(each for each in get_args(kind) if each is not NoneType)
    return pyarrow.list_(_arrow(inner)) if get_origin(kind) is tuple else _arrow(inner)


def _row(value: object, types: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, kind in types.items():
        each = getattr(value, name)
        if is_dataclass(kind):
            row |= _row(each, _types(kind))
        elif isinstance(each, tuple):
            row[name] = [_row(one, _types(type(one))) if is_dataclass(one) else one for one in each]
        else:
            row[name] = each
    return row
