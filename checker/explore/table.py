"""The set of states seen: packed words in arrays, found by an open-addressing table of 32-bit slots. Exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .generate import Changed, overwrite

Words = list[Any]

# At most this part of the slots is taken: fewer probes for more memory, as long as that is little.
_FULL, _FULL_LARGE, _LARGE = 0.4, 0.6, 1 << 24
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)


class StateTable:
    """States by id, in the order they were found.

    `words[j][id]` is word j of a state, `parents[id]` the state it was found from, `moves[id]` by which move.
    Candidates are written behind the states; `add` keeps those that are new.
    """

    def __init__(self, sizes: Sequence[int], move_type: Any) -> None:
        self.count = 0
        self.words: Words = [np.empty(1 << 12, f"u{size}") for size in sizes]
        self.parents = np.empty(1 << 12, np.uint32)
        self.moves = np.empty(1 << 12, move_type)
        self.slots = np.zeros(1 << 14, np.uint32)

    def reserve(self, more: int, written: int = 0) -> None:
        """Makes room for candidates behind the states; the first `written` are there already."""
        needed, capacity = self.count + more, len(self.parents)
        if needed <= capacity:
            return
        capacity = max(needed, capacity + capacity // 2 if capacity > 1 << 22 else 2 * capacity)
        used = self.count + written
        for index, each in enumerate(self.words):  # one after the other: each copy is freed before the next is made
            self.words[index] = _grown(each, used, capacity)
            del each
        self.parents = _grown(self.parents, used, capacity)
        self.moves = _grown(self.moves, used, capacity)

    def write(self, at: int, chunk: Words, rows: Any, low: int, move: int, changed: Changed) -> int:
        """Writes the successors of some rows of a chunk of states as candidates from `at` on; returns where they end.

        Args:
            low: the id of the first state of the chunk.
            changed: the new columns of the chunk; see `generate.Steps`.
        """
        end = at + len(rows)
        self.reserve(end - self.count, at - self.count)
        new = [each[at:end] for each in self.words]
        for word, old in zip(new, chunk, strict=True):
            old.take(rows, out=word, mode="clip")  # "clip": without a buffer; no row is out of range
        overwrite(new, rows, changed)
        np.add(rows, low, out=self.parents[at:end], casting="unsafe")
        self.moves[at:end] = move
        return end

    def add(self, candidates: int) -> int:
        """Keeps those of the candidates that are new, in their order; returns how many.

        Each candidate is first entered under its provisional id; of several equal ones, one wins. Gathering with
        `take` by 64-bit indices, and `flatnonzero` instead of truth values as an index, are the fast ways of NumPy.
        """
        if candidates == 0:
            return 0
        count = self.count
        if count + candidates > _room(len(self.slots)):
            self._rehash(count + candidates)
        slots, words = self.slots, self.words
        mask = len(slots) - 1
        ids = np.arange(count, count + candidates)
        own = [each[count : count + candidates] for each in words]
        at = _slot(own, mask)
        won: list[Any] = []
        won_at: list[Any] = []
        while len(ids):
            found = slots.take(at)
            free = np.flatnonzero(found == 0)
            if len(free):
                free_at, names = at.take(free), (ids.take(free) + 1).astype(np.uint32)
                slots[free_at] = names
                winners = slots.take(free_at)
                wins = np.flatnonzero(winners == names)
                won.append(names.take(wins).astype(np.intp) - 1)
                won_at.append(free_at.take(wins))
                found[free] = winners
            # Whoever won is equal to itself and is done; the others compare with who was there, or with who won.
            other = found.astype(np.intp)
            other -= 1
            differ = own[0] != words[0].take(other)
            for mine, word in zip(own[1:], words[1:], strict=True):
                differ |= mine != word.take(other)
            left = np.flatnonzero(differ)
            ids, own = ids.take(left), [each.take(left) for each in own]
            at = at.take(left)
            at += 1
            at &= mask
        if not won:
            return 0
        new, new_at = np.concatenate(won), np.concatenate(won_at)
        order = np.argsort(new, kind="stable")  # a few ascending runs: merged, not sorted
        new = new.take(order)
        end = count + len(new)
        for each in (*words, self.parents, self.moves):
            each[count:end] = each.take(new)
        slots[new_at.take(order)] = np.arange(count + 1, end + 1, dtype=np.uint32)
        self.count = end
        return len(new)

    def _rehash(self, expected: int) -> None:
        size = len(self.slots)
        while expected > _room(size):
            size *= 4 if size < _LARGE else 2
        self.slots = np.zeros(size, np.uint32)
        for start in range(0, self.count, 1 << 18):
            end = min(start + (1 << 18), self.count)
            names = np.arange(start + 1, end + 1, dtype=np.uint32)
            at = _slot([each[start:end] for each in self.words], size - 1)
            while len(names):
                free = np.flatnonzero(self.slots.take(at) == 0)
                self.slots[at.take(free)] = names.take(free)
                left = np.flatnonzero(self.slots.take(at) != names)
                names, at = names.take(left), (at.take(left) + 1) & (size - 1)


def _room(slots: int) -> float:
    return slots * (_FULL if slots <= _LARGE else _FULL_LARGE)


def _grown(array: Any, used: int, capacity: int) -> Any:
    larger = np.empty(capacity, array.dtype)
    larger[:used] = array[:used]
    return larger


def _slot(words: Words, mask: int) -> Any:
    """Where each state is looked for first: its words mixed, and of that the upper bits."""
    mixed = np.multiply(words[0], _MULTIPLIERS[0], dtype=np.uint64)
    for index, word in enumerate(words[1:], 1):
        mixed ^= np.multiply(word, _MULTIPLIERS[index % 4], dtype=np.uint64)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_MULTIPLIERS[3])
    mixed >>= np.uint64(64 - mask.bit_length())
    return mixed.astype(np.intp)
