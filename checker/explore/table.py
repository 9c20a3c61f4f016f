"""The set of states seen: packed words in arrays, found by an open-addressing table of 32-bit slots. Exact.

A slot holds an entry: a state's id from 1, and in the bits that no id needs a tag, which distinguishes most states that
are sought in the same place without a look at them; 0 is a free slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .generate import Changed, overwrite

Words = list[Any]

# At most this part of the slots is taken; then there are four times as many, or twice where that is much memory.
_FULL, _LARGE = 0.6, 1 << 27
_BLOCK = 1 << 15  # states that are entered anew at a time: so few that their slots stay in the caches
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
        self.slots = np.zeros(1 << 13, np.uint32)

    def empty(self) -> StateTable:
        """A table for states and moves of the same size."""
        return StateTable([each.itemsize for each in self.words], self.moves.dtype)

    def reserve(self, more: int, written: int = 0) -> None:
        """Make room for candidates behind the states; the first `written` are there already."""
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
        """Write the successors of some rows of a chunk of states as candidates from `at` on; return where they end.

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

    def enter(self, states: Words, parents: Any, moves: Any) -> int:
        """Add those of some states that are new, with where they were found from; return how many."""
        here = slice(self.count, self.count + len(states[0]))
        self.reserve(len(states[0]))
        for word, new in zip(self.words, states, strict=True):
            word[here] = new
        self.parents[here] = parents
        self.moves[here] = moves
        return self.add(len(states[0]))

    def add(self, candidates: int) -> int:
        """Keep those of the candidates that are new, in their order; return how many.

        Each candidate is first entered under its provisional id; of several equal ones, one wins. Gathering with
        `take` by 64-bit indices, and `flatnonzero` instead of truth values as an index, are the fast ways of NumPy.
        """
        if candidates == 0:
            return 0
        count = self.count
        if count + candidates > len(self.slots) * _FULL:
            self._rehash(count + candidates)
        slots, words = self.slots, self.words
        mask = np.uint32(len(slots) - 1)  # of the bits for an id
        own = [each[count : count + candidates] for each in words]
        at, entries = _entries(own, count, len(slots))
        tags = entries & ~mask
        rows = np.arange(candidates)
        new = np.zeros(candidates, bool)
        new_at = np.empty(candidates, np.intp)
        while len(rows):
            found = slots.take(at)
            free = np.flatnonzero(found == 0)
            if len(free):
                free_at, mine = at.take(free), entries.take(free)
                slots[free_at] = mine
                winners = slots.take(free_at)
                wins = np.flatnonzero(winners == mine)
                won = rows.take(free.take(wins))
                new[won] = True
                new_at[won] = free_at.take(wins)
                found[free] = winners
            # Whoever won is done. The others look at who was there, or who won, if the tags are equal.
            found ^= entries
            left = found != 0
            alike = np.flatnonzero(found - np.uint32(1) < mask)
            if len(alike):
                other = ((found.take(alike) ^ entries.take(alike)) & mask).astype(np.intp)
                other -= 1
                same = own[0].take(alike) == words[0].take(other)
                for mine, word in zip(own[1:], words[1:], strict=True):
                    same &= mine.take(alike) == word.take(other)
                left[alike.compress(same)] = False
            rest = np.flatnonzero(left)
            rows, entries, own = rows.take(rest), entries.take(rest), [each.take(rest) for each in own]
            at = at.take(rest)
            at += 1
            at &= len(slots) - 1
        kept = np.flatnonzero(new)
        end = count + len(kept)
        slots[new_at.take(kept)] = tags.take(kept) | np.arange(count + 1, end + 1, dtype=np.uint32)
        kept += count
        for each in (*words, self.parents, self.moves):
            each[count:end] = each.take(kept)
        self.count = end
        return len(kept)

    def find(self, sought: Words) -> Any:
        """The ids of states that are all there."""
        slots, mask = self.slots, np.uint32(len(self.slots) - 1)
        at, entries = _entries(sought, 0, len(slots))
        tags, ids = entries & ~mask, np.empty(len(at), np.intp)
        rows = np.arange(len(at))
        while len(rows):
            held = slots.take(at.take(rows))
            other = (held & mask).astype(np.intp) - 1
            same = (held & ~mask) == tags.take(rows)
            for mine, word in zip(sought, self.words, strict=True):
                same &= mine.take(rows) == word.take(other, mode="clip")
            assert not (held == 0).any(), "a reached state is not in the table"
            ids[rows[same]] = other[same]
            rows = rows[~same]
            at[rows] = (at.take(rows) + 1) & int(mask)
        return ids

    def _rehash(self, expected: int) -> None:
        size = len(self.slots)
        while expected > size * _FULL:
            size *= 4 if size < _LARGE else 2
        self.slots = np.zeros(size, np.uint32)
        for start in range(0, self.count, _BLOCK):
            end = min(start + _BLOCK, self.count)
            at, entries = _entries([each[start:end] for each in self.words], start, size)
            while len(entries):
                free = np.flatnonzero(self.slots.take(at) == 0)
                self.slots[at.take(free)] = entries.take(free)
                left = np.flatnonzero(self.slots.take(at) != entries)
                entries, at = entries.take(left), (at.take(left) + 1) & (size - 1)


def _grown(array: Any, used: int, capacity: int) -> Any:
    larger = np.empty(capacity, array.dtype)
    larger[:used] = array[:used]
    return larger


def _entries(words: Words, first: int, slots: int) -> tuple[Any, Any]:
    """Return the slot in which each state is sought first, and its entry, if `first` is the id of the first state.

    A state's words are mixed to 32 bits: as many upper ones as slots need say where, the others are its tag.
    """
    mixed = np.multiply(words[0], _MULTIPLIERS[0], dtype=np.uint64)
    for index, word in enumerate(words[1:], 1):
        mixed ^= np.multiply(word, _MULTIPLIERS[index % 4], dtype=np.uint64)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_MULTIPLIERS[3])
    mixed >>= np.uint64(32)
    bits = slots.bit_length() - 1
    at = (mixed >> np.uint64(32 - bits)).astype(np.intp)
    entries = mixed.astype(np.uint32)
    entries <<= np.uint32(bits)
    entries |= np.arange(first + 1, first + len(entries) + 1, dtype=np.uint32)
    return at, entries
