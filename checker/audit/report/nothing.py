"""Messages where a request matches nothing: they say what there is instead."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from ..observe.narrow import Narrow
from ..table.protocol import Row
from .shown import and_more, partition_name, plain, printed

_NAMED = 5


def nothing_there(narrow: Narrow, rows: Sequence[Row]) -> str | None:
    """Return what is not there, and what is; None if there are such lines, and only nothing to check in them.

    Args:
        rows: the result of `Narrow.nearest` for all partitions.
    """
    there = sorted({(row["topic"], row["partition"]) for row in rows if row["partition"] is not None})
    if narrow.partition is not None and narrow.partition not in there:
        return _no_partition(narrow.partition, there)
    about = [row for row in rows if narrow.partition in (None, (row["topic"], row["partition"]))]
    return None if any(row["lines"] for row in about) else _no_time(narrow, about)


def _no_partition(asked: tuple[str, int], there: Sequence[tuple[str, int]]) -> str:
    topic = plain(asked[0])
    message = f"--partition {partition_name(*asked)}: no line is about it."
    if not there:
        return f"{message} No line is about any partition."
    numbers = [number for name, number in there if name == asked[0]]
    if numbers:
        return f"{message} Topic {topic} has partitions {_listed(list(map(str, numbers)))}."
    topics = list(dict.fromkeys(name for name, _ in there))
    near = difflib.get_close_matches(asked[0], topics, _NAMED, cutoff=0.5)
    if near:
        return f"{message} Did you mean topic {_listed(near)}?"
    return f"{message} There {'are topics' if len(topics) > 1 else 'is topic'} {_listed(topics)}."


def _no_time(narrow: Narrow, rows: Sequence[Row]) -> str:
    since = "" if narrow.since is None else f" --since {printed(narrow.since)}"
    until = "" if narrow.until is None else f" --until {printed(narrow.until)}"
    about = "" if narrow.partition is None else f" about {partition_name(*narrow.partition)}"
    message = f"{(since + until).strip()}: no line{about} is from that time."
    times = [(row["first"], row["last"]) for row in rows if row["first"] is not None]
    if not times:
        return f"{message} The log prints no times."
    first, last = min(low for low, _ in times), max(high for _, high in times)
    before = [row["before"] for row in rows if row.get("before") is not None]
    after = [row["after"] for row in rows if row.get("after") is not None]
    nearest = [f"the last before at {printed(max(before))}"] if before else []
    nearest += [f"the first after at {printed(min(after))}"] if after else []
    return f"{message} They are from {printed(first)} to {printed(last)}; {' and '.join(nearest)}."


def _listed(names: Sequence[str]) -> str:
    return and_more([plain(name) for name in names], _NAMED)
