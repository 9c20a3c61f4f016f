"""The reasons why a topic could not be deleted: the clauses of model cluster that fail. KRaft deletes one at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ....model.cluster.deletion import startable
from ....model.cluster.effects import Effects
from ..findings.brokers import LiveBrokers
from ..findings.happened import Happened
from . import zookeeper
from .guards import Refused, asks, evaluated
from .known import Known
from .partitions import REASSIGNING

STEP = "DeleteReplica"
"""The step of model cluster by which a replica is deleted."""
_REPLICA = re.compile(r"replica (?P<node>[0-9]+) of (?P<of>[^ ]+) (?P<words>.+)")
_NOT_ASKED = ("is not eligible", "is on a dead broker", "was not deleted: ")
"""Words of a replica for which no answer is awaited (happened/several.py): a controller asks live brokers only, and an
error is an answer. Source: TopicDeletionManager.startReplicaDeletion, failReplicaDeletion."""
_INELIGIBLE = (
    *("marked ineligible for deletion", "a broker with a replica is dead, or a reassignment runs"),
    *("offline replicas", "replica deletion failure"),
)
"""Words of a topic that its controller has marked (happened/topics.py). Source: markTopicIneligibleForDeletion."""


def not_deleted(entry: Happened, known: Known) -> Refused:
    """Return why a topic's replicas were not deleted, and why its deletion did not start anew."""
    words = (entry.reason or "").split("; ")
    named = [match for each in words if (match := _REPLICA.fullmatch(each)) is not None]
    marked = [each for each in words if each in _INELIGIBLE]
    if entry.reason is None:
        shows = "the controller.log and state-change.log of the controller then"
        return Refused(unknown=(f"what keeps topic {entry.topic}: {shows} would show it",))
    by_node: dict[tuple[int, str], list[str]] = defaultdict(list)
    for match in named:
        by_node[int(match["node"]), match["words"]].append(match["of"])
    return Refused.of(
        (
            *(_replicas(node, said, of, entry, known) for (node, said), of in sorted(by_node.items())),
            *_topic(entry, marked, known),
        )
    )


def _replicas(node: int, words: str, of: list[str], entry: Happened, known: Known) -> Refused:
    live = _list_without(node, entry, known)
    brokers = zookeeper.Named.of((node,), live.brokers if live is not None else ())
    asked = False if words.startswith(_NOT_ASKED) else None
    found = evaluated(brokers.guard(STEP), brokers.state(live, replicas=(node,), asked=asked, broker=node))
    unknown = zookeeper.would_tell(found.lacks, f"whether replica {node} of {', '.join(of)} could be deleted")
    if not found.fails:
        return Refused(unknown=unknown)
    values = "; ".join((words, *zookeeper.printed_live(live)))
    text = f"replica {node} of {', '.join(of)} could not be deleted ({values}): {asks('cluster', found.fails)}"
    return Refused((text,), unknown)


def _list_without(node: int, entry: Happened, known: Known) -> LiveBrokers | None:
    """Return the first list of live brokers in a spell that lacks a broker, or else the one as it begins."""
    since = entry.since or 0
    begins = known.listed(since)
    end = entry.until if entry.until is not None else known.live[-1].ts if known.live else since
    during = [*((begins,) if begins is not None else ()), *(each for each in known.live if since < each.ts <= end)]
    return next((each for each in during if node not in each.brokers), begins)


def _topic(entry: Happened, marked: list[str], known: Known) -> Iterator[Refused]:
    """Yield the clauses of the start of a deletion that fail."""
    since = entry.since or 0
    moving = any(
        each.topic == entry.topic and (each.since or 0) <= since and (each.lasts or (each.until or 0) >= since)
        for each in known.of_kind(REASSIGNING)
    )
    brokers = zookeeper.Named.of((0,))
    env = brokers.state(None, ineligible=bool(marked), before=(0,) if moving else None)
    fails = evaluated(startable(Effects(zookeeper.chosen())), env).fails
    if fails:
        values = "; ".join([*marked, *(["its reassignment runs"] if moving else [])])
        yield Refused((f"the deletion of {entry.topic} could not start ({values}): {asks('cluster', fails)}",))
