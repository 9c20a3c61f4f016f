"""The vocabulary of what can happen to a cluster, beside any verdict. Data: happenings.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from . import toml
from .errors import TableError

SUBJECTS = ("node", "quorum", "controller", "partition", "topic", "migration", "log")
"""The kinds of things that something can happen to, in the order of the page."""
TROUBLE = ("always", "never", "lasting", "unless-over")
"""The conditions under which something is trouble.

"lasting": nothing shows its end; "unless-over": always, unless `over`, which it comes with, is there and no trouble.
"""


@dataclass(frozen=True)
class Happening:
    """One thing that can happen to a cluster."""

    what: str
    subject: str
    """One of SUBJECTS."""
    trouble: str
    """One of TROUBLE."""
    longer: int | None
    """It is trouble, too, if it takes longer than these milliseconds."""
    over: str | None
    """The happening that it comes with, for "unless-over"."""
    calm: str | None
    """A part of its reason with which it is no trouble."""
    spell: bool
    """It takes time: it lasts until a line or record shows its end. Anything else is a moment."""
    sentence: str
    """The predicate of a sentence about its subject."""
    rests_on: str
    """The lines and records that show it."""
    misses: str
    """Things that those do not show."""
    todo: str | None
    """The advice to an operator; None where nothing is to be done."""

    def is_trouble(self, length: int | None, *, lasts: bool) -> bool:
        """Return whether it is trouble for a cluster, by its length in milliseconds."""
        if self.trouble in ("always", "unless-over") or (self.trouble == "lasting" and lasts):
            return True
        return self.longer is not None and length is not None and length > self.longer


@cache
def happenings() -> Mapping[str, Happening]:
    """Return the vocabulary by name, in the order of the file.

    Raises:
        TableError: a row contradicts the closed lists, or a name is there twice.
    """
    found: dict[str, Happening] = {}
    required = ("what", "subject", "trouble", "sentence", "rests_on", "misses")
    for row in toml.read(toml.FOLDER / "happenings.toml")["happening"]:
        where = f"happenings.toml, {row.get('what', '?')}"
        toml.check_keys(row, where, required, ("longer", "over", "calm", "spell", "todo"))
        for column, known in (("subject", SUBJECTS), ("trouble", TROUBLE)):
            if row[column] not in known:
                raise TableError(f"{where}: {column} is {row[column]!r}; known are {', '.join(known)}")
        if row["what"] in found:
            raise TableError(f"{where}: it is there twice")
        found[row["what"]] = Happening(
            row["what"],
            row["subject"],
            row["trouble"],
            row.get("longer"),
            row.get("over"),
            row.get("calm"),
            row.get("spell", False),
            row["sentence"],
            row["rests_on"],
            row["misses"],
            row.get("todo"),
        )
    return found
