"""The runs of an instance, with the lines that they write: what every search through runs is made of.

Steps that write nothing at the log's level are hidden: any number of them may lie between two lines. A step's lines
come in blocks, those of a block in any order; a controller that dies takes the rest of its step's lines with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...model.action import Action
from ...model.protocol import Instance
from ...model.sorts import Value
from ...specs.lines import rows
from ...specs.machines import LEVELS
from ...traces.events.event import Event
from .lines import MARKED, PlacedEvent
from .looks import EPOCH_RAISED
from .moves import Fields, moves_of
from .written import OF_TOPICS, Writer, Written

May = Callable[[str, Mapping[str, Value], Mapping[str, Value]], bool]
"""The evidence about a step (action, parameters, state): it can have been taken, or it must have been."""


def unasked(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
    """A log that shows no step that writes nothing."""
    return False


MOST_KEPT = 10_000
"""The most states of which the steps are kept; those of others are made again when a run comes there again."""

Stream = tuple[str, int]
"""The writer of lines: a controller process or a broker, and the broker's number."""

Blocks = tuple[tuple[Event, ...], ...]
Rest = tuple[tuple[Stream, Blocks], ...]


class Config(NamedTuple):
    """A packed state, and the lines that steps taken have still to write, by writer, in blocks."""

    state: int
    rest: Rest


class PackedStep(NamedTuple):
    """A step from a packed state."""

    move: int
    """The number of its move."""
    after: int
    """The packed state after it."""
    stream: Stream | None
    """The process that takes it."""
    dies: Value
    """The broker that dies by it."""
    is_shown: bool
    """The log shows that it was taken."""
    settles: Value
    """The partition of which the log shows so, if waiting with the step gains nothing."""


class Hidden(NamedTuple):
    """A run that goes on with a step that writes nothing; see `PackedStep`."""

    config: Config
    is_shown: bool
    settles: Value


class StateByName(Mapping[str, Value]):
    """A packed state by the names of its fields, unpacked on demand."""

    def __init__(self, fields: Fields, state: int) -> None:
        self._fields, self._state = fields, state

    def __getitem__(self, name: str) -> Value:
        return self._fields.value(name, self._state)

    def __contains__(self, name: object) -> bool:
        return name in self._fields.names

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields.names)

    def __len__(self) -> int:
        return len(self._fields.names)


class Steps:
    """The steps of an instance that a log does not rule out; many runs come to a state at different lines.

    Args:
        may: the steps that the log does not rule out.
        actor: the actor of a step (`Family.actor`).
        shown: the steps whose results the log shows, if not their time.
        at_once: the names of those among them, each of a partition p, that are taken at once (`PackedStep.settles`).
    """

    def __init__(
        self,
        instance: Instance,
        may: May,
        actor: Callable[[Action], str],
        shown: May = unasked,
        at_once: Collection[str] = (),
    ) -> None:
        self.instance, self._may, self._actor, self._shown = instance, may, actor, shown
        self._at_once = frozenset(each.name for each in instance.model.actions) & frozenset(at_once)
        self.moves = moves_of(instance)
        self._steps: dict[int, tuple[PackedStep, ...]] = {}

    @property
    def settle(self) -> bool:
        """Check whether the instance has steps that settle a partition."""
        return bool(self._at_once)

    def unpacked(self, state: int) -> tuple[Value, ...]:
        """The state of a packed one."""
        return self.moves.fields.unpacked(state)

    def bits_of(self, names: Container[str]) -> int:
        """The bits of a packed state that hold some fields."""
        return sum(self.moves.packing.bits_of(each) for each in self.moves.fields.names if each in names)

    def of(self, state: int) -> tuple[PackedStep, ...]:
        """The steps from a packed state."""
        if state not in self._steps:
            if len(self._steps) >= MOST_KEPT:
                self._steps.clear()
            fields = StateByName(self.moves.fields, state)
            steps = []
            for move in self.moves.enabled(state):
                action, binding = self.moves.all[move].action, self.moves.bindings[move]
                if not self._may(action.name, binding, fields):
                    continue
                after = self.moves.after(state, move)
                if after is not None:
                    dies = binding["b"] if action.name == "Die" else None
                    is_shown = self._shown(action.name, binding, fields)
                    settles = binding["p"] if is_shown and action.name in self._at_once else None
                    steps.append(PackedStep(move, after, self._stream(action, binding), dies, is_shown, settles))
            self._steps[state] = tuple(steps)
        return self._steps[state]

    def _stream(self, action: Action, binding: Mapping[str, Value]) -> Stream | None:
        """Return the actor of a step; None if it is not of the cluster."""
        who = self._actor(action)
        name = {"controller": "c", "broker": "b"}.get(who)
        return None if name is None or name not in binding else (who, binding[name])


