"""docs/language.md: its model, its commands and its Python do what it says; models of one's own from files."""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.explore.mutate import mutations
from isrproof.model import expr, sorts
from isrproof.model.catalogue import model
from isrproof.model.errors import DefinitionError, UnknownNameError

GUIDE = (Path(__file__).parents[3] / "docs" / "language.md").read_text(encoding="utf-8")
MODEL, MORE, WAIVER, PROOF = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two_phase.py"
    path.write_text(MODEL + PROOF, encoding="utf-8")
    return path


def _run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, arguments)
    return done.exit_code, done.output


def test_the_commands_of_the_guide(file: Path, tmp_path: Path) -> None:
    code, output = _run("explore", f"{file}:MODEL")
    assert code == 0
    assert f"in {re.findall(r'([0-9,]+) distinct', output)[0]} states" in GUIDE
    assert _run("explore", f"{file}:MODEL", "--list")[1].startswith("two-phase: ")
    code, output = _run("explore", f"{file}:IMPATIENT", "--set", "participants=2")
    assert code == 1
    assert "\n".join(output.splitlines()[:3]) in GUIDE
    assert "\nsequenceDiagram\n" in _run("explore", f"{file}:IMPATIENT", "--format", "mermaid")[1]
    assert _run("explore", f"{file}:MODEL", "--export", "tla", "--out", str(tmp_path))[0] == 0
    assert "needed       DecideCommit: 'all have voted'" in _run("explore", f"{file}:MODEL", "--mutate")[1]


def test_the_python_of_the_guide(file: Path) -> None:
    exec(compile(MORE, "language.md", "exec"), runpy.run_path(str(file)))


def test_the_waiver_of_the_guide(file: Path) -> None:
    """With it the explorer has nothing to say about that clause."""
    names = runpy.run_path(str(file))
    exec(compile(WAIVER, "language.md", "exec"), names)
    whole, crash = names["MODEL"], names["crash"]
    excused = names["action"]("Crash", crash.statement, guard=names["guard"], updates={names["crashed"]: "down"})
    rest = tuple(excused if each.name == "Crash" else each for each in whole.actions)
    (found,) = mutations(replace(whole, actions=rest), actions={"Crash"})
    assert found.verdict == "waived"
    (found,) = mutations(whole, actions={"Crash"})
    assert found.verdict == "unexplained"


def test_the_guide_shows_how_a_path_ends(file: Path) -> None:
    output = _run("explore", f"{file}:IMPATIENT", "--set", "participants=2")[1]
    assert "\n".join(output.splitlines()[-5:]) in GUIDE


def test_the_pictures_and_runs_of_the_guide(file: Path, tmp_path: Path) -> None:
    assert _run("explore", f"{file}:IMPATIENT", "--format", "svg")[1].startswith("<svg ")
    code, output = _run("simulate", f"{file}:MODEL", "--steps", "2")
    assert (code, "   2. " in output) == (0, True)
    code, output = _run("simulate", f"{file}:IMPATIENT", "--property", "Consistent")
    assert "ImpatientAbort(one=" in output
    assert _run("diagram", f"{file}:MODEL", "--out", str(tmp_path / "machines.mmd")) == (0, "")
    assert '"phase: working"' in (tmp_path / "machines.mmd").read_text(encoding="utf-8").replace("&colon;", ":")


def test_the_proof_of_the_guide(file: Path) -> None:
    code, output = _run("prove", f"{file}:MODEL")
    assert (code, "Consistent: unknown" in output) == (3, True)
    code, output = _run("prove", f"{file}:PROVED")
    assert code == 0
    assert "\nConsistent: holds for any number of participants" in output


def test_the_guide_names_what_there_is() -> None:
    for name in re.findall(r"`(?:\w+\.)?\.(\w+)\(?", GUIDE.partition("## Sorts and operators")[2]):
        assert hasattr(expr.Expr, name), name
    for name in re.findall(r"`([A-Z]\w+)\(", GUIDE.partition("## Sorts and operators")[2]):
        assert hasattr(sorts, name), name


def test_a_model_of_a_file_that_is_not_there(file: Path) -> None:
    assert model(f"{file}:MODEL").name == "two-phase"
    with pytest.raises(UnknownNameError, match="there is no file"):
        model("nowhere/two_phase.py:MODEL")
    with pytest.raises(UnknownNameError, match="expected one of: MODEL, IMPATIENT"):
        model(f"{file}:OTHER")
    with pytest.raises(DefinitionError, match="vote is not a Model"):
        model(f"{file}:vote")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path) -> Iterator[str]:
    """The module of a package in the current folder, with the guide's model."""
    folder = tmp_path / "guide_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "two_phase.py").write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "needs.py").write_text("import absent_library\n", encoding="utf-8")
    (folder / "wrong.py").write_text("x = 1\nMODEL = Modell\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield "guide_package.two_phase"
    for name in [each for each in sys.modules if each.partition(".")[0] == "guide_package"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("explore", "MODEL", "--list"), "two-phase: "),
        (("explore", "IMPATIENT", "--set", "participants=2", "--format", "github"), "file=guide_package/two_phase.py,"),
        (("simulate", "MODEL"), "two-phase("),
        (("diagram", "MODEL", "--set", "participants=1"), "title: \"two-phase(participants=1)"),
        (("validate", "MODEL", "."), "whose steps declare no lines"),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else "",
)  # fmt: skip
def test_a_model_of_a_package_is_taken_as_one_of_a_file(package: str, command: tuple[str, ...], says: str) -> None:
    name, model, *others = command
    assert says in _run(name, f"{package}:{model}", *others)[1]


def test_a_model_of_a_package_is_proved(package: str) -> None:
    pytest.importorskip("z3")
    code, output = _run("prove", f"{package}:PROVED", "--property", "Consistent")
    assert (code, "Consistent: holds for any number of participants" in output) == (0, True), output


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("guide_package.two_phase:OTHER", "expected one of: MODEL, IMPATIENT"),
        ("guide_package.absent:MODEL", "there is no module 'guide_package.absent' here"),
        ("absent_package.two_phase:MODEL", "there is no module 'absent_package' here"),
        ("guide-package:MODEL", "'guide-package' is no module; expected FILE.py:NAME or package.module:NAME"),
        ("guide_package.needs:MODEL", "guide_package/needs.py:1: ModuleNotFoundError: No module named 'absent_li"),
        ("guide_package.wrong:MODEL", "guide_package/wrong.py:2: NameError: name 'Modell' is not defined"),
    ],
)  # fmt: skip
def test_a_model_of_a_package_that_cannot_be_loaded(package: str, named: str, says: str) -> None:
    code, output = _run("explore", named)
    assert (code, "Traceback" in output) == (2, False)
    assert says in output
    assert os.getcwd() not in sys.path


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("x = 1\nMODEL = Modell\n", ":2: NameError: name 'Modell' is not defined"),
        ("x = (1\n", ":1: SyntaxError: "),
        (
            "from isrproof.model.sorts import Finite\n\n\ndef sort():\n    return Finite('Box', 3)\n\n\nsort()\n",
            ":5: DefinitionError: Box: expected Finite",
        ),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_line(wrong: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(wrong, encoding="utf-8")
    code, output = _run("explore", f"{path}:MODEL")
    assert code == 2
    assert f"Error: {path}{says}" in output
    assert "Traceback" not in output
