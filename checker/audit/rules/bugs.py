"""Known bugs of Kafka for people: lists of them, and the page of each, from specs/bugs.toml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ....specs.behaviours import BEHAVIOURS, Behaviour
from ....specs.bugs import MODES, Bug, Finding, Moment, Trace, bugs, bugs_of
from ....specs.errors import IsrproofError, unknown
from ....specs.issues import address
from ....specs.releases import names
from ....specs.releases import release as find_release
from .catalogue import rules


def asked(issue: str | None, release: str | None) -> list[Bug]:
    """Return the bugs that a user asks for: one, those of a release, or all.

    Raises:
        UnknownNameError: there is no such bug, or no such release.
        IsrproofError: the release does not have the bug.
    """
    found = list(bugs().values()) if release is None else bugs_of(release)
    if issue is None:
        return found
    if issue.upper() not in bugs():
        raise unknown("known bug", issue, bugs())
    one = bugs()[issue.upper()]
    if one not in found:
        raise IsrproofError(f"{release} does not have {one.issue}: it is {one.where_fixed}.")
    return [one]


def also_in(release: str | None) -> list[Behaviour]:
    """Return the bugs that only behaviours.toml has, by the row of a release, or of all: patches are one."""
    row = None if release is None else find_release(release)
    return [
        each
        for each in BEHAVIOURS.values()
        if each.kind == "bug" and each.id not in bugs() and (row is None or each.releases & row.mask)
    ]


def listing(found: Iterable[Bug], others: Iterable[Behaviour]) -> str:
    """Return two lines for each bug, what it is and what names it, then a line for each that is a behaviour only."""
    lines = []
    for bug in found:
        lines.append(f"{bug.issue:<12} {bug.meaning} [{MODES[bug.mode]}, since {bug.since}, {bug.where_fixed}]")
        lines.append(f"{'':<12} named by: {named_by(bug)}")
    return "\n".join([*lines, *(f"{each.id:<12} {each.meaning} [{names(each.releases)}]" for each in others)])


def behaviour_as_json(one: Behaviour) -> dict[str, Any]:
    return {"id": one.id, "meaning": one.meaning, "releases": names(one.releases), "fixed_in": list(one.fixed_in)}


def page(bug: Bug) -> str:
    """Return everything about a bug, as Markdown."""
    upgrade = [f"* Upgrade: to {bug.upgrade}."] if bug.upgrade else ["* Upgrade: no release is without it yet."]
    return "\n".join(
        [
            f"# {bug.issue}",
            "",
            bug.meaning,
            "",
            f"* Clusters: {MODES[bug.mode]}, since {bug.since}, {bug.where_fixed}.",
            f"* Mark: {bug.mark}",
            f"* Named by: {named_by(bug)}.",
            *upgrade,
            f"* Now: {bug.now}",
            f"* Verify: {bug.verify}.",
            f"* Model: {modelled(bug)}.",
            f"* Source: {bug.source}; {address(bug.issue)}",
            "",
        ]
    )


def as_json(bug: Bug) -> dict[str, Any]:
    return {
        "issue": bug.issue,
        "meaning": bug.meaning,
        "mode": bug.mode,
        "since": bug.since,
        "fixed_in": list(bug.fixed),
        "mark": bug.mark,
        "named_by": list(_named_by(bug)),
        "certain": bool(bug.signs) and not all(sign.unsure for sign in bug.signs),
        "behaviour": bug.behaviour,
        "beyond": bug.beyond,
        "what_to_do": {"upgrade": bug.upgrade, "now": bug.now, "verify": bug.verify},
    }


def named_by(bug: Bug) -> str:
    """Return what reports name it by, in words."""
    return "; ".join(_named_by(bug)) or "nothing"


def modelled(bug: Bug) -> str:
    """Return the behaviour that switches it on in a model, or the reason why none does."""
    return f"behaviour {bug.behaviour}" if bug.behaviour else str(bug.beyond)


def _named_by(bug: Bug) -> Iterator[str]:
    for code in _codes(bug):
        yield f"findings of {code}"
    for sign in bug.signs:
        yield f"{_sign(sign)}{' (looks like it)' * sign.unsure}"


def _codes(bug: Bug) -> Sequence[str]:
    """Return the codes of rules whose own bug it is."""
    return [rule.code for rule in rules().values() if bug.issue == rule.bug]


def _sign(sign: Trace | Moment | Finding) -> str:
    if isinstance(sign, Finding):
        having = ", ".join(f"{name} {value}" for name, value in sign.having)
        return f"findings of {sign.rule}{f' ({having})' * bool(having)}"
    if isinstance(sign, Moment):
        parts = [f'"{text}"' for text in sign.says]
        parts += [f"after {sign.beside}"] if sign.beside else []
        parts += [f"without {', '.join(sign.without)}"] if sign.without else []
        parts += [f"for {sign.longest // 1000} s or more"] if sign.longest else []
        return f"happened: {sign.what}, {', '.join(parts)}"
    if sign.throwable is None:
        return f"the line {sign.line}"
    marks = [f'"{text}"' for text in sign.marks]
    article = "an" if sign.throwable[0] in "AEIOU" else "a"
    return f"{article} {sign.throwable} with {' and '.join(marks)}"
