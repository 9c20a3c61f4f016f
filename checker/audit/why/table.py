"""All links, and what a chain may end with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..findings.happened import Happened
from ..happened.in_words import listed
from ..report.shown import partition_name
from . import controllers, nodes, partitions, topics
from .known import Known
from .link import Chain, Link, chain

LINKS: tuple[Link, ...] = (*partitions.LINKS, *controllers.LINKS, *topics.LINKS, *nodes.LINKS)


def chain_of(entry: Happened, known: Known) -> Chain:
    """Return the chain of an entry, by all links."""
    return chain(entry, known, LINKS, _ending)


def _ending(entry: Happened, known: Known) -> tuple[bool, str | None]:
    """Return whether an entry is a cause, and what is not known of it."""
    if entry.what not in ENDS or (entry.what == partitions.SHRUNK and not partitions.dropped(entry, known)):
        return False, would_tell(entry, known)
    return True, ENDS[entry.what](entry, known)


def _misses(entry: Happened, _: Known) -> str | None:
    """Return what lines never show of such an entry."""
    misses = entry.word.misses
    return None if misses == "nothing" or misses.startswith("nothing,") else f"{entry.what}, {_of(entry)}: {misses}"


def _session(entry: Happened, known: Known) -> str:
    """Return what is not known of a node that went, whose process is in no file, or did not end then."""
    if entry.node in known.wrote:
        return (
            f"why node {entry.node} went: its lines show no end of its process then; its gc.log, or the machine's log"
        )
    return f"why node {entry.node} went: no file has its server.log, which would show it"


def _behind(entry: Happened, known: Known) -> str:
    who = "a replica" if entry.node is None else f"replica {entry.node}"
    return f"why {who} fell behind: its server.log and gc.log, or the machine's log, would show it"


def _reason(entry: Happened, _: Known) -> str | None:
    return None if entry.reason else f"{entry.what}, {_of(entry)}: no line has the reason"


ENDS: Mapping[str, Callable[[Happened, Known], str | None]] = {
    "process-stopped": _misses,
    "process-lost": _misses,
    "process-failed": _reason,
    "registration-refused": _reason,
    "directory-failed": _reason,
    "session-expired": _session,
    "fenced": _session,
    "unregistered": _session,
    "isr-shrunk": _behind,
    "reassignment-running": lambda *_: None,
    "deletion-running": lambda *_: None,
    "controller-resigned": lambda entry, _: None if entry.reason else f"why node {entry.node} resigned",
}
"""Kinds of entries with which a chain may end, and what is not known of one."""


def would_tell(entry: Happened, known: Known) -> str:
    """Return what is not known where a chain ends with an entry that something must explain."""
    if entry.topic is not None and entry.partition is not None:
        shown = known.condition(entry)
        missing = sorted({*((shown.replicas if shown else None) or ())} - {*((shown.isr if shown else None) or ())})
        if entry.what == partitions.UNDER_REPLICATED and missing:
            each = "each" if len(missing) > 1 else "it"
            shows = f"the controller.log of the controller then, and the server.log of {each}, would show it"
            return f"why {listed(missing)} {'were' if len(missing) > 1 else 'was'} not in the ISR: {shows}"
        rows = known.states.get((entry.topic, entry.partition), ())
        last = next((row for row in reversed(rows) if row.isr and (row.ts or 0) <= (entry.since or 0)), None)
        if last is None:
            return f"the ISR of {_of(entry)} before it: the state-change.log of the controller then would show it"
        return (
            f"which member of the ISR {listed(last.isr or ())} went: the controller.log of the controller then, and the"
            f" server.log of {'each' if len(last.isr or ()) > 1 else 'it'}, would show it"
        )
    if entry.what == "controller-active" and controllers.previous(entry, known) is None:
        return "nothing before it: it is the first controller that the log shows"
    return f"what explains {entry.what}: the server.log of {_who(entry)} would show it"


def _who(entry: Happened) -> str:
    return "each node" if entry.node is None else f"node {entry.node} and of the node before it"


def _of(entry: Happened) -> str:
    if entry.topic is not None:
        return entry.topic if entry.partition is None else partition_name(entry.topic, entry.partition)
    return "the quorum" if entry.node is None else f"node {entry.node}"
