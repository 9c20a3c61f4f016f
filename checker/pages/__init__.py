"""Pages of docs/ that are made from the data, never written by hand.

Each module of this package is a page: `PATH` from the top of the repository, `write()`, its text, and `NEXT`, where a
reader may go from its end. Has it parts in files of their own, `further()` writes those. If it has pictures,
`drawings()` are what they show, for the site. A new page is one more module. `python -m isrproof.checker.pages` writes
them all; with `--check` it only says which are out of date.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

from ..diagram import mermaid, sequence_mermaid
from ..diagram.drawing import Drawing
from ..diagram.sequence import SequenceDrawing

ROOT = Path(__file__).parents[2]


def modules() -> Iterable[ModuleType]:
    """The modules that are pages; each is imported when it is its turn."""
    return (
        importlib.import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
        if not found.name.startswith("_")
    )


def pages() -> Mapping[str, str]:
    """Path and text of every page."""
    found: dict[str, str] = {}
    for module in modules():
        text = module.write()
        found[module.PATH] = ending(text, module.NEXT) if module.PATH.endswith(".md") else text
        found.update(getattr(module, "further", dict)())
    return found


def ending(text: str, where: str) -> str:
    """Return a page with its last line, the next step."""
    return f"{text.rstrip()}\n\n**Next:** {where}.\n"


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


def picture(drawing: Drawing | SequenceDrawing) -> list[str]:
    """The lines of a Mermaid block, which the site replaces by a picture of its own."""
    return ["```mermaid", source(drawing), "```"]


def source(drawing: Drawing | SequenceDrawing) -> str:
    """The content of a drawing's Mermaid block."""
    text = sequence_mermaid.write(drawing) if isinstance(drawing, SequenceDrawing) else mermaid.write(drawing)
    return text.rstrip()
