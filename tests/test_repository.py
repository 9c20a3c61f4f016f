"""Tests of the repository itself: what a newcomer and the installer rely on."""

from __future__ import annotations

import configparser
import re
import sys
from collections.abc import Iterable

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

from tests.imports import FOLDERS, ROOT, cycles, graph, imported, libraries, modules, modules_of


def test_every_package_is_listed_in_setup_cfg() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    listed = set(setup["options"]["packages"].split())
    found = {
        "isrproof." + ".".join(init.parent.relative_to(ROOT).parts)
        for folder in FOLDERS
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert listed == found


def test_the_readme_names_every_extra() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for extra in set(setup["options.extras_require"]) - {"dev"}:
        assert f"isrproof[{extra}]" in text, extra


def test_help_lists_every_subcommand() -> None:
    shown = CliRunner().invoke(main, ["--help"]).output
    for module in (ROOT / "checker" / "commands").glob("[a-z]*.py"):
        assert re.search(rf"^  {module.stem}\b", shown, re.MULTILINE), module.stem


# What each part of the project may import besides itself. Nothing imports in a circle, within a part either.
ARROWS: dict[str, set[str]] = {
    "specs": set(),
    "model": {"specs"},
    "traces": {"specs", "model"},
    "checker": set(),  # what is in its __init__
    "checker.progress": set(),
    "checker.spark_session": {"specs", "traces", "checker", "checker.spark_workers"},
    "checker.spark_daemon": {"checker.audit"},
    "checker.spark_workers": {"specs", "traces"},
    "checker.audit": {
        *("specs", "model", "traces"),
        *("checker.ci", "checker.processes", "checker.progress", "checker.replacing", "checker.spark_session"),
        *("checker.packages", "checker.written_files"),
        "checker.diagram",  # the page draws state machines
    },
    "checker.ci": {"specs", "model"},
    "checker.arguments": {"checker.written_files"},
    "checker.deadline": {"specs", "checker.memory"},
    "checker.memory": set(),
    "checker.failure": {"specs", "checker.packages"},
    "checker.packages": {"specs"},
    "checker.model_options": {
        *("specs", "model"),
        *("checker.ci", "checker.failure", "checker.packages", "checker.written_files"),
    },
    "checker.formats": {"specs", "traces"},
    "checker.processes": {"specs"},
    "checker.replacing": set(),
    "checker.written_files": {"specs", "traces", "checker.replacing"},
    "checker.machines": {"specs"},
    "checker.diagram": {"specs", "model", "checker.machines"},
    "checker.drift": {"specs", "checker.failure"},
    "checker.explore": {
        *("specs", "model"),
        *("checker.diagram", "checker.memory", "checker.processes", "checker.replacing", "checker.spark_session"),
    },
    "checker.conformance": {
        *("specs", "model", "traces"),
        *("checker.audit", "checker.diagram", "checker.explore", "checker.replacing"),
    },
    "checker.prove": {"specs", "model", "checker.explore", "checker.processes", "checker.replacing"},
    "checker.pages": {
        *("specs", "model", "traces", "spark"),
        *("checker.audit", "checker.conformance", "checker.diagram", "checker.explore", "checker.prove"),
    },
    "checker.testing": {"specs", "model", "traces", "checker.audit", "checker.explore"},
    "checker.whatif": {
        *("specs", "model", "traces"),
        *("checker.audit", "checker.conformance", "checker.explore", "checker.packages"),
    },
    "checker.commands": {
        *("specs", "model", "traces", "checker", "checker.ci", "checker.failure", "checker.machines"),
        *("checker.arguments", "checker.deadline", "checker.memory", "checker.model_options"),
        *("checker.progress", "checker.replacing", "checker.formats", "checker.pages"),
        *("checker.audit", "checker.conformance", "checker.diagram", "checker.explore", "checker.prove"),
        "checker.whatif",
    },
    "checker.cli": {"checker", "checker.commands", "checker.failure"},
    "checker.__main__": {"checker", "checker.cli"},
    "spark": {
        *("specs", "traces", "checker", "checker.audit", "checker.failure"),
        *("checker.spark_session", "checker.spark_workers"),
    },
}


def part(module: str) -> str:
    """A folder at the top; of checker/, the folder or module in it."""
    return ".".join(module.split(".")[: 2 if module.startswith("checker.") else 1])


def forbidden(module: str, names: Iterable[str]) -> set[str]:
    """Return those of the dotted names that a module may not import."""
    own = part(module)
    return {name for name in names if part(name) not in {own, *ARROWS[own]}}


@pytest.mark.parametrize("own", sorted({part(module) for module in modules()}))
def test_imports_go_one_way(own: str) -> None:
    """specs <- model <- traces <- checker, and the arrows inside checker/."""
    assert own in ARROWS, f"say in ARROWS what {own} may import"
    for module, targets in graph().items():
        if part(module) == own:
            assert not forbidden(module, targets), module


@pytest.mark.parametrize(
    ("module", "source", "beyond"),
    [
        ("traces.event", "from .. import checker", {"checker"}),
        ("traces.record.run", "from ... import specs, checker", {"checker"}),
        ("traces.event", "from ..checker.audit import run", {"checker.audit.run"}),
        ("traces.event", "import isrproof.checker.cli", {"checker.cli"}),
        ("traces.event", "from isrproof import checker as c", {"checker"}),
        ("traces.event", "def late():\n    from isrproof.checker.cli import main", {"checker.cli.main"}),
        ("model.expr", "if TYPE_CHECKING:\n    from ..traces import event", {"traces.event"}),
        ("specs.toml", "from ..model.expr import Expr", {"model.expr.Expr"}),
        ("checker.audit.run", "from ..explore import run", {"checker.explore.run"}),
        ("checker.audit.run", "from .. import progress, drift", {"checker.drift"}),
        ("checker.audit.rules.empty_isr", "from ...prove.run import prove", {"checker.prove.run.prove"}),
        ("checker.explore.run", "from ..commands.explore import command", {"checker.commands.explore.command"}),
        ("checker.explore.run", "from . import report\nfrom ...model import expr\nimport numpy", set()),
    ],
)
def test_a_planted_import_is_seen(module: str, source: str, beyond: set[str]) -> None:
    assert forbidden(module, imported(source, module)) == beyond


def test_imports_of_a_package_are_relative_to_itself() -> None:
    assert imported("from . import toml", "specs.machines", is_package=True) == {"specs.machines.toml"}
    assert imported("from .. import toml", "specs.machines", is_package=True) == {"specs.toml"}


def test_specs_and_model_import_no_library() -> None:
    for module, path in modules().items():
        if part(module) in ("specs", "model"):
            used = libraries(path.read_text(encoding="utf-8")) - sys.stdlib_module_names
            assert used <= {"tomli"}, module  # the standard library's own reader of TOML, before Python 3.11


def test_a_planted_library_is_seen() -> None:
    source = "import os.path, networkx as nx\ndef late():\n    from z3.z3 import Solver\n    from . import errors"
    assert libraries(source) - sys.stdlib_module_names == {"networkx", "z3"}


def test_no_imports_go_in_a_circle() -> None:
    assert cycles(graph()) == []


def test_the_laboratory_is_imported_and_imports_no_test_and_no_benchmark() -> None:
    sources = {
        path: path.read_text(encoding="utf-8") for top in ("lab", "tests") for path in (ROOT / top).rglob("*.py")
    }
    for path, source in sources.items():
        beyond = {"tests", "benchmarks"} if path.is_relative_to(ROOT / "lab") else {"benchmarks"}
        assert path.is_relative_to(ROOT / "tests" / "benchmarks") or not libraries(source) & beyond, path


def test_no_imports_of_the_laboratory_and_of_benchmarks_go_in_a_circle() -> None:
    found = modules(("lab", "benchmarks"))
    assert len(found) > 30
    assert cycles(graph(("lab", "benchmarks"))) == []


def test_a_planted_circle_is_found() -> None:
    one, two = imported("from .two import b", "model.one"), imported("def f():\n    from . import one", "model.two")
    names = ("model.one", "model.two", "model.three")
    edges = {"model.one": one, "model.two": two, "model.three": frozenset({"model.one"})}
    assert cycles({name: frozenset(modules_of(met, names)) for name, met in edges.items()}) == [
        ("model.one", "model.two")
    ]
