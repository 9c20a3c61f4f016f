"""Lines of the project's own writer, fast: each wording is rendered once, with marks in place of its values."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from isrproof.traces.events.event import FIELDS, Event
from isrproof.traces.events.render import render, time_text

RELEASE = "2.5"
"""The last release that logs everything at TRACE by default, UpdateMetadata requests one by one included."""

_MARK = 700_000_001
_TIME = 1_533_297_600_123


class Ids(tuple[int, ...]):
    """Broker ids with both ways of printing them."""

    csv: str
    spaced: str


@lru_cache(maxsize=1_000_000)
def ids(*brokers: int) -> Ids:
    made = Ids(brokers)
    made.csv = ",".join(map(str, brokers))
    made.spaced = ", ".join(map(str, brokers))
    return made


def line(row: str, *holes: str, **values: Any) -> Callable[..., str]:
    """Return the function that prints a line of `row`: call it with `time` and the values as keywords; ids as `Ids`."""
    marks: dict[str, Any] = {}
    for i, name in enumerate(holes):
        mark = _MARK + 2 * i
        marks[name] = {"int": mark, "str": f"Mark{mark}", "tuple[int, ...]": (mark, mark + 1)}[FIELDS[name]]
    text = render(Event(row, ts=_TIME, **values, **marks), RELEASE)
    text = text.replace("{", "{{").replace("}", "}}").replace(time_text(_TIME), "{time}")
    for name, mark in marks.items():
        if isinstance(mark, tuple):
            found = re.search(f"{mark[0]}(, ?){mark[1]}", text)
            shown = "spaced" if found is None or found[1] == ", " else "csv"
            text = re.sub(f"{mark[0]}, ?{mark[1]}", f"{{{name}.{shown}}}", text)
        else:
            text = text.replace(str(mark), f"{{{name}}}")
    filled: Callable[..., str] = text.format
    return filled
