"""What to do about a rule's findings, with the releases in which they cannot come any more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....specs.behaviours import behaviour
from .rule import Rule


@dataclass(frozen=True)
class Advice:
    """`now`: what helps at once. `upgrade` may be empty. `verify` is a command, `look_for` what it prints then."""

    now: str
    upgrade: str
    verify: str
    look_for: str

    def sentences(self) -> Iterator[tuple[str, str]]:
        """A word and what it is about, in plain text."""
        yield "now", self.now
        if self.upgrade:
            yield "upgrade", self.upgrade
        yield "verify", f"{self.verify} prints {self.look_for}"


def advice(rule: Rule) -> Advice | None:
    """None for a rule that has no remedy."""
    remedy = rule.remedy
    if remedy is None:
        return None
    fixed = behaviour(rule.bug).fixed_in if rule.bug else ()
    upgrade = f"{' or '.join(fixed)} or later, in which {rule.bug} is fixed" if fixed else remedy.upgrade
    older = f" ({remedy.older})" if remedy.older else ""
    return Advice(remedy.workaround, upgrade, remedy.verify, remedy.look_for + older)
