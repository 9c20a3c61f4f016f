"""A plan, as the options of the command name it, held against the cluster that it is for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...specs.errors import IsrproofError, unknown
from ..audit.sources.metadata.state import BROKER, MIN_ISR, TOPIC, Cluster
from ..conformance.metadata.contexts import UNCLEAN_ELECTION

Key = tuple[str, int]
"""A topic's name and a partition's number."""
_SETTINGS: Mapping[str, str] = {MIN_ISR: r"[1-9][0-9]{0,3}", UNCLEAN_ELECTION: "true|false"}
"""Configurations that can be set, with what their values look like."""


@dataclass(frozen=True)
class Question:
    """A plan and the cluster that it is for, as the options of the command name them."""

    fail: Sequence[str] = ()
    restart: str | None = None
    reassign: Path | None = None
    remove_voter: int | None = None
    add_voter: int | None = None
    release: str | None = None
    sets: Sequence[str] = ()
    at: str | None = None


@dataclass(frozen=True)
class Plan:
    """The steps to take, and the failures that may come meanwhile."""

    named: frozenset[int] = frozenset()
    """Brokers that may fail, all of them."""
    spare: int = 0
    """The number of further brokers that may fail, whichever they are."""
    disk: tuple[int, str] | None = None
    """A broker's directory that may fail."""
    restarts: tuple[int, ...] = ()
    """Brokers that are restarted, each when those before it are back and in sync."""
    any_order: bool = False
    """The restarts may be done in another order."""
    wanted: Mapping[Key, tuple[int, ...]] = field(default_factory=dict)
    """The replicas that a reassignment requests."""
    remove_voter: int | None = None
    """A voter that leaves the quorum."""
    add_voter: int | None = None
    """A controller that becomes a voter."""

    def __str__(self) -> str:
        return "; ".join(self._parts()) or "nothing is done, and nothing fails"

    def _parts(self) -> Iterable[str]:
        if self.restarts:
            order = "in a safe order" if self.any_order else "in this order"
            what = _listed(self.restarts, "broker")
            verb = "is" if len(self.restarts) == 1 else "are"
            yield f"{what} {verb} restarted {order}, each when those before it are in sync again"
        if self.wanted:
            one = len(self.wanted) == 1
            yield f"{len(self.wanted)} {'partition is' if one else 'partitions are'} reassigned"
        if self.remove_voter is not None:
            yield f"voter {self.remove_voter} is removed"
        if self.add_voter is not None:
            yield f"voter {self.add_voter} is added"
        if self.named:
            yield f"{_listed(sorted(self.named), 'broker')} may fail, together or not"
        if self.spare:
            more = "more " if self.named else ""
            yield f"any {self.spare} {more}broker{'s' if self.spare > 1 else ''} may fail"
        if self.disk is not None:
            yield f"directory {self.disk[1]} of broker {self.disk[0]} may fail"


_LISTED = 12
"""The most brokers that a plan in words lists."""


def _listed(brokers: Sequence[int], what: str = "") -> str:
    name = f"{what}{'s' if len(brokers) > 1 else ''} " if what else ""
    more = f" and {len(brokers) - _LISTED} more" if len(brokers) > _LISTED else ""
    return name + ", ".join(map(str, brokers[:_LISTED])) + more


def plan(state: Cluster, asked: Question) -> Plan:
    """Return the plan of a question.

    Raises:
        IsrproofError: an option is malformed, or names what the cluster does not have.
    """
    named: set[int] = set()
    spare, disk = 0, None
    for each in asked.fail:
        kind, colon, name = each.partition(":")
        if not colon:
            spare += _number(each, state)
        elif kind == "node":
            named.add(_broker(name, state, f"--fail {each}"))
        elif kind == "rack":
            named |= _of_rack(name, state)
        elif kind == "directory" and disk is None:
            disk = _directory(name, state)
        elif kind == "directory":
            raise IsrproofError("--fail directory:... can be given once; a second directory is not searched")
        else:
            raise IsrproofError(
                f"--fail {each}: expected a number of brokers, node:ID, rack:NAME or directory:ID/DIRECTORY"
            )
    restarts = _restarts(asked.restart, state) if asked.restart is not None else ()
    return Plan(
        frozenset(named),
        spare,
        disk,
        restarts,
        asked.restart == "all",
        _wanted(asked.reassign, state) if asked.reassign is not None else {},
        asked.remove_voter,
        asked.add_voter,
    )


def _number(text: str, state: Cluster) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise IsrproofError(
            f"--fail {text}: expected a number of brokers from 1 on, node:ID, rack:NAME or directory:ID/DIRECTORY"
        )
    if int(text) > len(state.brokers):
        raise IsrproofError(f"--fail {text}: the cluster has only {len(state.brokers)} brokers")
    return int(text)


