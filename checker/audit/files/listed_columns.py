"""Lines that list partitions, in columns: what the reference makes of each of them (listed.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..table.arrays import Array, Dictionary, Mask, Numbers, array_of, concatenated, different
from .listed import LISTS


def listed_columns(columns: Mapping[str, Array], dictionary: Dictionary) -> dict[str, Array]:
    """Columns of lines, of shape (lines,), as columns of their events, of shape (events,), in another order.

    There must be the columns `row`, `detail` and `lagging`.
    """
    columns = _with_last_offset(columns, dictionary)
    lists = _lists(columns["row"], dictionary) & columns["detail"].is_there
    lines = np.flatnonzero(lists)
    if not len(lines):
        return columns
    rows, details = (columns[name].take(lines).plain(dictionary) for name in ("row", "detail"))
    of_line = [[*LISTS[row](detail)] for row, detail in zip(rows, details, strict=True)]
    line = np.repeat(lines, [max(1, len(each)) for each in of_line])
    events = [event for each in of_line for event in each or [{}]]
    rest = np.flatnonzero(~lists)
    return {
        name: concatenated([array.take(rest), _of_events(name, array.take(line), events, dictionary)])
        for name, array in columns.items()
    }


def _lists(row: Array, dictionary: Dictionary) -> Mask:
    """Whether a line is of a row that may list partitions."""
    first, place = different([row], len(row.data))
    return np.array([name in LISTS for name in row.take(first).plain(dictionary)], dtype=bool)[place]


def _of_events(name: str, array: Array, events: Sequence[Mapping[str, Any]], dictionary: Dictionary) -> Array:
    """A column of events: what a line says of all of them, or what it lists of each."""
    if name == "detail":
        return array.where(np.array([not event for event in events]))
    if not any(name in event for event in events):
        return array
    of_all = array.plain(dictionary)
    return array_of([event.get(name, value) for event, value in zip(events, of_all, strict=True)], dictionary)


def _with_last_offset(columns: Mapping[str, Array], dictionary: Dictionary) -> dict[str, Array]:
    """The brokers alone as `lagging`, and the greatest end of their logs as `last_offset`."""
    lagging = columns["lagging"]
    lines = np.flatnonzero(lagging.is_there)
    if not len(lines):
        return {**columns}
    listed: list[tuple[int, ...]] = lagging.take(lines).plain(dictionary)
    brokers = array_of([each[::2] for each in listed], dictionary)
    ends = array_of([max(each[1::2]) for each in listed], dictionary)
    last = columns.get("last_offset")
    found = {**columns, "lagging": _at(lagging, lines, brokers)}
    return found if last is None else found | {"last_offset": _at(last, lines, ends)}


def _at(column: Array, lines: Numbers, values: Array) -> Array:
    """A column with other values in some of its rows."""
    whole = concatenated([column.where(~np.isin(np.arange(len(column.data)), lines)), values])
    place = np.arange(len(column.data))
    place[lines] = len(column.data) + np.arange(len(lines))
    return whole.take(place)
