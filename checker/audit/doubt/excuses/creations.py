"""Findings on two lines between which a topic may have been created again.

A topic that is created again starts at version 0 and leader epoch 0, so rules compare nothing across a creation. If the
lines of a creation are missing, two partitions of one name look like one that contradicts itself: the finding is
suspicious at most. Other lines show that a creation is missing:

* The versions of the znode (up to 1.0 the leader epochs) fall and stay low. If they fall on the lines of one write
  only and then go on as before, there was no creation: a state was printed that is not the znode's.
* After the mark of a deletion a state is printed that was not printed before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ...fields import LEADER_DURING_DELETE, leader
from ...observe.controller.views import INCARNATION, PARTITION_VIEWS, ZNODE
from ...observe.observation import Input
from ...observe.order import IN_ORDER
from ...table.protocol import Row, Table
from ...table.rows import known
from .excuse import Excuse

_MARK = known(leader.eq(LEADER_DURING_DELETE))
_WRITTEN = ("leader_epoch", "partition_epoch")
_Key = tuple[Any, ...]
_Place = tuple[int, int]
"""A file and a line."""


def _explained(asked: Sequence[Row], inputs: Mapping[Input, Table]) -> list[bool]:
    """Return, for each of some failing rows, whether a creation may be between the two lines that it compares."""
    wanted = {_incarnation(row) for row in asked}
    printed: Mapping[_Key, list[Row]] = defaultdict(list)
    views = inputs[PARTITION_VIEWS].select(*dict.fromkeys((*INCARNATION, *IN_ORDER, *ZNODE, "tenure", "file", "line")))
    for row in views.rows():
        if _incarnation(row) in wanted:
            printed[_incarnation(row)].append(row)
    incarnations = {key: _Incarnation.of(rows) for key, rows in printed.items()}
    return [incarnations[_incarnation(row)].created_between(row) for row in asked]


def _compares_views(row: Row) -> bool:
    return row["verdict"] == "illegal" and row.get("before_line") is not None


def _incarnation(row: Row) -> _Key:
    return tuple(row[name] for name in INCARNATION)


def _place(row: Row, prefix: str = "") -> _Place:
    return row[f"{prefix}file"], row[f"{prefix}line"]


@dataclass(frozen=True)
class _Incarnation:
    """The views of a partition that pass for one incarnation, in order, and where each is among them, by its line."""

    views: Sequence[Row]
    at: Mapping[_Place, int]

    @staticmethod
    def of(rows: Sequence[Row]) -> _Incarnation:
        views = sorted(rows, key=lambda row: tuple(row[name] for name in IN_ORDER))
        return _Incarnation(views, {_place(row): i for i, row in enumerate(views)})

    def created_between(self, finding: Row) -> bool:
        """Return whether a creation may be missing between the two lines of a finding.

        If a line between the two prints the state of the line before once more, it contradicts the finding's own line
        as that one does: then the creation is between those.
        """
        here, before = self.at[_place(finding)], self.at[_place(finding, "before_")]
        nearer = range(before, here) if before < here else range(before, here, -1)
        nearest = [i for i in nearer if _state(self.views[i]) == _state(self.views[before])][-1]
        first, last = sorted((here, nearest))
        return any(first < i <= last for i in (*self._falls(finding), *self._after_marks()))

    def _falls(self, finding: Row) -> Iterator[int]:
        """Yield places of a lower version than before; on lines of the finding's own write only if it stays so."""
        here = self.at[_place(finding)]
        own = _write(self.views[here])
        greatest = dict.fromkeys(_WRITTEN, -1)
        for i, view in enumerate(self.views):
            number = _number(view)
            if number is None or (_write(view) == own and i != here):
                continue
            before = greatest[_scale(view)]
            if number < before and (i != here or self._next(here) < before):
                yield i
            if i != here:
                greatest |= {name: max(greatest[name], view[name] or 0) for name in _WRITTEN}

    def _next(self, here: int) -> int:
        """The version that the next write below a line prints, on its scale; -1 if there is none."""
        mine = self.views[here]
        below = (view for view in self.views[here + 1 :] if _write(view) != _write(mine) and not _is_mark(view))
        numbers: Iterator[int | None] = (view[_scale(mine)] for view in below)
        return next((number for number in numbers if number is not None), -1)

    def _after_marks(self) -> Iterator[int]:
        """Yield places with a state that was not printed before the mark of a deletion, or with that of a new znode."""
        printed: set[_Key] = set()
        for i, (before, view) in enumerate(pairwise(self.views), start=1):
            if not _is_mark(before):
                printed.add(_state(before))
            elif not _is_mark(view):
                known = _state(view) in printed or _same(_WRITTEN, view, before)
                if not known or _number(view) == 0:
                    yield i


def _same(names: Sequence[str], view: Row, other: Row) -> bool:
    return all(view[name] == other.get(name) for name in names)


def _state(view: Row) -> _Key:
    """Return the content of the znode that a view prints, as one value."""
    return tuple(tuple(value) if isinstance(value, list) else value for value in (view[name] for name in ZNODE))


def _is_mark(view: Row) -> bool:
    return bool(_MARK(view))


def _number(view: Row) -> int | None:
    """Return the number that grows with the writes of one znode."""
    found: int | None = None if _is_mark(view) else view[_scale(view)]
    return found


def _scale(view: Row) -> str:
    """The column of that number: the line of a reassignment prints no version where others do."""
    return "leader_epoch" if view["partition_epoch"] is None else "partition_epoch"


def _write(view: Row) -> _Key:
    """The lines of one write: those of a tenure that print one version."""
    return view["tenure"], _number(view)


EXCUSE = Excuse(
    "creation",
    assumes="creation",
    says="the topic may have been deleted and created again between the two lines, and the lines of that be missing",
    asks=_compares_views,
    explained=_explained,
)
