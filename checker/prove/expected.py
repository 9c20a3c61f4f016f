"""expected.toml: the verdicts that `isrproof prove --matrix` must find, and that docs/proofs.md has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...model.catalogue import families
from ...model.catalogue import model as model_named
from ...model.protocol import Model
from ...model.sorts import Settings
from ...specs import toml
from ...specs.errors import TableError

FILE = Path(__file__).parent / "expected.toml"


@dataclass(frozen=True)
class Expectation:
    """A model and the expected verdicts on its properties."""

    model: str
    kept: Settings = field(default_factory=dict)
    """The settings with a number; the others are left out."""
    without: tuple[str, ...] = ()
    """The lemmas that are not tried, because they are not true in this model, or of no use."""
    holds: tuple[str, ...] = ()
    violated: Mapping[str, int] = field(default_factory=dict)
    """Property -> the number of states of the shortest counterexample."""
    unknown: tuple[str, ...] = ()
    why: str = ""
    """The need of an unknown property."""
    release: str | None = None
    """The release, of a family."""
    adding: tuple[str, ...] = ()
    """The parts that the family's model has besides."""
    leaving: tuple[str, ...] = ()
    """The parts that are left out of it."""

    @property
    def title(self) -> str:
        """The model's name, of a family with its release and parts."""
        release = f"-{self.release}" if self.release else ""
        left = (f" without {each}" for each in self.leaving)
        return "".join((self.model, release, *left, *(f" with {each}" for each in self.adding)))

    def built(self) -> Model:
        """The model.

        Raises:
            UnknownNameError: there is no such model, release or part.
        """
        if self.model in families():
            return families()[self.model].model(self.release, self.leaving, self.adding)
        return model_named(self.model)

    @property
    def verdicts(self) -> dict[str, str]:
        """Property -> "holds", "violated in 9 states" or "unknown"."""
        return {
            **dict.fromkeys(self.holds, "holds"),
            **{name: f"violated in {length} states" for name, length in self.violated.items()},
            **dict.fromkeys(self.unknown, "unknown"),
        }


def rows(path: Path = FILE) -> tuple[Expectation, ...]:
    """The rows of the file.

    Raises:
        TableError: a row has a key that it cannot have, or says two things of one property.
    """
    found = []
    for row in toml.read(path)["row"]:
        toml.check_keys(
            row,
            path.name,
            ("model",),
            ("release", "with", "leaving", "kept", "without", "holds", "violated", "unknown", "why"),
        )
        made = Expectation(
            model=row["model"],
            kept=row.get("kept", {}),
            without=tuple(row.get("without", ())),
            holds=tuple(row.get("holds", ())),
            violated=row.get("violated", {}),
            unknown=tuple(row.get("unknown", ())),
            why=row.get("why", ""),
            release=row.get("release"),
            adding=tuple(row.get("with", ())),
            leaving=tuple(row.get("leaving", ())),
        )
        if len(made.verdicts) != len(made.holds) + len(made.violated) + len(made.unknown):
            raise TableError(f"{path.name}: {made.title} has two expectations for one property")
        if made.unknown and not made.why:
            raise TableError(f"{path.name}: {made.title} has unknown properties; give the reason in `why`")
        found.append(made)
    return tuple(found)
