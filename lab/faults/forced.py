"""Proofs that a planted fault is not illegal: a legal log, collected as logs are, gives the same lines.

This is computed. The lines of the fault are left as they are, and others are put beside them that may have been lost.
If the audit then finds nothing in that file, and nothing wrong with controllers elsewhere, the log without them proves
nothing. A fault that only drops lines needs none. A fault that some order of a millisecond explains is illegal once the
planted lines have milliseconds of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from isrproof.checker.audit.findings.finding import Finding
from isrproof.specs.errors import IsrproofError
from isrproof.specs.machines import machine
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line
from isrproof.traces.events.render import render

from .injection import Injection, Outcome
from .recording import CREATED, MOVED, REASSIGNED, STOPPED, Edit, Fault, Recording

DROPPED = "lines are missing: a legal log without some"
ORDER = "order within a millisecond"
_MOVES = ("KR103", "KR104")
_OF_BROKERS = "KR6"
_LONGEST = 6
"""Largest number of lines of moves that are put in: those of a deletion and a creation."""
_PARTITION_ROWS = {"NewPartition": "partition-created", "OnlinePartition": "partition-online"}


def forced(recording: Recording, injection: Injection, apart: Injection, outcome: Outcome) -> str | None:
    """Return the reason why a fault cannot be illegal; None if no reason is known.

    Args:
        apart: injects into the same recording, with milliseconds of their own.
    """
    fault = outcome.fault
    if all(edit.event is None for edit in fault.edits):
        return DROPPED
    here = [finding for finding in outcome.new if (finding.file, finding.line) == (fault.file, fault.line)]
    known = {finding.known_issue for finding in here}
    if known and None not in known:
        return f"bug of the release: {', '.join(sorted(filter(None, known)))}"
    moves = any(finding.rule in _MOVES for finding in here)
    for why, events in _completions(recording, fault, moves=moves) if outcome.found else ():
        added = tuple(Edit(fault.file, fault.line - 1, event, added=True) for event in _printed(recording, events))
        completed = replace(fault, edits=(*added, *fault.edits), line=fault.line + len(added))
        if added and not any(_contradicts(finding, fault) for finding in injection.outcome(completed).new):
            return f"{why} is missing: {len(added)} line{'s' * (len(added) > 1)} more, and nothing is found"
    alone = apart.outcome(fault)
    return ORDER if alone.illegal or alone.illegal_beside else None


def _contradicts(finding: Finding, fault: Fault) -> bool:
    """Return True if a finding counts: missing brokers' lines about the lines that were put in do not."""
    return finding.file == fault.file or finding.rule < _OF_BROKERS


def _printed(recording: Recording, events: list[Event]) -> list[Event]:
    """Return events with the lines that the release prints for them; none if it cannot print one."""
    try:
        parsed = [parse_line(render(event, recording.release.name)) for event in events]
    except IsrproofError:
        return []
    return [event for event in parsed if isinstance(event, Event)] if len(parsed) == len(events) else []


def _completions(recording: Recording, fault: Fault, *, moves: bool) -> Iterator[tuple[str, list[Event]]]:
    """Yield lines that may be missing just above the line of a fault, with their meaning; with `moves`, those of moves,
    too."""
    planted = next(edit.event for edit in fault.edits if edit.event is not None)
    above = [e for line, e in recording.events[fault.file] if line < fault.line and _of_partition(e, planted)]
    views = [event for event in above if event.leader_epoch is not None and event.isr]
    for name in MOVED:
        if moves and planted.row in MOVED[name]:
            for path in _paths(recording, name, above, planted):
                yield "a move", [_move(name, planted, a, b, views[-1] if views else planted) for a, b in path]
    if planted.isr:
        yield "a reassignment", [_reassigned(planted, views[-1] if views else planted)]
    if planted.topic is not None:
        yield "a creation of the topic", [*_creation(planted)]
    if planted.controller_epoch != dict(recording.events[fault.file])[fault.edits[0].line].controller_epoch:
        yield "a wipe of the cluster", [*_creation(replace(planted, topic="another", partition=0, isr=(1,), leader=1))]


