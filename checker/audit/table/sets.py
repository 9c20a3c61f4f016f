"""Operations on sets of brokers, over whole columns: small sets are rows of a matrix.

Each operation returns an answer and whether it is sure. It is not sure where a set is wide or one of texts, or where
the answer is a set that is neither empty nor one of the arguments: then Python's sets answer.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, compress
from typing import cast

import numpy as np

from .arrays import Dictionary, Mask, Numbers

_WIDTH = 8
"""The members of a small set: an assignment seldom has more, and they bound the matrix."""
_ROWS = 65_536
"""The number of pairs of sets that are compared together, each member with each."""
Answer = tuple[Numbers, Mask]
"""The answers, and where they are sure, both of shape (rows,)."""


class Sets:
    """The lists of a dictionary, by their indices. All arguments that are sets are indices of sorted lists."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._members: Numbers = np.zeros((0, _WIDTH), dtype=np.int64)
        self._sizes: Numbers = np.zeros(0, dtype=np.int64)
        self._small: Mask = np.zeros(0, dtype=bool)

    def subset(self, a: Numbers, b: Numbers) -> Answer:
        common, small = self._common(a, b)
        return common == self._sizes[a], small

    def minus(self, a: Numbers, b: Numbers) -> Answer:
        common, small = self._common(a, b)
        return np.where(common == 0, a, self._empty), small & ((common == 0) | (common == self._sizes[a]))

    def intersect(self, a: Numbers, b: Numbers) -> Answer:
        common, small = self._common(a, b)
        inside, around = common == self._sizes[a], common == self._sizes[b]
        found = np.where(inside, a, np.where(around, b, self._empty))
        return found, small & (inside | around | (common == 0))

    def union(self, a: Numbers, b: Numbers) -> Answer:
        common, small = self._common(a, b)
        inside, around = common == self._sizes[a], common == self._sizes[b]
        return np.where(inside, b, a), small & (inside | around)

    def member(self, a: Numbers, id: Numbers) -> Answer:
        return self._contains(a, id)

    def insert(self, a: Numbers, id: Numbers) -> Answer:
        inside, small = self._contains(a, id)
        return a, small & inside

    def remove(self, a: Numbers, id: Numbers) -> Answer:
        inside, small = self._contains(a, id)
        return a, small & ~inside

    def is_empty(self, a: Numbers) -> Answer:
        return np.equal(a, self._empty), np.ones(len(a), dtype=bool)

    def size(self, a: Numbers) -> Answer:
        self._extend()
        return self._sizes[a], np.ones(len(a), dtype=bool)

    @property
    def _empty(self) -> int:
        return self._dictionary.index(())

    def _extend(self) -> None:
        """Add the values that the dictionary has received since."""
        values, known = self._dictionary.values, len(self._sizes)
        if known == len(values):
            return
        lists = [value if type(value) is tuple else () for value in values[known:]]
        sizes = np.array(list(map(len, lists)), dtype=np.int64)
        # Members of a list are of one kind: numbers, or texts.
        of_texts = np.array([len(each) > 0 and type(each[0]) is str for each in lists], dtype=bool)
        small = (sizes <= _WIDTH) & ~of_texts
        members = np.zeros((len(lists), _WIDTH), dtype=np.int64)
        there = (np.arange(_WIDTH) < sizes[:, None]) & small[:, None]
        members[there] = [*chain.from_iterable(compress(lists, small.tolist()))]
        self._members, self._sizes, self._small = (
            np.concatenate(pair) for pair in ((self._members, members), (self._sizes, sizes), (self._small, small))
        )

    def _rows(self, a: Numbers) -> tuple[Numbers, Mask]:
        """Return the members of each set, and which of them are members."""
        return self._members[a], np.arange(_WIDTH) < self._sizes[a][:, None]

    def _common(self, a: Numbers, b: Numbers) -> tuple[Numbers, Mask]:
        """Return how many members two sets have in common, and whether both are small."""
        self._extend()
        common = [self._in_both(a[i : i + _ROWS], b[i : i + _ROWS]) for i in range(0, len(a), _ROWS)]
        small = self._small[a] & self._small[b]
        return np.concatenate(common) if common else np.zeros(0, dtype=np.int64), small

    def _in_both(self, a: Numbers, b: Numbers) -> Numbers:
        (mine, is_mine), (theirs, is_theirs) = self._rows(a), self._rows(b)
        equal = (mine[:, :, None] == theirs[:, None, :]) & is_mine[:, :, None] & is_theirs[:, None, :]
        return cast(Numbers, np.count_nonzero(equal, axis=(1, 2)))

    def _contains(self, a: Numbers, id: Numbers) -> Answer:
        self._extend()
        members, is_member = self._rows(a)
        return ((members == id[:, None]) & is_member).any(axis=1), self._small[a]


def answered(answer: Answer, otherwise: Callable[[Numbers], list[int | bool]]) -> Numbers:
    """Return the answers; rows where they are not sure are answered by `otherwise`."""
    found, sure = answer
    rest = np.flatnonzero(~sure)
    if not len(rest):
        return found
    found = found.copy()
    found[rest] = otherwise(rest)
    return found
