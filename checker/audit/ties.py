"""Findings that rest on the order of lines within one millisecond.

Exports sort by time, and nothing tells in which order lines of one time were written. A finding that some order of
the lines of its millisecond, or of the line that it contradicts, removes is suspicious at most. This is asked of the
rules themselves: the lines are put in another order, and judged again. What matters to a rule is which line comes
just before, so each other line is put there once, then the line itself is put first, and last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .judge import failing, judged
from .observe.catalogue import inputs_of
from .rules.catalogue import rules_on
from .table.protocol import Row, Table

BY_ORDER = "by_order"
"""The column of a failing row with the codes of the rules whose verdict rests on the order within a millisecond."""
_MOST = 60
"""So many orders are tried; a finding with more that are possible is not vouched for."""
_Place = tuple[int, int]
_Moment = tuple[int, int | None]
"""A tenure and a time."""
_Key = tuple[str, str, _Place]
"""A finding: the observation, the rule's code, the line."""
_Order = tuple[tuple[_Moment, tuple[_Place, ...]], ...]
"""The lines of some moments, each in the order in which they shall stand."""


def settled(events: Table, fails: Sequence[Row]) -> list[Row]:
    """The failing rows of some partitions, "suspicious" where "illegal" rests on the order within a millisecond.

    Args:
        events: the placed events of all partitions that have a row that fails, without duplicates.
    """
    illegal = {key: row for row in fails for key in _illegal(row)}
    if not illegal:
        return list(fails)
    partitions = {(row["cluster"], row["topic"], row["partition"]) for row in illegal.values()}
    rows = [
        row
        for row in events.rows()
        if row["topic"] is None or row["cluster"] is None or _partition(row) in partitions
    ]
    moments = _Moments.of(rows)
    orders = {key: moments.orders(row) for key, row in illegal.items()}
    unsure = {key for key, several in orders.items() if len(several) > _MOST}
    for turn in _turns({key: several for key, several in orders.items() if key not in unsure}):
        still = {key for row in failing(judged(inputs_of(events.like(moments.put(turn.values()))))) for key in _illegal(row)}
        unsure |= turn.keys() - still
    return [_with_doubt(row, [code for _, code, _ in _illegal(row) if (*_key(row, code),) in unsure]) for row in fails]


def _partition(row: Row) -> tuple[object, ...]:
    return row["cluster"], row["topic"], row["partition"]


def _key(row: Row, code: str) -> _Key:
    return row["observation"], code, (row["file"], row["line"])


def _illegal(row: Row) -> Iterator[_Key]:
    return (_key(row, rule.code) for rule in rules_on(row["observation"]) if row[rule.code] == "illegal")


def _with_doubt(row: Row, codes: Sequence[str]) -> Row:
    return row | dict.fromkeys(codes, "suspicious") | {BY_ORDER: tuple(codes)}


@dataclass(frozen=True)
class _Moments:
    """Events, and which of them are of one partition, tenure and time, in the order of their places."""

    rows: Sequence[Row]
    at: Mapping[_Place, int]
    of_line: Mapping[_Place, _Moment]
    lines: Mapping[_Moment, tuple[_Place, ...]]

    @staticmethod
    def of(rows: Sequence[Row]) -> _Moments:
        at: dict[_Place, int] = {}
        of_line: dict[_Place, _Moment] = {}
        lines: dict[_Moment, list[_Place]] = defaultdict(list)
        dated = (row for row in rows if row["ts"] is not None and row["at"] is not None and row["topic"] is not None)
        for row in sorted(dated, key=lambda row: (row["at"], row["file"])):
            place = row["file"], row["line"]
            moment = (row["tenure"], row["ts"], row["topic"], row["partition"])
            at[place] = row["at"]
            of_line[place] = moment  # type: ignore[assignment]
            lines[moment].append(place)  # type: ignore[index]
        return _Moments(rows, at, of_line, {moment: tuple(places) for moment, places in lines.items()})

    def orders(self, row: Row) -> list[_Order]:
        """The orders to try for a finding: those of its own moment, then those of the line before's."""
        place = row["file"], row["line"]
        if place not in self.of_line:
            return []
        here = self.of_line[place]
        own = self.lines[here]
        others = tuple(each for each in own if each != place)
        first = (here, (place, *others))
        found: list[_Order] = []
        if others:
            found += [((here, _just_before(place, other, own)),) for other in others]
            found += [(first,), ((here, (*others, place)),)]
        before = row.get("before_file"), row.get("before_line")
        there = self.of_line.get(before)  # type: ignore[call-overload]
        if there is not None and there != here and len(self.lines[there]) > 1:
            its_own = self.lines[there]
            found += [(first, (there, (*(o for o in its_own if o != each), each))) for each in its_own]
        return found

    def put(self, orders: Sequence[_Order] | Iterator[_Order]) -> list[Row]:
        """The events with the lines of some moments in another order."""
        moved: dict[_Place, int] = {}
        for order in orders:
            for moment, places in order:
                moved |= dict(zip(places, (self.at[place] for place in self.lines[moment]), strict=True))
        return [row | {"at": moved.get((row["file"], row["line"]), row["at"])} for row in self.rows]


def _just_before(place: _Place, other: _Place, own: Sequence[_Place]) -> tuple[_Place, ...]:
    rest = [each for each in own if each != other]
    at = rest.index(place)
    return (*rest[:at], other, *rest[at:])


def _turns(orders: Mapping[_Key, Sequence[_Order]]) -> Iterator[dict[_Key, _Order]]:
    """All orders of all findings, as many at once as do not touch the same moment."""
    free: dict[_Moment, int] = defaultdict(int)
    turns: list[dict[_Key, _Order]] = []
    for key, several in orders.items():
        for order in several:
            turn = max(free[moment] for moment, _ in order)
            while turn < len(turns) and key in turns[turn]:
                turn += 1
            if turn == len(turns):
                turns.append({})
            turns[turn][key] = order
            for moment, _ in order:
                free[moment] = turn + 1
    yield from turns