def _of_partition(event: Event, other: Event) -> bool:
    same = (event.topic, event.partition) == (other.topic, other.partition)
    return same and event.controller == other.controller and event.controller_epoch in (None, other.controller_epoch)


def _paths(recording: Recording, name: str, above: list[Event], planted: Event) -> Iterator[list[tuple[str, str]]]:
    """Return the shortest ways from the state that the entity was in to the one that the line prints."""
    own = [e for e in above if e.row in MOVED[name] + STOPPED[name] and e.replica == planted.replica]
    table = machine(name)
    starts = [str(own[-1].to_state if own[-1].row in MOVED[name] else own[-1].from_state)] if own else []
    starts = starts or [table.unknown_is, *(seed.state for seed in table.seeds_in(recording.release))]
    moves = [(m.source, m.target) for m in table.moves(recording.release) if m.source != m.target]
    for start in dict.fromkeys(starts):
        ways: list[list[tuple[str, str]]] = [[]]
        for _ in range(_LONGEST):
            ways = [[*way, (a, b)] for way in ways for a, b in moves if a == (way[-1][1] if way else start)]
            ways = list({way[-1][1]: way for way in reversed(ways)}.values())
            yield from (way for way in ways if way[-1][1] == planted.from_state)


def _move(name: str, planted: Event, source: str, target: str, view: Event) -> Event:
    """Return a line of a move; one that writes the znode writes the version after the one shown last."""
    fields = {"ts": planted.ts, "controller": planted.controller, "controller_epoch": planted.controller_epoch}
    fields |= {"topic": planted.topic, "partition": planted.partition, "from_state": source, "to_state": target}
    if name == "replica":
        return Event("replica-moved", replica=planted.replica, **fields)  # type: ignore[arg-type]
    row = _PARTITION_ROWS.get(target, "partition-offline-or-gone")
    if row in CREATED:
        return Event(row, replicas=planted.replicas or view.replicas or view.isr, **fields)  # type: ignore[arg-type]
    if row != "partition-online":
        return Event(row, **fields)  # type: ignore[arg-type]
    more = 0 if source == "NewPartition" else 1
    versions = {"leader_epoch": (view.leader_epoch or 0) + more, "partition_epoch": (view.partition_epoch or 0) + more}
    return Event(row, leader=view.leader, isr=view.isr, recovery=view.recovery, **fields, **versions)  # type: ignore[arg-type]


def _creation(planted: Event) -> Iterator[Event]:
    """Return the lines with which the partition is created, in the state that the line shows."""
    isr = planted.isr or planted.replicas or (1,)
    first = replace(planted, isr=isr, leader=isr[0], leader_epoch=0, partition_epoch=0, replicas=isr)
    yield _move("partition", first, "NonExistentPartition", "NewPartition", first)
    yield _move("partition", first, "NewPartition", "OnlinePartition", first)


def _reassigned(planted: Event, view: Event) -> Event:
    """Return the line that announces a reassignment from or to all brokers of the line's ISR."""
    replicas = tuple(dict.fromkeys((*(view.replicas or ()), *(planted.isr or ()))))
    return Event(
        REASSIGNED[0],
        ts=planted.ts,
        controller=planted.controller,
        controller_epoch=planted.controller_epoch,
        topic=planted.topic,
        partition=planted.partition,
        leader=view.leader,
        isr=view.isr,
        leader_epoch=view.leader_epoch,
        written_by_epoch=planted.controller_epoch,
        partition_epoch=view.partition_epoch,
        recovery=view.recovery or "RECOVERED",
        replicas=replicas,
        adding=tuple(each for each in replicas if each not in (view.replicas or ())),
        removing=(),
    )
