"""The release to upgrade to: the smallest that is without the most of some bugs, of the same line before newer ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .....specs.behaviours import BEHAVIOURS
from .....specs.bugs import EACH_TAG, HARMS, bugs, line_of, numbers
from .....specs.releases import RELEASES
from .....specs.tools import ROW_OF
from .what import Upgrade

_OF_BEHAVIOURS = "stops"
"""The harm of a bug that only behaviours.toml has: it bears on who leads."""
_MIGRATE = "a migration of ZooKeeper to KRaft, with 3.9 on all nodes, because 4.0 and later have no ZooKeeper mode"
_FIRST_BRIDGE = (3, 3)
_BRIDGE = "an upgrade to 3.9 with metadata.version 3.3 or later, because 4.0 and later start with no earlier one"


def has(issue: str, tag: str) -> bool:
    """Return whether a release has a known bug, by its own row or by that of its behaviour."""
    if issue in bugs():
        return bugs()[issue].is_in(tag)
    return bool(BEHAVIOURS[issue].releases >> ROW_OF[tag] & 1)


def upgrade(issues: Sequence[str], ran: Collection[str], mode: str) -> Upgrade | None:
    """Return the release to upgrade to; None if none after those that ran is without any of the bugs.

    Args:
        ran: the releases that may have run; none if they are not known.
        mode: the mode of the cluster: a key of releases.MODES.
    """
    base = _newest_with(issues, ran)
    later = [tag for tag in EACH_TAG if numbers(tag) > base]
    fixed = {tag: tuple(issue for issue in issues if not has(issue, tag)) for tag in later}
    most = max(map(len, fixed.values()), default=0)
    if not most:
        return None
    best = min((tag for tag in later if len(fixed[tag]) == most), key=lambda tag: (not _same(tag, base), numbers(tag)))
    near = [tag for tag in later if _same(tag, base) and fixed[tag] and not _same(best, base)]
    of_line = min(near, key=lambda tag: (-len(fixed[tag]), numbers(tag)), default=None)
    return Upgrade(
        best,
        fixed[best],
        of_line,
        () if of_line is None else fixed[of_line],
        tuple(_worse(best, fixed[best], ran, mode)),
        _needs(best, base, mode),
    )


def _newest_with(issues: Sequence[str], ran: Collection[str]) -> tuple[int, ...]:
    """Return the newest release that may have run and has one of the bugs; else the one in which the last began."""
    own = [tag for tag in ran if any(has(issue, tag) for issue in issues)]
    if own:
        return max(map(numbers, own))
    return max(numbers(min((tag for tag in EACH_TAG if has(issue, tag)), key=numbers)) for issue in issues)


def _same(tag: str, base: tuple[int, ...]) -> bool:
    return line_of(numbers(tag)) == line_of(base)


def _worse(tag: str, fixes: Collection[str], ran: Collection[str], mode: str) -> list[str]:
    """Return the bugs of a release that no release that ran has, or that are worse than all that it fixes."""
    order = [*HARMS]
    gravest = min(order.index(bugs()[each].harm if each in bugs() else _OF_BEHAVIOURS) for each in fixes)
    return [
        each.issue
        for each in bugs().values()
        if each.is_in(tag)
        and each.mode in ("any", mode)
        and (order.index(each.harm) < gravest or (ran and not any(map(each.is_in, ran))))
    ]


def _needs(tag: str, base: tuple[int, ...], mode: str) -> str | None:
    if mode in RELEASES[ROW_OF[tag]].modes and (mode == "zk" or base >= _FIRST_BRIDGE or numbers(tag) < (4,)):
        return None
    return _MIGRATE if mode == "zk" else _BRIDGE
