"""Source text for scalar nodes: the common part of the NumPy and the plain Python dialect.

A node that is used once is written inside its user, any other gets a line and a name of its own.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from .packing import Cell
from .program import Move, Program
from .scalars import CELL, CONST, EQ, LE, NOT, TEST

# A line nests no deeper: Python's parser has a limit, and readers too.
DEEPEST = 12

# A negation is written into what it negates, `a > b` for `not a <= b`: one operation less.
NEGATED = frozenset({LE, EQ, TEST})
COMPARED = {LE: ("<=", ">"), EQ: ("==", "!=")}
"""The comparisons of every dialect, each with its negation."""


class SourceWriter(ABC):
    """Lines of source for nodes, and the name or source of each node that was written.

    Say with `count` what is going to be written, then write it, in one go or several. A dialect fills in the operators.
    """

    def __init__(self, program: Program) -> None:
        self.s = program.scalars
        self.cells = program.packing.cells
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self.holds: dict[int, frozenset[str]] = {}  # the named values in the source of a node
        self._uses: dict[int, int] = {}
        self._last: dict[str, int] = {}

    @abstractmethod
    def operator(self, node: int, op: int, args: Sequence[int], negated: bool) -> str:
        """The source of an operator on nodes that have names; of its negation if asked for."""

    @abstractmethod
    def load(self, cell: Cell) -> str:
        """The source that reads a cell of the state."""

    def reads(self, node: int) -> tuple[int, ...]:
        """The nodes that the source of a node names, once for each time."""
        s = self.s
        op, args = s.ops[node], s.args[node]
        if op in (CONST, CELL):
            return ()
        return s.args[args[0]] if op == NOT and s.ops[args[0]] in NEGATED else args

    def source(self, node: int) -> str:
        """The source of a node from the names of what it reads."""
        s = self.s
        op, args = s.ops[node], s.args[node]
        if op == CONST:
            return f"({s.los[node]})"
        if op == CELL:
            return self.load(self.cells[args[0]])
        if op == NOT and s.ops[args[0]] in NEGATED:
            return self.operator(node, s.ops[args[0]], s.args[args[0]], negated=True)
        return self.operator(node, op, args, negated=False)

    def count(self, roots: Iterable[int]) -> None:
        """Count how often each node that has no name yet will be used."""
        roots = list(roots)
        needed = self._needed(roots)
        self._uses = dict.fromkeys(needed, 0)
        for node in itertools.chain(roots, *(self.reads(node) for node in needed)):
            if node in self._uses:
                self._uses[node] += 1

    def write(self, roots: Iterable[int], named: frozenset[int] = frozenset()) -> None:
        """Write the roots and what they need; afterwards `names` has all of them.

        Args:
            named: nodes that get a line of their own even if they are used once.
        """
        depth: dict[int, int] = {}
        for node in self._needed(roots):
            source, args = self.source(node), self.reads(node)
            depth[node] = 1 + max((depth.get(arg, 0) for arg in args), default=0)
            self.names[node] = source
            self.holds[node] = frozenset().union(*(self.holds[arg] for arg in args))
            if self.s.ops[node] != CONST and (self._uses[node] > 1 or depth[node] > DEEPEST or node in named):
                self.line(f"t{node} = {source}", self.holds[node])
                self.names[node], depth[node], self.holds[node] = f"t{node}", 0, frozenset((f"t{node}",))

    def line(self, line: str, holds: Iterable[str]) -> None:
        """Add a line that uses these named values."""
        self._last.update(dict.fromkeys(holds, len(self.lines)))
        self.lines.append(line)

    def freeing(self) -> list[str]:
        """The lines, each value deleted after its last use: columns that are not needed must not fill the caches."""
        done: dict[int, list[str]] = {}
        for name, line in self._last.items():
            if line < len(self.lines) - 1:
                done.setdefault(line, []).append(name)
        return [line + (f"; del {', '.join(done[at])}" if at in done else "") for at, line in enumerate(self.lines)]

    def _needed(self, roots: Iterable[int]) -> list[int]:
        """The nodes below the roots that have no name yet; arguments first, since they were made first."""
        found: set[int] = set()
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node not in found and node not in self.names:
                found.add(node)
                stack.extend(self.reads(node))
        return sorted(found)


def stored(program: Program, writes: Iterable[tuple[Cell, int]]) -> list[tuple[Cell, int]]:
    """The cells that a move writes and the nodes of the numbers that are stored there, counted from the lowest."""
    s = program.scalars
    return [(cell, s.add(node, s.const(-cell.lo))) for cell, node in writes if cell.bits]


def roots(move: Move, writes: Iterable[tuple[Cell, int]]) -> list[int]:
    """Return the nodes of a step that are computed besides its guard."""
    ways = [part for clause in move.ways for part in clause]
    return [node for _, node in writes] + ways + [watch.node for watch in move.watches] + [move.overflow]


def below(program: Program, move: Move) -> list[int]:
    """Return these nodes with the numbers that are stored."""
    return roots(move, stored(program, move.writes))
