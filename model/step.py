"""Executing a model with the reference reading: initial state, successors, properties. Slow and plain on purpose."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from .action import Action, disjuncts
from .errors import SortError, unknown
from .evaluate import Closure, closure, evaluate, name_of
from .expr import Expr
from .property import Property
from .protocol import Instance
from .sorts import Settings, Value, canonical, elements

State = tuple[Value, ...]


@dataclass(frozen=True)
class Taken:
    """A step that can be taken: the action, its parameters, and the state it leads to.

    `ways`: how many combinations of true disjuncts allow it (TLC counts each as a successor).
    `overflows`: the fields whose new value is not of their sort; then the state is no state of the instance.
    """

    action: str
    params: Mapping[str, Value]
    state: State
    ways: int
    overflows: tuple[str, ...] = ()


class Reference:
    """An instance, ready to be executed by the reference reading."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.names = [each.name for each in instance.model.fields]
        self._conditions: dict[Expr, Closure] = {}

    @cached_property
    def _actions(self) -> list[_Translated]:
        return [_Translated(action, self.instance.settings) for action in self.instance.model.actions]

    def initial(self) -> State:
        """The initial state, a tuple in the order of the model's fields.

        Raises:
            SortError: a field starts with a value that is not of its sort in this instance.
        """
        settings = self.instance.settings
        state = []
        for each in self.instance.model.fields:
            try:
                state.append(canonical(evaluate(each.initial, settings), each.sort, settings))
            except SortError as error:
                raise SortError(f"{self.instance.name}: field {each.name} cannot start so: {error}") from None
        return tuple(state)

    def env(self, state: State, later: State | None = None) -> dict[str, Value]:
        """The names that an expression reads: fields, primed fields, settings."""
        env: dict[str, Value] = {**self.instance.settings, **dict(zip(self.names, state, strict=True))}
        if later is not None:
            env.update((f"{name}'", value) for name, value in zip(self.names, later, strict=True))
        return env

    def successors(self, state: State) -> Iterator[Taken]:
        """Every step from a state: actions in the order of the model, parameters in the order of their sorts."""
        env = self.env(state)
        for action in self._actions:
            yield from action.steps(self, env, state)

    def steps(self, state: State, action: str) -> Iterator[Taken]:
        """Every step of one action from a state.

        Raises:
            UnknownNameError: the model has no such action.
        """
        return self._named(action).steps(self, self.env(state), state)

    def take(self, state: State, action: str, params: Mapping[str, Value]) -> Taken | None:
        """The step of one action with these parameters, or None where its guard does not hold.

        Raises:
            UnknownNameError: the model has no such action.
        """
        return self._named(action).step(self, {**self.env(state), **params}, state, tuple(params.items()))

    def _named(self, action: str) -> _Translated:
        for each in self._actions:
            if each.action.name == action:
                return each
        raise unknown("action", action, (each.action.name for each in self._actions), self.instance.model.name)

    def holds(self, prop: Property, state: State, later: State | None = None) -> bool:
        """Check whether a property's condition holds in a state, or for a step."""
        return self.truth(prop.condition, state, later)

    def truth(self, condition: Expr, state: State, later: State | None = None) -> bool:
        """Check whether a condition holds in a state, or for a step."""
        if condition not in self._conditions:
            self._conditions[condition] = closure(condition)
        return bool(self._conditions[condition](self.env(state, later)))


class _Translated:
    """An action whose expressions are closures."""

    def __init__(self, action: Action, settings: Settings) -> None:
        self.action = action
        self.params = [name_of(param) for param in action.params]
        self.values = [elements(param.sort, settings) for param in action.params]
        clauses = [clause.condition for clause in (*action.limits, *action.guard)]
        self.clauses = [[closure(part) for part in disjuncts(condition)] for condition in clauses]
        self.updates = {update.field.data: closure(update.value) for update in action.updates}

    def steps(self, reference: Reference, env: dict[str, Value], state: State) -> Iterator[Taken]:
        for values in itertools.product(*self.values):
            binding = tuple(zip(self.params, values, strict=True))
            step = self.step(reference, {**env, **dict(binding)}, state, binding)
            if step is not None:
                yield step

    def step(
        self, reference: Reference, env: dict[str, Value], state: State, binding: tuple[tuple[str, Value], ...]
    ) -> Taken | None:
        ways = 1
        for clause in self.clauses:
            ways *= sum(1 for part in clause if part(env))
            if not ways:
                return None
        later, overflows = list(state), []
        for index, field in enumerate(reference.instance.model.fields):
            if field.name in self.updates:
                value = self.updates[field.name](env)
                try:
                    value = canonical(value, field.sort, reference.instance.settings)
                except SortError:
                    overflows.append(field.name)
                later[index] = value
        return Taken(self.action.name, dict(binding), tuple(later), ways, tuple(overflows))
