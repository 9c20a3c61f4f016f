"""The step relation of a model, evaluated: the objections to a step from one given state to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ....model.action import Action
from ....model.evaluate import Closure, closure
from ....model.protocol import Model
from ....model.sorts import Value

State = Mapping[str, Value]


class Candidate(NamedTuple):
    """A step that may have written a record: its action, its parameters, and what the record hides of the state in
    which it was taken."""

    action: str
    params: Mapping[str, Value]
    hidden: State


class Objection(NamedTuple):
    """An objection to a step: a clause of its guard by its label, or a field that it would give another value."""

    action: str
    clause: str
    made: Value = None
    there: Value = None
    written: bool = False


class Relation:
    """The actions of a model, ready to be asked."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._actions = {each.name: _Translated(each) for each in model.actions}  # translated when they are asked

    def has(self, step: Candidate) -> bool:
        """Check whether the model has such a step; a missing one says nothing."""
        return step.action in self._actions

    def objections(self, step: Candidate, state: State, after: State, enough: int | None = None) -> list[Objection]:
        """Return what forbids the step from one state to another; the search stops at `enough` objections.

        Args:
            after: the fields that are compared.
        """
        return self._actions[step.action].objections(step, {**state, **step.hidden}, after, enough)


class _Translated:
    def __init__(self, action: Action) -> None:
        self.action = action
        self.params = [str(each.data) for each in action.params]

    @cached_property
    def clauses(self) -> Sequence[tuple[str, Closure]]:
        return [(each.label, closure(each.condition)) for each in self.action.guard]

    @cached_property
    def updates(self) -> Mapping[str, Closure]:
        return {str(each.field.data): closure(each.value) for each in self.action.updates}

    def objections(self, step: Candidate, before: State, after: State, enough: int | None = None) -> list[Objection]:
        env = {**before, **{name: step.params[name] for name in self.params}}
        return list(islice(self._found(step, env, after), enough))

    def _found(self, step: Candidate, env: Mapping[str, Value], after: State) -> Iterator[Objection]:
        for label, holds in self.clauses:
            if not holds(env):
                yield Objection(step.action, label)
        for name, value in after.items():
            made = self.updates[name](env) if name in self.updates else env[name]
            if made != value:
                yield Objection(step.action, name, made, value, written=True)
