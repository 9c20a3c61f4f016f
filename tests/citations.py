"""Citations of the project: what its texts and models name as the source of a fact."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.imports import FOLDERS, ROOT

PAGE = re.compile(r'(?<![\w/.~-])(?P<path>(?:[\w-]+/)*[\w-]+\.md)\b(?:#(?P<anchor>[\w-]+)|,\s+"(?P<heading>[^"]+)")?')
"""A page, perhaps with one of its headings: docs/zookeeper.md, "Elections"."""
FILE = re.compile(r"\b(?P<name>[A-Z]\w*[a-z]\w*)\.(?:scala|java)\b")
"""A file of Kafka's source."""
CLASS = re.compile(r"(?<![\w.])(?:[a-z]\w*\.)*(?P<name>[A-Z]\w*[a-z]\w*)(?:\.(?P<method>[a-z]\w+))?")
"""A class of Kafka, perhaps with its package and a method."""
ISSUE = re.compile(r"KIP-\d{1,4}|KAFKA-\d{3,5}")
_SAID = re.compile(r'"""(?s:.*?)"""|(?<!\S)# .*')


@dataclass(frozen=True)
class Text:
    """A text that may cite: a docstring, a comment, a page, a table."""

    path: Path
    line: int
    text: str

    @property
    def where(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


@cache
def texts() -> tuple[Text, ...]:
    """All texts of the project: docstrings and comments of modules, tables, and pages."""
    return tuple(_texts())


def _texts() -> Iterator[Text]:
    for folder in (*FOLDERS, "benchmarks", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from (Text(path, line, text) for line, text in of_module(path.read_text(encoding="utf-8")))
    for path in (*sorted((ROOT / "specs").rglob("*.toml")), *sorted((ROOT / "model").rglob("*.toml")), *pages()):
        yield Text(path, 1, path.read_text(encoding="utf-8"))


def pages() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def of_module(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings, other long literals and comments of a module, with their lines."""
    for match in _SAID.finditer(source):
        yield source.count("\n", 0, match.start()) + 1, match[0]


def headings(page: Path) -> set[str]:
    return set(re.findall(r"^#+ (.+?)\s*$", page.read_text(encoding="utf-8"), re.MULTILINE))


def anchor(heading: str) -> str:
    """Return the anchor that a heading has on the site."""
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def cites() -> Iterator[tuple[str, str]]:
    """Each citation of an action, property or behaviour of model/, with its place."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "model").rglob("*.py"))}
    of_others = {name: value for tree in trees.values() for name, value in _constants(tree)}
    for path, tree in trees.items():
        constants = {**of_others, **dict(_constants(tree))}
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "cites":
                where = f"{path.relative_to(ROOT)}:{node.value.lineno}"
                yield from ((where, text) for text in _literals(node.value, constants))


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = [*zip(target.elts, value.elts, strict=True)]
            yield from ((name.id, each) for name, each in pairs if isinstance(name, ast.Name))


def _literals(node: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    """The texts of a tuple of literals; a name in it, or in an f-string, is a constant of some module."""
    if isinstance(node, ast.Name):
        if node.id in constants:
            yield from _literals(constants[node.id], constants)
    elif isinstance(node, ast.Tuple):
        for each in node.elts:
            yield from _literals(each, constants)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part for value in node.values for part in _literals(value, constants))
    elif isinstance(node, ast.FormattedValue):
        yield from _literals(node.value, constants)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
