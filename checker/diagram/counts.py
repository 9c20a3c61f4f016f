"""Counts for a picture from an audit's output folder: of each move seen, with the releases that it may be of."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from ...specs.errors import IsrproofError
from ...specs.releases import span

AUDIT_FILE = "audit.json"
_NO_RELEASE = ("none", "contradictory")
"""The words that an audit writes for a stretch whose lines agree on no release."""


class CountsError(IsrproofError, ValueError):
    """A folder that holds no counts of an audit."""


@dataclass(frozen=True)
class MoveCount:
    """One pair of states of one machine, as a log showed it: `count` times, `illegal` of them against Kafka's table."""

    source: str
    target: str
    count: int
    illegal: int = 0


def read(folder: Path, machine: str) -> tuple[MoveCount, ...]:
    """Return the moves of a machine that the audit that wrote `folder` saw, a pair of states once, sorted.

    The folder holds `audit.json`, an object whose `transitions` is a list of {machine, from, to, count, illegal}.
    """
    path, content = _audit(folder)
    rows = [_row(row, path, number) for number, row in enumerate(content["transitions"], 1)]
    return _joined(seen for name, seen in rows if name == machine)


def releases(folder: Path) -> int:
    """The mask of releases that all stretches of the audited log allow, or else any of them; 0 if none is known."""
    path, content = _audit(folder)
    try:
        spans = [span(row["releases"]) for row in content.get("releases", ()) if row["releases"] not in _NO_RELEASE]
    except (TypeError, KeyError, IsrproofError) as error:
        raise CountsError(f"{path}: expected `releases` as the audit writes them: {error}") from error
    return reduce(operator.and_, spans) or reduce(operator.or_, spans) if spans else 0


def _audit(folder: Path) -> tuple[Path, Mapping[str, Any]]:
    path = folder / AUDIT_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CountsError(
            f"Expected {AUDIT_FILE} in {folder}; pass the folder that `isrproof audit --out` wrote."
        ) from None
    except (OSError, ValueError) as error:
        raise CountsError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(content, Mapping) or not isinstance(content.get("transitions"), list):
        raise CountsError(f"{path} has no list `transitions`; was it written by `isrproof audit --out`?")
    return path, content


def _row(row: Any, path: Path, number: int) -> tuple[str, MoveCount]:
    expected = {"machine": str, "from": str, "to": str, "count": int, "illegal": bool}
    if not isinstance(row, Mapping) or any(type(row.get(key)) is not kind for key, kind in expected.items()):
        shape = ", ".join(f"{key}: {kind.__name__}" for key, kind in expected.items())
        raise CountsError(f"{path}, transition {number}: expected {{{shape}}}, got {row!r:.200}")
    if row["count"] < 0:
        raise CountsError(f"{path}, transition {number}: count is {row['count']}")
    return row["machine"], MoveCount(row["from"], row["to"], row["count"], row["count"] if row["illegal"] else 0)


def _joined(seen: Iterable[MoveCount]) -> tuple[MoveCount, ...]:
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for one in seen:
        count, illegal = sums.get((one.source, one.target), (0, 0))
        sums[one.source, one.target] = (count + one.count, illegal + one.illegal)
    return tuple(MoveCount(*pair, *sums[pair]) for pair in sorted(sums) if sums[pair][0])
