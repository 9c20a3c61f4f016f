"""SECURITY.md: each test that holds a promise is there; and the promise that nothing which is read is evaluated."""

from __future__ import annotations

import re

from tests.imports import FOLDERS, ROOT

RUNS = re.compile(
    r"(?<![\w.])(?:exec|eval)\(|pickle\.loads?\(|\bshell=True|os\.system\(|subprocess\.|marshal\.loads?\("
)
OF_OURS = {
    "checker/__main__.py": "an empty text",
    "checker/audit/metadata_spark.py": "what our own workers made",
    "checker/diagram/svg.py": "Graphviz, on a picture of a model, in a process of its own",
    "checker/explore/buckets.py": "what our own driver made",
    "checker/explore/generate.py": "a program made of a model",
    "checker/explore/narrow.py": "a program made of a model",
    "checker/spark_session.py": "java -version",
    "model/evaluate.py": "an expression of a model or a rule",
    "traces/sources/private.py": "the removal of a temporary folder",
}
"""Modules that run or unpickle something, and what; none of it comes from a log. The recorder runs Kafka."""


def test_nothing_that_is_read_is_evaluated() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if RUNS.search(path.read_text(encoding="utf-8"))
    }
    assert {path for path in found if not path.startswith("traces/record/")} == OF_OURS.keys()


def test_every_promise_names_its_tests() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", text))
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    there = {name for source in sources for name in re.findall(r"^def (test_\w+)", source, re.MULTILINE)}
    assert named - there == set()
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 5
    assert all("`test_" in row for row in rows)
