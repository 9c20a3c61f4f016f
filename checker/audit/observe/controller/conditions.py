"""Conditions of a partition, with their durations: offline, or under-replicated. Not a verdict: they may be legal.

A partition is *offline* from the line that says so to the line that shows its end:

* It begins with a move to OfflinePartition, with a failed election of a new or an offline partition, or with a view
  whose leader is -1. From then on it is *leaderless*: ZooKeeper names no leader. Before, ZooKeeper may name a dead one.
* It ends with an election, with its deletion, or with the next controller, if that one prints a leader and does not
  find it offline. A leader that the same controller prints says nothing: it may be the dead one.

It is *under-replicated* while the printed ISR lacks a replica of the last printed assignment. A reassignment looks the
same, until its new replicas are in the ISR.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from .....model.expr import Expr, both, const, either, field, ite
from .....model.sorts import Enum
from ...fields import LEADER_DURING_DELETE, from_state, isr, leader, replicas, tenure, to_state
from ...lines import CREATED, ELECTED, MOVED, STOPPED, TOPIC_DELETED, VIEWS, is_line
from ...table.encoding import Flag
from ...table.protocol import Column, Row, Table
from ..compared import was
from ..order import IN_ORDER, PARTITION

OFFLINE, UNDER_REPLICATED = "offline", "under-replicated"
LINES = (*MOVED["partition"], *STOPPED["partition"], *VIEWS, *TOPIC_DELETED)
"""Ids of the rows of the line table from which it is made."""

_SIGN = Enum(
    "Sign",
    ("created", "elected", "offline", "failed", "leaderless", "led", "deleting", "gone", "lacking", "complete"),
)
_sign = field("sign", _SIGN)
_NO_LEADER = ("offline", "failed", "leaderless")
_ORDER = (*PARTITION, *IN_ORDER)
_COLUMNS = ("cluster", *_ORDER, "tenure", "controller", "line", "ts", "sign", "from_state", "leader", "isr", "replicas")


@dataclass(frozen=True)
class ConditionSpan:
    """A stretch of lines in which a partition has a condition. A row's leader is the one printed there or last."""

    condition: str
    begin: Row
    """The row of its first line."""
    shown: Row
    """The row of the last line that shows it."""
    end: Row | None = None
    """The row of the line that shows its end."""
    by: str | None = None
    """The event that ended it: elected, deleted, taken over, or complete; None: no line shows one."""


def spells(events: Table, views: Table, deletions: Iterable[Row]) -> Iterator[ConditionSpan]:
    """Yield the spells of all partitions that these rows are about, in the order of their names.

    Args:
        events: placed.
        views: the partition views that are made from them.
        deletions: the rows of lines about a topic's deletion, each with its cluster.
    """
    deleted = defaultdict(list)
    for row in deletions:
        deleted[row["cluster"], row["controller"], row["topic"]].append(row)
    for spell in (
        *_of_each(_signs_of_leaders(events, views), _offline),
        *_of_each(_signs_of_isrs(views), _under_replicated),
    ):
        row = spell.shown
        yield _until_deleted(spell, deleted[row["cluster"], row["controller"], row["topic"]])


def _until_deleted(spell: ConditionSpan, deletions: Sequence[Row]) -> ConditionSpan:
    """Return a spell that ends with a deletion; above TRACE no other line shows it. One broker's clock orders its two
    logs.
    """
    until = None if spell.end is None else spell.end["ts"]
    shown = spell.shown["ts"]
    after = [row for row in deletions if None not in (shown, row["ts"]) and shown <= row["ts"]]
    first = min(after, key=lambda row: (row["ts"], row["file"], row["line"]), default=None)
    if first is None or (spell.end is not None and (until is None or until <= first["ts"])):
        return spell
    return replace(spell, end=first, by="deleted")


def _of_each(signs: Table, spells_of: Callable[[Sequence[Row]], Iterable[ConditionSpan]]) -> Iterator[ConditionSpan]:
    """Yield the spells of each partition, from its lines in order."""
    rows = signs.select(*_COLUMNS).rows()
    rows.sort(key=itemgetter(*_ORDER))
    for _, own in groupby(rows, key=itemgetter(*PARTITION)):
        yield from spells_of(list(own))


