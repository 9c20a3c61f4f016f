"""Faults in the moves of the state machines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from isrproof.model.machines import closure
from isrproof.specs.machines import Machine, machine
from isrproof.specs.releases import Release

from .recording import CREATED, MOVED, STOPPED, ControllerLine, Edit, Fault, Recording


@dataclass(frozen=True)
class Move:
    """A line of an entity."""

    printed: ControllerLine
    made: bool
    before: frozenset[str] | None
    """The states that the entity may be in; None if nothing is known."""
    next: ControllerLine | None

    @property
    def name(self) -> str:
        event = self.printed.event
        who = f"replica {event.replica} of " if event.replica is not None else ""
        return f"{who}{event.topic}-{event.partition}"


def moves(recording: Recording, name: str) -> Iterator[Move]:
    """Yield all lines of all entities of a machine, tenure by tenure."""
    reached = closure(name, recording.release, recording.level)
    table = machine(name)
    seeds = {seed.state for seed in table.seeds_in(recording.release)} | {table.unknown_is}
    for key, printed in recording.tenures().items():
        entities: dict[tuple[object, ...], list[ControllerLine]] = defaultdict(list)
        created: dict[tuple[object, ...], int] = {}
        for one in printed:
            if one.event.row in CREATED:
                created.setdefault((one.event.topic, one.event.partition), one.line)
            if one.event.row in MOVED[name] + STOPPED[name]:
                entities[one.event.topic, one.event.partition, one.event.replica].append(one)
        for lines in entities.values():
            first = lines[0]
            states = frozenset(seeds) if key in recording.begun else None
            if created.get((first.event.topic, first.event.partition), first.line) < first.line:
                # A replica of a partition that did not exist before in this epoch.
                states = frozenset({table.unknown_is})
            for one, following in zip(lines, [*lines[1:], None], strict=True):
                before = None if states is None else frozenset().union(*(reached[state] for state in states))
                made = one.event.row in MOVED[name]
                yield Move(one, made, before, following)
                states = frozenset({str(one.event.to_state if made else one.event.from_state)})


def wrong_replica_from(recording: Recording) -> Iterator[Fault]:
    """A replica leaves a state in which it is not."""
    return _wrong_from(recording, "replica")


def wrong_partition_from(recording: Recording) -> Iterator[Fault]:
    """A partition leaves a state in which it is not."""
    return _wrong_from(recording, "partition")


def _wrong_from(recording: Recording, name: str) -> Iterator[Fault]:
    for move in moves(recording, name):
        event = move.printed.event
        if not move.made:
            continue
        for state in machine(name).states_in(recording.release):
            if state.name == event.from_state:
                continue
            fault = _changed(move, replace(event, from_state=state.name), f"from {state.name}, not {event.from_state}")
            allowed = state.name in machine(name).previous(str(event.to_state), recording.release)
            yield replace(fault, hidden=_why(move, state.name) if allowed else None)


def _why(move: Move, state: str) -> str | None:
    """Return the reason why the log cannot show that the entity is not in that state."""
    if move.before is None:
        return "the entity's first line in an epoch whose start the file does not show"
    if state in move.before:
        return "a move that is not logged, or the controller's start, may have led there"
    return None


def illegal_to(recording: Recording) -> Iterator[Fault]:
    """An entity moves to a state that its table does not allow after the one it is in."""
    for name in MOVED:
        table = machine(name)
        for move in moves(recording, name):
            event = move.printed.event
            if not move.made:
                continue
            for target in _targets(table, event.row, recording.release):
                if target == event.to_state or event.from_state in table.previous(target, recording.release):
                    continue
                if table.valid_in(str(event.from_state), target) & move.printed.event.releases:
                    hidden = "another release, whose lines look the same, allows the move"
                    yield replace(_changed(move, replace(event, to_state=target), f"to {target}"), hidden=hidden)
                else:
                    yield _changed(move, replace(event, to_state=target), f"to {target}, not {event.to_state}")


def _targets(table: Machine, row: str, release: Release) -> tuple[str, ...]:
    """Return the states that a line of this row may name as the new one."""
    marks = [mark for mark in table.logged if mark.line == row and mark.releases & release.mask]
    return tuple(
        state.name
        for state in table.states_in(release)
        if any(mark.targets is None or state.name in mark.targets for mark in marks)
    )


def _changed(move: Move, event: object, what: str) -> Fault:
    one = move.printed
    return Fault(one.file, one.line, f"{move.name} moves {what}", (Edit(one.file, one.line, event),))  # type: ignore[arg-type]


def dropped_replica_move(recording: Recording) -> Iterator[Fault]:
    """A replica's line is missing."""
    return _dropped(recording, "replica")


def dropped_partition_move(recording: Recording) -> Iterator[Fault]:
    """A partition's line is missing."""
    return _dropped(recording, "partition")


def _dropped(recording: Recording, name: str) -> Iterator[Fault]:
    """Drop a line; the next line shows it, because it leaves a state that nothing led to."""
    reached = closure(name, recording.release, recording.level)
    for move in moves(recording, name):
        one = move.printed
        if not move.made or one.event.to_state == one.event.from_state:
            continue
        what = f"the line in which {move.name} moves from {one.event.from_state} to {one.event.to_state} is missing"
        edits = (Edit(one.file, one.line, None),)
        if move.next is None:
            yield Fault(one.file, one.line, what, edits, "no later line of the entity in this epoch")
            continue
        now = str(move.next.event.from_state)
        if move.before is None:
            hidden: str | None = "the entity's first line in an epoch whose start the file does not show"
        elif any(now in reached[state] for state in move.before):
            hidden = "moves that are not logged, or the controller's start, may have led to the next line"
        else:
            hidden = None
        yield Fault(one.file, move.next.line - 1, what, edits, hidden)
