"""Findings that rest on the order of lines within one millisecond.

Exports sort by time, and nothing shows in which order lines of one millisecond were written. A finding is suspicious if
it vanishes under another order of the lines of its millisecond, or of the line that it contradicts. It is then no sign
of missing lines either. The rules themselves decide: the lines are reordered and judged again. Only the line just
before matters to a rule, so each other line is put there once; then the line itself is put first, and last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...catalogue import Inputs, observations
from ...judge import failing, judged
from ...observe.observation import Input
from ...observe.placed import EVENTS
from ...rules.catalogue import rules
from ...rules.shown_by import NOTHING_LED_THERE
from ...table.protocol import Row, Table
from .excuse import Excuse

_MOST = 60
"""The most orders that are tried; a finding with more that are possible is not vouched for."""
_Line = tuple[Any, ...]
"""A file, a line, and a partition: a line can list several."""
_Place = tuple[Any, ...]
"""The same, and the tenure or journal: a line can be of both."""
_Moment = tuple[Any, ...]
"""A partition, a tenure and a time."""
_Key = tuple[str, str, _Line]
"""A finding: the observation, the rule's code, the line."""
_Order = Mapping[_Moment, Sequence[_Place]]
"""The lines of some moments, each in the order in which they shall stand."""


def _explained(asked: Sequence[Row], inputs: Mapping[Input, Table]) -> list[bool]:
    """Return, for each of some failing rows, whether it rests on the order within a millisecond."""
    events, by_key = inputs[EVENTS], {_key(row): row for row in asked}
    partitions = {_partition(row) for row in asked}
    moments = _Moments.of([row for row in events.rows() if _is_of_none(row) or _partition(row) in partitions])
    orders = {key: moments.orders(row) for key, row in by_key.items()}
    unsure = {key for key, several in orders.items() if len(several) > _MOST or moments.turned_round(by_key[key])}
    for turn in _turns({key: several for key, several in orders.items() if key not in unsure}):
        asked_of = {observation for observation, _, _ in turn}
        rows = failing(judged(Inputs(events.like(moments.put(turn.values()))), [], asked_of))
        unsure |= {key for key in turn if not _stands(by_key[key], rows)}
    return [_key(row) in unsure for row in asked]


def _rests_on_order(row: Row) -> bool:
    """Return whether the order of lines matters to a verdict, or to the sign that a line is missing."""
    return bool(row["verdict"] == "illegal" or (row["verdict"] == "suspicious" and _led_nowhere(row)))


def _led_nowhere(row: Row) -> bool:
    return NOTHING_LED_THERE in rules()[row["rule"]].shows


def _stands(row: Row, rows: Iterable[Row]) -> bool:
    """Return whether a finding, or one on its line, is also among `rows`, the findings in another order.

    What two lines print contradicts itself whichever is first. States that nothing led to do not: if lines are in
    another order than they were written, one that is wrong makes the next wrong.
    """
    place = row["file"], row["line"]
    return any(
        (_key(other) == _key(row) and other["verdict"] in ("illegal", row["verdict"]))
        or (
            other["verdict"] == "illegal"
            and not (_led_nowhere(row) or _led_nowhere(other))
            and place in ((other["file"], other["line"]), (other.get("before_file"), other.get("before_line")))
        )
        for other in rows
    )


def _partition(row: Row) -> tuple[Any, ...]:
    return row["cluster"], row["topic"], row["partition"]


def _is_of_none(row: Row) -> bool:
    """Return whether a line names no partition, or is a throwable, which is in no cluster's tenure."""
    return row["topic"] is None or row["cluster"] is None


def _key(row: Row) -> _Key:
    return row["observation"], row["rule"], _line(row)


def _line(row: Row, of: str = "") -> _Line:
    """Return the line of a row, or the line that it names in columns with the prefix `of`."""
    return row[f"{of}file"], row[f"{of}line"], row["topic"], row["partition"]


def _place(row: Row) -> _Place:
    return (row["tenure"], *_line(row))


def _in_order(row: Row) -> tuple[Any, ...]:
    """Return a key that grows along a tenure's lines, and along a journal's, whose files are merged by time."""
    return (0 if row["journal"] is None else row["ts"], row["at"], row["file"])


