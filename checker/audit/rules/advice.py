"""Advice on a rule's findings: what to do, and the releases that no longer have the fault."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....specs.behaviours import behaviour
from .rule import Rule


@dataclass(frozen=True)
class Advice:
    """Advice on the findings of one rule, in plain text."""

    now: str
    """Immediate help."""
    upgrade: str
    """The release to upgrade to; may be empty."""
    verify: str
    """A command that shows whether it helped."""
    look_for: str
    """The output that the command then prints."""

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of a word and the sentence that belongs to it."""
        yield "now", self.now
        if self.upgrade:
            yield "upgrade", self.upgrade
        yield "verify", f"{self.verify} prints {self.look_for}"


def advice(rule: Rule) -> Advice | None:
    """Return the advice on a rule's findings, None for a rule without a remedy."""
    remedy = rule.remedy
    if remedy is None:
        return None
    fixed = behaviour(rule.bug).fixed_in if rule.bug else ()
    upgrade = f"{' or '.join(fixed)} or later, in which {rule.bug} is fixed" if fixed else remedy.upgrade
    older = f" ({remedy.older})" if remedy.older else ""
    return Advice(remedy.workaround, upgrade, remedy.verify, remedy.look_for + older)
