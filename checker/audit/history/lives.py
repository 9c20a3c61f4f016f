"""The matching of local histories to lives of a cluster.

Two local histories of two streams are joined if they agree: some epoch is in both, and every epoch that is in both has
the same controller. Each must be the only one of its stream that agrees with the other; otherwise there is more than
one way to match the streams, and the two are kept apart, with a note. Two logs in one directory are of one broker and
must overlap in time as well. A group of joined local histories never has two controllers for an epoch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from .local_histories import LocalHistory


class Note(NamedTuple):
    """A note about its files for readers of a cluster's report."""

    cluster: int
    text: str


def lives(histories: Sequence[LocalHistory]) -> tuple[list[list[LocalHistory]], list[Note]]:
    """Return the local histories of each life, in the given order, and notes on those kept apart."""
    matching = _Matching(histories)
    groups = _Groups(histories)
    notes: list[Note] = []
    for i, stream in matching.questions():
        partner = matching.partner(i, stream)
        if partner is not None:
            groups.join(i, partner)
        elif histories[i].stream < stream and next(matching.candidates(i, stream), None) is not None:
            notes.append(_kept_apart(histories[i], stream))
    return groups.members(), list(dict.fromkeys(notes))


def _kept_apart(history: LocalHistory, stream: str) -> Note:
    ways = f"{history.stream} and {stream}: there is more than one way to match their histories, so they are kept apart"
    return Note(history.cluster, ways)


class _Matching:
    """Candidates among local histories of other streams for the same life; numbers are indices into `histories`."""

    def __init__(self, histories: Sequence[LocalHistory]) -> None:
        self._histories = histories
        self._with_epoch: dict[tuple[int, int], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for i, history in enumerate(histories):
            for epoch in history.controllers:
                self._with_epoch[history.cluster, epoch][history.stream].append(i)

    def questions(self) -> Iterator[tuple[int, str]]:
        """Yield every local history with every other stream of its cluster that has one of its epochs."""
        for i, history in enumerate(self._histories):
            for stream in sorted({*chain(*self._by_stream(i))} - {history.stream}):
                yield i, stream

    def _by_stream(self, i: int) -> Iterator[Mapping[str, Sequence[int]]]:
        """Yield for each epoch of `i` the local histories that have it, by their streams."""
        mine = self._histories[i]
        return (self._with_epoch[mine.cluster, epoch] for epoch in mine.controllers)

    def candidates(self, i: int, stream: str) -> Iterator[int]:
        """Yield the local histories of a stream that may be of one life with `i`."""
        seen: set[int] = set()
        for j in chain.from_iterable(each.get(stream, ()) for each in self._by_stream(i)):
            if j not in seen and _may_be_one(self._histories[i], self._histories[j]):
                yield j
            seen.add(j)

    def partner(self, i: int, stream: str) -> int | None:
        """Return the only candidate of a stream, if `i` is its only candidate too."""
        there = self._two(i, stream)
        if len(there) != 1 or self._two(there[0], self._histories[i].stream) != [i]:
            return None
        return there[0]

    def _two(self, i: int, stream: str) -> list[int]:
        """Return candidates, two at most: more than one are as good as many."""
        return [*islice(self.candidates(i, stream), 2)]


def _may_be_one(mine: LocalHistory, other: LocalHistory) -> bool:
    return mine.agrees(other) and (mine.directory != other.directory or mine.overlaps(other))


class _Groups:
    """Groups of local histories that agree as a whole (disjoint sets; the first member of a group represents it)."""

    def __init__(self, histories: Sequence[LocalHistory]) -> None:
        self._histories = histories
        self._parent = list(range(len(histories)))
        self._controllers = [dict(history.controllers) for history in histories]

    def _first(self, i: int) -> int:
        while self._parent[i] != i:
            i = self._parent[i]
        return i

    def join(self, i: int, j: int) -> None:
        """Join the groups of two, unless an epoch has different controllers in them."""
        a, b = sorted((self._first(i), self._first(j)))
        if a == b:
            return
        mine, other = self._controllers[a], self._controllers[b]
        if all(mine[epoch] == other[epoch] for epoch in mine.keys() & other.keys()):
            self._parent[b] = a
            mine |= other

    def members(self) -> list[list[LocalHistory]]:
        """Return the groups, in the order of their first members."""
        found: dict[int, list[LocalHistory]] = defaultdict(list)
        for i, history in enumerate(self._histories):
            found[self._first(i)].append(history)
        return [found[key] for key in sorted(found)]
