"""A copy of this project in which something is added, by the files that CONTRIBUTING.md names for it and no others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.imports import FOLDERS, PROJECT, ROOT

_DATA = ("traces/recorded", "traces/recorded-kraft")
"""Folders that are large, and that no task changes: the copy links to them."""
TIERS = ("-m", "full or not full")
"""Tests of the full tier run too; --full would also fail for files that take long."""
_TOP = ("*.md", "*.cfg", "*.toml", "*.yml")
_ROW = re.compile(r"^\|(?P<task>[^|]+)\|(?P<by_hand>[^|]+)\|", re.MULTILINE)
_PLACEHOLDER = re.compile(r"[A-Z]{3,}")
"""Placeholders for a name in a path: NAME, CODE, FOLDER."""


@dataclass(frozen=True)
class Tree:
    """A copy of the project."""

    root: Path
    task: str
    """The row of CONTRIBUTING.md that says which files are written."""

    def write(self, path: str, text: str) -> None:
        """Write a file, if CONTRIBUTING.md names it for the task.

        Raises:
            ValueError: it does not.
        """
        if not any(re.fullmatch(pattern, path) for pattern in named(self.task)):
            raise ValueError(f"CONTRIBUTING.md, {self.task}: {path} is not named")
        (self.root / path).write_text(text, encoding="utf-8")

    def append(self, path: str, text: str) -> None:
        self.write(path, self.read(path) + text)

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace a text that a file has once.

        Raises:
            ValueError: the file has it not once.
        """
        before = self.read(path)
        if before.count(old) != 1:
            raise ValueError(f"{path}: {old!r} is there {before.count(old)} times")
        self.write(path, before.replace(old, new))

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def generated(self, page: str) -> str:
        """Write the generated pages of docs/, and return one."""
        done = self.python("-m", f"{PROJECT}.checker.pages")
        assert done.returncode == 0, done.stdout + done.stderr
        return self.read(f"docs/{page}.md")

    def check(self, *arguments: str) -> None:
        """Run tests of the copy, which must pass."""
        done = self.tested(*arguments)
        assert done.returncode == 0, done.stdout

    def failing(self, *arguments: str) -> str:
        """Run tests of the copy of which some must fail, and return what pytest prints."""
        done = self.tested(*arguments)
        assert done.returncode == 1, done.stdout
        return done.stdout

    def tested(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run tests of the copy, of the default tier and the full one."""
        done = self.python("-m", "pytest", "-q", *TIERS, "-p", "no:cacheprovider", *arguments)
        # 0: all passed, 1: some failed. Anything else, such as 5, says that the wrong tests were asked for.
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return done

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "ISRPROOF", "COV"))}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env={**kept, "PYTHONPATH": str(self.root.parent)},
            capture_output=True,
            text=True,
            check=False,
        )


def copied(folder: Path, task: str) -> Tree:
    """Copy what the project is made of; Python takes the copy for the project, since it is of that name."""
    root = folder / PROJECT
    for name in (*FOLDERS, "lab", "benchmarks", "docs", "tests"):
        # Compiled files are copied too: they are still those of the sources, whose times are kept.
        shutil.copytree(ROOT / name, root / name, ignore=lambda where, names: _left_out(Path(where), names))
    for name in _DATA:
        (root / name).symlink_to(ROOT / name)
    for pattern in _TOP:
        for path in ROOT.glob(pattern):
            shutil.copy2(path, root)
    return Tree(root, task)


def _left_out(where: Path, names: Sequence[str]) -> set[str]:
    return {name for name in names if (where / name).relative_to(ROOT).as_posix() in _DATA}


@cache
def named(task: str) -> tuple[str, ...]:
    """Return the paths that CONTRIBUTING.md names in the row of a task, as patterns."""
    rows = _ROW.finditer((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    by_hand = next(row["by_hand"] for row in rows if row["task"].replace("*", "").strip() == task)
    paths = re.findall(r"`([\w./-]+\.\w+)`", by_hand)
    return tuple(_PLACEHOLDER.sub(r"[\\w-]+", re.escape(path)) for path in paths)
