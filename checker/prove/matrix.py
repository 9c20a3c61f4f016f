"""Properties x models: what is found, compared with what is expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...model.catalogue import model as model_named
from ...specs import releases
from . import tables
from .expected import FILE, rows
from .run import Decided, Effort, Proof, prove


@dataclass(frozen=True)
class Cell:
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
    """All cells, with the proof of each model."""

    cells: tuple[Cell, ...]
    proofs: tuple[Proof, ...]

    @property
    def as_expected(self) -> bool:
        return all(each.as_expected for each in self.cells)


def matrix(path: Path = FILE, effort: Effort | None = None, told: Callable[[str], None] = lambda _: None) -> Matrix:
    """Proves every model of the file and both tables.

    Raises:
        TableError: the file has a row that it cannot have.
    """
    cells: list[Cell] = []
    proofs = []
    for row in rows(path):
        told(row.model)
        expected = row.verdicts
        proof = prove(model_named(row.model), list(expected), without_lemmas=row.without, effort=effort, kept=row.kept)
        proofs.append(proof)
        cells += [_cell(row.model, each, expected[each.prop.name]) for each in proof.properties]
    for name in ("replica", "partition"):
        told(name)
        for kept in tables.prove_table(name):
            if kept.verdict != "absent":
                got = kept.verdict if kept.path is None else f"violated in {kept.path.length} states"
                wanted = "holds" if kept.promised else "violated in 4 states"
                where = releases.names(kept.releases)
                cells.append(Cell(f"{name} table", kept.name, wanted, got, where, kept.seconds, kept.statement))
    return Matrix(tuple(cells), tuple(proofs))


def _cell(model: str, each: Decided, expected: str) -> Cell:
    got = each.verdict if each.path is None else f"violated in {each.path.length} states"
    return Cell(model, each.prop.name, expected, got, each.scope, each.seconds, each.prop.statement)


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
    lines.append(f"{len(found.cells)} cells, {wrong or 'none'} other than expected")
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
