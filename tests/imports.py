"""Imports between modules, read from the source: every form of import, at the top of a module and inside functions.

Modules are named from the top of the project: `specs.releases`, `checker.audit.run`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("specs", "model", "traces", "checker", "spark")
PROJECT = "isrproof"

Graph = Mapping[str, frozenset[str]]


@cache
def modules(folders: tuple[str, ...] = FOLDERS) -> Mapping[str, Path]:
    """Every module and package of the project, or of other folders at its top."""
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def graph(folders: tuple[str, ...] = FOLDERS) -> Graph:
    """For each module those that it imports; to import a module runs the packages around it, too."""
    found: dict[str, frozenset[str]] = {}
    known = modules(folders)
    for name, path in known.items():
        met = set()
        for module in modules_of(_imported(path, name), known):
            around = {module, *_packages(module)} & known.keys()
            met |= around - {name, *_packages(name)} | ({module} - {name})
        found[name] = frozenset(met)
    return found


def imported(source: str, module: str, is_package: bool = False) -> frozenset[str]:
    """Return the project's names that a source text imports, dotted: `from ..specs.toml import read` gives
    `specs.toml.read`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = [PROJECT, *module.split(".")][: None if is_package else -1]
            before = start[: len(start) - node.level + 1] if node.level else []
            base = [*before, *([node.module] if node.module else [])]
            found |= {".".join([*base, alias.name]) for alias in node.names}
    return frozenset(name.removeprefix(f"{PROJECT}.") for name in found if name.startswith(f"{PROJECT}."))


def libraries(source: str) -> frozenset[str]:
    """The packages from outside the project that a source text imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module)
    return frozenset({name.partition(".")[0] for name in found} - {PROJECT})


def modules_of(names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """The module of each dotted name: itself, or where it is defined."""
    modules = frozenset(known)
    for name in names:
        here = next((each for each in (name, *_packages(name)) if each in modules), None)
        if here is not None:
            yield here


def cycles(edges: Graph) -> list[tuple[str, ...]]:
    """The largest sets of modules of which each leads to each other, sorted."""
    reach = {module: _reached(module, edges) for module in edges}
    found = {
        tuple(sorted(other for other in reach[module] if module in reach[other]))
        for module in edges
        if module in reach[module]
    }
    return sorted(found)


def _imported(path: Path, module: str) -> frozenset[str]:
    return imported(path.read_text(encoding="utf-8"), module, path.name == "__init__.py")


def _packages(name: str) -> Iterator[str]:
    """Return the packages that contain a dotted name, innermost first."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _reached(start: str, edges: Graph) -> frozenset[str]:
    reached: set[str] = set()
    frontier = {start}
    while frontier:
        frontier = {target for source in frontier for target in edges[source]} - reached
        reached |= frontier
    return frozenset(reached)
