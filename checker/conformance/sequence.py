"""Mermaid sequence diagrams of a log's controllers and the brokers that act or receive something."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from ...specs.errors import IsrproofError
from ...traces.events.event import Event
from .evidence import Evidence
from .names import NO_LEADER

Partition = tuple[str, int]
_BROKERS = re.compile("B([0-9]+)")

MOST_STEPS = 200
"""The most notes and arrows that are drawn: nobody reads more, and Mermaid draws no more."""


def draw(evidence: Evidence, title: str, partition: Partition | None = None) -> str:
    """The diagram of a log, in the order of its times; of one partition, if it is given.

    Raises:
        IsrproofError: the log has nothing to draw, or too much.
    """
    in_turn = sorted((each.event for each in evidence.seen), key=lambda event: event.ts or 0)
    steps = [step for event in in_turn if _is_about(event, partition) for step in _steps(event)]
    if not steps:
        raise IsrproofError("no line shows a step of a controller; expected state-change.log or controller.log")
    if len(steps) > MOST_STEPS:
        raise IsrproofError(
            f"{len(steps):,} steps are too many to draw, at most {MOST_STEPS}; choose a partition, or pass fewer lines"
        )
    drawn = {int(each) for step in steps for each in _BROKERS.findall(step.partition(":")[0])}
    lives = (f"    participant B{each} as broker {each}" for each in sorted(drawn))
    quoted = title.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join(
        ["---", f'title: "{quoted}"', "---", "sequenceDiagram", *lives, *(f"    {step}" for step in steps), ""]
    )


def _is_about(event: Event, partition: Partition | None) -> bool:
    return partition is None or event.topic is None or (event.topic, event.partition) == partition


def _steps(event: Event) -> Iterator[str]:
    """A note or an arrow, if the line is one that is drawn."""
    controller, word = event.controller, _WORDS.get(event.row)
    if word is not None and controller is not None:
        yield f"Note over B{controller}: {word(event)}"
    elif event.row == "leader-and-isr-sent" and controller is not None and event.recipient is not None:
        role = "lead" if event.kind == "become-leader" else "follow"
        yield f"B{controller}->>B{event.recipient}: {role} {_where(event)}, leader epoch {event.leader_epoch}"


def _where(event: Event) -> str:
    """A partition; what means something to Mermaid is left out of a topic's name."""
    topic = "".join(char if char.isalnum() or char in "-_." else "?" for char in event.topic or "")
    return f"{topic}-{event.partition}"


def _state(event: Event) -> str:
    leader = "none" if event.leader == NO_LEADER else event.leader
    return f"leader {leader}, ISR {_ids(event.isr)}, leader epoch {event.leader_epoch}"


def _ids(brokers: Iterable[int] | None) -> str:
    return ", ".join(map(str, sorted(brokers or ()))) or "none"


def _replica_moves(event: Event) -> str:
    return f"replica {event.replica} of {_where(event)}<br/>from {event.from_state} to {event.to_state}"


def _partition_moves(event: Event) -> str:
    return f"{_where(event)}<br/>from {event.from_state} to {event.to_state}"


_WORDS: Mapping[str, Callable[[Event], str]] = {
    "controller-elected": lambda event: "is elected as the controller",
    "controller-ready": lambda event: f"is ready, epoch {event.controller_epoch}",
    "live-brokers": lambda event: f"live brokers {_ids(event.brokers)}",
    "live-brokers-changed": lambda event: (
        f"new brokers {_ids(event.new_brokers)}, dead {_ids(event.deleted_brokers)},<br/>live {_ids(event.brokers)}"
    ),
    "replica-moved": _replica_moves,
    "replica-refused": lambda event: f"refused: {_replica_moves(event)}",
    "partition-created": _partition_moves,
    "partition-online": lambda event: f"{_partition_moves(event)},<br/>{_state(event)}",
    "partition-offline-or-gone": _partition_moves,
    "partition-refused": lambda event: f"failed: {_partition_moves(event)}",
}
