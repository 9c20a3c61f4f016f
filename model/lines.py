"""Lines that a step writes into logs: rows of the line table, with their fields as expressions over the step.

One declaration has two readings: rendered, it is the log of a simulated run; matched, it decides whether some run of
the model writes a given log (`isrproof simulate`, `isrproof validate`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .errors import DefinitionError
from .expr import Expr, Op, free, true
from .sorts import Value


@dataclass(frozen=True)
class Line:
    """One line, or one for each value of some variables.

    * `row`: its id in the line table (specs/lines). A release that has no wording for it does not write it.
    * `speaker`: the broker whose log has it.
    * `fields`: columns of an event -> what is printed there: an expression over the state before, the parameters, the
      variables of `over` and the state `after`; or a plain value. A topic is printed as `topic` and `partition`.
    * `given`: the condition for it. `over`: one line for each value of these, in an unknown order.
    * `then`: lines that follow at once, such as a stack trace.
    """

    row: str
    speaker: Expr
    fields: Mapping[str, Expr | Value]
    given: Expr = true
    over: tuple[Expr, ...] = ()
    then: tuple[Line, ...] = ()

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """All that is read when the line is written."""
        printed = tuple(each for each in self.fields.values() if isinstance(each, Expr))
        return (self.speaker, self.given, *printed, *(each for line in self.then for each in line.expressions))


Block = tuple[Line, ...]
"""Lines in any order; a step writes its blocks one after the other."""


def check(owner: str, blocks: Iterable[Block], params: tuple[Expr, ...]) -> None:
    """Refuse a line that reads a variable that nobody binds.

    Raises:
        DefinitionError: with the variable.
    """
    for line in (line for block in blocks for line in block):
        for expr in line.expressions:
            for leaf in free(expr):
                if leaf.op is Op.VAR and leaf not in (*params, *line.over):
                    raise DefinitionError(
                        f"action {owner}, line {line.row}: `{leaf!r}` is neither a parameter nor bound by the line"
                    )