@dataclass(frozen=True)
class _Moments:
    """Events; those of them that have a time, by their place; the places of each line; the places of each moment, the
    moments of a partition in each tenure, in the order in which they stand, and the number of each of these."""

    rows: Sequence[Row]
    dated: Mapping[_Place, Row]
    places: Mapping[_Line, Sequence[_Place]]
    lines: Mapping[_Moment, Sequence[_Place]]
    moments: Mapping[_Moment, Sequence[_Moment]]
    number: Mapping[_Moment, int]

    @staticmethod
    def of(rows: Sequence[Row]) -> _Moments:
        dated = [row for row in rows if row["ts"] is not None and not _is_of_none(row)]
        dated.sort(key=_in_order)
        places: dict[_Line, list[_Place]] = defaultdict(list)
        lines: dict[_Moment, list[_Place]] = defaultdict(list)
        moments: dict[_Moment, list[_Moment]] = defaultdict(list)
        number: dict[_Moment, int] = {}
        # A line may list a partition twice: where topics were given one name, two of them are one.
        by_place = {_place(row): row for row in dated}
        for place, row in by_place.items():
            moment = _moment(row)
            if moment not in lines:
                number[moment] = len(moments[moment[:-1]])
                moments[moment[:-1]].append(moment)
            places[_line(row)].append(place)
            lines[moment].append(place)
        return _Moments(rows, by_place, places, lines, moments, number)

    def orders(self, finding: Row) -> list[_Order]:
        """The orders to try for a finding: those of its own moment, then those of each moment that it is compared
        with."""
        row = self.dated.get(_place(finding))
        if row is None:
            return []
        place, here = _place(row), _moment(row)
        others = [each for each in self.lines[here] if each != place]
        first: _Order = {here: (place, *others)}
        found: list[_Order] = []
        if others:
            found = [{here: _moved(other, place, self.lines[here])} for other in others]
            found += [first, {here: (*others, place)}]
        for there in dict.fromkeys((*self._compared(finding), *self._before(row, finding["observation"]))):
            if there != here and len(self.lines[there]) > 1:
                own = self.lines[there]
                found += [{**first, there: (*(o for o in own if o != last), last)} for last in own]
        return found

    def _compared(self, finding: Row) -> Iterator[_Moment]:
        """The moments of the lines that a finding is compared with."""
        return (_moment(self.dated[place]) for place in self._compared_places(finding))

    def _compared_places(self, finding: Row) -> Iterator[_Place]:
        """The lines that a finding is compared with: it names them in columns of one prefix."""
        for name in finding:
            of = name.removesuffix("line")
            if name.endswith("_line") and finding[name] is not None:
                yield from self.places.get(_line(finding, of), ())

    def turned_round(self, finding: Row) -> bool:
        """Return whether a line that a finding is compared with stands above it in its file and has a later time.

        Threads of a broker print lines some milliseconds late, exports shuffle those of a second: which was first is
        not known.
        """
        others = (self.dated[place] for place in self._compared_places(finding))
        return finding["ts"] is not None and any(
            other["file"] == finding["file"] and other["line"] < finding["line"] and finding["ts"] < other["ts"]
            for other in others
        )

    def _before(self, row: Row, observation: str) -> Iterator[_Moment]:
        """The moment before that of a row; and the last one before it that has lines of the same observation, of the
        same replica or of the partition: what it is compared with if it is the first of its own moment."""
        lines = observations()[observation].lines
        of_partition, here = self.moments[_moment(row)[:-1]], self.number[_moment(row)]
        yield from of_partition[max(here - 1, 0) : here]
        for replica in dict.fromkeys((row["replica"], None)):
            for moment in (of_partition[i] for i in range(here - 1, -1, -1)):
                theirs = (self.dated[place] for place in self.lines[moment])
                if any(other["row"] in lines and other["replica"] == replica for other in theirs):
                    yield moment
                    break

    def put(self, orders: Iterable[_Order]) -> list[Row]:
        """The events, with the lines of some moments in another order."""
        moved: dict[_Place, int] = {}
        for order in orders:
            for moment, places in order.items():
                moved |= dict(zip(places, (self.dated[place]["at"] for place in self.lines[moment]), strict=True))
        return [row | {"at": moved.get(_place(row), row["at"])} for row in self.rows]


def _moment(row: Row) -> _Moment:
    return (*_partition(row), row["tenure"], row["ts"])


def _moved(place: _Place, to: _Place, places: Sequence[_Place]) -> tuple[_Place, ...]:
    """Places, one of them moved to just before another."""
    rest = [each for each in places if each != place]
    return (*rest[: rest.index(to)], place, *rest[rest.index(to) :])


def _turns(orders: Mapping[_Key, Sequence[_Order]]) -> list[dict[_Key, _Order]]:
    """All orders of all findings, as many at once as do not touch the same moment."""
    free: dict[_Moment, int] = defaultdict(int)
    turns: list[dict[_Key, _Order]] = []
    for key, several in orders.items():
        for order in several:
            turn = max(free[moment] for moment in order)
            while turn < len(turns) and key in turns[turn]:
                turn += 1
            if turn == len(turns):
                turns.append({})
            turns[turn][key] = order
            free |= dict.fromkeys(order, turn + 1)
    return turns


EXCUSE = Excuse(
    "order",
    assumes="order",
    says="lines of one millisecond may stand in another order than they were written in",
    asks=_rests_on_order,
    explained=_explained,
)
