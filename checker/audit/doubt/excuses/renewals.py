"""Findings on two lines of a broker between which its replica may have begun anew.

A replica begins anew when it is deleted and created again, and when the broker's process starts: the broker then knows
no leader epoch, and accepts any. If these lines are missing, two stretches look like one that contradicts itself: the
finding is suspicious at most. Other lines show it:

* A line about leading or following prints that there was no epoch before.
* Correlation ids fall: a controller counts anew for each connection. Ids of two controllers cannot be compared, so a
  finding across both is in doubt, too.
* Leader epochs fall, or versions do not grow, and stay low. If they do so on the lines of one request only and then go
  on as before, nothing began anew.

The same is checked for the next state that the process adopts after a finding. Certain lines never stand between the
two lines of some findings (`Observation.between`): if one does, a line that belongs with it is missing. A line of
another broker was written before the epoch of the finding only if a later line of that broker shows this epoch or an
earlier one: otherwise that broker may have gone on to a later one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...catalogue import observations
from ...lines import BECOME_BEGUN, BECOME_ENDED, FETCHERS_ADDED, ISR_WRITTEN, LEADER_AND_ISR_RECEIVED
from ...observe.broker.hosted import HOSTED_LINES, MERGED, NO_EPOCH
from ...observe.broker.taken import STARTS
from ...observe.observation import Input
from ...observe.order import NEAR
from ...rules.catalogue import rules
from ...table.protocol import Row, Table
from .excuse import Excuse

_HISTORY = ("journal", *NEAR)
_OF_REQUEST = ("controller", "controller_epoch", "correlation_id")
_READ = (
    *(*_HISTORY, *MERGED, *_OF_REQUEST, "process", "line", "row"),
    *("leader_epoch", "previous_leader_epoch", "partition_epoch"),
)
_REQUESTS = frozenset((*LEADER_AND_ISR_RECEIVED, *BECOME_BEGUN, *BECOME_ENDED))
_TAKES = frozenset((*STARTS, *LEADER_AND_ISR_RECEIVED))
_PRINTS_EPOCH = frozenset((*STARTS, *FETCHERS_ADDED))
_MANY = 200
"""From this number of findings on a replica on, none is vouched for: whoever lost its start gets one on every line."""
_Key = tuple[Any, ...]
_Number = Callable[[Row], int | None]


def _explained(asked: Sequence[Row], inputs: Mapping[Input, Table]) -> list[bool]:
    """Return, for each of some failing rows, whether its replica may have begun anew between the lines it compares."""
    count = Counter(map(_history, asked))
    partitions = {history[1:] for history in count}
    printed: dict[_Key, list[Row]] = defaultdict(list)
    homes: dict[_Key, _Key] = {}
    for row in inputs[HOSTED_LINES].select(*dict.fromkeys(_READ)).rows():
        history = _history(row)
        if history[1:] in partitions:
            printed[history].append(row)
            homes[(row["file"], row["line"], *history[1:])] = history
    replicas = {key: _Replica.of(rows) for key, rows in printed.items()}

    def may_begin_anew(row: Row) -> bool:
        history = _history(row)
        home = homes.get((row["before_file"], row["before_line"], *history[1:]), history)
        if home != history:
            return not replicas[home].is_of_epoch(row["before_file"], row["before_line"], row["leader_epoch"])
        return count[history] > _MANY or replicas[history].begins_anew(row)

    return [may_begin_anew(row) for row in asked]


def _is_of_one_id(row: Row) -> bool:
    return "topic_id" in observations()[row["observation"]].key


def _compares_lines(row: Row) -> bool:
    """Lines of one topic id are of one creation, whatever is missing between them."""
    if row["verdict"] != "illegal" or row.get("before_line") is None or _is_of_one_id(row):
        return False
    return rules()[row["rule"]].contradicts(row)


def _history(row: Row) -> _Key:
    return tuple(row[name] for name in _HISTORY)


def _request(row: Row) -> _Key | None:
    """The request that a line is about."""
    return tuple(row[name] for name in _OF_REQUEST) if row["row"] in _REQUESTS else None


def _epoch(row: Row) -> int | None:
    """The leader epoch that a line says is taken, or asked for."""
    found: int | None = row["leader_epoch"] if row["row"] in _TAKES else None
    return found


def _version(row: Row) -> int | None:
    found: int | None = row["partition_epoch"] if row["row"] in ISR_WRITTEN else None
    return found


@dataclass(frozen=True)
class _Replica:
    """A broker's lines about a replica, in order, and the place of each among them."""

    lines: Sequence[Row]
    at: Mapping[tuple[int, int], int]

    @staticmethod
    def of(rows: Sequence[Row]) -> _Replica:
        lines = sorted(rows, key=lambda row: tuple(row[name] for name in MERGED))
        return _Replica(lines, {(row["file"], row["line"]): i for i, row in enumerate(lines)})

    def begins_anew(self, finding: Row) -> bool:
        """Return whether the replica may have begun anew between the two lines of a finding."""
        here = self.at[finding["file"], finding["line"]]
        there = self.at[finding["before_file"], finding["before_line"]]
        first, last = sorted((here, there))
        between = observations()[finding["observation"]].between
        if any(self._is_another(i, here, there) and self.lines[i]["row"] in between for i in range(first + 1, last)):
            return True
        asked = self._asked(here)
        until = next((i for i in range(last + 1, len(self.lines)) if self._takes_next(i, here, asked)), last)
        signs = (*self._without_epoch(), *self._other_connections(), *self._falls(here, _epoch))
        return any(first < i <= until for i in (*signs, *self._falls(here, _version, grows=1)))

    def is_of_epoch(self, file: int, line: int, epoch: int) -> bool:
        """Return whether a line was written in this leader epoch or before: a later one takes no larger epoch."""
        below = self.lines[self.at[file, line] + 1 :]
        begun = {_request(row) for row in below if row["row"] in BECOME_BEGUN}
        taken = (
            row for row in below if row["row"] in _PRINTS_EPOCH or (row["row"] in _TAKES and _request(row) in begun)
        )
        return any(row["leader_epoch"] is not None and row["leader_epoch"] <= epoch for row in taken)

    def _is_another(self, i: int, *those: int) -> bool:
        """Return whether a line belongs to none of the requests of some others."""
        request = _request(self.lines[i])
        return request is None or all(request != _request(self.lines[each]) for each in those)

    def _takes_next(self, i: int, here: int, asked: frozenset[int | None]) -> bool:
        """Return whether a later line of the same process takes another leader epoch than was requested."""
        line, own = self.lines[i], self.lines[here]
        if line["row"] not in _TAKES or line["process"] != own["process"] or not self._is_another(i, here):
            return False
        return line["leader_epoch"] not in asked

    def _asked(self, here: int) -> frozenset[int | None]:
        """The leader epochs that the request of a line asks for, or that the line takes."""
        own = (i for i, row in enumerate(self.lines) if i == here or not self._is_another(i, here))
        return frozenset(_epoch(self.lines[i]) for i in own)

    def _without_epoch(self) -> Iterator[int]:
        return (i for i, row in enumerate(self.lines) if row["previous_leader_epoch"] == NO_EPOCH)

    def _other_connections(self) -> Iterator[int]:
        """Yield places where correlation ids fall, or are another controller's."""
        last: _Key | None = None
        for i, row in enumerate(self.lines):
            now = _request(row)
            if now is None or None in now:
                continue
            if last is not None and (now[:-1] != last[:-1] or now[-1] < last[-1]):
                yield i
            last = now

    def _falls(self, here: int, of: _Number, grows: int = 0) -> Iterator[int]:
        """Yield places of a lower number than before, which grows by `grows` at least; on lines of the finding's own
        request only if it stays so."""
        greatest = -1 - grows
        for i, row in enumerate(self.lines):
            number = of(row)
            if number is None:
                continue
            own = i == here or not self._is_another(i, here)
            least = greatest + grows
            if number < least and (not own or self._next(here, of) < least):
                yield i
            if not own:
                greatest = max(greatest, number)

    def _next(self, here: int, of: _Number) -> int:
        """The number that the next line below prints which is of another request; -1 if there is none."""
        below = (i for i in range(here + 1, len(self.lines)) if self._is_another(i, here))
        return next((number for i in below if (number := of(self.lines[i])) is not None), -1)


EXCUSE = Excuse(
    "renewal",
    assumes="creation",
    says="the replica may have begun anew between the two lines, and the lines of that be missing",
    asks=_compares_lines,
    explained=_explained,
)
