"""Replicas that a log lets topics be created with, and the topics of partitions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...model.cluster.state import PLACES
from ...model.sorts import Value
from .evidence import UNSEEN, Evidence, NotDecidedError
from .lines import Key
from .names import Names

CREATED = {"CreateTopic": ("one", "other"), "CreateSingle": ("one",), "CreateTriple": ("one", "other", "third")}
"""The steps that create a topic, with the parameters that are its replicas."""


class Extent(NamedTuple):
    """The extent of a search: events that are possible, make the search larger, and mostly did not happen.

    * `isrs`: a leader changed an ISR, which only lines show that are not compared.
    * `replicas`: a partition whose replicas no line lists has more than lines name, or than two.
    """

    isrs: bool = False
    replicas: bool = False


NARROWEST = Extent()


def begins(evidence: Evidence) -> Mapping[str, Value]:
    """Return the fields that differ from the model's initial state: brokers that no line names are dead, and stay so.

    Each controller prints all brokers that it finds live: a broker that is never found was never there.
    """
    if not evidence.has_controller_log:
        return {}
    return {"registered": frozenset(number for number, broker in enumerate(evidence.names.brokers) if broker > UNSEEN)}


def replicas(action: str, params: Mapping[str, Value]) -> tuple[Value, ...]:
    """The replicas of a topic that a step creates."""
    return tuple(params[each] for each in CREATED[action])


def creatable(evidence: Evidence, scope: Extent) -> frozenset[tuple[Value, ...]]:
    """The partitions with the replicas that they can have been created with, as numbers of the model.

    Raises:
        NotDecidedError: a partition has more replicas than the model gives it.
    """
    numbers = {broker: number for number, broker in enumerate(evidence.names.brokers)}
    found: set[tuple[Value, ...]] = set()
    for index, partition in enumerate(evidence.names.partitions):
        for brokers in lists_of(evidence, partition, scope):
            if len(brokers) > len(PLACES):
                name = "{}-{}".format(*partition)
                raise NotDecidedError(
                    f"{name} has {len(brokers)} replicas; the model's partitions have at most {len(PLACES)}"
                )
            found.add((index, *(numbers[each] for each in brokers)))
    return frozenset(found)


def topics_of(names: Names) -> tuple[int, ...]:
    """Return for each partition the one that stands for its topic: the first."""
    first: dict[str, int] = {}
    return tuple(first.setdefault(topic, number) for number, (topic, _) in enumerate(names.partitions))


def joins(topics: tuple[int, ...], params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
    """Check that a partition joins its topic in turn: the topics are settled before anything happens."""
    now, p = state["topic_of"], params["p"]
    in_turn = topics[p] == params["of_topic"] and now[:p] == topics[:p]
    return bool(in_turn and state["controller_epoch"] == 0)


def is_deleted(evidence: Evidence, topic: str) -> bool:
    """Check whether a controller had to delete it: there may be another topic of its name later."""
    return evidence.deleted is not None and topic in evidence.deleted


def lists_of(evidence: Evidence, partition: Key, scope: Extent) -> Iterator[tuple[int, ...]]:
    """Yield the replicas that a topic can have been created with; if no line lists them, those named, and others."""
    known, members = evidence.partitions.assignments[partition], evidence.partitions.unlisted.get(partition)
    yield from known
    if members is None and known:
        return
    if members is None:
        members = evidence.partitions.members(partition)
    if scope.replicas and is_deleted(evidence, partition[0]):
        members = frozenset()  # of several lives no line may list all: each has some of them
    usual = (1, 2) if len(members) <= 1 else (len(members),)
    all_may_be_there = not begins(evidence)
    for many in range(1, len(PLACES) + 1) if scope.replicas else usual:
        lists = itertools.permutations(evidence.names.brokers, many)
        yield from (each for each in lists if members <= set(each) and (all_may_be_there or _are_in_turn(each)))


def _are_in_turn(replicas: Sequence[int]) -> bool:
    """Check that the absent brokers among the replicas are the first ones in turn: all absent brokers are alike."""
    absent = [each for each in replicas if each <= UNSEEN]
    return absent == [UNSEEN - number for number in range(len(absent))]
