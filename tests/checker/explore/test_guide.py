"""docs/language.md: its model, its commands and its Python do what it says; models of one's own from files."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.model import expr, sorts
from isrproof.model.catalogue import model
from isrproof.model.errors import DefinitionError, UnknownNameError

GUIDE = (Path(__file__).parents[3] / "docs" / "language.md").read_text(encoding="utf-8")
MODEL, MORE, PROOF = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)


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
    assert _run("explore", f"{file}:IMPATIENT", "--format", "mermaid")[1].startswith("sequenceDiagram")
    assert _run("explore", f"{file}:MODEL", "--export", "tla", "--out", str(tmp_path))[0] == 0
    assert "needed       DecideCommit: 'all have voted'" in _run("explore", f"{file}:MODEL", "--mutate")[1]


def test_the_python_of_the_guide(file: Path) -> None:
    exec(compile(MORE, "language.md", "exec"), runpy.run_path(str(file)))


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
