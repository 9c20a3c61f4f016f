"""A picture as SVG. The layout is Graphviz', which the wheel of pygraphviz brings along.

Graphviz is C and runs in a child process: what it prints stays off the user's terminal, and a crash is an error
message. One call of `draw` per graph: a second layout of the same graph crashes pygraphviz 2.0.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from xml.sax.saxutils import escape

from ...specs.errors import IsrproofError
from . import dot
from .drawing import Drawing

_LAYOUT = """
import sys, pygraphviz
graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode("utf-8"), encoding="utf-8")
sys.stdout.buffer.write(graph.draw(format="svg", prog="dot"))
"""
_SECONDS = 60


def write(drawing: Drawing) -> str:
    """An SVG document that needs nothing else; without pygraphviz an IsrproofError says how to get it."""
    if find_spec("pygraphviz") is None:
        raise IsrproofError("SVG needs pygraphviz: pip install 'isrproof[diagram]'. Or use --format mermaid.")
    source = dot.write(drawing).encode("utf-8")
    try:
        run = subprocess.run([sys.executable, "-c", _LAYOUT], input=source, capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise IsrproofError(f"Graphviz took more than {_SECONDS} s to lay out {drawing.title}.") from None
    if run.returncode:
        last_line = run.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise IsrproofError(
            f"Graphviz failed (exit {run.returncode}): {''.join(last_line)}. Take --format dot or mermaid."
        )
    return _titled(run.stdout.decode("utf-8"), drawing.title)


def _titled(svg: str, title: str) -> str:
    """The bare element, with a title for readers of the screen in place of Graphviz' comments."""
    svg = svg[svg.index("<svg ") :]
    end = svg.index(">") + 1
    return f"{svg[:end]}\n<title>{escape(title)}</title>{svg[end:]}"
