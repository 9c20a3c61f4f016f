"""The set of states seen: packed words in arrays, found by an open-addressing table of 32-bit slots. Exact."""

from __future__ import annotations

from typing import Any

import numpy as np

Words = list[Any]

_FULL = 0.55
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)


class StateTable:
    """States by id, in the order they were found.

    `words[j][id]` is word j of a state, `parents[id]` the state it was found from, `moves[id]` by which move.
    """

    def __init__(self, words: int, move_type: Any) -> None:
        self.count = 0
        self.words: Words = [np.empty(1 << 12, np.uint64) for _ in range(words)]
        self.parents = np.empty(1 << 12, np.uint32)
        self.moves = np.empty(1 << 12, move_type)
        self.slots = np.zeros(1 << 13, np.uint32)

    def reserve(self, more: int, written: int = 0) -> None:
        """Makes room for candidates behind the states; the first `written` are there already."""
        needed, capacity = self.count + more, len(self.parents)
        if needed <= capacity:
            return
        capacity = max(needed, capacity + capacity // 2 if capacity > 1 << 22 else 2 * capacity)
        used = self.count + written
        self.words = [self._grown(each, used, capacity) for each in self.words]
        self.parents = self._grown(self.parents, used, capacity)
        self.moves = self._grown(self.moves, used, capacity)

    def _grown(self, array: Any, used: int, capacity: int) -> Any:
        larger = np.empty(capacity, array.dtype)
        larger[:used] = array[:used]
        return larger

    def add(self, candidates: int) -> int:
        """Keeps those of the candidates (written behind the states) that are new, in their order; returns how many.

        Each candidate is first entered under its provisional id; of several equal ones, one wins.
        """
        if candidates == 0:
            return 0
        count = self.count
        if (count + candidates) > len(self.slots) * _FULL:
            self._rehash(count + candidates)
        slots, words = self.slots, self.words
        mask = len(slots) - 1
        ids = np.arange(count, count + candidates, dtype=np.uint32)
        at = self._slot([each[count : count + candidates] for each in words], mask)
        won: list[Any] = []
        won_at: list[Any] = []
        while len(ids):
            found = slots[at]
            empty = found == 0
            free = np.flatnonzero(empty)
            if len(free):
                free_at, free_ids = at[free], ids[free] + np.uint32(1)
                slots[free_at] = free_ids
                winner = slots[free_at] == free_ids
                won.append(free_ids[winner] - np.uint32(1))
                won_at.append(free_at[winner])
                lost = free[~winner]
                taken = np.flatnonzero(~empty)
            else:
                lost = free
                taken = None
            if taken is None or len(taken):
                taken_ids = ids if taken is None else ids[taken]
                taken_at = at if taken is None else at[taken]
                other = (found if taken is None else found[taken]) - np.uint32(1)
                differ = words[0][taken_ids] != words[0][other]
                for each in words[1:]:
                    differ |= each[taken_ids] != each[other]
                ids_next, at_next = taken_ids[differ], (taken_at[differ] + 1) & mask
                if len(lost):
                    ids, at = np.concatenate((ids_next, ids[lost])), np.concatenate((at_next, at[lost]))
                else:
                    ids, at = ids_next, at_next
            else:
                ids, at = ids[lost], at[lost]
        if not won:
            return 0
        new, new_at = np.concatenate(won), np.concatenate(won_at)
        order = np.argsort(new, kind="stable")
        new, new_at = new[order], new_at[order]
        end = count + len(new)
        if end != count + candidates:
            for each in words:
                each[count:end] = each[new]
            self.parents[count:end] = self.parents[new]
            self.moves[count:end] = self.moves[new]
            slots[new_at] = np.arange(count + 1, end + 1, dtype=np.uint32)
        self.count = end
        return len(new)

    def _slot(self, words: Words, mask: int) -> Any:
        mixed = words[0] * np.uint64(_MULTIPLIERS[0])
        for index, each in enumerate(words[1:], 1):
            mixed ^= (each ^ (each >> np.uint64(29))) * np.uint64(_MULTIPLIERS[index % 4])
            mixed *= np.uint64(_MULTIPLIERS[(index + 1) % 4])
        mixed ^= mixed >> np.uint64(32)
        mixed *= np.uint64(_MULTIPLIERS[3])
        mixed >>= np.uint64(64 - mask.bit_length())
        return mixed.astype(np.int64)

    def _rehash(self, expected: int) -> None:
        size = len(self.slots)
        while expected > size * _FULL:
            size *= 2
        self.slots = np.zeros(size, np.uint32)
        for start in range(0, self.count, 1 << 18):
            end = min(start + (1 << 18), self.count)
            ids = np.arange(start + 1, end + 1, dtype=np.uint32)
            at = self._slot([each[start:end] for each in self.words], size - 1)
            while len(ids):
                free = self.slots[at] == 0
                self.slots[at[free]] = ids[free]
                placed = self.slots[at] == ids
                ids, at = ids[~placed], (at[~placed] + 1) & (size - 1)
