"""Stretches of a file in which less was logged than above or below: the level was changed, or lines were left out.

A broker that acts on a LeaderAndIsr request has received it, and at TRACE the same log says so. If a broker's log has
such lines for some requests and not for others, lines are missing between the last request received above and the
first received below. A request is known by its sender and its correlation id, so neither clocks nor other files matter.

In clean recordings and logs of real clusters only one request looks like that: the one in the middle of which the log
begins.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from ...files.file import LogFile
from ...history.doubts import LESS_LOGGED, Stretch
from ...history.spans import LINES_PER_FILE, Span
from ...history.streams import streams
from ...lines import ANSWERED, BECOME_BEGUN, BECOME_ENDED, LEADER_AND_ISR_RECEIVED
from ...table.protocol import Column, Row, Table
from ..evidence import Evidence
from ..sign import Sign

_ACTS = tuple(dict.fromkeys((*BECOME_BEGUN, *BECOME_ENDED, *ANSWERED)))
_REQUEST = ("file", "speaker", "controller", "correlation_id")


def requests_logged(events: Table, _: Sequence[Span] = ()) -> list[Row]:
    """Look: by broker and request, the lines in which it received it (`logged` is "received"), and in which it acts on
    it ("acts")."""
    bounds = {"first": Column("min", "line"), "last": Column("max", "line")}
    return [
        row | {"logged": logged}
        for logged, lines in (("received", LEADER_AND_ISR_RECEIVED), ("acts", _ACTS))
        for row in events.of_lines(lines).present(*_REQUEST).grouped(_REQUEST, **bounds).rows()
    ]


def less_logged(rows: Iterable[Row], files: Iterable[LogFile]) -> dict[Stretch, int]:
    """The stretches that rows of `requests_logged` show, each with how many requests are acted on there that were not
    received; `files` are those that the rows are of.
    """
    stream_of = {file.index: number for number, stream in enumerate(streams(tuple(files))) for file in stream}
    bounds: dict[str, dict[tuple[int, ...], tuple[int, int]]] = {"received": {}, "acts": {}}
    for row in rows:
        own, key = bounds[row["logged"]], tuple(row[name] for name in _REQUEST)
        first, last = own.get(key, (row["first"], row["last"]))
        own[key] = min(first, row["first"]), max(last, row["last"])
    received = {(stream_of[file], *request) for file, *request in bounds["received"]}
    logs = {request[:2] for request in received}
    lines: dict[int, list[int]] = defaultdict(list)
    for (file, *_), both in bounds["received"].items():
        lines[file] += both
    ordered = {file: sorted(own) for file, own in lines.items()}
    around: dict[Stretch, set[tuple[int, ...]]] = defaultdict(set)
    for (file, *rest), (first, last) in bounds["acts"].items():
        request = (stream_of[file], *rest)
        if request not in received and request[:2] in logs:
            around[_around(file, first, last, ordered.get(file, []))].add(request)
    return {stretch: len(own) for stretch, own in sorted(around.items()) if not _begins_within(stretch, own)}


def _begins_within(stretch: Stretch, requests: Collection[tuple[int, ...]]) -> bool:
    """Return whether a log may begin in the middle of a request: then only lines above it are missing."""
    _, first, _ = stretch
    return first == 1 and len(requests) == 1


def _around(file: int, begin: int, end: int, received: list[int]) -> Stretch:
    """The lines between the requests received last before some lines and first after them."""
    above, below = bisect_left(received, begin), bisect_right(received, end)
    first = received[above - 1] + 1 if above else 1
    last = received[below] - 1 if below < len(received) else LINES_PER_FILE
    return file, first, last


def stretches(evidence: Evidence) -> dict[Stretch, int]:
    """The stretches of clusters that are asked, each with how many requests are acted on there unreceived."""
    return less_logged(evidence.facts(SIGN.name), evidence.theirs.values())


SIGN: Sign = Sign(
    "less-logged",
    "a broker acts on requests that no line says it received, as it does elsewhere in the file",
    LESS_LOGGED,
    lambda evidence: evidence.once(stretches),
    look=requests_logged,
    lines=(*LEADER_AND_ISR_RECEIVED, *_ACTS),
)
