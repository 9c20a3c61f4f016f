"""Lemmas that sufficed for a question: a cache that `isrproof prove --minimise` derives.

It saves time and decides nothing: a missing row, or one that no longer suffices, falls back to all lemmas.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from ...model.protocol import Model
from ...specs import toml
from ..replacing import replacing

FILE = Path(__file__).parent / "hypotheses.toml"

_HEAD = """\
# Derived by `isrproof prove MODEL --minimise`: for a question (action/goal) the lemmas that sufficed, where the goal
# itself did not. A cache: it may be deleted, and nothing rests on it.
"""


@cache
def _all(path: Path) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    if not path.exists():
        return {}
    found = toml.read(path)
    return {name: {question: tuple(row) for question, row in table.items()} for name, table in found.items()}


def rows_of(model: Model, path: Path = FILE) -> Mapping[str, tuple[str, ...]]:
    """The rows of a model, or of the model that it is a variant of by its name; else those of `kip320`.

    Most actions of a variant are the same.
    """
    tables = _all(path)
    near = max((name for name in tables if model.name.startswith(name)), key=len, default="kip320")
    return tables.get(near, {})


def write(name: str, rows: Mapping[str, Iterable[str]], path: Path = FILE) -> None:
    """Replace the rows of one model."""
    tables = {**_all(path), name: {question: tuple(row) for question, row in rows.items()}}
    lines = [_HEAD]
    for each, table in sorted(tables.items()):
        lines.append(f"[{each}]\n" if each.isidentifier() else f'["{each}"]\n')
        for question, row in sorted(table.items()):
            lemmas = ", ".join(f'"{lemma}"' for lemma in row)
            lines.append(f'"{question}" = [{lemmas}]\n')
        lines.append("\n")
    with replacing(path) as fresh:
        fresh.write_text("".join(lines).rstrip("\n") + "\n", encoding="utf-8")
    _all.cache_clear()
