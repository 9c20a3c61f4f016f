"""Links of the controller and the metadata quorum: to the process of who led before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..findings.happened import Happened
from .known import CLOCKS, Known
from .link import Because, Link
from .nodes import ENDS, GOINGS, SESSION, STOPPED, end_of, last_time, lost_sight_of

ACTIVE, LED, LEADERLESS, RESIGNED = "controller-active", "quorum-led", "quorum-without-leader", "controller-resigned"
_BEFORE = re.compile(r"node ([0-9]+) led epoch ([0-9]+)")


def previous(entry: Happened, known: Known) -> Happened | None:
    """Return the controller before one: that of the greatest smaller epoch.

    A migration has controllers of both modes, with epochs of their own: only those of KRaft are at a place.
    """
    own = [each for each in known.of_kind(ACTIVE) if bool(each.places) == bool(entry.places)]
    earlier = [
        each for each in own if (each.epoch or 0) < (entry.epoch or 0) and (each.since or 0) <= (entry.since or 0)
    ]
    return max(earlier, key=lambda each: each.epoch or 0, default=None)


def leaderless(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the time without a leader after which a controller became active: of the epoch before."""
    before = previous(entry, known)
    own = [
        each for each in known.of_kind(LEADERLESS) if before is not None and _led(each) == (before.node, before.epoch)
    ]
    # Nodes see the loss of one leader in one epoch at several times: it is the same.
    return tuple(Because(each) for each in own if (each.since or 0) <= (entry.since or 0) + CLOCKS)[:1]


def _led(spell: Happened) -> tuple[int, int] | None:
    """Return the leader before a time without one, and its epoch, which the reason names (happened/quorum.py)."""
    match = _BEFORE.match(spell.reason or "")
    return None if match is None else (int(match[1]), int(match[2]))


def resigned(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the resignation of the controller before one, in its epoch."""
    before = previous(entry, known)
    if before is None or entry.since is None:
        return ()
    own = [
        each for each in known.about(before.node, RESIGNED)
        if each.epoch == before.epoch and (before.since or 0) <= (each.since or 0) <= entry.since + CLOCKS
    ]  # fmt: skip
    return tuple(Because(each, {"node": str(before.node), "epoch": str(before.epoch)}) for each in own[-1:])


def went(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the end of the process of the controller before one, or its going as others see it."""
    before, ts = previous(entry, known), entry.since
    if before is None or ts is None or before.node is None:
        return ()
    found = end_of(before.node, ts, known)
    if found is None or last_time(found) < (before.since or 0):
        found = lost_sight_of(before.node, ts, known)
    return () if found is None else (Because(found, {"node": str(before.node), "epoch": str(before.epoch)}),)


def leader(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the end of the process that led the quorum in the epoch that ended."""
    led = _led(entry)
    if led is None or entry.since is None:
        return ()
    node, epoch = led
    begun = [each.since or 0 for each in (*known.of_kind(LED), *known.of_kind(ACTIVE)) if each.epoch == epoch]
    end = end_of(node, entry.since, known)
    if end is None or not begun or last_time(end) < min(begun):
        end = lost_sight_of(node, entry.since, known)
    return () if end is None else (Because(end, {"node": str(node), "epoch": str(epoch)}),)


def shut_down(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the order to stop that made a controller resign."""
    ts = entry.since or 0
    own = [each for each in known.about(entry.node, STOPPED) if -CLOCKS <= ts - (each.since or 0) <= SESSION]
    return tuple(Because(each, {"node": str(entry.node)}) for each in own[-1:])


_WENT = "node {node} led before it, in epoch {epoch}"
LINKS = (
    Link("controller-active after no leader", ACTIVE, (LEADERLESS,), leaderless, "the quorum had lost its leader"),
    Link("controller-active after a resignation", ACTIVE, (RESIGNED,), resigned, _WENT),
    Link("controller-active after its end", ACTIVE, (*GOINGS, *ENDS), went, _WENT),
    Link(
        "quorum-without-leader by its end", LEADERLESS, (*GOINGS, *ENDS), leader, "node {node} led it in epoch {epoch}"
    ),
    Link("controller-resigned by an order to stop", RESIGNED, (STOPPED,), shut_down, "node {node} was shutting down"),
)
