"""Whether some run of a model writes a given log: a search through the runs, line by line.

All states are kept in which a run may be that has written the lines so far. Steps that write nothing at the log's level
are hidden: any number of them may lie between two lines. A step's lines come in blocks, those of a block in any order;
a controller that dies takes the rest of its step's lines with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...model.action import Action, disjuncts
from ...model.evaluate import closure
from ...model.expr import free
from ...model.protocol import Instance, Model
from ...model.sorts import Value, elements
from ...specs.lines import rows
from ...specs.machines import LEVELS
from ...specs.releases import Release
from ...traces.events.event import Event
from ...traces.place import Place
from ..explore.narrow import build
from ..explore.program import program
from .evidence import Evidence, NotDecidedError, Seen, compared
from .guide import ASKED, Guide
from .written import Writer, Written

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


Stream = tuple[str, int]
"""Who writes: a controller process or a broker, and the broker's number."""

Blocks = tuple[tuple[Event, ...], ...]
Rest = tuple[tuple[Stream, Blocks], ...]


class _Config(NamedTuple):
    """A packed state, and the lines that steps taken have still to write, by who writes them, in blocks.

    `looks`: how many of the looks at live brokers that the log shows were taken, if a guide counts them.
    """

    state: int
    rest: Rest
    looks: int = 0


class _Step(NamedTuple):
    """A move by its number, the state after it, who takes it, the broker that dies by it; whether a guide is asked."""

    move: int
    after: int
    stream: Stream | None
    dies: Value
    asked: bool


@dataclass
class _Runs:
    """The steps of an instance with the lines that they write."""

    instance: Instance
    writer: Writer
    level: str
    may: May
    actor: Callable[[Action], str]
    guide: Guide | None = None

    def __post_init__(self) -> None:
        translated = program(self.instance, [])
        self.layout, self.moves, self.expand = translated.layout, translated.moves, build(translated)
        self._lines: dict[tuple[int, int], Rest] = {}
        self._states: dict[int, tuple[Value, ...]] = {}
        self._steps: dict[int, tuple[_Step, ...]] = {}
        self.names = [each.name for each in self.instance.model.fields]
        self.now = 0
        """When the next line was written, for a guide."""

    def unpacked(self, state: int) -> tuple[Value, ...]:
        """The state of a packed one."""
        if state not in self._states:
            self._states[state] = self.layout.unpack(state)
        return self._states[state]

    def fields(self, state: int) -> dict[str, Value]:
        """The fields of a packed state, by name."""
        return dict(zip(self.names, self.unpacked(state), strict=True))

    def steps(self, config: _Config) -> Iterator[tuple[int, Rest, Rest, int]]:
        """The states after a step, with what it writes, what others have still to write, and the looks taken then.

        Who has not yet written what its last step does takes no other; who dies never will.
        """
        busy = {stream for stream, _ in config.rest}
        for step in self._possible(config.state):
            if step.stream in busy:
                continue
            looks: int | None = config.looks
            if self.guide is not None and step.asked:
                move = self.moves[step.move]
                fields = self.fields(config.state)
                looks = self.guide.looks_after(move.action.name, move.binding, fields, config.looks, self.now)
            if looks is None:
                continue
            rest = config.rest
            if step.dies is not None:
                rest = tuple(each for each in rest if each[0][1] != step.dies)
            yield step.after, self.lines(step.move, config.state, step.after), rest, looks

    def _possible(self, state: int) -> tuple[_Step, ...]:
        """The steps from a state that the log does not rule out; many runs come to a state at different lines."""
        if state not in self._steps:
            _, found = self.expand(state)
            fields = self.fields(state) if found else {}
            steps = []
            for index, after, *_ in found:
                move = self.moves[index]
                name, binding = move.action.name, move.binding
                if after is not None and self.may(name, binding, fields):
                    dies = binding["b"] if name == "Die" else None
                    steps.append(_Step(index, after, self._stream(move.action, binding), dies, name in ASKED))
            self._steps[state] = tuple(steps)
        return self._steps[state]

    def _stream(self, action: Action, binding: Mapping[str, Value]) -> Stream | None:
        """Who takes a step; None: nobody of the cluster."""
        who = self.actor(action)
        name = {"controller": "c", "broker": "b"}.get(who)
        return None if name is None or name not in binding else (who, binding[name])

    def lines(self, move: int, before: int, after: int) -> Rest:
        """What a step writes of the lines that are compared, without empty blocks."""
        one, key = self.moves[move], (move, before)
        if not self.writer.prints(one.action.name):
            return ()
        if key not in self._lines:
            later = self.unpacked(after) if self.writer.looks_back(one.action.name) else None
            self._lines[key] = self.kept(self.writer.blocks(one.action.name, one.binding, self.unpacked(before), later))
        return self._lines[key]

    def kept(self, blocks: Iterable[Iterable[Written]]) -> Rest:
        """The lines that are compared and that the log's level shows, by who writes them."""
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
        """Who writes a line."""
        numbers = {each: number for number, each in enumerate(self.writer.names.brokers)}
        return (rows()[event.row].speaker, -1 if broker is None else numbers.get(broker, -1))

    def _shown(self, event: Event) -> bool:
        if rows()[event.row].speaker == "broker":  # what the model does not know has no part in the level
            event = replace(event, controller=0, correlation_id=0)
        return LEVELS.index(self.writer.level(event) or self.level) >= LEVELS.index(self.level)


