"""Properties x models: what is found, compared with what is expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ...specs import releases
from ...specs.machines import machine_names
from ..explore.trace import Path as Counterexample
from ..processes import in_turn
from . import tables
from .expected import FILE, Expectation, rows
from .run import Decided, Effort, prove


@dataclass(frozen=True)
class Comparison:
    """One verdict and the one that was expected, as text: "holds", "violated in 9 states", "unknown"."""

    model: str
    prop: str
    expected: str
    got: str
    scope: str
    seconds: float
    statement: str

    @property
    def as_expected(self) -> bool:
        return self.expected == self.got


@dataclass(frozen=True)
class Matrix:
    """The cells of all models and tables."""

    cells: tuple[Comparison, ...]

    @property
    def as_expected(self) -> bool:
        return all(each.as_expected for each in self.cells)


def matrix(
    path: Path = FILE, effort: Effort | None = None, progress: Callable[[str], None] = lambda _: None, jobs: int = 1
) -> Matrix:
    """Prove every model of the file and every table.

    Args:
        jobs: how many processes share the work.

    Raises:
        TableError: the file has a row that it cannot have.
    """
    work: list[Expectation | str] = [*rows(path), *machine_names()]
    found = in_turn(partial(cells_of, effort=effort), work, jobs, lambda each: progress(_title(each)))
    return Matrix(tuple(cell for cells in found for cell in cells))


def _title(work: Expectation | str) -> str:
    return work if isinstance(work, str) else work.title


def cells_of(work: Expectation | str, effort: Effort | None) -> list[Comparison]:
    """The cells of one model, or of one table by its name."""
    if isinstance(work, str):
        return [_table_cell(kept) for kept in tables.prove_table(work) if kept.verdict != "absent"]
    expected = work.verdicts
    proof = prove(work.built(), list(expected), without_lemmas=work.without, effort=effort, kept=work.kept)
    return [_cell(work.title, each, expected[each.prop.name]) for each in proof.properties]


def _table_cell(kept: tables.Kept) -> Comparison:
    got = _got(kept.verdict, kept.path)
    wanted = "holds" if kept.promised else f"violated in {kept.broken_in} states"
    where = releases.names(kept.releases)
    return Comparison(f"{kept.machine} table", kept.name, wanted, got, where, kept.seconds, kept.statement)


def _got(verdict: str, path: Counterexample | None) -> str:
    return verdict if path is None else f"violated in {path.length} states"


def _cell(model: str, each: Decided, expected: str) -> Comparison:
    return Comparison(
        model, each.prop.name, expected, _got(each.verdict, each.path), each.scope, each.seconds, each.prop.statement
    )


def matrix_text(found: Matrix) -> str:
    """One line a cell; what is not as expected is marked."""
    width = max(len(each.prop) for each in found.cells)
    lines, last = [], ""
    for each in found.cells:
        if each.model != last:
            lines.append(f"{each.model}")
            last = each.model
        mark = "" if each.as_expected else f"   EXPECTED {each.expected}"
        lines.append(f"  {each.prop:<{width}}  {each.got:<22} {each.scope}  ({each.seconds:.2f} s){mark}")
    wrong = sum(not each.as_expected for each in found.cells)
    lines.append(f"{len(found.cells)} cells, {wrong or 'none'} not as expected")
    return "\n".join(lines)


def matrix_json(found: Matrix) -> dict[str, object]:
    """One object: the cells, and whether all are as expected."""
    return {
        "as_expected": found.as_expected,
        "cells": [
            {
                "model": each.model,
                "property": each.prop,
                "expected": each.expected,
                "got": each.got,
                "for": each.scope,
                "seconds": round(each.seconds, 3),
            }
            for each in found.cells
        ],
    }
