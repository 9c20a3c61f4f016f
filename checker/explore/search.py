"""Breadth-first search of an instance, level by level, whole chunks of states at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..memory import peak_mb
from .generate import Masks, build, build_masks, successors
from .narrow import Expand
from .narrow import build as build_narrow
from .packing import packed
from .program import Program, beyond_limits, unwatched
from .symmetry import Orbits

if TYPE_CHECKING:
    from .table import Words

CHUNK = 1 << 16

# Before a level of this many states, what is decided is taken out of the code: building it anew pays from here on.
WIDE = 1 << 17

# A level of at most NARROW states is for plain Python; once there were enough of them, compiling it pays.
NARROW, NARROW_LEVELS = 48, 24


class Limits(NamedTuple):
    """The limits at which a search stops unfinished: its verdict is then *unknown* for what it has not found."""

    states: int | None = None
    depth: int | None = None
    seconds: float | None = None
    memory_mb: int | None = None
    interrupts: bool = False
    """An interrupt, such as Ctrl-C, stops the search like a limit; otherwise it is raised."""

    def reached(self, states: int, seconds: float) -> str | None:
        """Return the limit on states or seconds that is reached, if any."""
        if self.states is not None and states >= self.states:
            return f"{self.states} states"
        if self.seconds is not None and seconds >= self.seconds:
            return f"{self.seconds:g} s"
        return None


class Hit(NamedTuple):
    """The first place where a watch fired: a state, or a step from it by a move. `length` counts states of the path."""

    prop: int
    state: int
    move: int | None
    length: int


@dataclass
class Found:
    """The result of a search. `stopped` is the limit that ended it, None if it is complete.

    All counts are of states, also where one of each orbit is searched; `searched` are those that are. Of the deadlocks
    some end `at_bound`: without the model's limits a step could be taken. The first one is one of the others.
    """

    distinct: int = 0
    searched: int = 0
    generated: int = 0
    depth: int = 0
    deadlocks: int = 0
    at_bound: int = 0
    first_deadlock: int | None = None
    hits: dict[int, Hit] = field(default_factory=dict)
    overflow: Hit | None = None
    taken: list[int] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    stopped: str | None = None


Progress = Callable[[int, int, int], None]

ALL_DECIDED = "the level that decided the last property"
INTERRUPT = "an interrupt"
"""Two of the places at which a search stops."""


@dataclass(frozen=True)
class Ends:
    """The places at which a search ends with states left."""

    limits: Limits = field(default_factory=Limits)
    decided: bool = False
    """True: as soon as every watched property has fired."""
    violated: bool = False
    """True: after the level on which the first property is violated, or a range overflows."""

    def after_level(self, program: Program, found: Found) -> str | None:
        """Return why the search ends after a level, if it does."""
        broken = found.overflow is not None or any(program.properties[each].kind != "sometimes" for each in found.hits)
        if self.violated and broken:
            return "the first violation"
        if self.decided and len(found.hits) == len(program.properties):
            return ALL_DECIDED
        return None


EVERYWHERE = Ends()
"""A search of all states."""


class Search:
    """One run over a program. `table` holds the states afterwards."""

    def __init__(
        self,
        program: Program,
        chunk: int = CHUNK,
        narrow: int = NARROW,
        narrow_levels: int = NARROW_LEVELS,
        wide: int = WIDE,
    ) -> None:
        import numpy as np

        from .table import StateTable

        self.np = np
        self.program = program
        self.chunk = chunk
        self.narrow, self.narrow_levels, self.wide = narrow, narrow_levels, wide
        self.expand_one: Expand | None = None
        self.beyond: Masks | None = None
        self.expand = build(program)
        self.table = StateTable(program.packing.sizes, np.min_scalar_type(len(program.moves)))

    def packed(self, state: int) -> int:
        """A state by its id, as one integer."""
        return packed(self.table.words, state)

    def run(
        self,
        initial: int,
        ends: Ends = EVERYWHERE,
        orbits: Orbits | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Search from a packed initial state.

        Args:
            orbits: of states that are searched once.
        """
        limits = ends.limits
        found = Found(generated=1, taken=[0] * len(self.program.moves))
        table = self.table
        first = self.program.packing.words(initial)
        table.enter(first if orbits is None else orbits.representatives(first), 0, 0)
        started = time.monotonic()
        start, end = 0, 1
        while start < end and found.stopped is None:
            found.depth += 1
            found.levels.append(0)
            counted = start
            if end - start >= self.wide:
                self._watch_less(found)
            last = limits.depth is not None and found.depth >= limits.depth
            by_state = self._by_state(end - start)
            try:
                for low in range(start, end, self.chunk):
                    expand = self._expand_states if by_state else self._expand
                    counted = min(low + self.chunk, end)
                    weights = self._weights(low, counted, orbits)
                    found.levels[-1] += counted - low if weights is None else int(weights.sum())
                    expand(low, counted, found, orbits, weights)
                    if progress is not None:
                        progress(found.depth, table.count, low - start)
                    found.stopped = self._over(limits, started)
                    if found.stopped is not None:
                        break
            except KeyboardInterrupt:  # what was noted is of states that are in the table
                if not limits.interrupts:
                    raise
                found.stopped = INTERRUPT
            if last and found.stopped is None and table.count > end:
                found.stopped = f"depth {limits.depth}"
                table.count = end  # what lies beyond the bound is not counted
            found.levels[-1] += self._states(counted, end, orbits)
            start, end = end, table.count
            if found.stopped is None and start < end:
                found.stopped = ends.after_level(self.program, found)
        found.searched = table.count
        found.distinct = sum(found.levels) + self._states(start, end, orbits)
        return found

    def expand_level(self, states: Words, depth: int, orbits: Orbits | None = None) -> tuple[Found, int]:
        """Expand some states in a table of their own; return the counts, and the id of their first successor there."""
        self.table = self.table.empty()
        self.table.enter(states, 0, 0)
        end = self.table.count
        found = Found(depth=depth, taken=[0] * len(self.program.moves))
        for low in range(0, end, self.chunk):
            high = min(low + self.chunk, end)
            self._expand(low, high, found, orbits, self._weights(low, high, orbits))
        return found, end

    def trail(self, state: int) -> list[tuple[int, int]]:
        """Return the search's way to a state: the ids after the initial one, each with its move."""
        steps = []
        while state != 0:
            steps.append((state, int(self.table.moves[state])))
            state = int(self.table.parents[state])
        return steps[::-1]

    def after(self, state: int, move: int) -> int:
        """The packed state after a step from a packed one."""
        words = self.program.packing.words(state)
        _, steps = self.expand(words)
        return packed(next(successors(words, [0], changed) for index, _, changed, *_ in steps if index == move), 0)

    def _weights(self, low: int, high: int, orbits: Orbits | None) -> Any | None:
        """Return the number of states that each state stands for; None: only itself."""
        return None if orbits is None else orbits.sizes([word[low:high] for word in self.table.words])

    def _states(self, low: int, high: int, orbits: Orbits | None) -> int:
        """Count the states that a range of states stands for."""
        cuts = range(low, high, self.chunk) if orbits is not None else ()
        parts = (self._weights(cut, min(cut + self.chunk, high), orbits) for cut in cuts)
        return high - low if orbits is None else sum(int(part.sum()) for part in parts if part is not None)

    def _watch_less(self, found: Found) -> None:
        """Stop watching for properties that are decided: a shorter path cannot come any more."""
        less = unwatched(self.program, found.hits)
        if less is not self.program:
            self.program = less
            self.expand = build(less)

    def _by_state(self, states: int) -> bool:
        """Decide whether a level goes to plain Python."""
        if states > self.narrow:
            return False
        self.narrow_levels -= 1
        if self.narrow_levels < 0 and self.expand_one is None:
            self.expand_one = build_narrow(self.program)
        return self.expand_one is not None

    def _over(self, limits: Limits, started: float) -> str | None:
        reached = limits.reached(self.table.count, time.monotonic() - started)
        if reached is None and limits.memory_mb is not None and peak_mb() >= limits.memory_mb:
            return f"{limits.memory_mb} MB"
        return reached

    def _expand(self, low: int, high: int, found: Found, orbits: Orbits | None, weights: Any | None) -> None:
        np, table = self.np, self.table
        words = [each[low:high].copy() for each in table.words]  # a view would keep what the table outgrows
        watched, steps = self.expand(words)
        for watch, mask in zip(self.program.state_watches, watched, strict=True):
            self._note(found, watch.prop, mask.nonzero()[0] + low, None)
        alive = np.zeros(high - low, bool)
        end = table.count
        for index, mask, changed, ways, overflow, fires in steps:
            rows = mask.nonzero()[0]
            if not len(rows):
                continue
            alive |= mask
            found.taken[index] += len(rows) if weights is None else int(weights.take(rows).sum())
            found.generated += _summed(rows, ways, weights)
            if overflow is not None:
                outside = overflow.take(rows)
                if outside.any():
                    if found.overflow is None:
                        found.overflow = Hit(-1, int(rows[outside][0]) + low, index, found.depth + 1)
                    rows = rows[~outside]
            for prop, fired in fires:
                self._note(found, prop, rows.compress(fired.take(rows)) + low, index)
            end = table.write(end, words, rows, low, index, changed)
        dead = np.flatnonzero(~alive)
        if len(dead):
            self._note_dead(found, dead + low, None if weights is None else weights.take(dead))
        self._enter(end, orbits)

    def _enter(self, end: int, orbits: Orbits | None) -> None:
        """Add the candidates written behind the states, up to an end."""
        table = self.table
        if orbits is not None and end > table.count:
            fresh = slice(table.count, end)
            found = orbits.representatives([each[fresh] for each in table.words])
            for word, value in zip(table.words, found, strict=True):
                word[fresh] = value
        table.add(end - table.count)

    def _expand_states(self, low: int, high: int, found: Found, orbits: Orbits | None, weights: Any | None) -> None:
        """The same as `_expand`, state by state in plain Python."""
        assert self.expand_one is not None
        np, table = self.np, self.table
        at = table.count
        for state in range(low, high):
            fires, steps = self.expand_one(self.packed(state))
            weight = 1 if weights is None else int(weights[state - low])
            one = np.array([state])
            for prop in fires:
                self._note(found, prop, one, None)
            if not steps:
                self._note_dead(found, one, None if weights is None else np.array([weight]))
            for move, new, ways, props in steps:
                found.taken[move] += weight
                found.generated += ways * weight
                if new is None:
                    if found.overflow is None:
                        found.overflow = Hit(-1, state, move, found.depth + 1)
                    continue
                for prop in props:
                    self._note(found, prop, one, move)
                table.reserve(at + 1 - table.count, at - table.count)
                for index, word in enumerate(table.words):
                    word[at] = new >> (64 * index) & (2**64 - 1)
                table.parents[at] = state
                table.moves[at] = move
                at += 1
        self._enter(at, orbits)

    def _note(self, found: Found, prop: int, ids: Any, move: int | None) -> None:
        """Note where a watch fired: in states of this level, or for steps from them by a move.

        Of the first places the smallest packed state is kept, so that every run reports the same.
        """
        length = found.depth if move is None else found.depth + 1
        known = found.hits.get(prop)
        if not len(ids) or (known is not None and known.length < length):
            return
        best = Hit(prop, self._smallest(ids), move, length)
        if known is None or self._order(best) < self._order(known):
            found.hits[prop] = best

    def _note_dead(self, found: Found, ids: Any, weights: Any | None) -> None:
        """Count states without successor, those at a limit apart."""
        if self.beyond is None:
            self.beyond = build_masks(self.program, [beyond_limits(self.program)])
        at_bound = self.beyond([word[ids] for word in self.table.words])[0]
        found.deadlocks += len(ids) if weights is None else int(weights.sum())
        found.at_bound += int(at_bound.sum() if weights is None else weights[at_bound].sum())
        dead = ids[~at_bound]
        if found.first_deadlock is None and len(dead):
            found.first_deadlock = int(dead[0])

    def _order(self, hit: Hit) -> tuple[int, int]:
        return self.packed(hit.state), -1 if hit.move is None else hit.move

    def _smallest(self, ids: Any) -> int:
        for word in reversed(self.table.words):
            values = word[ids]
            ids = ids[values == values.min()]
        return int(ids[0])


def _summed(rows: Any, ways: Any | None, weights: Any | None) -> int:
    """Count the steps from some states, each in its ways, and from all states that these stand for."""
    if ways is None:
        return len(rows) if weights is None else int(weights.take(rows).sum())
    taken = ways.take(rows)
    return int(taken.sum() if weights is None else (taken * weights.take(rows)).sum())