def validate(
    model: Model,
    release: Release,
    evidence: Evidence,
    level: str,
    may: May,
    progress: Callable[[int], None] = lambda _: None,
    actor: Callable[[Action], str] = lambda action: "controller",
    brokers: bool = False,
    guide: Guide | None = None,
) -> Verdict:
    """Looks for a run of the model that writes the log.

    Args:
        level: the lowest level that the log prints.
        may: what the log tells of hidden steps.
        actor: who takes a step (`Family.actor`).
        brokers: compare brokers' lines too, all in the order of their times: their clocks agree.
        guide: where to look for a run first.

    Raises:
        ModelError: the model does not say what its steps print.
        NotDecidedError: the log is of a kind that the model cannot speak of.
    """
    lines = evidence.with_brokers if brokers else evidence.compared
    others = evidence.lines - len(lines)
    if not evidence.compared:
        raise NotDecidedError("there is no line of a controller's state machines: nothing to validate")
    first = min(evidence.controllers)
    if first != 1:
        raise NotDecidedError(
            f"the log begins in controller epoch {first}; expected the cluster's whole life, from its first controller"
        )
    endless = unlimited(model)
    instance = endless.instance(**evidence.settings(each.name for each in endless.settings))
    wanted = compared() | evidence.of_brokers if brokers else compared()
    runs = _Runs(instance, Writer(instance, release, evidence.names, wanted), level, may, actor, guide)
    found = _searched(runs, lines, others, progress)
    if guide is not None and found.verdict != "accepted":
        runs.guide = None
        found = _searched(runs, lines, others, progress)
    hidden = brokers and not evidence.registers and "KIP-380" not in release.behaviours
    if hidden and found.verdict == "rejected":
        reason = "without server.log a quick restart, which no controller notices up to 2.1, is not seen"
        return found._replace(verdict="unknown", reason=f"{found.reason}; {reason}")
    return found


def _searched(runs: _Runs, lines: Sequence[Seen], others: int, progress: Callable[[int], None]) -> Verdict:
    """Goes through the lines with all states in which a run may be that has written those before."""
    configs = {_Config(runs.layout.pack(runs.writer.reference.initial()), ())}
    epoch = 0
    for number, line in enumerate(lines):
        progress(number)
        runs.now = line.event.ts or 0
        row = rows()[line.event.row]
        if row.speaker == "controller" and (line.event.controller_epoch or 0) > epoch:
            epoch = line.event.controller_epoch or 0
            configs = {each._replace(rest=_without_controllers(each.rest)) for each in configs}
        stream = runs.writes(line.event, line.event.controller if row.speaker == "controller" else line.event.speaker)
        reached = _closed(runs, configs, stream)
        if reached is None:
            reason = f"more than {MOST_STATES:,} states between two lines"
            return Verdict("unknown", number, len(lines), others, line.place, None, reason)
        after = {next_one for config in reached for next_one in _written(runs, config, stream, line.event)}
        if runs.guide is not None and row.speaker == "controller":
            least = runs.guide.looks_before(runs.now)
            after = {each for each in after if each.looks >= least}
        if not after:
            guard, reason = _why(runs, reached, stream, line)
            return Verdict("rejected", number, len(lines), others, line.place, guard, reason)
        configs = after
    return Verdict("accepted", len(lines), len(lines), others)


