"""Scalar expressions over the cells of a packed state: integers with known ranges, folded as they are built.

A node is an index into a `Scalars`. Booleans are the integers 0 and 1, sets are bitmasks. Equal nodes are one index, so
what two guards share is computed once.
"""

from __future__ import annotations

CONST, CELL, ADD, LE, EQ, NOT, AND, OR, ITE, BITOR, BITAND, ANDNOT, BIT, TEST, COUNT = range(15)
BOOLEANS = frozenset({LE, EQ, NOT, AND, OR, TEST})


class Scalars:
    """All scalar nodes of an instance: `ops[i]`, `args[i]`, and the range `los[i]`..`his[i]` of the value."""

    def __init__(self) -> None:
        self.ops: list[int] = []
        self.args: list[tuple[int, ...]] = []
        self.los: list[int] = []
        self.his: list[int] = []
        self._known: dict[tuple[int, tuple[int, ...]], int] = {}
        self.false = self.const(0)
        self.true = self.const(1)

    def _make(self, op: int, args: tuple[int, ...], lo: int, hi: int) -> int:
        key = (op, args)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.ops)
            self.ops.append(op)
            self.args.append(args)
            self.los.append(lo)
            self.his.append(hi)
        return found

    def const(self, value: int) -> int:
        return self._make(CONST, (int(value),), int(value), int(value))

    def cell(self, index: int, lo: int, hi: int) -> int:
        """The value of a cell of the state; a cell with one value is that constant."""
        return self.const(lo) if lo == hi else self._make(CELL, (index,), lo, hi)

    def add(self, a: int, b: int) -> int:
        los, his = self.los, self.his
        if los[a] == his[a] == 0:
            return b
        if los[b] == his[b] == 0:
            return a
        lo, hi = los[a] + los[b], his[a] + his[b]
        if lo == hi:
            return self.const(lo)
        if self.ops[a] == CONST:
            a, b = b, a
        if self.ops[b] == CONST and self.ops[a] == ADD and self.ops[self.args[a][1]] == CONST:
            inner, plus = self.args[a]
            return self.add(inner, self.const(los[plus] + los[b]))
        return self._make(ADD, (a, b), lo, hi)

    def le(self, a: int, b: int) -> int:
        if a == b or self.his[a] <= self.los[b]:
            return self.true
        if self.los[a] > self.his[b]:
            return self.false
        # With a number there is one form, `cell <= number`, so that equal conditions are one node.
        if self.ops[a] == CONST:
            return self.invert(self.le(b, self.const(self.los[a] - 1)))
        if self.ops[b] == CONST and self.ops[a] == ADD and self.ops[self.args[a][1]] == CONST:
            inner, plus = self.args[a]
            return self.le(inner, self.const(self.los[b] - self.los[plus]))
        return self._make(LE, (a, b), 0, 1)

    def lt(self, a: int, b: int) -> int:
        return self.invert(self.le(b, a))

    def eq(self, a: int, b: int) -> int:
        los, his = self.los, self.his
        if a == b:
            return self.true
        if his[a] < los[b] or his[b] < los[a]:
            return self.false
        if los[a] == his[a] and los[b] == his[b]:
            return self.true
        if self.ops[a] == CONST:
            a, b = b, a
        if los[b] == his[b] and los[a] >= 0 and his[a] <= 1 and self.ops[a] in BOOLEANS:
            return a if los[b] == 1 else self.invert(a)
        if self.ops[a] == ITE and self.ops[b] == CONST:
            test, then, other = self.args[a]
            if self.ops[then] == CONST or self.ops[other] == CONST:
                return self.ite(test, self.eq(then, b), self.eq(other, b))
        if self.ops[a] == ADD and self.ops[b] == CONST and self.ops[self.args[a][1]] == CONST:
            inner, plus = self.args[a]
            return self.eq(inner, self.const(los[b] - los[plus]))
        return self._make(EQ, (a, b) if a < b else (b, a), 0, 1)

    def truth(self, a: int) -> int:
        """A 0..1 number as a truth value."""
        if self.ops[a] in BOOLEANS or self.ops[a] == CONST:
            return a
        return self.eq(a, self.true)

    def invert(self, a: int) -> int:
        if self.ops[a] == CONST:
            return self.const(1 - self.los[a])
        if self.ops[a] == NOT:
            return self.args[a][0]
        return self._make(NOT, (a,), 0, 1)

    def both(self, *parts: int) -> int:
        return self._junction(AND, parts, self.false, self.true)

    def either(self, *parts: int) -> int:
        return self._junction(OR, parts, self.true, self.false)

    def _junction(self, op: int, parts: tuple[int, ...], absorbing: int, neutral: int) -> int:
        # Left-associated pairs: a common prefix of two conjunctions is one node.
        result = neutral
        seen: set[int] = set()
        for part in parts:
            if part == absorbing:
                return absorbing
            if part == neutral or part in seen:
                continue
            if self.invert(part) in seen:
                return absorbing
            seen.add(part)
            result = part if result == neutral else self._make(op, (result, part), 0, 1)
        return result

    def ite(self, test: int, then: int, other: int) -> int:
        if test == self.true:
            return then
        if test == self.false:
            return other
        if then == other:
            return then
        if self.ops[test] == NOT:
            return self.ite(self.args[test][0], other, then)
        if self._truths(then) and self._truths(other):
            if then == self.true:
                return self.either(test, other)
            if then == self.false:
                return self.both(self.invert(test), other)
            if other == self.true:
                return self.either(self.invert(test), then)
            if other == self.false:
                return self.both(test, then)
            return self.either(self.both(test, then), self.both(self.invert(test), other))
        lo, hi = min(self.los[then], self.los[other]), max(self.his[then], self.his[other])
        return self._make(ITE, (test, then, other), lo, hi)

    def _truths(self, node: int) -> bool:
        return self.ops[node] in BOOLEANS or node in (self.true, self.false)

    def bit_or(self, a: int, b: int) -> int:
        if self.ops[a] == CONST:
            a, b = b, a
        if a == b or (self.ops[b] == CONST and self.los[b] == 0):
            return a
        if self.ops[a] == CONST:
            return self.const(self.los[a] | self.los[b])
        return self._make(BITOR, (a, b), 0, _ones(self.his[a] | self.his[b]))

    def bit_and(self, a: int, b: int) -> int:
        if self.ops[a] == CONST:
            a, b = b, a
        if a == b:
            return a
        if self.ops[b] == CONST and (self.los[b] & _ones(self.his[a])) == 0:
            return self.const(0)
        if self.ops[b] == CONST and (self.los[b] & _ones(self.his[a])) == _ones(self.his[a]):
            return a
        if self.ops[a] == CONST:
            return self.const(self.los[a] & self.los[b])
        return self._make(BITAND, (a, b), 0, min(_ones(self.his[a]), _ones(self.his[b])))

    def and_not(self, a: int, b: int) -> int:
        """The bits of `a` that `b` does not have."""
        if a == b:
            return self.const(0)
        if self.ops[b] == CONST:
            return self.bit_and(a, self.const(_ones(self.his[a]) & ~self.los[b]))
        if self.ops[a] == CONST and self.los[a] == 0:
            return a
        return self._make(ANDNOT, (a, b), 0, _ones(self.his[a]))

    def bit(self, position: int) -> int:
        """The mask with one bit set; the position is not negative."""
        if self.ops[position] == CONST:
            return self.const(1 << self.los[position])
        return self._make(BIT, (position,), 0, _ones(1 << self.his[position]))

    def test(self, mask: int, position: int) -> int:
        """Return the node that says whether a bit is set; a position beyond either end is not."""
        los, ops = self.los, self.ops
        if ops[position] == CONST:
            if los[position] < 0 or _ones(self.his[mask]) >> los[position] == 0:
                return self.false
            if ops[mask] == CONST:
                return self.const(los[mask] >> los[position] & 1)
            return self._make(TEST, (mask, position), 0, 1)
        width = _ones(self.his[mask]).bit_length()
        return self.either(
            *(
                self.both(self.eq(position, self.const(at)), self.test(mask, self.const(at)))
                for at in range(max(los[position], 0), min(self.his[position], width - 1) + 1)
            )
        )

    def count(self, mask: int) -> int:
        """Return the node that counts the set bits."""
        if self.ops[mask] == CONST:
            return self.const(bin(self.los[mask]).count("1"))
        return self._make(COUNT, (mask,), 0, _ones(self.his[mask]).bit_length())


def _ones(value: int) -> int:
    """All bits up to the highest of the value."""
    return (1 << value.bit_length()) - 1
