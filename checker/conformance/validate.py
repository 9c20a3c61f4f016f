"""Whether some run of a model writes a given log: a search through the runs, line by line.

All states are kept in which a run may be that has written the lines so far. Steps that write nothing at the log's level
are hidden: any number of them may lie between two lines. A step's lines come in blocks, those of a block in any order;
a controller that dies takes the rest of its step's lines with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...model.action import disjuncts
from ...model.evaluate import closure
from ...model.expr import free
from ...model.protocol import Instance, Model
from ...model.sorts import Value, elements
from ...specs.machines import LEVELS
from ...specs.releases import Release
from ...traces.events.event import Event
from ...traces.place import Place
from ..explore.narrow import build
from ..explore.program import program
from .evidence import Evidence, NotDecidedError, Seen, compared
from .written import Writer

MOST_STATES = 20_000
"""States between two lines beyond which nothing is decided."""

May = Callable[[str, Mapping[str, Value], Mapping[str, Value]], bool]
"""Whether a step (action, parameters, state) can have been taken, for all that the log tells of it."""


def anything(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
    """A log that tells nothing of hidden steps."""
    return True


class Verdict(NamedTuple):
    """What was found.

    * `verdict`: accepted, rejected or unknown. `reason`: of a rejection or of unknown, in words.
    * `place`, `guard`: of a rejection, the line that no run writes, and the clause that forbids it where one does.
    * `matched`, `compared`: how many of how many lines fit; `others`: lines that nothing is said about.
    """

    verdict: str
    matched: int
    compared: int
    others: int
    place: Place | None = None
    guard: str | None = None
    reason: str = ""


Line = tuple[tuple[str, Any], ...]


class _Config(NamedTuple):
    """A packed state, and the lines that its last step has still to write, by block."""

    state: int
    rest: tuple[tuple[Event, ...], ...]


@dataclass
class _Runs:
    """The steps of an instance with the lines that they write."""

    instance: Instance
    writer: Writer
    level: str
    may: May

    def __post_init__(self) -> None:
        translated = program(self.instance, [])
        self.layout, self.moves, self.expand = translated.layout, translated.moves, build(translated)
        self._lines: dict[tuple[int, int], tuple[tuple[Event, ...], ...]] = {}
        self._states: dict[int, tuple[Value, ...]] = {}
        self.names = [each.name for each in self.instance.model.fields]

    def unpacked(self, state: int) -> tuple[Value, ...]:
        """The state of a packed one."""
        if state not in self._states:
            self._states[state] = self.layout.unpack(state)
        return self._states[state]

    def steps(self, state: int) -> Iterator[tuple[int, tuple[tuple[Event, ...], ...]]]:
        """The states after a step, with the lines of the step."""
        _, found = self.expand(state)
        fields = dict(zip(self.names, self.unpacked(state), strict=True)) if found else {}
        for index, after, *_ in found:
            move = self.moves[index]
            if after is not None and self.may(move.action.name, move.binding, fields):
                yield after, self.lines(index, state, after)

    def lines(self, move: int, before: int, after: int) -> tuple[tuple[Event, ...], ...]:
        """What a step writes of the lines that are compared, without empty blocks."""
        one, key = self.moves[move], (move, before)
        if not self.writer.prints(one.action.name):
            return ()
        if key not in self._lines:
            later = self.unpacked(after) if self.writer.looks_back(one.action.name) else None
            self._lines[key] = self.kept(self.writer.blocks(one.action.name, one.binding, self.unpacked(before), later))
        return self._lines[key]

    def kept(self, blocks: Any) -> tuple[tuple[Event, ...], ...]:
        """The lines that are compared and that the log's level shows."""
        kept = (tuple(each.event for each in block if self._shown(each.event)) for block in blocks)
        return tuple(block for block in kept if block)

    def _shown(self, event: Event) -> bool:
        return LEVELS.index(self.writer.level(event) or self.level) >= LEVELS.index(self.level)


def validate(
    model: Model,
    release: Release,
    evidence: Evidence,
    level: str,
    may: May,
    told: Callable[[int], None] = lambda _: None,
) -> Verdict:
    """Looks for a run of the model that writes the log.

    Args:
        level: the lowest level that the log prints.
        may: what the log tells of hidden steps.

    Raises:
        ModelError: the model does not say what its steps print.
        NotDecidedError: the log is of a kind that the model cannot speak of.
    """
    lines = evidence.compared
    others = evidence.lines - len(lines)
    if not lines:
        raise NotDecidedError("there is no line of a controller's state machines: nothing to validate")
    first = min(evidence.controllers)
    if first != 1:
        raise NotDecidedError(
            f"the log begins in controller epoch {first}; expected the cluster's whole life, from its first controller"
        )
    endless = unlimited(model)
    instance = endless.instance(**evidence.settings(each.name for each in endless.settings))
    runs = _Runs(instance, Writer(instance, release, evidence.names, compared()), level, may)
    initial = runs.layout.pack(runs.writer.reference.initial())
    configs = {_Config(initial, ())}
    epoch = 0
    for number, line in enumerate(lines):
        told(number)
        if line.event.controller_epoch != epoch:  # the controller before is gone, with what it had to write
            epoch = line.event.controller_epoch or 0
            configs = {_Config(each.state, ()) for each in configs}
        reached = _closed(runs, configs)
        if reached is None:
            reason = f"more than {MOST_STATES:,} states between two lines"
            return Verdict("unknown", number, len(lines), others, line.place, None, reason)
        after = {next_one for config in reached for next_one in _written(runs, config, line.event)}
        if not after:
            guard, reason = _why(runs, reached, line)
            return Verdict("rejected", number, len(lines), others, line.place, guard, reason)
        configs = after
    return Verdict("accepted", len(lines), len(lines), others)