def _without_controllers(rest: Rest) -> Rest:
    """A later controller is there: the one before is gone, with what it had to write."""
    return tuple(each for each in rest if each[0][0] != "controller")


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


def _closed(runs: _Runs, configs: set[_Config], stream: Stream) -> set[_Config] | None:
    """With all states that hidden steps lead to before somebody writes; None if they are too many."""
    reached = set(configs)
    frontier = [each for each in configs if not _of(each.rest, stream)]
    while frontier:
        config = frontier.pop()
        for after, blocks, rest, looks in runs.steps(config):
            if not blocks:
                new = _Config(after, rest, looks)
                if new not in reached:
                    reached.add(new)
                    frontier.append(new)
        if len(reached) > MOST_STATES:
            return None
    return reached


def _of(rest: Rest, stream: Stream) -> Blocks:
    return next((blocks for each, blocks in rest if each == stream), ())


def _written(runs: _Runs, config: _Config, stream: Stream, event: Event) -> Iterator[_Config]:
    """The runs in which somebody writes a line next."""
    if _of(config.rest, stream):
        yield from _after(config, stream, event)
        return
    for after, blocks, rest, looks in runs.steps(config):
        if _of(blocks, stream):
            yield from _after(_Config(after, _joined(rest, blocks), looks), stream, event)


def _joined(rest: Rest, more: Rest) -> Rest:
    """What is to be written, and what comes behind it."""
    found = dict(rest)
    for stream, blocks in more:
        found[stream] = (*found.get(stream, ()), *blocks)
    return tuple(sorted(found.items(), key=lambda each: each[0]))


def _after(config: _Config, stream: Stream, event: Event) -> Iterator[_Config]:
    first, *later = _of(config.rest, stream)
    for index, each in enumerate(first):
        if says_the_same(each, event):
            left = first[:index] + first[index + 1 :]
            blocks = ((left,) if left else ()) + tuple(later)
            others = {each: old for each, old in config.rest if each != stream} | ({stream: blocks} if blocks else {})
            yield config._replace(rest=tuple(sorted(others.items(), key=lambda each: each[0])))
            return


_NOT_COMPARED = frozenset(
    {"row", "level", "ts", "releases", "topic_id", "broker_epoch"}
    | {"offset", "high_watermark", "log_end_offset", "lagging", "detail", "recovery"}
)
"""Columns that do not belong to what is said, and those of what the model has not: ids, records, and whether a leader
that was elected uncleanly recovers (KIP-704)."""


def says_the_same(expected: Event, seen: Event) -> bool:
    """Whether a line is what a step writes: in every column that both have; members of an ISR are in any order."""
    if expected.row != seen.row:
        return False
    for column, value in expected.__dict__.items():
        other = getattr(seen, column)
        if value is None or other is None or column in _NOT_COMPARED:
            continue
        if column in ("isr", "old_isr"):
            value, other = sorted(value), sorted(other)
        if value != other:
            return False
    return True


def _why(runs: _Runs, reached: set[_Config], stream: Stream, line: Seen) -> tuple[str | None, str]:
    """The clause that keeps a step from being taken that would write the line; of several, where fewest forbid it."""
    best: tuple[int, str, str] | None = None
    waiting = [first for each in reached for first, *_ in _of(each.rest, stream)[:1]]
    states = sorted({each.state for each in reached if not _of(each.rest, stream)})
    for state in map(runs.unpacked, itertools.islice(states, 400)):
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
            written = runs.kept(runs.writer.blocks(action.name, params, state, tuple(after)))
            if any(says_the_same(each, event) for _, blocks in written for each in blocks[0]):
                yield action.name, failing
