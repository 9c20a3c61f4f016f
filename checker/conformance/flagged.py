"""flagged.toml: what an audit says of the log of a counterexample, or which line it lacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...specs import toml
from ...specs.errors import TableError

FILE = Path(__file__).parent / "flagged.toml"


@dataclass(frozen=True)
class Flagged:
    """A property that is violated, by what it shows, and the rule that flags a line of a step; or what the log lacks.

    `levels`: of state.change.logger, those at which the rule sees it. `beside`: other rules that doubt a line of the
    run.
    """

    prop: str
    shows: str
    rule: str | None = None
    step: str | None = None
    levels: tuple[str, ...] = ()
    lacks: str = ""
    beside: tuple[str, ...] = ()

    @property
    def verdict_text(self) -> str:
        """Return the verdict in words."""
        beside = f"; {' and '.join(self.beside)} beside it" if self.beside else ""
        if not self.rule:
            return f"the log lacks {self.lacks}{beside}"
        return f"{self.rule} at {self.step}, {' and '.join(self.levels)}{beside}"


@cache
def rows() -> tuple[Flagged, ...]:
    """The rows of the file.

    Raises:
        TableError: a row has a key that it cannot have, or a rule and a reason why there is none.
    """
    found = []
    for each in toml.read(FILE)["counterexample"]:
        name = f"flagged.toml, {each.get('property')}"
        toml.check_keys(each, name, ("property", "shows"), ("rule", "step", "levels", "lacks", "beside"))
        row = Flagged(
            each["property"],
            each["shows"],
            each.get("rule"),
            each.get("step"),
            tuple(each.get("levels", ())),
            each.get("lacks", ""),
            tuple(each.get("beside", ())),
        )
        if bool(row.lacks) == bool(row.rule and row.step and row.levels):
            raise TableError(f"{name}: expected a rule with its step and levels, or what the log lacks")
        found.append(row)
    return tuple(found)
