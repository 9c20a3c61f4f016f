"""Links of topics: to the broker that a deletion or a reassignment waits for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..findings.happened import Happened
from ..sources.metadata.state import Partition as Moving
from .known import Known, Partition
from .link import Because, Link
from .nodes import GOINGS

DELETION, REASSIGNMENT, RUNNING = "deletion-stuck", "reassignment-stuck", "reassignment-running"
_REPLICA = re.compile(r"\breplica ([0-9]+) of ")
"""The replicas that the reason of a deletion names (happened/several.py)."""
_MOVES = re.compile(r"partition ([0-9]+) to ([0-9, ]+)")
"""The replicas that lines say are asked for (happened/reassignments.py)."""


def waits_for(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the goings of the brokers with the replicas that an entry names."""
    if entry.since is None:
        return ()
    named = sorted({int(node) for node in _REPLICA.findall(entry.reason or "")})
    gone = [each for node in named if (each := known.gone(node, entry.since)) is not None]
    return tuple(Because(each, {"node": str(each.node)}) for each in gone)


def waits_to_join(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the goings of the brokers whose replicas have yet to join an ISR, at the end of the log."""
    missing: set[int] = set()
    for now in moving_of(entry, known).values():
        missing |= {*now.replicas} - {*now.removing} - {*now.isr}
    for number, target in targets(entry) if entry.lasts and known.live and not known.registrations else ():
        row = known.last_isr((entry.topic or "", number))
        missing |= set() if row is None else {*target} - {*(row.isr or ())}
    gone = [each for node in sorted(missing) if (each := known.gone(node)) is not None]
    return tuple(Because(each, {"node": str(each.node)}) for each in gone)


def moving_of(entry: Happened, known: Known) -> Mapping[Partition, Moving]:
    """Return the partitions of an entry that records show to be reassigned at the end of the log."""
    return {
        key: each
        for key, each in sorted(known.moving.items())
        if entry.lasts and key[0] == entry.topic and entry.partition in (None, key[1])
    }


def targets(entry: Happened) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield the partitions of a reassignment that lines show, with the replicas that are asked for."""
    for number, ids in _MOVES.findall(entry.reason or ""):
        yield int(number), [int(each) for each in re.findall("[0-9]+", ids)]


_WAITS = "it waits for a replica on node {node}, which was gone"
LINKS = (
    *(Link(f"{of} by a broker that is gone", of, GOINGS, waits_for, _WAITS) for of in (DELETION, REASSIGNMENT)),
    *(
        Link(f"{of} by a broker that has yet to join", of, GOINGS, waits_to_join, _WAITS)
        for of in (REASSIGNMENT, RUNNING)
    ),
)
