"""Lines that list partitions, in columns: the same events as the reference makes (listed.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..table.arrays import Array, Dictionary, Mask, array_of, concatenated, different
from .listed import LISTING, each_listed


def listed_columns(columns: Mapping[str, Array], dictionary: Dictionary) -> dict[str, Array]:
    """Return columns of lines, of shape (lines,), as columns of their events, of shape (events,), in another order.

    The columns `row`, `detail` and `lagging` are required.
    """
    detail, lagging = columns["detail"], columns["lagging"]
    lists = (_lists(columns["row"], dictionary) & detail.is_there) | lagging.is_there
    lines = np.flatnonzero(lists)
    if not len(lines):
        return {**columns}
    read = (array.take(lines).plain(dictionary) for array in (columns["row"], detail, lagging))
    of_line = [each_listed(*each) for each in zip(*read, strict=True)]
    line = np.repeat(lines, [max(1, len(each)) for each in of_line])
    events = [event for each in of_line for event in each or [{}]]
    rest = np.flatnonzero(~lists)
    return {
        name: concatenated([array.take(rest), _of_events(name, array.take(line), events, dictionary)])
        for name, array in columns.items()
    }


def _lists(row: Array, dictionary: Dictionary) -> Mask:
    """Return whether each line has a row that may list partitions."""
    first, place = different([row], len(row.data))
    return np.array([name in LISTING for name in row.take(first).plain(dictionary)], dtype=bool)[place]


def _of_events(name: str, array: Array, events: Sequence[Mapping[str, Any]], dictionary: Dictionary) -> Array:
    """Return a column of events: the line's value for all of them, or the listed value of each."""
    if name == "detail":
        return array.where(np.array([not event for event in events]))
    if not any(name in event for event in events):
        return array
    of_all = array.plain(dictionary)
    return array_of([event.get(name, value) for event, value in zip(events, of_all, strict=True)], dictionary)
