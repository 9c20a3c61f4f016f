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


def write(drawing: Drawing, instead: str = "--format mermaid or dot") -> str:
    """An SVG document that needs nothing else.

    Args:
        instead: the options of the command that draw without Graphviz, for its messages.

    Raises:
        IsrproofError: pygraphviz is not installed, with what installs it; or Graphviz fails.
    """
    if find_spec("pygraphviz") is None:
        raise IsrproofError(f"SVG needs pygraphviz: pip install 'isrproof[diagram]'. Or use {instead}.")
    source = dot.write(drawing).encode("utf-8")
    try:
        run = subprocess.run([sys.executable, "-c", _LAYOUT], input=source, capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise IsrproofError(
            f"Graphviz took more than {_SECONDS} s to lay out {drawing.title}. Use {instead}."
        ) from None
    if run.returncode:
        raise IsrproofError(f"Graphviz {_how_it_ended(run.returncode, run.stderr)}. Use {instead}.")
    return _titled(run.stdout.decode("utf-8"), drawing.title)


def _how_it_ended(code: int, printed: bytes) -> str:
    """Return how Graphviz ended, with its last line; warnings of the font library are not the cause."""
    lines = [each for each in printed.decode("utf-8", "replace").splitlines() if each and "Fontconfig" not in each]
    how = f"crashed (signal {-code})" if code < 0 else f"failed (exit {code})"
    return ": ".join([how, *lines[-1:]])


def _titled(svg: str, title: str) -> str:
    """The bare element, with a title for readers of the screen in place of Graphviz' comments."""
    svg = svg[svg.index("<svg ") :]
    end = svg.index(">") + 1
    return f"{svg[:end]}\n<title>{escape(title)}</title>{svg[end:]}"