def _broker(text: str, state: Cluster, where: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) not in state.brokers:
        known = ", ".join(map(str, sorted(state.brokers))) or "none"
        raise IsrproofError(f"{where}: the cluster has no broker {text!r}; it has {known}")
    return int(text)


def _of_rack(name: str, state: Cluster) -> set[int]:
    found = {each.id for each in state.brokers.values() if each.rack == name}
    if not found:
        racks = sorted({each.rack for each in state.brokers.values() if each.rack is not None})
        if not racks:
            raise IsrproofError(f"--fail rack:{name}: no broker has registered a rack")
        raise unknown("rack", name, racks)
    return found


def _directory(text: str, state: Cluster) -> tuple[int, str]:
    broker, _, directory = text.partition("/")
    there = state.brokers[_broker(broker, state, f"--fail directory:{text}")]
    if not there.directories:
        raise IsrproofError(f"--fail directory:{text}: broker {broker} has registered no directories")
    if directory not in there.directories:
        raise unknown(f"directory of broker {broker}", directory, there.directories)
    return there.id, directory


def _restarts(text: str, state: Cluster) -> tuple[int, ...]:
    if text == "all":
        return tuple(sorted(state.brokers))
    found = tuple(_broker(each.strip(), state, f"--restart {text}") for each in text.split(","))
    for each in found:
        if found.count(each) > 1:
            raise IsrproofError(f"--restart {text}: broker {each} is named twice")
    return found


def _wanted(path: Path, state: Cluster) -> dict[Key, tuple[int, ...]]:
    """Return the replicas that a file for kafka-reassign-partitions.sh requests."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["partitions"]
        found = [(str(row["topic"]), _int(row["partition"]), tuple(map(_int, row["replicas"]))) for row in rows]
    except (ValueError, KeyError, TypeError) as error:
        raise IsrproofError(
            f'{path}: expected {{"version": 1, "partitions": [{{"topic": ..., "partition": ..., "replicas": [...]}}]}},'
            f" as kafka-reassign-partitions.sh takes it ({type(error).__name__}: {error})"
        ) from None
    if not found:
        raise IsrproofError(f"{path}: it reassigns no partition")
    wanted: dict[Key, tuple[int, ...]] = {}
    for topic, number, replicas in found:
        if (topic, number) in wanted:
            raise IsrproofError(f"{path}: {topic}-{number} is there twice")
        _check_target(f"{path}: {topic}-{number}", topic, number, replicas, state)
        wanted[topic, number] = replicas
    return wanted


def _int(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is not a number")
    return value


def _check_target(where: str, topic: str, number: int, replicas: tuple[int, ...], state: Cluster) -> None:
    there = state.partitions.get(state.ids.get(topic, ""), {})
    if not there:
        raise IsrproofError(f"{where}: {unknown('topic', topic, sorted(state.ids))}")
    if number not in there:
        raise IsrproofError(f"{where}: the topic has partitions 0 to {max(there)}")
    if not replicas or len({*replicas}) != len(replicas):
        raise IsrproofError(f"{where}: expected replicas, each once, got {list(replicas)}")
    for each in replicas:
        _broker(str(each), state, where)
        if each not in there[number].replicas and not state.brokers[each].takes_replicas:
            raise IsrproofError(
                f"{where}: all directories of broker {each} are cordoned, so it gets no new replica; uncordon one, or "
                "choose another broker"
            )


def configure(state: Cluster, sets: Sequence[str]) -> None:
    """Set configurations: NAME=VALUE is the cluster's default, NAME=TOPIC=VALUE a topic's own.

    Raises:
        IsrproofError: an option is malformed, or names a topic that does not exist.
    """
    for each in sets:
        name, *topic, value = each.split("=") if each.count("=") in (1, 2) else ("", "")
        if name not in _SETTINGS or re.fullmatch(_SETTINGS[name], value) is None:
            raise IsrproofError(
                f"--set {each}: expected {MIN_ISR}=N or {UNCLEAN_ELECTION}=true or false; for one topic, "
                f"{MIN_ISR}=TOPIC=N"
            )
        if topic and topic[0] not in state.ids:
            raise IsrproofError(f"--set {each}: {unknown('topic', topic[0], sorted(state.ids))}")
        resource = (
            {"resourceType": TOPIC, "resourceName": topic[0]} if topic else {"resourceType": BROKER, "resourceName": ""}
        )
        state.configure({**resource, "name": name, "value": value})