class Runs:
    """The steps with the lines that they write, of the rows that are compared.

    `levels`: the lowest level that each family of loggers prints; a family without one prints all. `begins`: fields
    that differ from the model's initial state.
    """

    def __init__(
        self, steps: Steps, writer: Writer, levels: Mapping[str | None, str], begins: Mapping[str, Value]
    ) -> None:
        self.steps, self.writer, self._levels, self._begins = steps, writer, levels, begins
        self._lines: dict[tuple[int, int, int], Rest] = {}
        self._read: dict[str, int] = {}

    def initial(self) -> Config:
        """Return the beginning of all runs."""
        fields = zip(self.writer.reference.names, self.writer.reference.initial(), strict=True)
        state = tuple(self._begins.get(name, value) for name, value in fields)
        return Config(self.steps.moves.packing.pack(state), ())

    def _after_steps(self, config: Config) -> Iterator[tuple[PackedStep, Rest, Rest]]:
        """Yield the steps, with the lines that each writes, and those that others have still to write.

        A process that has not yet written the lines of its last step takes no other; a dead one never writes them.
        """
        busy = {stream for stream, _ in config.rest}
        for step in self.steps.of(config.state):
            if step.stream in busy:
                continue
            rest = config.rest
            if step.dies is not None:
                rest = tuple(each for each in rest if each[0][1] != step.dies)
            yield step, self._written_by(step, config.state), rest

    def hidden(self, config: Config) -> Iterator[Hidden]:
        """The runs that go on with a step that writes nothing."""
        for step, blocks, rest in self._after_steps(config):
            if not blocks:
                yield Hidden(Config(step.after, rest), step.is_shown, step.settles)

    def written(self, config: Config, stream: Stream, event: Event) -> Iterator[Config]:
        """The runs in which somebody writes a line next."""
        if pending(config.rest, stream):
            yield from _after(config, stream, event)
            return
        for step, blocks, rest in self._after_steps(config):
            if pending(blocks, stream):
                yield from _after(Config(step.after, _joined(rest, blocks)), stream, event)

    def _written_by(self, step: PackedStep, before: int) -> Rest:
        """Return the compared lines that a step writes, without empty blocks."""
        name, binding = self.steps.moves.all[step.move].action.name, self.steps.moves.bindings[step.move]
        if not self.writer.prints(name):
            return ()
        if name not in self._read:
            self._read[name] = self.steps.bits_of(self.writer.reads(name))
        looks_back = self.writer.looks_back(name)
        key = (step.move, before & self._read[name], step.after if looks_back else 0)
        if key not in self._lines:
            after = self.steps.unpacked(step.after) if looks_back else None
            self._lines[key] = self.kept(self.writer.blocks(name, binding, self.steps.unpacked(before), after))
        return self._lines[key]

    def kept(self, blocks: Iterable[Iterable[Written]]) -> Rest:
        """Return the lines that are compared and that the log's level shows, by writer."""
        found: dict[Stream, list[tuple[Event, ...]]] = {}
        for block in blocks:
            shown: dict[Stream, list[Event]] = {}
            for each in block:
                if self._shown(each.event):
                    shown.setdefault(self.writes(each.event, each.broker), []).append(each.event)
            for stream, events in shown.items():
                found.setdefault(stream, []).append(tuple(events))
        return tuple((stream, tuple(written)) for stream, written in sorted(found.items()))

    def writes(self, event: Event, broker: int | None) -> Stream:
        """Return the writer of a line."""
        numbers = {each: number for number, each in enumerate(self.writer.names.brokers)}
        return (rows()[event.row].speaker, -1 if broker is None else numbers.get(broker, -1))

    def _shown(self, event: Event) -> bool:
        if rows()[event.row].speaker == "broker":  # what the model does not know has no part in the level
            event = replace(event, controller=0, correlation_id=0)
        least = self._levels.get(rows()[event.row].family, LEVELS[0])
        return LEVELS.index(self.writer.level(event) or least) >= LEVELS.index(least)


