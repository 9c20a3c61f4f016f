"""Of which releases the first lines of files are: those whose wordings Spark looks for natively.

Lines of other releases, after an upgrade, are read all the same, by the reference parser.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import and_, or_

from ....specs.releases import ALL
from ....traces.events.event import Event
from ....traces.events.parse import parse_line

HEAD = 200
"""Lines of a file."""


def releases_of(heads: Iterable[Iterable[str]]) -> int:
    """The releases that all of these lines may be of, as a mask; if there are none, those of the files one by one.

    All releases, if no line shows any.
    """
    found = [mask for mask in map(_releases_of, heads) if mask]
    return reduce(and_, found, ALL) or reduce(or_, found, 0)


def _releases_of(head: Iterable[str]) -> int:
    """Those that all lines may be of, or that one of them may be of where there are none; 0 if no line shows any."""
    parsed = map(parse_line, head)
    found = [event.releases for event in parsed if isinstance(event, Event) and event.releases]
    return (reduce(and_, found, ALL) or reduce(or_, found)) if found else 0
