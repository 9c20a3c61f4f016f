"""What a rule of the audit is."""

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
from ..table.protocol import Row
from .conditions import in_releases
from .remedy import Remedy
from .shown_by import NOTHING_LED_THERE
from .verdicts import SILENT, VERDICT, at_most_unknown

Text = Callable[[Row], str]


@dataclass(frozen=True)
class Rule:
    """One claim about every row of one observation.

    Args:
        code: never changes its meaning.
        name: what is wrong, in a few words with dashes.
        observation: the name of the observation (observe/) whose rows it looks at.
        verdict: an expression of the sort VERDICT. Where a column that it reads is absent, the rule says nothing.
        applies: the rows that the rule is about.
        message: what happened, for people, from the columns of a row and the `verdict`; expected and got likewise.
        cause: what several rows that the rule fails have in common, if that is more than their controller epoch.
        kind: of the entity that a finding names: partition, replica, controller; of a metadata log also topic,
            broker and quorum.
        releases: those that the rule is about, as specs.releases.span reads them. Of a row that can be of none of these
            the rule says nothing.
        issues: KAFKA issues and KIPs; bug: the behaviour (specs/behaviours.toml) that is this fault as a known bug.
        follows_from: codes of rules whose findings explain those of this one.
        remedy: what to do about a finding; every rule that is not a test's own has one.
        lost: the committed records that a row says are gone.
        shows: what a row that it fails shows of the log itself (shown_by.py).
        compares: whether its rows set two places against each other without columns of the one before.
        page, family: of its module (catalogue.py): its docstring and its folder, which says whose doing it judges.
        contradicts: whether a row that the rule fails and its line before (before_file, before_line) contradict each
            other; asked only of rules that look back.

    Raises:
        UnknownNameError: there is no such observation, or it lacks a column that verdict or applies reads.
        TypeError: the verdict is none, or a column is read with another sort than it has.
    """

    code: str
    name: str
    observation: str
    verdict: Expr
    message: Text
    expected: Text
    got: Text
    cause: Text | None = None
    applies: Expr = true
    kind: str = "partition"
    issues: tuple[str, ...] = ()
    bug: str | None = None
    releases: str = "all"
    follows_from: tuple[str, ...] = ()
    contradicts: Callable[[Row], bool] = lambda row: True
    remedy: Remedy | None = None
    lost: Callable[[Row], Lost] | None = None
    compares: bool = False
    shows: tuple[str, ...] = ()
    page: str = ""
    family: str = ""

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
            if not same(leaf.sort, columns[name]):
                raise TypeError(f"{self.code} reads a {leaf.sort}; the {where} {name!r} is a {columns[name]}")

    @property
    def reads(self) -> tuple[Expr, ...]:
        """The columns that its judgement reads, as fields."""
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
        """The column by which its verdict depends on missing lines, if it does."""
        return next((leaf.data for leaf in free(self.verdict) if leaf.data in ("gap", "lossy")), None)

    @property
    def excuses(self) -> tuple[str, ...]:
        """What may explain a row that it fails, by name (doubt/excuses/)."""
        return observations()[self.observation].made_from.excuses

    @cached_property
    def compares_lines(self) -> bool:
        """Whether it counts in its verdict whether a line is missing between the two that it compares."""
        return gap in self.reads

    @property
    def rests_on_lines_above(self) -> bool:
        """Whether a row that it fails contradicts lines above, and no one line that is missing explains it."""
        return self.compares_lines and NOTHING_LED_THERE not in self.shows

    @property
    def looks_back(self) -> bool:
        """Whether it reads what the line before shows."""
        return self.compares or any(
            name_of(leaf) == "before" or name_of(leaf).startswith("before_") for leaf in self.reads
        )


def _may_be_of(text: str) -> Expr:
    return releases.intersects(in_releases(text))
