"""Known bugs of Kafka: the releases that have each, the signs that name it, and its remedy. Data: bugs.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from . import toml
from .errors import TableError, unknown
from .happenings import STAGES
from .release_sets import ALL, TAGS

MODES: Mapping[str, str] = {"kraft": "KRaft", "migration": "migrations", "any": "both modes"}
"""The clusters that can have a bug, with their names for people."""
HARMS: Mapping[str, str] = {
    "loses": "loses data",
    "stops": "stops a node or a partition",
    "disturbs": "disturbs the cluster",
}
"""The harm that a bug does at worst, with words for it, the worst first."""
EACH_TAG: tuple[str, ...] = tuple(tag for tags in TAGS for tag in tags)
"""All releases with their patch numbers, oldest first."""


@dataclass(frozen=True)
class Trace:
    """A line that reports a fault, or the stack trace after one."""

    line: str | None
    """The row of the line table that reports it; None: any that reports a fault or a failure."""
    throwable: str | None
    """The end of the class of the first throwable after the line; None: any, or none."""
    marks: tuple[str, ...]
    """Texts that lines of the stack trace contain, the first line included: all of them are there."""
    unsure: bool
    """True if something else can leave it as well."""

    def shown(self, line: str, trace: Sequence[str]) -> bool:
        """Return whether a line of a row, and the stack trace after it, are the sign."""
        if self.line not in (None, line):
            return False
        if self.throwable is None:
            return True
        thrown = trace[0].partition(":")[0].strip() if trace else ""
        return thrown.endswith(self.throwable) and all(any(mark in each for each in trace) for mark in self.marks)


@dataclass(frozen=True)
class Moment:
    """Something that happened to the cluster."""

    what: str
    """A word of the vocabulary (happenings.toml)."""
    says: tuple[str, ...]
    """Texts that its reason contains."""
    beside: str | None
    """The word for what happened shortly before, and names the node in its reason; None: nothing has to."""
    without: tuple[str, ...]
    """Words for what did not happen at about the time at which it began, to its node, if any, or a controller."""
    longest: int
    """The milliseconds that it lasted at least."""
    unsure: bool
    """True if something else can leave it as well."""


@dataclass(frozen=True)
class Finding:
    """A finding of a rule that the bug explains."""

    rule: str
    """The rule's code."""
    having: tuple[tuple[str, str], ...]
    """The values of columns of the row that the finding is about."""
    unsure: bool
    """True if something else can leave it as well."""

    def explains(self, rule: str, row: Mapping[str, object]) -> bool:
        """Return whether a rule's finding about a row is the sign."""
        return self.rule == rule and all(row.get(name) == value for name, value in self.having)


@dataclass(frozen=True)
class Bug:
    """A bug of Kafka."""

    issue: str
    """Its number: "KAFKA-14946"."""
    meaning: str
    """A sentence on what goes wrong."""
    harm: str
    """A name of HARMS."""
    stage: str
    """The stage (happenings.py) at which an operator does what helps until the upgrade."""
    mode: str
    """A name of MODES."""
    since: str
    """The first release that has it."""
    fixed: tuple[str, ...]
    """The first releases of their lines that do not have it; empty: no release is without it."""
    mark: str
    """A sentence on what a log shows of it."""
    signs: tuple[Trace | Moment | Finding, ...]
    """The signs by which reports name it; a rule or a behaviour that has its number names it as well."""
    now: str
    """Sentences on what helps until the upgrade."""
    verify: str
    """A command, and what it shows if that helped."""
    behaviour: str | None
    """The behaviour (behaviours.toml) that switches it on in a model."""
    beyond: str | None
    """The reason why no model has it; None where one does."""
    source: str
    """A class of Kafka, and the commit of the fix."""

    @cached_property
    def affected(self) -> frozenset[str]:
        """The releases that have it, with their patch numbers."""
        return frozenset(tag for tag in EACH_TAG if self.is_in(tag))

    @cached_property
    def releases(self) -> int:
        """Bitmask of the rows of releases.toml of which some release has it."""
        return sum(1 << index for index, tags in enumerate(TAGS) if not self.affected.isdisjoint(tags))

    @property
    def advice(self) -> str:
        """The issue, and where it is fixed."""
        return f"{self.issue}, {self.where_fixed}"

    @property
    def where_fixed(self) -> str:
        """The words for the releases that are without it: "fixed in 3.4.1 and 3.5.0"."""
        *most, last = self.fixed or ("",)
        return f"fixed in {', '.join(most)}{' and ' * bool(most)}{last}" if last else "not fixed in any release"

    @property
    def upgrade(self) -> str:
        """The releases to upgrade to; empty if there is none."""
        return f"{', '.join(self.fixed)} or later" if self.fixed else ""

    def is_in(self, tag: str) -> bool:
        """Return whether a release has it: "3.7.1"."""
        asked, fixes = numbers(tag), [numbers(each) for each in self.fixed]
        if asked < numbers(self.since):
            return False
        return not any(asked >= each and (line_of(asked) == line_of(each) or each == max(fixes)) for each in fixes)

    def named(self, *, unsure: bool) -> str:
        """Return its name in a report."""
        return f"looks like {self.advice}" if unsure else self.advice


