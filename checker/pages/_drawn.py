"""Mermaid blocks of docs/ as pictures of the site: mkdocs.yml names `fence`, which is called for each block.

GitHub draws these blocks itself. A site would need Mermaid's script, 3 MB from elsewhere, or a browser and Node when it
is built. But this program made the blocks, so it has what is in them, and draws that. A block that no page of this
package made ends the build.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from types import ModuleType
from typing import Any

from ..diagram import inlined, sequence_svg
from ..diagram.drawing import Drawing
from ..diagram.sequence import SequenceDrawing
from . import modules, source

NARROW = 22
"""Letters of a lane: two sequence diagrams have room beside each other."""
LEAST = 0.68
"""The scale at which the labels of moves can still be read."""


def fence(text: str, language: str, class_name: str, options: Mapping[str, Any], md: Any, **_: Any) -> str:
    """Return the figure in place of a block, as pymdownx.superfences asks for it.

    Raises:
        SuperFencesException: no page made the block, or Graphviz is missing; superfences hides any other exception.
    """
    from pymdownx.superfences import SuperFencesException

    try:
        return figure(drawing(text))
    except ValueError as error:
        raise SuperFencesException(str(error)) from error


def drawing(text: str) -> Drawing | SequenceDrawing:
    """Return what a block shows.

    Raises:
        ValueError: no page made the block.
    """
    for module in modules():
        if (found := _sources(module).get(text.strip())) is not None:
            return found
    raise ValueError(f"A Mermaid block that no page of checker/pages draws: {text.strip()[:200]!r}")


def figure(shown: Drawing | SequenceDrawing) -> str:
    """Return an element without colours: the site's style has them, for light and for dark."""
    if isinstance(shown, SequenceDrawing):
        return f'<figure class="drawn">{sequence_svg.write(shown, NARROW, 0)}</figure>'
    caption = "<br>".join(map(escape, shown.caption))
    return f'<figure class="drawn">{_readable(inlined.write(shown))}<figcaption>{caption}</figcaption></figure>'


def _readable(element: str) -> str:
    """Return an element of Graphviz' that shrinks to `LEAST` of its width only: a wider one is scrolled."""
    return re.sub(r' width="(\d+)pt"', lambda of: f'{of[0]} style="min-width:{int(of[1]) * LEAST:.0f}pt"', element)


@cache
def _sources(module: ModuleType) -> Mapping[str, Drawing | SequenceDrawing]:
    return {source(each): each for each in getattr(module, "drawings", tuple)()}
