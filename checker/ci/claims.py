"""Verdicts on properties of models, for programs of continuous integration: of an exploration and of a proof alike."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ... import model as models
from ...model.catalogue import is_own, own_files
from . import sarif

PROJECT = Path(models.__file__).parent.parent
"""The folder that holds this project's folders, in a checkout; installed, its package."""


class Place(NamedTuple):
    """A file and the line that states a property; `ours`: no file of the user's repository, but of this project."""

    file: str
    line: int
    ours: bool = False


@dataclass(frozen=True)
class Claim:
    """A property of a model and its verdict: holds, violated or unknown."""

    model: str
    name: str
    statement: str
    verdict: str
    detail: str
    """The path that violates it, or why it is unknown."""
    why: str = ""
    """The clause that fails at the end of the path, with its values."""
    place: Place | None = None
    """The place that states it, if that is found."""
    seconds: float | None = None
    """The time that it took by itself; None if several were decided together."""


@dataclass(frozen=True)
class Claims:
    """The verdicts of one run."""

    claims: Sequence[Claim]
    verdict: str
    seconds: float
    command: str = ""


def claims(
    model: str, asked: str, decided: Iterable[Any], steps: Callable[[Any], Sequence[str]],
    reasons: Callable[[Any, Any], Sequence[str]],
) -> list[Claim]:  # fmt: skip
    """A claim for each property that an exploration or a proof decided.

    Args:
        asked: the model as the user named it, maybe FILE.py:NAME.
        decided: objects with `prop`, `verdict`, `path` and `reason`, maybe `seconds`.
        steps: the lines of a path.
        reasons: the lines on why a property fails at the end of a path.
    """
    files = _sources(asked)
    found = []
    for each in decided:
        shows = each.path is not None and each.verdict == "violated"
        lines = ["   1. initial state", *steps(each.path)] if shows else []
        detail = "\n".join([*([each.reason] if each.reason else []), *lines])
        why = "\n".join(reasons(each.prop, each.path)) if shows else ""
        place = place_of(each.prop.name, each.prop.statement, files)
        seconds = getattr(each, "seconds", None)
        found.append(Claim(model, each.prop.name, each.prop.statement, each.verdict, detail, why, place, seconds))
    return found


def _sources(asked: str) -> list[Path]:
    """The files of the user's model, then this project's modules of models."""
    own = own_files(asked) if is_own(asked) else []
    loaded = [module for name, module in sorted(sys.modules.items()) if name.startswith(f"{models.__name__}.")]
    return [*own, *(Path(module.__file__) for module in loaded if module.__file__)]


def place_of(name: str, statement: str, files: Iterable[Path]) -> Place | None:
    """The place that defines a property of that name, if there are several the one that says the statement.

    Models of several families have properties of one name. A statement may be written in several pieces. Promises of
    tables stand in a table of names and statements.
    """
    pattern = re.compile(rf'(\bProperty)?\(\s*"{re.escape(name)}"(?:,\s*"((?:[^"\\]|\\.)*)")?')
    places = []
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        for found in pattern.finditer(text):
            repeats = found[2] is not None and statement.startswith(found[2])
            if not repeats and found[1] is None:
                continue
            places.append((not repeats, _place(file, text.count("\n", 0, found.start()) + 1)))
    return min(places, key=lambda place: place[0])[1] if places else None


def _place(file: Path, line: int) -> Place:
    """Return a place; one of this project that is not below the current folder is named as in its repository."""
    if PROJECT in file.absolute().parents and sarif.is_elsewhere(str(file)):
        return Place(file.absolute().relative_to(PROJECT).as_posix(), line, ours=True)
    return Place(sarif.relative(str(file)), line)
