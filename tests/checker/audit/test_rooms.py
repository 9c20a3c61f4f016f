"""The rooms of the audit: the diagram of ARCHITECTURE.md is their order, and each imports only what comes before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.imports import ROOT

AUDIT = ROOT / "checker" / "audit"


def order() -> list[str]:
    """Folders and modules of checker/audit in the order of the diagram: the words of its lines before two spaces."""
    section = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("\n## The audit\n")[2]
    diagram = section.split("```")[1].strip("\n")
    return [name for line in diagram.splitlines() for name in line.partition("  ")[0].split()]


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
    assert sorted(found - {"__init__"}) == sorted(order())


def test_nothing_is_imported_from_a_later_room() -> None:
    rooms = order()
    modules = [path for path in AUDIT.rglob("*.py") if path != AUDIT / "__init__.py"]
    against = {
        (here, there)
        for path in modules
        for here in path.relative_to(AUDIT).with_suffix("").parts[:1]
        for there, *_ in imported(path)
        if rooms.index(here) < rooms.index(there)
    }
    assert against == set()


def test_an_import_of_a_later_room_is_found() -> None:
    assert ("report", "text") in set(imported(AUDIT / "report" / "markdown.py"))
    assert order().index("history") < order().index("doubt") < order().index("report")


def test_imports_by_an_absolute_name_are_none() -> None:
    assert not [
        path
        for path in AUDIT.rglob("*.py")
        if "import isrproof" in path.read_text() or "from isrproof" in path.read_text()
    ]
