"""Properties x models: what must be found, and a page that says in plain English what is proved and what is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...model.catalogue import model as model_named
from ...model.script import script_of
from ...specs import releases, toml
from ...specs.errors import TableError
from . import smt, tables
from .run import Decided, Effort, Proof, lemmas_of, prove

FILE = Path(__file__).parent / "expected.toml"
_KEYS = ("lemmas", "holds", "violated", "unknown")


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
        TableError: the file has a key that it cannot have.
    """
    cells: list[Cell] = []
    proofs = []
    for row in toml.read(path)["row"]:
        toml.check_keys(row, path.name, ("model",), _KEYS)
        expected = _expected(row)
        told(row["model"])
        model = model_named(row["model"])
        every = [each.name for each in lemmas_of(script_of(model), ())]
        without = [each for each in every if "lemmas" in row and each not in (*row["lemmas"], "InRange")]
        proof = prove(model, list(expected), without_lemmas=without, effort=effort)
        proofs.append(proof)
        cells += [_cell(row["model"], each, expected[each.prop.name]) for each in proof.properties]
    for name in ("replica", "partition"):
        told(name)
        for kept in tables.prove_table(name):
            if kept.verdict != "absent":
                got = kept.verdict if kept.path is None else f"violated in {kept.path.length} states"
                wanted = "holds" if kept.promised else "violated in 4 states"
                where = releases.names(kept.releases)
                cells.append(Cell(f"{name} table", kept.name, wanted, got, where, kept.seconds, kept.statement))
    return Matrix(tuple(cells), tuple(proofs))


def _expected(row: dict[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    holds, violated, unknown = row.get("holds", []), row.get("violated", {}), row.get("unknown", [])
    if not isinstance(holds, list) or not isinstance(violated, dict) or not isinstance(unknown, list):
        raise TableError(f"{row['model']}: holds and unknown are lists, violated is a table of lengths")
    found.update((str(each), "holds") for each in holds)
    found.update((str(each), f"violated in {length} states") for each, length in violated.items())
    found.update((str(each), "unknown") for each in unknown)
    return found


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


def page(found: Matrix) -> str:
    """What is proved, under which assumptions, and what is not: Markdown, from the run itself."""
    lines = [
        "# What is proved",
        "",
        f"Written by `isrproof prove --matrix --page` ({smt.version()}); do not edit.",
        "",
        "Proved means: in the first state, and kept by every step from any state, however long the logs, however many "
        "epochs and records, and for any number of replicas unless a number is given. Refuted means: a path of steps "
        "that the plain-Python reading executes again.",
    ]
    for name in dict.fromkeys(each.model for each in found.cells):
        lines += ["", f"## {name}", ""]
        proof = next((each for each in found.proofs if each.model.name == name), None)
        if proof is not None:
            lines += [proof.model.statement, ""]
        for each in found.cells:
            if each.model == name:
                lines.append(f"- **{each.prop}**: {each.got} ({each.scope}). {each.statement}")
        if proof is not None and any(each.verdict == "holds" for each in proof.properties):
            below = sorted({lemma for each in proof.properties for lemma in each.rests_on})
            lines += ["", "It rests on these lemmas, each proved in the same run:", ""]
            lines += [f"- {each.name}: {each.statement}" for each in proof.lemmas if each.name in below]
            lines += ["", "Trusted:", "", *(f"- {each}" for each in proof.trusted)]
    return "\n".join([*lines, "", *_NOT_PROVED, ""])


_NOT_PROVED = (
    "## What is not proved",
    "",
    "- That Kafka's code does what the models say. The audit compares logs with the same properties.",
    "- Anything about time or progress: that a record is ever committed, that a leader is ever elected.",
    "- The fetch as request and response, the leader-epoch cache (OffsetsForLeaderEpoch answers with the end of an "
    "epoch), log start offset, compaction, loss of disks: the models have an atomic read of the leader's log.",
    "- Unclean election, min.insync.replicas and KIP-966: explored within bounds only (`isrproof explore`).",
    "- That the ISR is never empty in the TLA+ rungs: it is not, by a quirk of those modules (`empty-isr`).",
)


def write(text: str, path: Path) -> None:
    """Writes a file under a temporary name first."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