def _changing(signs: Table, trouble: Iterable[str], *alike: Expr) -> Table:
    """Return the lines of partitions that are ever in trouble, without lines that repeat the previous one in the
    tenure.

    Args:
        alike: columns that must be equal, besides the sign, for a line to repeat another.
    """
    same = (_sign, tenure, *alike)
    before = {str(was(each).data): Column("previous", str(each.data)) for each in same}
    marked = signs.along(PARTITION, IN_ORDER, **before, last_leader=Column("last", "leader"))
    again = marked.derive(again=both(*(each.eq(was(each)) for each in same)))
    changing = again.where(~field("again", Flag)).filled("leader", "last_leader")
    return changing.matching(changing.where(either(*(_sign.eq(each) for each in trouble))), PARTITION)


def _value(sign: str) -> Expr:
    return const(sign, _SIGN)


# ---- Leaders


def _signs_of_leaders(events: Table, views: Table) -> Table:
    online, offline = (to_state("partition").eq(state) for state in ("OnlinePartition", "OfflinePartition"))
    other = ite(offline, _value("offline"), _value("gone"))
    moved = events.of_lines(MOVED["partition"]).derive(
        sign=ite(is_line(ELECTED), _value("elected"), ite(is_line(CREATED), _value("created"), other))
    )
    without = either(*(from_state("partition").eq(state) for state in ("NewPartition", "OfflinePartition")))
    failed = events.of_lines(STOPPED["partition"]).where(online & without)
    printed = views.without_lines(ELECTED).derive(
        sign=ite(
            leader.eq(LEADER_DURING_DELETE),
            _value("deleting"),
            ite(leader.is_none(), _value("leaderless"), _value("led")),
        )
    )
    return _changing(moved.plus(failed.derive(sign=_value("failed"))).plus(printed), _NO_LEADER)


def _offline(rows: Sequence[Row]) -> Iterator[ConditionSpan]:
    """Yield spells from the first line that shows a partition without a live leader to its next election or its
    deletion.

    A line that only prints a leader also ends one: in the same tenure if the line before printed that there is none, in
    a later one unless that controller finds the partition offline.
    """
    spell: ConditionSpan | None = None
    led: Row | None = None  # a next controller's line that prints a leader: the end, unless it finds it offline
    deleting, sign_before = False, ""
    for row in rows:
        sign = row["sign"]
        if spell is not None and led is not None:
            found_offline = sign in ("failed", "leaderless") or _from_offline(row)
            if row["tenure"] != led["tenure"] or not found_offline:
                yield replace(spell, end=led, by="taken over")
                spell = None
            led = None
        if sign in _NO_LEADER:
            if spell is not None:
                spell = replace(spell, shown=row)
            elif not deleting:
                spell = ConditionSpan(OFFLINE, row, row)
        elif spell is not None and sign != "led":
            yield replace(spell, end=row, by="elected" if sign == "elected" else "deleted")
            spell = None
        elif spell is not None and row["tenure"] != spell.shown["tenure"]:
            led = row
        elif spell is not None and sign_before == "leaderless":
            yield replace(spell, end=row, by="elected")
            spell = None
        # A partition that is deleted goes offline first, and its replicas after it.
        deleting = sign in ("deleting", "gone") or (deleting and sign in _NO_LEADER)
        sign_before = sign
    if spell is not None:
        yield spell if led is None else replace(spell, end=led, by="taken over")


def _from_offline(row: Row) -> bool:
    """Return whether an election takes a partition out of OfflinePartition without an earlier line that took it
    there.
    """
    return bool(row["sign"] == "elected" and row["from_state"] == "OfflinePartition")


# ---- ISRs


def _signs_of_isrs(views: Table) -> Table:
    deleting = views.where(leader.eq(LEADER_DURING_DELETE)).derive(sign=_value("deleting"))
    printed = views.where(leader.ne(LEADER_DURING_DELETE)).present("isr", "replicas")
    shown = printed.derive(sign=ite(replicas.subset_of(isr), _value("complete"), _value("lacking")))
    return _changing(shown.plus(deleting), ("lacking",), leader, isr)


def _under_replicated(rows: Sequence[Row]) -> Iterator[ConditionSpan]:
    spell: ConditionSpan | None = None
    for row in rows:
        if row["sign"] == "lacking":
            spell = ConditionSpan(UNDER_REPLICATED, row, row) if spell is None else replace(spell, shown=row)
        elif spell is not None:
            yield replace(spell, end=row, by="complete" if row["sign"] == "complete" else "deleted")
            spell = None
    if spell is not None:
        yield spell
