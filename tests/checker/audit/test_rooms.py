"""The order of the audit's rooms: each imports only what comes before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

AUDIT = Path(__file__).parents[3] / "checker" / "audit"
ORDER = (
    *("options", "engine", "lines", "table", "fields", "files", "history", "observe", "fit", "rules"),
    *("judge", "ties", "creations", "renewals", "doubt", "findings", "release_given"),
    *("metadata", "metadata_spark", "not_known", "nodes", "requests", "pipeline", "spark_ready", "report"),
    *("opening", "misuse", "outputs", "command"),
)
"""Folders and modules of checker/audit; places come before all of them, in traces."""


def imported(path: Path) -> Iterator[tuple[str, ...]]:
    """The modules of checker/audit that a module imports, as paths below it, wherever in the module."""
    package = path.relative_to(AUDIT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.level == 0 or node.level > len(package) + 1:
            continue
        base = package[: len(package) + 1 - node.level]
        module = (*base, *(node.module or "").split(".")) if node.module else base
        yield from [module] if module else [(each.name,) for each in node.names]


def test_every_room_has_its_place() -> None:
    found = {path.stem for path in AUDIT.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert found - {"__init__"} == set(ORDER)


def test_nothing_is_imported_from_a_later_room() -> None:
    modules = [path for path in AUDIT.rglob("*.py") if path != AUDIT / "__init__.py"]
    against = {
        (here, there)
        for path in modules
        for here in path.relative_to(AUDIT).with_suffix("").parts[:1]
        for there, *_ in imported(path)
        if ORDER.index(here) < ORDER.index(there)
    }
    assert against == set()


def test_imports_by_an_absolute_name_are_none() -> None:
    assert not [
        path
        for path in AUDIT.rglob("*.py")
        if "import isrproof" in path.read_text() or "from isrproof" in path.read_text()
    ]
