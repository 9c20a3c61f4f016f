"""A picture as an element of a web page: Graphviz' shapes and texts with classes, which the page's style colours.

Of what Graphviz writes it has nothing else but the hints of states: no colours, no identifiers, no comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from . import svg
from .drawing import Drawing, Edge
from .style import printable

_SHAPES = {
    "svg": ("viewBox",),
    "g": ("transform",),
    "path": ("d", "stroke-dasharray"),
    "polygon": ("points",),
    "polyline": ("points",),
    "ellipse": ("cx", "cy", "rx", "ry"),
    "text": ("x", "y", "text-anchor", "font-size"),
}
"""Elements that are taken, with their attributes."""

_HINT = "{http://www.w3.org/1999/xlink}title"


@lru_cache(maxsize=64)
def write(drawing: Drawing) -> str:
    """Return the element `svg.machine`, without the caption.

    A group of it is a `state` of a kind, or a `move`, which is `illegal`, `hidden`, `seen` or `unseen`; the latter has
    the names of its states as `data-from` and `data-to`.

    Raises:
        IsrproofError: pygraphviz is not installed, or Graphviz fails.
    """
    groups = {each.id: {"class": f"state {each.kind}"} for each in drawing.nodes}
    names = {each.id: printable(each.name) for each in drawing.nodes}
    for edge in drawing.edges:
        ends = {"data-from": names[edge.source], "data-to": names[edge.target]}
        groups[f"{edge.source}->{edge.target}"] = {"class": _class(edge), **ends}
    for state, _ in drawing.seeds:
        groups[f"start->{state}"] = {"class": "seed"}
    groups["start"] = {"class": "seed"}
    root = ElementTree.fromstring(svg.write(replace(drawing, caption=())))
    return "".join(_element(root, groups, drawing.title))


def _class(edge: Edge) -> str:
    seen = "" if edge.count is None else "seen" if edge.count else "unseen"
    kinds = ("illegal" if edge.illegal else seen, "hidden" if edge.hidden else "")
    return " ".join(filter(None, ("move", *kinds)))


def _element(element: ElementTree.Element, groups: Mapping[str, Mapping[str, str]], title: str = "") -> Iterator[str]:
    name = element.tag.rpartition("}")[2]
    if name == "a":  # around the shapes of what has a hint
        yield f"<title>{escape(element.get(_HINT, ''))}</title>"
        for each in element:
            yield from _element(each, groups)
        return
    if name not in _SHAPES or element.get("fill") == "white":  # Graphviz' background
        return
    own = {key: element.attrib[key] for key in _SHAPES[name] if key in element.attrib}
    if name == "svg":
        own |= {"class": "machine", "role": "img", "aria-label": title, "width": element.get("width", "")}
    titles = (each.text or "" for each in element if each.tag.endswith("}title"))
    own |= next((groups[each] for each in titles if each in groups), {})
    yield f"<{name}{''.join(f' {key}={quoteattr(value)}' for key, value in own.items())}>"
    if name == "text":
        yield escape(element.text or "")
    for each in element:
        yield from _element(each, groups)
    yield f"</{name}>"
