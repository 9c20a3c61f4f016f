"""Rules of the audit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ....model.evaluate import name_of
from ....model.expr import Expr, free, ite, true
from ....model.sorts import same
from ....specs.errors import unknown
from ....specs.releases import ALL, span
from ....traces.timeline import Lost
from ..catalogue import observations
from ..fields import gap, releases, unsure
from ..table.encoding import where_absent
from ..table.protocol import Row
from .conditions import in_releases
from .remedy import Remedy
from .shown_by import NOTHING_LED_THERE
from .verdicts import SILENT, VERDICT, at_most_unknown

Text = Callable[[Row], str]


@dataclass(frozen=True)
class Rule:
    """One claim about every row of one observation.

    Raises:
        UnknownNameError: there is no such observation, or it lacks a column that verdict or applies reads.
        TypeError: the verdict has another sort, or a column is read with another sort than it has.
    """

    code: str
    """A code that never changes its meaning."""
    name: str
    """A few words with dashes that say what is wrong."""
    observation: str
    """The name of the observation (observe/) whose rows the rule looks at."""
    verdict: Expr
    """An expression of the sort VERDICT. Where a column that it reads is absent, the rule is silent."""
    message: Text
    """A sentence on what happened, from the columns of a row and the `verdict`."""
    expected: Text
    """A phrase on what should have been."""
    got: Text
    """A phrase on what was found."""
    cause: Text | None = None
    """The thing that several rows that break the rule have in common, if that is more than their controller epoch."""
    applies: Expr = true
    """The rows that the rule is about."""
    kind: str = "partition"
    """The kind of entity that a finding names: partition, replica or controller; for a metadata log also topic, broker
    and quorum.
    """
    former_names: tuple[str, ...] = ()
    """Names that the rule had in earlier releases of this program; it is still found by them."""
    issues: tuple[str, ...] = ()
    """KAFKA issues and KIPs."""
    bug: str | None = None
    """The behaviour (specs/behaviours.toml) that is this fault as a known bug."""
    releases: str = "all"
    """The releases that the rule is about, as specs.releases.span reads them. On a row that can be of none of these the
    rule is silent.
    """
    follows_from: tuple[str, ...] = ()
    """Codes of rules whose findings explain those of this one."""
    contradicts: Callable[[Row], bool] = lambda row: True
    """Returns whether a row that breaks the rule and its previous line (before_file, before_line) contradict each
    other; asked only of rules that look back.
    """
    remedy: Remedy | None = None
    """The remedy for a finding; every rule but those of tests has one."""
    lost: Callable[[Row], Lost] | None = None
    """Returns the committed records that a row reports as gone."""
    compares: bool = False
    """True if the rule's rows compare two places without columns of the one before."""
    shows: tuple[str, ...] = ()
    """Names of what a row that breaks the rule shows about the log itself (shown_by.py)."""
    page: str = ""
    """The docstring of the rule's module (catalogue.py)."""
    family: str = ""
    """The folder of the rule's module, which names the component that the rule judges."""

    def __post_init__(self) -> None:
        if self.verdict.sort != VERDICT:
            raise TypeError(f"{self.code}: the verdict is a {self.verdict.sort}, expected a {VERDICT}")
        if self.observation not in observations():
            raise unknown(f"observation of the rule {self.code}:", self.observation, observations())
        columns = observations()[self.observation].columns
        for leaf in self.reads:
            name = name_of(leaf)
            where = f"column of the observation {self.observation}"
            if name not in columns:
                raise unknown(f"{where}, read by the rule {self.code}:", name, columns)
            alike = where_absent(leaf.sort) == where_absent(columns[name])
            if not (same(leaf.sort, columns[name]) and alike):
                raise TypeError(f"{self.code} reads a {leaf.sort}; the {where} {name!r} is a {columns[name]}")

    @property
    def reads(self) -> tuple[Expr, ...]:
        """The columns that the rule's judgement reads, as fields."""
        return tuple(sorted(free(self.judgement), key=name_of))

    @property
    def judgement(self) -> Expr:
        """The verdict of a row that the rule is about, "silent" of any other."""
        in_its_releases = true if span(self.releases) == ALL else _may_be_of(self.releases)
        knows_all = "unsure" not in observations()[self.observation].columns
        verdict = self.verdict if knows_all else at_most_unknown(self.verdict, unsure)
        return ite(self.applies & in_its_releases, verdict, SILENT)

    @property
    def asks_for_gaps(self) -> str | None:
        """The column that makes the verdict depend on missing lines, if there is one."""
        return next((leaf.data for leaf in free(self.verdict) if leaf.data in ("gap", "lossy")), None)

    @property
    def excuses(self) -> tuple[str, ...]:
        """The names of what may explain a row that breaks the rule (doubt/excuses/)."""
        return observations()[self.observation].made_from.excuses

    @cached_property
    def compares_lines(self) -> bool:
        """True if the verdict depends on whether a line is missing between the two that it compares."""
        return gap in self.reads

    @property
    def rests_on_lines_above(self) -> bool:
        """True if a row that it fails contradicts lines above, and no one line that is missing explains it."""
        return self.compares_lines and NOTHING_LED_THERE not in self.shows

    @property
    def looks_back(self) -> bool:
        """True if the rule reads what the previous line shows."""
        return self.compares or any(
            name_of(leaf) == "before" or name_of(leaf).startswith("before_") for leaf in self.reads
        )


def _may_be_of(text: str) -> Expr:
    return releases.intersects(in_releases(text))
