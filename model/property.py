"""Properties: named conditions over one state or view, or over a step from one to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import DefinitionError
from .expr import Expr, Op, free
from .sorts import Bool

Kind = Literal["always", "sometimes", "step"]


@dataclass(frozen=True)
class Property:
    """A named condition.

    * *always*: it holds in every reachable state.
    * *sometimes*: it holds in some reachable state, or for some step if it reads fields `after` it; else the model is
      not alive.
    * *step*: it holds for every step; the condition reads fields before and `after` it.
    """

    name: str
    statement: str
    condition: Expr
    kind: Kind = "always"
    cites: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.condition, Expr):
            raise DefinitionError(f"property {self.name}: the condition is {self.condition!r}, expected an expression")
        if self.condition.sort != Bool:
            raise DefinitionError(f"property {self.name}: the condition is a {self.condition.sort}, expected a Bool")
        if not self.statement:
            raise DefinitionError(f"property {self.name} needs a sentence that says what it means")
        if self.kind not in ("always", "sometimes", "step"):
            raise DefinitionError(
                f"property {self.name}: unknown kind {self.kind!r}; expected always, sometimes or step"
            )
        if self.needs_after and self.kind == "always":
            raise DefinitionError(
                f"property {self.name} reads {', '.join(self.needs_after)} after a step; expected the kind 'step'"
            )
        if self.kind == "step" and not self.needs_after:
            raise DefinitionError(
                f"property {self.name} reads nothing after a step; write after(field), or the kind 'always'"
            )
        loose = sorted(leaf.data for leaf in free(self.condition) if leaf.op is Op.VAR)
        if loose:
            raise DefinitionError(f"property {self.name}: {', '.join(loose)} is bound by no quantifier")

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields that it reads before the step (or in the one state), sorted."""
        return tuple(sorted(leaf.data for leaf in free(self.condition) if leaf.op is Op.FIELD))

    @property
    def needs_after(self) -> tuple[str, ...]:
        """The fields that it reads after the step, sorted."""
        return tuple(sorted(leaf.data for leaf in free(self.condition) if leaf.op is Op.AFTER))
