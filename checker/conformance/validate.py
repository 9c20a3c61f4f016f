"""Decide whether some run of a model writes a given log: a search through the runs, line by line.

A run is searched first as people would: with as few hidden steps as possible (`lazy.py`). Where none is found, all
states are kept in which a run may be that has written the lines so far: only then a line is one that no run writes.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from ...model.action import Action, disjuncts
from ...model.errors import DefinitionError
from ...model.evaluate import Closure, closure
from ...model.expr import free
from ...model.protocol import Model
from ...model.sorts import Value, elements
from ...specs.lines import STATE_CHANGE
from ...specs.releases import Release
from ...traces.events.event import Event
from ...traces.place import Place
from . import MOST_STATES, lazy
from .evidence import Evidence, NotDecidedError, compared
from .lines import PlacedEvent
from .runs import Config, May, Runs, Steps, Stream, in_turn, pending, says_the_same, unasked, without_controllers
from .written import Writer


def anything(action: str, params: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
    """Allow every step, as a log without evidence of hidden steps does."""
    return True


class Validation(NamedTuple):
    """The result of a validation."""

    verdict: str
    """accepted, rejected or unknown."""
    matched: int
    """The number of lines that fit, of those `compared`."""
    compared: int
    others: int
    """The number of lines that nothing is said about."""
    place: Place | None = None
    """The place of a rejection: the line that no run writes."""
    guard: str | None = None
    """The clause that forbids that line, where one does."""
    reason: str = ""
    """The reason of a rejection or of unknown, in words."""
    gave_up: bool = False
    """It is unknown since no run was found so far, or there were too many states; another model may have one."""


class Beyond(NamedTuple):
    """An event that the model does not follow, in words, and the number of the first line that it bears on."""

    line: int
    reason: str


class Told(NamedTuple):
    """The evidence of a log about steps that write nothing."""

    may: May
    """The steps that it does not rule out."""
    shown: May = unasked
    """The steps whose results it shows, if not their time: they are tried first."""
    at_once: Collection[str] = ()
    """The names of those among them that settle a partition (`runs.Steps`)."""
    begins: Mapping[str, Value] = MappingProxyType({})
    """The fields that it shows to differ from the model's initial state."""
    first: May = unasked
    """The steps with which a run may begin, if the log does not show them (`openings`)."""
    beyond: Callable[[Sequence[PlacedEvent]], Sequence[Beyond]] = lambda _: ()
    """The compared lines' events that the model does not follow, first lines first: from there on none is rejected."""


def validate(
    model: Model,
    release: Release,
    evidence: Evidence,
    level: str,
    told: Told,
    actor: Callable[[Action], str] = lambda action: "controller",
    brokers: bool = False,
    most: int = MOST_STATES,
    note: lazy.Note = lazy.ignore,
) -> Validation:
    """Search a run of the model that writes the log; the arguments are those of `verdicts`."""
    *_, found = verdicts(model, release, evidence, level, told, actor, brokers, most, note)
    return found


def verdicts(
    model: Model,
    release: Release,
    evidence: Evidence,
    level: str,
    told: Told,
    actor: Callable[[Action], str],
    brokers: bool,
    most: int,
    note: lazy.Note = lazy.ignore,
) -> Iterator[Validation]:
    """Search a run of the model that writes the log: yield what is known after each effort, the verdict last.

    A caller with several models can take an effort with each in turn, before the next, dearer one (`lazy.EFFORTS`).

    Args:
        level: the lowest level that state.change.logger prints.
        actor: the actor of a step (`Family.actor`).
        brokers: compare brokers' lines too, all in the order of their times: their clocks agree.
        most: the states between two lines; where there are more, the verdict is unknown.
        note: is given the number of lines that a run writes, again and again.

    Raises:
        ModelError: the steps of the model declare no lines.
        NotDecidedError: the log is of a kind that the model does not cover.
    """
    lines = evidence.with_brokers if brokers else evidence.compared
    others = evidence.lines - len(lines)
    steps = _steps(model, evidence, told, actor, brokers)
    levels = {**evidence.levels, STATE_CHANGE: level}

    def runs(rows: Collection[str]) -> Runs:
        return Runs(steps, Writer(steps.instance, release, evidence.names, rows), levels, told.begins)

    wanted = compared() | evidence.of_brokers if brokers else compared()
    looked, ends = evidence.looks.between(lines), told.beyond(lines)
    enough = ends[0].line if ends else len(lines)
    both = ((wanted | evidence.looks.rows, looked), (wanted, lines))
    searches = [_lazily(runs(rows), some, wanted, enough, told.first, note) for rows, some in both if some is not None]
    reached = 0
    for _ in lazy.EFFORTS:
        for search in searches:
            if reached < enough:
                reached = max(reached, next(search))
        if reached == len(lines):
            yield Validation("accepted", len(lines), len(lines), others)
            return
        passed = [each for each in ends if each.line <= reached]
        if passed:
            end = passed[-1]
            yield Validation("unknown", end.line, len(lines), others, lines[end.line].place, None, end.reason)
            return
        yield Validation("unknown", reached, len(lines), others, lines[reached].place, gave_up=True)
    found = _searched(runs(wanted), lines[:enough], most, note)
    found = found._replace(compared=len(lines), others=others)
    if found.verdict == "unknown" and reached > found.matched:  # a run goes further than all runs can be followed
        found = found._replace(matched=reached, place=lines[reached].place)
    if found.verdict == "accepted" and ends:
        found = found._replace(verdict="unknown", place=lines[ends[0].line].place, reason=ends[0].reason)
    hidden = brokers and not evidence.registers and "KIP-380" not in release.behaviours
    if hidden and found.verdict == "rejected":
        reason = "only server.log shows a quick restart, which no controller notices up to 2.1"
        found = found._replace(verdict="unknown", reason=f"{found.reason}; {reason}")
    yield found


