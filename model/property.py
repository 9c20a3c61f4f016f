"""Properties: named conditions over one state or view, or over a step from one to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from .errors import DefinitionError
from .expr import Expr, Op, free
from .sorts import Bool

Kind = Literal["always", "sometimes", "step", "leads_to"]
KINDS = get_args(Kind)


@dataclass(frozen=True)
class Property:
    """A named condition.

    * *always*: it holds in every reachable state.
    * *sometimes*: it holds in some reachable state, or for some step if it reads fields `after` it; else the model is
      not alive.
    * *step*: it holds for every step; the condition reads fields before and `after` it.
    * *leads_to*: after every state where it holds the `goal` holds in some later state (or in the same), as long as no
      action of `fair` (by name, for each choice of its parameters) is put off forever while it can always be taken.
    """

    name: str
    statement: str
    condition: Expr
    kind: Kind = "always"
    cites: tuple[str, ...] = ()
    goal: Expr | None = None
    fair: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.condition, Expr):
            raise DefinitionError(f"property {self.name}: the condition is {self.condition!r}, expected an expression")
        if self.condition.sort != Bool:
            raise DefinitionError(f"property {self.name}: the condition is a {self.condition.sort}, expected a Bool")
        if not self.statement:
            raise DefinitionError(f"property {self.name} needs a sentence that states its meaning")
        if self.kind not in KINDS:
            raise DefinitionError(
                f"property {self.name}: unknown kind {self.kind!r}; expected {', '.join(KINDS[:-1])} or {KINDS[-1]}"
            )
        if (self.goal is not None) != (self.kind == "leads_to"):
            raise DefinitionError(f"property {self.name}: only the kind 'leads_to' has a goal")
        if self.goal is not None and self.goal.sort != Bool:
            raise DefinitionError(f"property {self.name}: the goal is a {self.goal.sort}, expected a Bool")
        if self.fair and self.kind != "leads_to":
            raise DefinitionError(f"property {self.name}: only the kind 'leads_to' has fairness")
        if self.needs_after and self.kind in ("always", "leads_to"):
            raise DefinitionError(
                f"property {self.name} reads {', '.join(self.needs_after)} after a step; expected the kind 'step'"
            )
        if self.kind == "step" and not self.needs_after:
            raise DefinitionError(
                f"property {self.name} reads nothing after a step; write after(field), or the kind 'always'"
            )
        loose = sorted(leaf.data for each in self.conditions for leaf in free(each) if leaf.op is Op.VAR)
        if loose:
            raise DefinitionError(f"property {self.name}: {', '.join(loose)} is bound by no quantifier")

    @property
    def conditions(self) -> tuple[Expr, ...]:
        """The condition, and the goal if it has one."""
        return (self.condition,) if self.goal is None else (self.condition, self.goal)

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields that it reads before the step (or in the one state), sorted."""
        return tuple(sorted({leaf.data for each in self.conditions for leaf in free(each) if leaf.op is Op.FIELD}))

    @property
    def needs_after(self) -> tuple[str, ...]:
        """The fields that it reads after the step, sorted."""
        return tuple(sorted({leaf.data for each in self.conditions for leaf in free(each) if leaf.op is Op.AFTER}))
