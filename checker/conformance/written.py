"""The events that a step of a model writes, in blocks: the lines of a block come in any order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...model.errors import ModelError
from ...model.evaluate import Closure, Env, closure, compiled, name_of
from ...model.expr import Expr, Op, free
from ...model.lines import Line
from ...model.protocol import Instance
from ...model.sorts import Settings, Sort, Value, elements
from ...model.step import Reference, State
from ...specs.lines import rows
from ...specs.releases import Release
from ...traces.events.event import Event
from ...traces.events.render import wording_of
from .names import Names


class Written(NamedTuple):
    """A line: the broker whose log has it, and its event."""

    broker: int
    event: Event


@dataclass(frozen=True)
class _Reading:
    """A line whose expressions are closures."""

    line: Line
    speaker: Closure
    given: Closure
    fields: tuple[tuple[str, Closure | Value, Sort | None], ...]
    over: tuple[tuple[str, tuple[Value, ...]], ...]
    then: tuple[_Reading, ...]

    def topics(self, env: Mapping[str, Value]) -> frozenset[int]:
        """The partitions whose topics are listed."""
        return next(value(env) for name, value, _ in self.fields if name == "detail")


OFTEN = 100
"""The times that an expression is interpreted before it is compiled, which costs as much as some hundred readings."""


def _often(expr: Expr, settings: Settings) -> Closure:
    """Return the expression as a function of an environment, which is compiled if it is called often."""
    interpreted, arguments = closure(expr), sorted({name_of(leaf) for leaf in free(expr)} - settings.keys())
    function: Callable[..., Value] | None = None
    called = 0

    def value(env: Env) -> Value:
        nonlocal called, function
        if function is None:
            called += 1
            if called <= OFTEN:
                return interpreted(env)
            function = compiled(expr, arguments, settings)
        return function(*[env[each] for each in arguments])

    return value


OF_TOPICS = frozenset({"topic-deletion-queued", "topics-to-be-deleted"})
"""The rows that list topics, not partitions."""


def _leaves(blocks: Iterable[Iterable[_Reading]]) -> set[Expr]:
    return {leaf for block in blocks for each in block for expr in each.line.expressions for leaf in free(expr)}


class Writer:
    """The lines that the steps of an instance write in a release; only some rows of them, if given."""

    def __init__(self, instance: Instance, release: Release, names: Names, only: Container[str] | None = None) -> None:
        self.reference = Reference(instance)
        self.release, self.names, self._only = release, names, only
        self._blocks = {
            action.name: tuple(
                tuple(self._reading(line) for line in block if self._has(line)) for block in action.prints
            )
            for action in instance.model.actions
        }
        read = {name: _leaves(blocks) for name, blocks in self._blocks.items()}
        self._looks_back = {name: any(leaf.op is Op.AFTER for leaf in leaves) for name, leaves in read.items()}
        self._reads = {name: frozenset(str(leaf.data) for leaf in leaves) for name, leaves in read.items()}
        if not any(block for blocks in self._blocks.values() for block in blocks):
            raise ModelError(f"the steps of {instance.model.name} declare no lines, so it has no log")

    def prints(self, action: str) -> bool:
        """Check whether a step may write any of the lines."""
        return any(self._blocks[action])

    def looks_back(self, action: str) -> bool:
        """Check whether what a step writes depends on the state after it."""
        return self._looks_back[action]

    def reads(self, action: str) -> frozenset[str]:
        """Return the names that the lines of a step depend on, such as fields."""
        return self._reads[action]

    def _has(self, line: Line) -> bool:
        wanted = self._only is None or line.row in self._only
        return wanted and bool(rows()[line.row].releases & self.release.mask)

    def _reading(self, line: Line) -> _Reading:
        settings = self.reference.instance.settings
        fields = []
        for name, value in line.fields.items():
            read = isinstance(value, Expr)
            fields.append((name, _often(value, settings) if read else value, value.sort if read else None))
        return _Reading(
            line,
            _often(line.speaker, settings),
            _often(line.given, settings),
            tuple(fields),
            tuple((name_of(each), elements(each.sort, settings)) for each in line.over),
            tuple(self._reading(each) for each in line.then if self._has(each)),
        )

    def blocks(
        self, action: str, params: Mapping[str, Value], before: State, after: State | None
    ) -> list[list[Written]]:
        """The lines of a step, stack traces after the lines that they belong to.

        Args:
            after: the state after the step; None where nothing `looks_back`.
        """
        env = {**self.reference.env(before, after), **params}
        return [[each for reading in block for each in self._lines(reading, env)] for block in self._blocks[action]]

    def _lines(self, reading: _Reading, env: Mapping[str, Value]) -> Iterator[Written]:
        names = [name for name, _ in reading.over]
        for values in itertools.product(*(each for _, each in reading.over)):
            bound = {**env, **dict(zip(names, values, strict=True))}
            if reading.given(bound):
                yield self._written(reading, bound)
                for each in reading.then:
                    if each.given(bound):
                        yield self._written(each, bound)

    def _written(self, reading: _Reading, env: Mapping[str, Value]) -> Written:
        values = {
            name: self.names.printed(name, value if sort is None else value(env), sort)
            for name, value, sort in reading.fields
        }
        if reading.line.row in OF_TOPICS:
            values["detail"] = self.names.topics(reading.topics(env))
        broker = self.names.printed("speaker", reading.speaker(env), reading.line.speaker.sort)
        return Written(broker, Event(reading.line.row, **values))

    def level(self, event: Event) -> str | None:
        """The level at which the release prints an event; None for a stack trace."""
        return wording_of(event, self.release).level_in(self.release.mask) or None