def in_turn(runs: Runs, lines: Sequence[PlacedEvent]) -> Iterator[tuple[PlacedEvent, Stream, bool]]:
    """Yield the lines with their writers, and whether a line is the first of a later controller."""
    last = 0
    for number, line in enumerate(lines):
        event, epoch = line.event, 0
        by_controller = rows()[event.row].speaker == "controller"
        if by_controller:
            epoch = event.controller_epoch or (_epoch_to_be(lines, number) if event.row in EPOCH_RAISED else 0)
        yield line, runs.writes(event, event.controller if by_controller else event.speaker), epoch > last
        last = max(last, epoch)


def _epoch_to_be(lines: Sequence[PlacedEvent], number: int) -> int:
    """Return a new controller's epoch from its next lines: up to 2.0 the line of its election has none."""
    own = lines[number].event.controller
    later = (each.event for each in itertools.islice(lines, number + 1, None))
    return next((each.controller_epoch for each in later if each.controller == own and each.controller_epoch), 0)


def without_controllers(rest: Rest) -> Rest:
    """Return what is left to write without earlier controllers: a later one is there, so they are gone."""
    return tuple(each for each in rest if each[0][0] != "controller")


def pending(rest: Rest, stream: Stream) -> Blocks:
    """Return the blocks that a stream has still to write."""
    return next((blocks for each, blocks in rest if each == stream), ())


def _joined(rest: Rest, more: Rest) -> Rest:
    """Return the lines to be written, followed by more."""
    found = dict(rest)
    for stream, blocks in more:
        found[stream] = (*found.get(stream, ()), *blocks)
    return tuple(sorted(found.items(), key=lambda each: each[0]))


def _after(config: Config, stream: Stream, event: Event) -> Iterator[Config]:
    first, *later = pending(config.rest, stream)
    for index, each in enumerate(first):
        if says_the_same(each, event):
            left = first[:index] + first[index + 1 :]
            blocks = ((left,) if left else ()) + tuple(later)
            others = {each: old for each, old in config.rest if each != stream} | ({stream: blocks} if blocks else {})
            yield config._replace(rest=tuple(sorted(others.items(), key=lambda each: each[0])))
            return


_NOT_COMPARED = frozenset(
    {"row", "level", "ts", "releases", "topic_id", "broker_epoch"}
    | {"offset", "high_watermark", "log_end_offset", "lagging", "detail"}
)
"""Columns that are no part of the statement, and those that the model does not have: ids and records."""

_LISTED = OF_TOPICS | {"election-requested", MARKED}
"""The rows with partitions or topics in `detail`, in any order; the asker of an election is not compared."""

_SETS = frozenset(
    {"isr", "old_isr", "adding", "removing", "brokers", "new_brokers", "deleted_brokers", "bounced_brokers"}
)
"""Columns whose members come in any order."""


def says_the_same(expected: Event, seen: Event) -> bool:
    """Check whether a line is what a step writes: in every column that both have."""
    if expected.row != seen.row:
        return False
    is_list = expected.row in _LISTED
    if is_list and sorted((expected.detail or "").split(",")) != sorted((seen.detail or "").split(",")):
        return False
    for column, value in expected.__dict__.items():
        other = getattr(seen, column)
        if value is None or other is None or column in _NOT_COMPARED or (is_list and column == "kind"):
            continue
        if column in _SETS:
            value, other = sorted(value), sorted(other)
        if value != other:
            return False
    return True
