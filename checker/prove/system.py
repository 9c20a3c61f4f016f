"""A model as the solver sees it: unknown states, hypotheses about them, steps, and denials of what should follow."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import z3

from ...model.action import Action
from ...model.expr import Expr, Op, after, free, setting
from ...model.property import Property
from ...model.protocol import Model
from ..explore.flat import FlatClause, clauses
from .reading import Domain
from .smt import Term, conj, disj, implies, neg
from .triggers import for_all
from .trust import counted
from .values import Shape

Leaves = Mapping[Expr, Shape]


@dataclass(frozen=True)
class Transition:
    """One action from an unknown state: its parameters and guard, and the state it leads to."""

    action: Action
    params: Leaves
    guard: tuple[Term, ...]
    later: Leaves


class System:
    """A model under a domain.

    Args:
        limits: whether actions keep the limits of a search.
        ranges: whether integers are taken to be in their ranges (a search) or nothing is taken for granted (a proof).
    """

    def __init__(self, model: Model, domain: Domain, *, limits: bool = False, ranges: bool = False) -> None:
        self.model, self.domain, self.limits, self.ranges = model, domain, limits, ranges
        self._clauses: dict[Expr, tuple[FlatClause, ...]] = {}
        self._hypotheses: dict[tuple[Expr, int], tuple[Term, ...]] = {}
        self._states: dict[str, Leaves] = {}
        self._counted = tuple(each for each in counted(model) if domain.listed(each) is None)

    def state(self, tag: str = "") -> Leaves:
        """A state of which nothing is known."""
        if tag not in self._states:
            fields = self.model.fields
            self._states[tag] = {each.expr: self.domain.symbol(f"{each.name}{tag}", each.sort) for each in fields}
        return self._states[tag]

    def initial(self) -> Leaves:
        """The state that the model starts in."""
        return {each.expr: self.domain.read(each.initial, {}) for each in self.model.fields}

    def proper(self, state: Leaves) -> tuple[Term, ...]:
        """Return what the shape of a state alone implies, and that no setting is smaller than it may be."""
        free = (each for each in self.model.settings if each.name not in self.domain.kept)
        settings = [self.domain.read(setting(each), {}) >= each.at_least for each in free]
        found = (self.domain.proper(state[each.expr], each.sort, ranges=self.ranges) for each in self.model.fields)
        sizes = [self.domain.counting(each) for each in self._counted]
        return (*settings, *sizes, *(each for each in found if each is not True))

    @property
    def exact(self) -> bool:
        """Check whether an assignment is a state: not where sets of any number of elements are counted."""
        return not self._counted

    def step(self, action: Action, state: Leaves, tag: str = "") -> Transition:
        """One step of an action."""
        domain = self.domain
        params = {each: z3.Const(f"{each.data}{tag}", domain.sort(each.sort)) for each in action.params}
        leaves, done = {**state, **params}, dict[Expr, Shape]()
        guard = [domain.within(each.sort, params[each]) for each in action.params]
        parts = (*action.guard, *action.limits) if self.limits else action.guard
        guard += [domain.read(each.condition, leaves, done) for each in parts]
        written = {each.field: domain.read(each.value, leaves, done) for each in action.updates}
        return Transition(action, params, tuple(each for each in guard if each is not True), {**state, **written})

    def clauses(self, condition: Expr) -> tuple[FlatClause, ...]:
        if condition not in self._clauses:
            self._clauses[condition] = clauses(condition)
        return self._clauses[condition]

    def hypothesis(self, prop: Property, state: Leaves) -> tuple[Term, ...]:
        """A property as assertions that the solver instantiates."""
        key = (prop.condition, id(state))
        if key not in self._hypotheses:
            found = itertools.chain.from_iterable(
                self._assertions(each, state) for each in self.clauses(prop.condition)
            )
            self._hypotheses[key] = tuple(each for each in found if each is not True)
        return self._hypotheses[key]

    def denial(self, prop: Property, state: Leaves, later: Leaves | None = None) -> Term:
        """Some instance of the property fails."""
        leaves = {**state, **{after(field): shape for field, shape in (later or {}).items()}}
        parts = enumerate(self.clauses(prop.condition))
        return disj(*(self._fails(each, leaves, f".{index}") for index, each in parts))

    def _assertions(self, clause: FlatClause, state: Leaves) -> Iterator[Term]:
        """The clause for all values of its variables; those of short lists are written out."""
        lists = [self.domain.listed(each.sort) for each in clause.variables]
        unknown = {
            each: z3.Const(str(each.data), self.domain.sort(each.sort))
            for each, values in zip(clause.variables, lists, strict=True)
            if values is None
        }
        choices = [
            [unknown[each]] if values is None else values for each, values in zip(clause.variables, lists, strict=True)
        ]
        for chosen in itertools.product(*choices):
            bound = dict(zip(clause.variables, chosen, strict=True))
            yield for_all(list(unknown.values()), self._holds(clause, {**state, **bound}, bound))
        named = _named_by_conditions(clause)
        if len(unknown) == len(clause.variables) and named:
            leaves = {**state, **{each: term for each, term in unknown.items() if each not in named}}
            held = {each: self.domain.read(option, leaves) for each, option in named.items()}
            bound = {each: term for each, term in unknown.items() if each not in named}
            every = {**leaves, **{each: shape.value for each, shape in held.items()}}
            yield for_all(list(bound.values()), self._holds(clause, every, bound))

    def _holds(self, clause: FlatClause, leaves: Leaves, bound: Leaves) -> Term:
        done: dict[Expr, Shape] = {}
        ranges = [self.domain.within(each.sort, term) for each, term in bound.items()]
        given = [self.domain.read(each, leaves, done) for each in clause.conditions]
        return implies(conj(*ranges, *given), self.domain.read(clause.conclusion, leaves, done))

    def _fails(self, clause: FlatClause, state: Leaves, tag: str) -> Term:
        bound: dict[Expr, Any] = {}
        for each in clause.variables:
            bound[each] = z3.Const(f"{each.data}{tag}", self.domain.sort(each.sort))
        leaves, done = {**state, **bound}, dict[Expr, Shape]()
        ranges = [self.domain.within(each.sort, term) for each, term in bound.items()]
        given = [self.domain.read(each, leaves, done) for each in clause.conditions]
        return conj(*ranges, *given, neg(self.domain.read(clause.conclusion, leaves, done)))


def _named_by_conditions(clause: FlatClause) -> dict[Expr, Expr]:
    """Variables that a condition `option = some(variable)` determines, with the option.

    The clause is asserted once more with what the option holds in the variable's place: then the option's own term, not
    only one about the variable, makes the solver use it.
    """
    found: dict[Expr, Expr] = {}
    for condition in clause.conditions:
        if condition.op is not Op.EQ:
            continue
        for option, value in (condition.args, condition.args[::-1]):
            one = value.args[0] if value.op is Op.SOME else None
            if one in clause.variables and one is not None and one not in found:
                reads = free(option)
                if one not in reads and not reads & set(found):
                    found[one] = option
    return found