def numbers(tag: str) -> tuple[int, ...]:
    """Return the numbers of a release."""
    return tuple(map(int, tag.split(".")))


def line_of(release: tuple[int, ...]) -> tuple[int, ...]:
    return release[:3] if release[0] == 0 else release[:2]


@cache
def bugs() -> Mapping[str, Bug]:
    """Return all of them by their number, in the order of the file.

    Raises:
        TableError: a row lacks a key, or a sign would show everywhere.
    """
    found: dict[str, Bug] = {}
    for row in toml.read(toml.FOLDER / "bugs.toml")["bug"]:
        one = _bug(row)
        if one.issue in found:
            raise TableError(f"bugs.toml: {one.issue} is there twice")
        found[one.issue] = one
    return found


def bugs_of(tag: str) -> list[Bug]:
    """Return the bugs that a release has, in the order of the file.

    Raises:
        UnknownNameError: there is no such release.
    """
    if tag not in EACH_TAG:
        raise unknown("release", tag, EACH_TAG)
    return [each for each in bugs().values() if tag in each.affected]


def known_bug(line: str, trace: Sequence[str]) -> tuple[Bug, Trace] | None:
    """Return the bug that a line of a row, and the stack trace after it, show, with its sign; None if none is known."""
    found = ((bug, sign) for bug, sign in _signs() if isinstance(sign, Trace) and sign.shown(line, trace))
    return min(found, key=lambda pair: pair[1].unsure, default=None)


def moments_of(what: str) -> list[tuple[Bug, Moment]]:
    """Return the bugs that something that happened may be the sign of."""
    return [(bug, sign) for bug, sign in _signs() if isinstance(sign, Moment) and sign.what == what]


def explaining(rule: str, row: Mapping[str, Any]) -> tuple[Bug, Finding] | None:
    """Return the bug that explains a rule's finding about a row, in the releases that the row may be of."""
    mask = row.get("releases", 0)
    for bug, sign in _signs():
        if isinstance(sign, Finding) and bug.releases & mask and sign.explains(rule, row):
            return bug, sign
    return None


def _signs() -> Iterator[tuple[Bug, Trace | Moment | Finding]]:
    for bug in bugs().values():
        for sign in bug.signs:
            yield bug, sign


_KEYS = ("issue", "meaning", "harm", "stage", "mode", "since", "fixed", "mark", "now", "verify", "source")


def _bug(row: Mapping[str, Any]) -> Bug:
    where = f"bugs.toml, {row.get('issue', 'a row without issue')}"
    toml.check_keys(row, where, _KEYS, ("sign", "behaviour", "beyond"))
    if row["mode"] not in MODES:
        raise TableError(f"{where}: expected a mode of {', '.join(MODES)}, got {row['mode']!r}")
    if row["harm"] not in HARMS or row["stage"] not in STAGES:
        raise TableError(f"{where}: expected a harm of {', '.join(HARMS)}, and a stage of {', '.join(STAGES)}")
    if ("behaviour" in row) == ("beyond" in row):
        raise TableError(f"{where}: expected a behaviour, or why there is none (beyond)")
    if unknown_tags := {row["since"], *row["fixed"]} - {*EACH_TAG}:
        raise TableError(f"{where}: no releases of releases.toml: {', '.join(sorted(unknown_tags))}")
    signs = tuple(_sign(each, where) for each in row.get("sign", ()))
    made = Bug(
        row["issue"],
        row["meaning"],
        row["harm"],
        row["stage"],
        row["mode"],
        row["since"],
        tuple(row["fixed"]),
        row["mark"],
        signs,
        row["now"],
        row["verify"],
        row.get("behaviour"),
        row.get("beyond"),
        row["source"],
    )
    if not made.releases & ALL:
        raise TableError(f"{where}: no release has it")
    return made


def _sign(row: Mapping[str, Any], where: str) -> Trace | Moment | Finding:
    unsure = row.get("unsure", False)
    if "rule" in row:
        toml.check_keys(row, where, ("rule",), ("having", "unsure"))
        return Finding(row["rule"], tuple(row.get("having", {}).items()), unsure)
    if "what" in row:
        toml.check_keys(row, where, ("what",), ("says", "beside", "without", "longest", "unsure"))
        if not {"says", "beside", "longest"} & {*row}:
            raise TableError(f"{where}: expected more of what happened than the word {row['what']}")
        says, without = (tuple(row.get(name, ())) for name in ("says", "without"))
        return Moment(row["what"], says, row.get("beside"), without, row.get("longest", 0), unsure)
    toml.check_keys(row, where, (), ("line", "throwable", "marks", "unsure"))
    if "line" not in row and not ("throwable" in row and row.get("marks")):
        raise TableError(f"{where}: expected a line, or a throwable with marks")
    return Trace(row.get("line"), row.get("throwable"), tuple(row.get("marks", ())), unsure)
