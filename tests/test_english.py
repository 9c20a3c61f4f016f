"""Docstrings say what a thing is or does, as English-speaking engineers say it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.imports import ROOT

FOLDERS = (
    *("model", "specs", "checker/audit"),
    *("checker/ci", "checker/commands", "checker/conformance", "checker/diagram", "checker/drift", "checker/explore"),
    *("checker/pages", "checker/prove", "checker/testing", "traces", "benchmarks", "lab", "tests"),
)
"""Folders whose docstrings are checked; the modules directly in checker/ are, too."""
OPENINGS = frozenset({"How", "Of", "That", "Those", "What", "When", "Where", "Whether", "Who", "Whom", "Whose", "Why"})
"""Words that no docstring begins with: it begins with a verb ("Return ...") or with a noun ("Partitions that ...")."""
TELLING = re.compile(r"\b(?:tells?|told|telling|untold)\b", re.IGNORECASE)
"""Words that are not said of programs, which print, report, show and record."""


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings of modules, classes and functions, and string literals under a field or constant, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def faults(text: str) -> Iterator[str]:
    """Faults of a docstring, in words."""
    first = re.match(r"\W*(\w+)", text)
    if first is not None and first[1] in OPENINGS:
        yield f"begins with {first[1]}"
    for word in TELLING.findall(text):
        yield f"has {word}: programs print, report, show or record"


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Strings of several words that are no docstrings, with their lines: a user may see them."""
    tree = ast.parse(source)
    documenting = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documenting)
    for node in texts:
        if isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def checked() -> list[Path]:
    """Modules whose docstrings are checked."""
    of_folders = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return sorted((*of_folders, *(ROOT / "checker").glob("*.py")))


def test_docstrings_say_what_a_thing_is_or_does() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} {fault}"
        for path in checked()
        for line, text in docstrings(path.read_text(encoding="utf-8"))
        for fault in faults(text)
    ]
    assert not found, "\n".join(found)


def test_programs_tell_nothing_in_their_messages() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} {text}"
        for path in checked()
        if path.relative_to(ROOT).parts[0] in ("checker", "model", "specs")
        for line, text in messages(path.read_text(encoding="utf-8"))
        if TELLING.search(text)
    ]
    assert not found, "\n".join(found)


def test_messages_are_read() -> None:
    assert [*messages('"""It is told."""\na = f"it is told {b}"\nc = "told"\n')] == [(2, "it is told ")]


def test_every_folder_has_modules() -> None:
    for folder in FOLDERS:
        assert any(path.is_relative_to(ROOT / folder) for path in checked()), folder


@pytest.mark.parametrize(
    ("text", "is_faulty"),
    [
        ("What a log shows.", True),
        ("Whether it holds.", True),
        ("`Of` brokers.", True),
        ("Return the broker that a log tells of.", True),
        ("The brokers that were told.", True),
        ("Return what a log shows.", False),
        ("Office hours.", False),
        ("", False),
    ],
)
def test_faults_are_found(text: str, is_faulty: bool) -> None:
    assert bool([*faults(text)]) == is_faulty


def test_literals_under_fields_are_read() -> None:
    assert [*docstrings('class A:\n    a: int\n    """Whose."""\n')] == [(3, "Whose.")]
