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
STAGES: Mapping[str, str] = {
    "keep": "what would be lost otherwise",
    "quorum": "the controllers",
    "node": "brokers",
    "directory": "log directories",
    "partition": "leaders and replicas",
    "topic": "deletions and reassignments",
    "last": "what keeps it from happening again",
}
"""The stages of an operator's work, in their order, each with what it brings back."""


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
    stage: str | None
    """The stage at which an operator does that, a name of STAGES; None where nothing is to be done."""
    run: str | None
    """The command of that step, as the newest release has it; None where it takes none."""
    check: str | None
    """A command, as the newest release has it, and what it shows if the step helped."""
    last_resort: str | None
    """The step that is left if that does not help, and what it loses."""
    last_run: str | None
    """The command of that step."""
    cause: str | None
    """The matter that it is of, where it can be the cause of other trouble; None: something else causes it."""

    def is_trouble(self, length: int | None, *, lasts: bool) -> bool:
        """Return whether it is trouble for a cluster, by its length in milliseconds."""
        if self.trouble in ("always", "unless-over") or (self.trouble == "lasting" and lasts):
            return True
        return self.longer is not None and length is not None and length > self.longer


_OF_STEPS = ("stage", "run", "check", "last_resort", "last_run", "cause")


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
        toml.check_keys(row, where, required, ("longer", "over", "calm", "spell", "todo", *_OF_STEPS))
        for column, known in (("subject", SUBJECTS), ("trouble", TROUBLE)):
            if row[column] not in known:
                raise TableError(f"{where}: {column} is {row[column]!r}; known are {', '.join(known)}")
        to_do = "todo" in row and (row["trouble"] != "never" or "longer" in row)
        if to_do != ("stage" in row) or row.get("stage", "last") not in STAGES:
            raise TableError(f"{where}: trouble with something to do has one stage of {', '.join(STAGES)}")
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
            *map(row.get, _OF_STEPS),
        )
    return found
