"""Brokers that were fenced, as the records of a metadata log have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePath

from ....traces.place import Place
from ..findings.metadata import BrokerChange, MetadataLog
from .happened import Happened

FENCED = "fenced"
FENCED_STATE = "Fenced"
"""The state of a registration (specs/machines/broker-registration.toml)."""
_SERVING = ("Unfenced", "ControlledShutdown")


def fencings(log: MetadataLog) -> Iterator[Happened]:
    """Yield the times in which brokers were fenced. A broker that has just registered is not unfenced yet, and one that
    left in order is fenced for good: neither is a fencing.
    """
    by_broker: dict[int, list[BrokerChange]] = defaultdict(list)
    for change in log.brokers:
        by_broker[change.broker].append(change)
    for _, own in sorted(by_broker.items()):
        for at, (before, change) in enumerate(pairwise(own), 1):
            if change.state == FENCED_STATE and before.state in _SERVING and before.epoch == change.epoch:
                yield _fencing(change, own[at + 1 :], log)


def _fencing(change: BrokerChange, after: Sequence[BrokerChange], log: MetadataLog) -> Happened:
    end = next((each for each in after if each.state != FENCED_STATE), None)
    return Happened(
        FENCED,
        since=change.ts,
        until=None if end is None else end.ts,
        lasts=end is None,
        node=change.broker,
        places=(record(log, change.offset),),
    )


def record(log: MetadataLog, offset: int) -> Place:
    """Return the place of a record: in the last segment that begins at or before it."""
    begins = {file: PurePath(file).stem for file in log.files if file.endswith(".log")}
    numbered = [(int(stem), file) for file, stem in begins.items() if stem.isdigit() and int(stem) <= offset]
    return Place(max(numbered, key=lambda each: each[0])[1] if numbered else log.files[0], offset=offset)
