"""What a rule of the audit is, and which rules there are: the modules of `rules/`, discovered, not registered."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc

from ...model.expr import Expr, Op, field, ite, replace, true
from ...specs.releases import in_mode, span
from .table.protocol import Row
from .vocabulary import HELD, ILLEGAL, SILENT, SUSPICIOUS, UNKNOWN, VERDICT, in_releases, releases

Text = Callable[[Row], str]


@dataclass(frozen=True)
class Rule:
    """One claim about every row of one track.

    Args:
        code: never changes its meaning.
        name: what is wrong, in a few words with dashes.
        track: the track (tracks.py) whose rows it looks at.
        verdict: an expression of the sort VERDICT. Where a column that it reads is absent, the rule says nothing.
        applies: the rows that the rule is about.
        message: what happened, for people, from the columns of a row; expected and got likewise.
        kind: of the entity that a finding names: partition, replica, controller.
        releases: those that the rule is about, as specs.releases.span reads them. Of a row that can be of none of these
            the rule says nothing.
        issues: KAFKA issues and KIPs; bug: the behaviour (specs/behaviours.toml) that is this fault as a known bug.
        follows_from: codes of rules whose findings explain those of this one.
    """

    code: str
    name: str
    track: str
    verdict: Expr
    message: Text
    expected: Text
    got: Text
    applies: Expr = true
    kind: str = "partition"
    issues: tuple[str, ...] = ()
    bug: str | None = None
    releases: str = "all"
    follows_from: tuple[str, ...] = ()
    page: str = ""

    def __post_init__(self) -> None:
        if self.verdict.sort != VERDICT:
            raise TypeError(f"{self.code}: the verdict is a {self.verdict.sort}, expected a {VERDICT}")

    @property
    def judgement(self) -> Expr:
        """The verdict of a row that the rule is about, "silent" of any other."""
        every_row = in_mode("zk")  # no line of another mode is audited
        in_its_releases = true if span(self.releases) & every_row == every_row else _intersects(self.releases)
        return ite(self.applies & in_its_releases, self.verdict, SILENT)


def _intersects(text: str) -> Expr:
    return releases.intersects(in_releases(text))


def step(condition: Expr) -> Expr:
    """A property over a step, read over a row: the columns `before_*` are the state before, the others after."""

    def leaf(node: Expr) -> Expr | None:
        if node.op is Op.FIELD:
            return field(f"before_{node.data}", node.sort)
        return field(node.data, node.sort) if node.op is Op.AFTER else None

    return replace(condition, leaf)


def illegal_unless(condition: Expr, in_doubt: Expr | None = None) -> Expr:
    """Held where the condition is; else illegal, but suspicious where `in_doubt` is true."""
    broken = ILLEGAL if in_doubt is None else ite(in_doubt, SUSPICIOUS, ILLEGAL)
    return ite(condition, HELD, broken)


def allowed_in(allowed: Expr, releases: Expr, otherwise: Expr = ILLEGAL) -> Expr:
    """Held if every release that it may be allows it, `otherwise` if none does, unknown if some do."""
    return ite(releases.subset_of(allowed), HELD, ite(releases.intersects(allowed), UNKNOWN, otherwise))


@cache
def rules() -> Mapping[str, Rule]:
    """All rules by code, each with the docstring of its module as its page."""
    from . import rules as package

    found: dict[str, Rule] = {}
    for name in sorted(
        module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.") if not module.ispkg
    ):
        if name.rpartition(".")[2].startswith("_"):
            continue
        module = importlib.import_module(name)
        rule = _with_page(module.RULE, cleandoc(module.__doc__ or ""))
        if rule.code in found:
            raise ValueError(f"two rules have the code {rule.code}: {found[rule.code].name} and {rule.name}")
        found[rule.code] = rule
    return dict(sorted(found.items()))


def _with_page(rule: Rule, page: str) -> Rule:
    from dataclasses import replace as changed

    return changed(rule, page=page)
