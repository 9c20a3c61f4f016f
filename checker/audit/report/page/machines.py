"""The drawings of the state machines, inlined: moves of this log are bold, illegal ones red.

Graphviz lays them out where pygraphviz is installed; otherwise a page has the counts only.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import reduce
from importlib.util import find_spec

from .....specs.errors import IsrproofError, UnknownNameError
from .....specs.releases import span
from ....diagram import inlined
from ....diagram.counts import MoveCount
from ....diagram.drawing import draw
from ...findings.moves import Move
from ..model import WordingStretch


def drawing(name: str, moves: Sequence[Move], releases: Sequence[WordingStretch]) -> str:
    """Return the element of a machine with its moves; empty where Graphviz is missing, or fails."""
    if find_spec("pygraphviz") is None:
        return ""
    spans = [*_spans(releases)]
    among = (reduce(operator.and_, spans) or reduce(operator.or_, spans)) if spans else 0
    seen = [MoveCount(each.source, each.target, each.count, each.count if each.illegal else 0) for each in moves]
    try:
        return inlined.write(draw(name, seen=seen, among=among))
    except IsrproofError:  # Graphviz crashed: the counts stand below all the same
        return ""


def _spans(releases: Sequence[WordingStretch]) -> Iterator[int]:
    """Yield the releases of each stretch that shows any, as masks."""
    for each in releases:
        with suppress(UnknownNameError):  # "none", "contradictory"
            yield span(each.releases)