def unlimited(model: Model) -> Model:
    """The model without what only keeps a search finite: limits, and the fields that nothing but limits reads."""
    read = {leaf.data for action in model.actions for clause in action.guard for leaf in free(clause.condition)}
    for action in model.actions:
        read |= {leaf.data for each in action.updates for leaf in free(each.value) if leaf.data != each.field.data}
        printed = (expr for block in action.prints for line in block for expr in line.expressions)
        read |= {leaf.data for expr in printed for leaf in free(expr)}
    counters = {each.name for each in model.fields} - read
    actions = tuple(
        replace(each, limits=(), updates=tuple(one for one in each.updates if one.field.data not in counters))
        for each in model.actions
    )
    fields = tuple(each for each in model.fields if each.name not in counters)
    return replace(model, actions=actions, fields=fields, properties=(), ghosts=(), projections=())


def _closed(runs: _Runs, configs: set[_Config]) -> set[_Config] | None:
    """With all states that hidden steps lead to; None if they are too many."""
    reached = set(configs)
    frontier = [each for each in configs if not each.rest]
    while frontier:
        config = frontier.pop()
        for after, blocks in runs.steps(config.state):
            if not blocks:
                new = _Config(after, ())
                if new not in reached:
                    reached.add(new)
                    frontier.append(new)
        if len(reached) > MOST_STATES:
            return None
    return reached


def _written(runs: _Runs, config: _Config, event: Event) -> Iterator[_Config]:
    """The runs that write a line next."""
    if config.rest:
        yield from _after(config.state, config.rest, event)
        return
    for after, blocks in runs.steps(config.state):
        if blocks:
            yield from _after(after, blocks, event)


def _after(state: int, blocks: tuple[tuple[Event, ...], ...], event: Event) -> Iterator[_Config]:
    first, *later = blocks
    for index, each in enumerate(first):
        if says_the_same(each, event):
            left = first[:index] + first[index + 1 :]
            yield _Config(state, ((left,) if left else ()) + tuple(later))
            return


def says_the_same(expected: Event, seen: Event) -> bool:
    """Whether a line is what a step writes: in every column that both have; members of an ISR are in any order."""
    if expected.row != seen.row:
        return False
    for column, value in expected.__dict__.items():
        other = getattr(seen, column)
        if value is None or other is None or column in ("row", "level", "ts", "releases"):
            continue
        if column == "isr":
            value, other = sorted(value), sorted(other)
        if value != other:
            return False
    return True


def _why(runs: _Runs, reached: set[_Config], line: Seen) -> tuple[str | None, str]:
    """The clause that keeps a step from being taken that would write the line; of several, where fewest forbid it."""
    best: tuple[int, str, str] | None = None
    waiting = [each.rest[0][0] for each in reached if each.rest]
    for config in itertools.islice(sorted(each for each in reached if not each.rest), 400):
        state = runs.unpacked(config.state)
        for action, failing in _forbidden(runs, state, line.event):
            key = (len(failing), action, failing[0])
            if best is None or key < best:
                best = key
    if best is not None:
        return f"{best[1]}: {best[2]}", f"no run writes this line here: {best[1]} would, but for {best[2]!r}"
    if waiting:
        return None, f"no run writes this line here: {waiting[0].row} of another entity, or other values, comes first"
    return None, "no step of the model writes such a line here"


def _forbidden(runs: _Runs, state: tuple[Value, ...], event: Event) -> Iterator[tuple[str, list[str]]]:
    """Steps that would write a line, were it not for some clauses of their guards."""
    reference, settings = runs.writer.reference, runs.instance.settings
    env = reference.env(state)
    for action in runs.instance.model.actions:
        if not any(line.row == event.row for block in action.prints for line in block):
            continue
        names = [str(param.data) for param in action.params]
        for values in itertools.product(*(elements(param.sort, settings) for param in action.params)):
            params = dict(zip(names, values, strict=True))
            bound = {**env, **params}
            failing = [
                clause.label
                for clause in action.guard
                if not any(closure(part)(bound) for part in disjuncts(clause.condition))
            ]
            if not failing:
                continue
            after = list(state)
            for each in action.updates:
                after[reference.names.index(str(each.field.data))] = closure(each.value)(bound)
            blocks = runs.kept(runs.writer.blocks(action.name, params, state, tuple(after)))
            if any(says_the_same(each, event) for block in blocks[:1] for each in block):
                yield action.name, failing
