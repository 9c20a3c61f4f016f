"""The moves of an instance, one packed state at a time, each translated when it is needed.

A short log takes few of the moves, and each a few times; what one does to the state can be a hundred kilobytes of
source, of which Python compiles a megabyte in a second. So only guards are compiled at once. The reference executes a
move until it has been taken often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from ...model.protocol import Instance
from ...model.sorts import Value
from ...model.step import Reference
from ..explore.flatten import Flattener
from ..explore.narrow import build_effect, build_guards
from ..explore.packing import Packing
from ..explore.program import Guarded, Program, effect, guarded
from ..explore.scalars import Scalars

OFTEN = 100
"""The times that the reference executes a move before it is compiled, which costs as much as some hundred steps."""


class Fields:
    """The fields of an instance's packed states. Each has few values, and is unpacked once for each."""

    def __init__(self, packing: Packing) -> None:
        self.packing = packing
        self.names = tuple(each.name for each in packing.instance.model.fields)
        self._bits = {name: packing.bits_of(name) for name in self.names}
        self._values: dict[str, dict[int, Value]] = {name: {} for name in self.names}
        self._packed: dict[str, dict[Value, int]] = {name: {} for name in self.names}

    def value(self, name: str, state: int) -> Value:
        """The value of a field in a packed state."""
        bits, known = state & self._bits[name], self._values[name]
        if bits not in known:
            known[bits] = self.packing.value_of(name, state)
        return known[bits]

    def unpacked(self, state: int) -> tuple[Value, ...]:
        """The state of a packed one."""
        return tuple(self.value(name, state) for name in self.names)

    def replaced(self, state: int, before: tuple[Value, ...], after: tuple[Value, ...]) -> int:
        """The packed state of `after`, from that of `before`: few fields differ."""
        for name, old, new in zip(self.names, before, after, strict=True):
            if old is not new and old != new:
                state = state & ~self._bits[name] | self._bits_of(name, new)
        return state

    def _bits_of(self, name: str, value: Value) -> int:
        known = self._packed[name]
        if value not in known:
            known[value] = self.packing.packed(name, value)
        return known[value]


class Moves:
    """The moves by their numbers, which states they can be taken in, and where they lead."""

    def __init__(self, instance: Instance) -> None:
        self.packing = Packing(instance)
        self.fields = Fields(self.packing)
        self._flat = Flattener(self.packing, Scalars())
        self.all: tuple[Guarded, ...] = tuple(guarded(self._flat, instance))
        self._program = Program(instance, self.packing, self._flat.s, (), (), ())
        self._guards = build_guards(self._program, [each.guard for each in self.all])
        self.bindings: tuple[Mapping[str, Value], ...] = tuple(each.binding for each in self.all)
        self._reference = Reference(instance)
        self._taken = [0] * len(self.all)
        self._compiled: dict[int, Callable[[int], int | None]] = {}

    def enabled(self, state: int) -> list[int]:
        """The moves that can be taken in a packed state."""
        return [move for move, holds in enumerate(self._guards(state)) if holds]

    def after(self, state: int, move: int) -> int | None:
        """The packed state that a move leads to from one in which it can be taken; None if it is out of range."""
        if move in self._compiled:
            return self._compiled[move](state)
        self._taken[move] += 1
        if self._taken[move] > OFTEN:
            self._compiled[move] = build_effect(self._program, effect(self._flat, self.all[move]))
            return self._compiled[move](state)
        before = self.fields.unpacked(state)
        taken = self._reference.take(before, self.all[move].action.name, self.bindings[move])
        assert taken is not None, "a guard holds here, but not in the reference"
        return None if taken.overflows else self.fields.replaced(state, before, taken.state)


class _ByContent:
    """An instance as a key: settings have no hash."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self._hash = hash((instance.model.name, tuple(instance.settings.items())))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByContent) and self.instance == other.instance


def moves_of(instance: Instance) -> Moves:
    """The moves of an instance; what is compiled of them is kept for the next log."""
    return _moves(_ByContent(instance))


@lru_cache(maxsize=64)
def _moves(key: _ByContent) -> Moves:
    return Moves(key.instance)
