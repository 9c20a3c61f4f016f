"""flagged.toml: the rule by which an audit flags the log of a counterexample, or the line that it lacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...specs import toml
from ...specs.errors import TableError

FILE = Path(__file__).parent / "flagged.toml"


@dataclass(frozen=True)
class Flagged:
    """A property that is violated, and the rule that flags it; or what the log lacks."""

    prop: str
    shows: str
    """The known bug that the violation shows."""
    rule: str | None = None
    step: str | None = None
    """The step of which the rule flags a line."""
    levels: tuple[str, ...] = ()
    """The levels of state.change.logger at which the rule sees it."""
    lacks: str = ""
    beside: tuple[str, ...] = ()
    """Other rules that doubt a line of the run."""

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
            raise TableError(f"{name}: expected a rule with its step and levels, or the content that the log lacks")
        found.append(row)
    return tuple(found)
