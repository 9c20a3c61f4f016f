"""Pages of docs/ that are made from the data, never written by hand.

Each module of this package is a page: `PATH` from the top of the repository, and `write()`, its text. A new page is one
more module. `python -m isrproof.checker.pages` writes them all; with `--check` it only says which are out of date.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def pages() -> Mapping[str, str]:
    """Path and text of every page."""
    modules = (
        importlib.import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
        if not found.name.startswith("_")
    )
    return {module.PATH: module.write() for module in modules}


def outdated(root: Path = ROOT) -> tuple[str, ...]:
    """The pages whose file is not what the data says now."""
    return tuple(path for path, text in pages().items() if not _is(root / path, text))


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a Markdown table."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