def _steps(model: Model, evidence: Evidence, told: Told, actor: Callable[[Action], str], brokers: bool) -> Steps:
    if not evidence.compared:
        raise NotDecidedError("no line comes from a controller's state machines: nothing to validate")
    begin = min(evidence.controllers)
    if begin != 1:
        raise NotDecidedError(
            f"the log begins in controller epoch {begin}; expected the cluster's whole life, from its first "
            "controller on"
        )
    endless = unlimited(model)
    instance = endless.instance(**evidence.settings(each.name for each in endless.settings))
    try:
        return Steps(instance, told.may, actor, told.shown, told.at_once)
    except DefinitionError:
        size = f"{len(evidence.names.brokers)} brokers and {len(evidence.names.partitions)} partitions"
        less = "; without --brokers it is smaller" if brokers else ""
        raise NotDecidedError(f"{size} do not fit into a state of the model{less}") from None


def _lazily(
    runs: Runs, lines: Sequence[PlacedEvent], wanted: Collection[str], enough: int, first: May, note: lazy.Note
) -> Iterator[int]:
    """Yield the number of lines of the rows `wanted` that a run with few hidden steps writes, after each effort."""
    numbers = [number for number, each in enumerate(lines, start=1) if each.event.row in wanted]
    until = numbers[enough - 1] if enough else 0
    for written in lazy.written(runs, lines, until, first, lambda many: note(bisect_right(numbers, many))):
        yield sum(number <= written for number in numbers)


def _searched(runs: Runs, lines: Sequence[PlacedEvent], most: int, note: lazy.Note) -> Validation:
    """Go through the lines with all states in which a run may be that has written those before."""
    configs = {runs.initial()}
    for number, (line, stream, is_later) in enumerate(in_turn(runs, lines)):
        note(number)
        if is_later:
            configs = {each._replace(rest=without_controllers(each.rest)) for each in configs}
        reached = _closed(runs, configs, stream, most)
        if reached is None:
            reason = f"more than {most:,} states between two lines; raise --max-states"
            return Validation("unknown", number, len(lines), 0, line.place, None, reason, gave_up=True)
        after = {next_one for config in reached for next_one in runs.written(config, stream, line.event)}
        if not after:
            guard, reason = _why(runs, reached, stream, line)
            return Validation("rejected", number, len(lines), 0, line.place, guard, reason)
        configs = after
    return Validation("accepted", len(lines), len(lines), 0)


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


def _closed(runs: Runs, configs: set[Config], stream: Stream, most: int) -> set[Config] | None:
    """Add all states that hidden steps lead to before somebody writes; None if they are too many."""
    reached = set(configs)
    frontier = [each for each in configs if not pending(each.rest, stream)]
    while frontier:
        for new in (each.config for each in runs.hidden(frontier.pop())):
            if new not in reached:
                reached.add(new)
                frontier.append(new)
        if len(reached) > most:
            return None
    return reached


def _why(runs: Runs, reached: set[Config], stream: Stream, line: PlacedEvent) -> tuple[str | None, str]:
    """Return the clause that forbids a step from writing the line, and a reason; fewest forbidding clauses first."""
    best: tuple[int, str, str] | None = None
    waiting = [first for each in reached for first, *_ in pending(each.rest, stream)[:1]]
    states = sorted({each.state for each in reached if not pending(each.rest, stream)})
    kinds = [_Kind.of(each) for each in runs.steps.instance.model.actions if _may_write(each, line.event)]
    for state in map(runs.steps.unpacked, itertools.islice(states, 400)):
        for action, failing in _forbidden(runs, kinds, state, line.event):
            key = (len(failing), action, failing[0])
            if best is None or key < best:
                best = key
    if best is not None:
        return f"{best[1]}: {best[2]}", f"no run writes this line here: {best[1]} would, but for {best[2]!r}"
    if waiting:
        return (
            None,
            f"no run writes this line here: {waiting[0].row} for another entity, or with other values, comes first",
        )
    return None, "no step of the model writes such a line here"


def _may_write(action: Action, event: Event) -> bool:
    return any(line.row == event.row for block in action.prints for line in block)


class _Kind(NamedTuple):
    """A kind of step, read once: the parts of each clause of its guard, any of which is enough, and its updates."""

    action: Action
    guard: Sequence[tuple[str, Sequence[Closure]]]
    updates: Sequence[tuple[str, Closure]]

    @classmethod
    def of(cls, action: Action) -> _Kind:
        """The closures of an action."""
        guard = [(each.label, [closure(part) for part in disjuncts(each.condition)]) for each in action.guard]
        return cls(action, guard, [(str(each.field.data), closure(each.value)) for each in action.updates])


def _forbidden(
    runs: Runs, kinds: Sequence[_Kind], state: tuple[Value, ...], event: Event
) -> Iterator[tuple[str, list[str]]]:
    """Yield steps that would write a line, except that some clauses of their guards forbid them."""
    reference, settings = runs.writer.reference, runs.steps.instance.settings
    env = reference.env(state)
    for action, guard, updates in kinds:
        names = [str(param.data) for param in action.params]
        for values in itertools.product(*(elements(param.sort, settings) for param in action.params)):
            params = dict(zip(names, values, strict=True))
            bound = {**env, **params}
            failing = [label for label, parts in guard if not any(part(bound) for part in parts)]
            if not failing:
                continue
            after = list(state)
            for name, value in updates:
                after[reference.names.index(name)] = value(bound)
            written = runs.kept(runs.writer.blocks(action.name, params, state, tuple(after)))
            if any(says_the_same(each, event) for _, blocks in written for each in blocks[0]):
                yield action.name, failing
