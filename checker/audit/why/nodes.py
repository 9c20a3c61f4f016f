"""Links to the end of a node's process."""

from __future__ import annotations

from collections.abc import Sequence

from ..findings.happened import Happened
from .known import CLOCKS, Known
from .link import Because, Link

STOPPED, FAILED, LOST, DIRECTORY = "process-stopped", "process-failed", "process-lost", "directory-failed"
ENDS = (STOPPED, FAILED, LOST)
EXPIRED, FENCED, UNREGISTERED = "session-expired", "fenced", "unregistered"
GOINGS = (EXPIRED, FENCED, UNREGISTERED, STOPPED)
"""The kinds of entries with which a node goes, as others see it."""
SESSION = 30_000
"""The milliseconds within which others notice that a process has ended: longer than sessions last by default.
Source: zookeeper.session.timeout.ms and broker.session.timeout.ms, at their defaults.
"""
_SOON = 20_000
"""The milliseconds within which a node that has stopped answering is counted out."""
_AT_ONCE = 10_000
"""The milliseconds within which a broker ends whose last log directory has failed."""


def end_of(node: int | None, ts: int, known: Known) -> Happened | None:
    """Return the end of the last process that a node had up to a time, if it was then still noticed; None if nothing
    shows one.

    Lines of a node are by its own clock, so they may be later by CLOCKS than what they explain.
    """
    ends = [each for each in known.about(node, *ENDS) if (each.since or 0) <= ts + CLOCKS]
    last = max(ends, key=lambda each: each.since or 0, default=None)
    if last is None:
        return None
    over = last.until if last.what == LOST else _started(last, known)
    lately = ts - (last.since or 0) <= SESSION
    return last if lately or over is None or over + SESSION >= ts else None


def _started(end: Happened, known: Known) -> int | None:
    """Return the time of the first start after the end of a process."""
    starts = known.about(end.node, "process-started")
    return min(
        (each.since for each in starts if each.since is not None and each.since > (end.since or 0)), default=None
    )


def ended(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the end of the process that made others lose a node."""
    if entry.since is None or entry.node is None:
        return ()
    back = next(
        (sign.ts for sign in known.signs.get(entry.node, ())[::-1] if sign.ts < entry.since and not sign.gone), None
    )
    end = end_of(entry.node, entry.since, known)
    if end is None or (back is not None and last_time(end) < back - CLOCKS):
        return ()  # it has come back since
    return (Because(end, {"node": str(entry.node)}),)


def last_time(end: Happened) -> int:
    """Return the last time at which a process that has ended may have printed its last line."""
    return (end.until if end.what == LOST and end.until is not None else end.since) or 0


def lost_sight_of(node: int, ts: int, known: Known) -> Happened | None:
    """Return the going of a node that had stopped answering at a time: others count it out then, or soon after.

    What it still did after that time shows that it is another going.
    """
    later = (sign.gone for sign in known.signs.get(node, ()) if -CLOCKS <= sign.ts - ts <= _SOON and sign.gone)
    gone = next(later, None)
    if gone is None:
        return None
    end = next((each.entry for each in ended(gone, known)), None)
    if end is None:
        return gone if gone.what != STOPPED or (gone.since or 0) <= ts + CLOCKS else None
    return gone if (end.since or 0) <= ts + CLOCKS else None


def disk(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the failure of a log directory that made a broker end: it has not come back since."""
    ts = entry.since or 0
    signs = known.signs.get(entry.node, ()) if entry.node is not None else ()
    back = max((sign.ts for sign in signs if sign.gone is None and sign.ts < ts), default=0)
    near = max(ts - _AT_ONCE, back)
    own = [each for each in known.about(entry.node, DIRECTORY) if near <= (each.since or 0) <= ts]
    return tuple(Because(each, {"node": str(entry.node)}) for each in own[-1:])


_NODE_ENDED = "the process of node {node} had ended"
LINKS = (
    *(
        Link(f"{of} by its process", of, ENDS, ended, _NODE_ENDED)
        for of in (EXPIRED, FENCED, UNREGISTERED, "broker-unreachable", "controller-unreachable", "voter-unreachable")
    ),
    *(
        Link(f"{of} by its directory", of, (DIRECTORY,), disk, "a log directory of node {node} failed just before")
        for of in (STOPPED, FAILED)
    ),
)
