"""`isrproof explore --matrix`: every model against every property, compared with what is expected.

The expectations are written beside the models, in a file `expected.toml` of their folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ... import model as models
from ...model.catalogue import families
from ...model.catalogue import model as model_named
from ...model.errors import DefinitionError
from ...model.protocol import Model
from ...specs import toml
from ..processes import in_turn
from .result import Decided, Exploration
from .run import explore_instance

EXPECTED = tuple(sorted(Path(models.__file__).parent.glob("*/expected.toml")))


@dataclass(frozen=True)
class Expectation:
    """One line of expected.toml. Of a family it names the release, and may add parts.

    `unmet`: the *sometimes* properties that so small an instance does not meet.
    """

    model: str
    settings: dict[str, int]
    distinct: int | None = None
    without: tuple[str, ...] = ()
    release: str | None = None
    adding: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    violated: dict[str, int] = field(default_factory=dict)
    shows: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        constants = "/".join(str(each) for each in self.settings.values())
        release = f"-{self.release}" if self.release else ""
        named = (*(f" without {each}" for each in self.without), *(f" with {each}" for each in self.adding))
        return f"{self.model}{release}{''.join(named)} {constants}"


@dataclass(frozen=True)
class Comparison:
    """One property of one row: what was found, what was expected."""

    decided: Decided
    length: int | None
    expected: int | None
    shows: str
    unmet: bool = False

    @property
    def as_expected(self) -> bool:
        if self.unmet:
            return self.decided.verdict == "violated" and self.length is None
        if self.decided.verdict == "violated":
            return self.length is not None and self.length == self.expected
        return self.decided.verdict == "holds" and self.expected is None


@dataclass(frozen=True)
class Result:
    """A row after its run."""

    row: Expectation
    exploration: Exploration
    cells: tuple[Comparison, ...]

    @property
    def as_expected(self) -> bool:
        counted = self.row.distinct is None or self.row.distinct == self.exploration.distinct
        return counted and all(cell.as_expected for cell in self.cells)


def rows() -> tuple[Expectation, ...]:
    """The expected rows.

    Raises:
        TableError: a misspelt key.
        DefinitionError: a row expects something of a property that is not checked, or a violation shows nothing.
    """
    found = []
    for each in (row for path in EXPECTED for row in toml.read(path)["row"]):
        name = f"expected.toml, {each.get('model')}"
        toml.check_keys(
            each, name, ("model", "settings"),
            ("distinct", "without", "release", "with", "asked", "unmet", "violated", "shows"),
        )  # fmt: skip
        row = Expectation(
            each["model"],
            each["settings"],
            each.get("distinct"),
            tuple(each.get("without", ())),
            each.get("release"),
            tuple(each.get("with", ())),
            tuple(each.get("asked", ())),
            tuple(each.get("unmet", ())),
            each.get("violated", {}),
            each.get("shows", {}),
        )
        if set(row.shows) != set(row.violated):
            raise DefinitionError(f"{name}: `shows` needs a row for each violated property, and for no other")
        found.append(row)
    return tuple(found)


def model_of(row: Expectation) -> Model:
    """The model that a row is about."""
    if row.model in families():
        return families()[row.model].model(row.release, row.without, row.adding)
    found = model_named(row.model)
    return found.without(*row.without) if row.without else found


def run(row: Expectation) -> Result:
    """Explore a row and compare it with the expectation."""
    chosen = model_of(row)
    promised = [each.name for each in chosen.properties if each.name not in chosen.suspended]
    asked = [name for name in row.asked if name not in promised]
    exploration = explore_instance(chosen, row.settings, [*promised, *asked])
    checked = {each.prop.name for each in exploration.properties}
    expected = {*row.violated, *row.unmet}
    if not expected <= checked:
        raise DefinitionError(f"{row.title} has expectations for {expected - checked}, which is not checked")
    cells = tuple(
        Comparison(
            each,
            each.path.length if each.path else None,
            row.violated.get(each.prop.name),
            row.shows.get(each.prop.name, ""),
            each.prop.name in row.unmet,
        )
        for each in exploration.properties
    )
    return Result(row, exploration, cells)


@dataclass(frozen=True)
class RowReport:
    """The report of a row after its run, as text and as a JSON object."""

    lines: list[str]
    row: dict[str, Any]
    as_expected: bool


def shown(row: Expectation) -> RowReport:
    """Explore a row and report it; nothing is left of the search, so another process can do it."""
    result = run(row)
    return RowReport(lines(result), json_row(result), result.as_expected)


def run_all(jobs: int = 1, progress: Callable[[str], None] = lambda line: None) -> Iterator[RowReport]:
    """Explore every row, in this order; `jobs` processes share them."""
    return in_turn(shown, rows(), jobs, lambda row: progress(row.title))


def lines(result: Result) -> list[str]:
    """A row as text: one line for all that holds, and one for each violation."""
    found = result.exploration
    wrong = "" if result.row.distinct in (None, found.distinct) else f", EXPECTED {result.row.distinct:,}"
    cell_lines = [f"{result.row.title}: {found.distinct:,} states{wrong}, depth {found.depth}, {found.seconds:.1f} s"]
    good = [cell for cell in result.cells if cell.as_expected and cell.decided.verdict == "holds"]
    for kind, word in (("always", "holds"), ("step", "holds"), ("leads_to", "comes"), ("sometimes", "met")):
        names = [cell.decided.prop.name for cell in good if cell.decided.prop.kind == kind]
        if names:
            cell_lines.append(f"    {word:<9} {', '.join(names)}")
    for cell in result.cells:
        name = cell.decided.prop.name
        if cell.as_expected and cell.unmet:
            cell_lines.append(f"    not met   {name}, as expected: the instance is too small")
        elif cell.as_expected and cell.decided.verdict == "violated":
            cell_lines.append(f"    violated  {name}, {cell.length} states, as expected: {cell.shows}")
        elif not cell.as_expected:
            expected = "holds" if cell.expected is None else f"violated, {cell.expected} states"
            got = cell.decided.verdict + ("" if cell.length is None else f", {cell.length} states")
            cell_lines.append(f"    WRONG     {name}: expected {expected}; got {got} {cell.decided.reason}".rstrip())
    return cell_lines


def json_row(result: Result) -> dict[str, Any]:
    """A row as a JSON object."""
    return {
        "model": result.row.model,
        "release": result.row.release,
        "without": list(result.row.without),
        "with": list(result.row.adding),
        "settings": result.row.settings,
        "distinct": result.exploration.distinct,
        "expected_distinct": result.row.distinct,
        "as_expected": result.as_expected,
        "seconds": round(result.exploration.seconds, 3),
        "cells": [
            {
                "property": cell.decided.prop.name,
                "verdict": cell.decided.verdict,
                "length": cell.length,
                "expected_length": cell.expected,
                "as_expected": cell.as_expected,
                "shows": cell.shows or None,
            }
            for cell in result.cells
        ],
    }
