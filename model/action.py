"""Actions: guarded steps with parameters, labelled clauses and simultaneous updates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import DefinitionError, SortError
from .expr import Expr, Op, false, free, lift, true
from .lines import Block, check
from .ranges import outside
from .sorts import Bool, Value, is_key


@dataclass(frozen=True)
class Clause:
    """One labelled conjunct of a guard.

    `waiver`: why the clause may stay although no property needs it (`isrproof explore --mutate`).
    """

    label: str
    condition: Expr
    waiver: str = ""


@dataclass(frozen=True)
class Update:
    """`field' = value`. Fields without an update keep their value."""

    field: Expr
    value: Expr


@dataclass(frozen=True)
class Action:
    """One guarded step.

    * `guard`: all clauses must hold. A clause that is a disjunction counts as one successor per true disjunct, as TLC
      counts it (the states are the same); below a quantifier, an implication or a negation nothing is split.
    * `limits`: clauses that only keep a search finite (room in the log, epochs left). A proof leaves them out.
    * `updates`: all at once, read in the state before the step.
    * `prints`: what the step writes into logs.
    """

    name: str
    statement: str
    params: tuple[Expr, ...]
    guard: tuple[Clause, ...]
    updates: tuple[Update, ...]
    limits: tuple[Clause, ...] = ()
    cites: tuple[str, ...] = ()
    prints: tuple[Block, ...] = ()

    def __post_init__(self) -> None:
        self._check_params()
        self._check_clauses()
        self._check_updates()
        self._check_reads()
        check(self.name, self.prints, self.params)

    def _check_params(self) -> None:
        for param in self.params:
            if not isinstance(param, Expr) or param.op is not Op.VAR or not is_key(param.sort):
                raise DefinitionError(
                    f"action {self.name}: parameter `{param!r}` must be a variable made by var(), over a Bool, "
                    "an enum, a finite sort or an integer range"
                )
        names = [param.data for param in self.params]
        if len(set(names)) != len(names):
            raise DefinitionError(f"action {self.name} has a parameter twice: {', '.join(names)}")

    def _check_clauses(self) -> None:
        labels = [clause.label for clause in (*self.guard, *self.limits)]
        for label in labels:
            if labels.count(label) > 1:
                raise DefinitionError(f"action {self.name} has two clauses labelled {label!r}; give each its own label")
        for clause in (*self.guard, *self.limits):
            if clause.condition.sort != Bool:
                raise SortError(f"action {self.name}, {clause.label!r}: expected a Bool, got {clause.condition.sort}")

    def _check_updates(self) -> None:
        fields = [update.field for update in self.updates]
        for target in fields:
            if fields.count(target) > 1:
                raise DefinitionError(
                    f"action {self.name} updates `{target!r}` twice; combine the two into one update: "
                    "{map: map.put(one, value).put(other, value)}, {record: record.changed(a=value, b=value)}"
                )

    def _check_reads(self) -> None:
        """Check that an action reads only fields before the step, settings, and its own parameters."""
        for expr in self.expressions:
            for leaf in free(expr):
                if leaf.op is Op.AFTER:
                    raise DefinitionError(
                        f"action {self.name} reads `{leaf!r}`; actions read the state before the step"
                    )
                if leaf.op is Op.VAR and leaf not in self.params:
                    near = ", ".join(param.data for param in self.params) or "it has none"
                    raise DefinitionError(f"action {self.name} reads `{leaf!r}`, not one of its parameters: {near}")

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """The conditions and new values."""
        conditions = tuple(clause.condition for clause in (*self.guard, *self.limits))
        return conditions + tuple(update.value for update in self.updates)


def action(
    name: str,
    statement: str,
    *params: Expr,
    guard: Mapping[str, Expr | Clause],
    updates: Mapping[Expr, Expr | Value] | tuple[Update, ...],
    limits: Mapping[str, Expr] | None = None,
    cites: tuple[str, ...] = (),
    prints: tuple[Block, ...] = (),
) -> Action:
    """An action, written as it reads.

    Args:
        guard: label -> condition; `waived(condition, why)` for a clause that is known not to be needed.
        updates: a field, or a part of one -> its new value: `{hw[leader]: hw[leader] + 1}`.
        limits: label -> condition, for clauses that only keep a search finite.
        prints: blocks of lines that the step writes.

    Raises:
        ModelError: a part is not well formed, with what was expected.
    """
    for what, given in (("guard", guard), ("limits", limits or {})):
        if not isinstance(given, Mapping):
            raise DefinitionError(f"action {name}: expected {what}={{label: condition, ...}}, got {given!r}")
    if not isinstance(updates, Mapping | tuple):
        raise DefinitionError(f"action {name}: expected updates={{field: new value, ...}}, got {updates!r}")
    pairs = updates.items() if isinstance(updates, Mapping) else ((each.field, each.value) for each in updates)
    return Action(
        name=name,
        statement=statement,
        params=params,
        guard=tuple(_clause(name, label, each) for label, each in guard.items()),
        updates=tuple(update(target, value) for target, value in pairs),
        limits=tuple(_clause(name, label, each) for label, each in (limits or {}).items()),
        cites=cites,
        prints=prints,
    )


def waived(condition: Expr, why: str) -> Clause:
    """A clause whose removal breaks no property, and why it is there all the same."""
    return Clause("", condition, why)


def update(target: Expr, value: Expr | Value) -> Update:
    """The update that gives a field, an entry of a map field or a field of a record field a new value."""
    if not isinstance(target, Expr):
        raise DefinitionError(f"{target!r} cannot be updated; expected a field made by field(), not its name")
    if target.op is Op.FIELD:
        value = lift(value, target.sort)
        return Update(target, _fits(target, value))
    if target.op is Op.MAP_GET:
        owner, key = target.args
        return update(owner, owner.put(key, value))
    if target.op is Op.RECORD_GET:
        return update(target.args[0], target.args[0].changed(**{str(target.data): value}))
    raise DefinitionError(f"`{target!r}` cannot be updated; expected a field, map[key] or record['field']")


def _fits(target: Expr, value: Expr) -> Expr:
    target.eq(value)  # raises where the sorts differ
    why = outside(value, target.sort)
    if why is not None:
        raise SortError(f"field {target.data} overflows: {why}")
    return value


def _clause(owner: str, label: str, condition: Expr | Clause) -> Clause:
    if isinstance(condition, Clause):
        return Clause(label, condition.condition, condition.waiver)
    if not isinstance(condition, Expr):
        hint = "; `a == b` compares nodes, the equation is a.eq(b)" if isinstance(condition, bool) else ""
        raise DefinitionError(
            f"action {owner}, {label!r}: a condition is an expression that can be printed and proved, "
            f"not {condition!r}{hint}"
        )
    return Clause(label, condition)


def disjuncts(condition: Expr) -> list[Expr]:
    """The condition split where a search counts each true part as a successor of its own."""
    if condition.op is Op.OR:
        return [part for arg in condition.args for part in disjuncts(arg)] or [false]
    if condition.op is Op.AND:
        parts = [true]
        for arg in condition.args:
            parts = [whole & each for whole in parts for each in disjuncts(arg)]
        return parts
    return [condition]
