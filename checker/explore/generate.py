"""Scalar programs as NumPy source: every node once for a whole chunk of states, whatever the moves that share it.

The functions read packed states: `w` is a list of arrays of words, one row per state. Every column has the smallest
integer type that its range allows, so that most of the work is on single bytes: a node costs some microseconds for tens
of thousands of states, and the same for a few. So guards and new values alike are computed for all states of a chunk;
only what a step changes is picked for the rows where it can be taken. A move that needs many nodes for itself has a
function of its own, which is compiled once a state can take it, and called for chunks with such a state.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .apart import APART, moves_apart
from .packing import Cell
from .program import Program
from .scalars import (
    ADD,
    AND,
    ANDNOT,
    BIT,
    BITAND,
    BITOR,
    BOOLEANS,
    CONST,
    COUNT,
    ITE,
    NOT,
    OR,
    TEST,
)
from .source import COMPARED, SourceWriter, below, roots, stored

_TYPES = ((1, 127), (2, 32767), (4, 2**31 - 1), (8, 2**63 - 1))
_INFIX = {ADD: "+", AND: "&", OR: "|", BITOR: "|", BITAND: "&", ANDNOT: "& ~"}


def width(lo: int, hi: int) -> int:
    """The bytes of the smallest signed type that holds the range."""
    for size, top in _TYPES:
        if -top <= lo and hi <= top:
            return size
    raise OverflowError(f"a value between {lo} and {hi} does not fit into 64 bits")


class Columns(SourceWriter):
    """NumPy source. The bytes of the states are columns `c0`, `c1` ..., or `c0w2` for two bytes from byte 0 on."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.program = program
        self.sizes = program.packing.sizes
        self.columns: dict[str, str] = {}
        self._changed: dict[tuple[tuple[int, int], ...], str] = {}

    def column(self, cell: Cell) -> str:
        """The column that holds a cell, noted to be loaded."""
        size = cell.size
        word, byte = divmod(cell.byte, 8)
        name = f"c{cell.byte}" + (f"w{size}" if size > 1 else "")
        self.columns[name] = f"w[{word}].view(U{size})[{byte // size}::{self.sizes[word] // size}]"
        return name

    def changed(self, cells: Sequence[tuple[Cell, int]]) -> tuple[str, str]:
        """Write the new value of a column that holds these cells; return its name, and the source of the change."""
        key = tuple((cell.index, node) for cell, node in cells)
        if key not in self._changed:
            self._changed[key] = f"n{len(self._changed)}"
            holds = [name for _, node in cells for name in self.holds[node]]
            self.line(f"{self._changed[key]} = {self._new(cells)}", holds)
        name, cell = self._changed[key], cells[0][0]
        return name, f"({cell.byte // 8}, {cell.byte % 8 // cell.size}, {name})"

    def _new(self, cells: Sequence[tuple[Cell, int]]) -> str:
        """Return what is left of a column, with the new numbers of its cells."""
        s, size = self.s, cells[0][0].size
        kept, constant, parts = (1 << 8 * size) - 1, 0, []
        for cell, node in cells:
            ones = (1 << cell.bits) - 1
            kept &= ~(ones << cell.shift)
            if s.ops[node] == CONST:
                constant |= (s.los[node] & ones) << cell.shift
                continue
            number = self.names[node]
            number += f".view(U{size})" if max(self.size(node), 1) == size else f".astype(U{size})"
            # A product for a shift to the left: NumPy's `<<` takes ten times as long on single bytes.
            parts.append(f"({number} * {1 << cell.shift})" if cell.shift else number)
        if kept:
            parts.insert(0, f"({self.column(cells[0][0])} & {kept})")
        if not parts:
            return f"full(len(w[0]), {constant}, U{size})"
        return " | ".join([*parts, *([str(constant)] if constant else [])])

    def list_of(self, nodes: Sequence[int], gives: str) -> None:
        """Write a line that returns or yields where each of some truth values is true."""
        self.write(nodes, named=frozenset(nodes))
        holds = itertools.chain(*(self.holds[node] for node in nodes))
        self.line(f"{gives} [{', '.join(self.mask(node) for node in nodes)}]", holds)

    def step(self, index: int, gives: str) -> None:
        """Write a line that returns or yields the `Steps` of a move; all values that it needs have names."""
        move = self.program.moves[index]
        writes = stored(self.program, move.writes)
        changed = [self.changed(cells) for cells in self._by_column(writes)]
        size = width(0, math.prod(map(len, move.ways)))
        ways = " * ".join(
            "(" + " + ".join(f"{self.mask(part)}.astype(I{size})" for part in clause) + ")" for clause in move.ways
        )
        fires = ", ".join(f"({watch.prop}, {self.mask(watch.node)})" for watch in move.watches)
        overflow = None if move.overflow == self.s.false else self.mask(move.overflow)
        nodes = [move.guard, *roots(move, writes)]
        holds = [*(name for node in nodes for name in self.holds[node]), *(name for name, _ in changed)]
        written = ", ".join(source for _, source in changed)
        self.line(
            f"{gives} {index}, {self.mask(move.guard)}, [{written}], {ways or None}, {overflow}, [{fires}]", holds
        )

    def _by_column(self, writes: Sequence[tuple[Cell, int]]) -> list[tuple[tuple[Cell, int], ...]]:
        found: dict[str, list[tuple[Cell, int]]] = {}
        for cell, node in writes:
            found.setdefault(self.column(cell), []).append((cell, node))
        return [tuple(cells) for cells in found.values()]

    def function(self) -> str:
        """The lines as the body of a function of `w`: the columns that they read, then the lines."""
        # Each byte becomes a column of its own once; after that, every operation is on neighbouring bytes.
        loads = [f"{name} = {source}.copy()" for name, source in self.columns.items()]
        return "\n ".join([*loads, *self.freeing()])

    def typed(self, node: int, size: int) -> str:
        """The node as an array or scalar of at least the given size."""
        s = self.s
        if s.ops[node] == CONST:
            return f"I{size}({s.los[node]})"
        return self.names[node] if self.size(node) >= size else f"{self.names[node]}.astype(I{size})"

    def size(self, node: int) -> int:
        """The bytes of a node's column; 0 for a truth value."""
        s = self.s
        return 0 if s.ops[node] in BOOLEANS else width(s.los[node], s.his[node])

    def mask(self, node: int) -> str:
        """A truth value as an array, even where it is the same for all states."""
        s = self.s
        return f"full(len(w[0]), {s.los[node] == 1})" if s.ops[node] == CONST else self.names[node]

    def reads(self, node: int) -> tuple[int, ...]:
        args = super().reads(node)
        return (*args, self._base(args)) if self.s.ops[node] == ITE else args

    def _base(self, args: Sequence[int]) -> int:
        """The branch of an if-then-else that its source names twice."""
        return args[1] if self.s.ops[args[1]] == CONST else args[2]

    def operator(self, node: int, op: int, args: Sequence[int], negated: bool) -> str:
        s = self.s
        names = [self.names[arg] for arg in args]
        if op in COMPARED:
            return f"({names[0]} {COMPARED[op][negated]} {names[1]})"
        if op == TEST:
            return f"(({names[0]} & {1 << s.los[args[1]]}) {'==' if negated else '!='} 0)"
        if op == NOT:
            return f"(~{names[0]})"
        if op in (AND, OR):
            return f"({names[0]} {_INFIX[op]} {names[1]})"
        size = self.size(node)
        if op == ITE:
            return self._choice(args, size)
        if op == BIT:
            return f"left_shift(I{size}(1), {self.typed(args[0], size)})"
        if op == COUNT:
            return f"count({names[0]}, {s.his[args[0]].bit_length()}).astype(I{size})"
        # The result may need a smaller type than an argument: 0..128 less 1. It is always of the type that it needs.
        wide = max(size, *(self.size(arg) for arg in args))
        left, right = (self.typed(arg, wide) for arg in args)
        return f"({left} {_INFIX[op]} {right})" + (f".astype(I{size})" if wide > size else "")

    def _choice(self, args: Sequence[int], size: int) -> str:
        """An if-then-else by bits: np.where takes some twenty times as long on single bytes."""
        test = self.names[args[0]] + (".view(I1)" if size == 1 else f".astype(I{size})")
        then, other = (self.names[arg] if self.s.ops[arg] == CONST else self.typed(arg, size) for arg in args[1:])
        if self._base(args) == args[1]:
            ones, base = f"({test} - 1)", then
        else:
            ones, base = f"-{test}", other
        if base == "(0)":
            return f"({then if base is other else other} & {ones})"
        return f"((({then} ^ {other}) & {ones}) ^ {base})"

    def load(self, cell: Cell) -> str:
        number = self.column(cell)
        if cell.shift:
            number = f"({number} >> {cell.shift})"
        if cell.bits + cell.shift < 8 * cell.size:
            number = f"({number} & {(1 << cell.bits) - 1})"
        size = width(cell.lo, cell.hi)
        same = size == cell.size and cell.hi - cell.lo < 1 << (8 * size - 1)
        number += f".view(I{size})" if same else f".astype(I{size})"
        return f"({number} + I{size}({cell.lo}))" if cell.lo else number


def masks_source(program: Program, nodes: Sequence[int]) -> str:
    """A function of `w`: a list with, for each of the nodes, where it is true."""
    columns = Columns(program)
    columns.count(nodes)
    columns.list_of(nodes, "return")
    return columns.function()


def steps_source(program: Program, apart: Mapping[int, Sequence[int]]) -> str:
    """A generator over `w`: first the masks of the state watches, then for each move a `Steps`, as a tuple.

    Args:
        apart: moves whose steps come of generators `apart0(w, mask, ...)`, with the values of these nodes.
    """
    columns = Columns(program)
    watched = [each.node for each in program.state_watches]
    needed = [
        [move.guard, *(apart[index] if index in apart else below(program, move))]
        for index, move in enumerate(program.moves)
    ]
    columns.count(itertools.chain(watched, *needed))
    columns.list_of(watched, "yield")
    for index, nodes in enumerate(needed):
        if index in apart:
            columns.write(nodes, named=frozenset(nodes))
            given = ", ".join((columns.mask(nodes[0]), *(columns.names[node] for node in apart[index])))
            holds = itertools.chain(*(columns.holds[node] for node in nodes))
            columns.line(f"yield from apart{index}(w, {given})", holds)
        else:
            columns.write(nodes, named=frozenset(nodes[:1]))
            columns.step(index, "yield")
    return columns.function()


def step_source(program: Program, index: int, given: Sequence[int]) -> str:
    """A function of `w`, `mask` where a move can be taken, and the values of some nodes: its `Steps`, as a tuple."""
    columns = Columns(program)
    guard = program.moves[index].guard
    named = {node: f"t{node}" for node in given}
    if program.scalars.ops[guard] != CONST:
        named[guard] = "mask"
    for node, name in named.items():
        columns.names[node], columns.holds[node] = name, frozenset((name,))
    nodes = [guard, *below(program, program.moves[index])]
    columns.count(nodes)
    columns.write(nodes)
    columns.step(index, "return")
    return columns.function()


# What a step changes, for each state of a chunk: (word, place in the word, new column).
Changed = list[tuple[int, int, Any]]

# Where a step can be taken, and what comes of it, for each state of a chunk: the move, the mask of its guard, what it
# changes, ways to take it (None: one), where a value is out of range (None: nowhere), and (property, where it is
# decided). All but the first mask mean something only where the guard holds.
Steps = tuple[int, Any, Changed, Any, Any, list[tuple[int, Any]]]
Masks = Callable[[list[Any]], list[Any]]
Expand = Callable[[list[Any]], tuple[list[Any], Iterator[Steps]]]


def build(program: Program, apart_from: int = APART) -> Expand:
    """Compile a program: for a chunk of states, the masks of its state watches and the steps of its moves.

    Args:
        apart_from: the nodes that a move must need alone to get a function of its own.
    """
    apart = moves_apart(program, Columns(program), apart_from)
    own = {f"apart{index}": _on_demand(program, index, given) for index, given in apart.items()}
    steps = _compiled(steps_source(program, apart), scope=own)

    def expand(words: list[Any]) -> tuple[list[Any], Iterator[Steps]]:
        found = steps(words)
        return next(found), found

    return expand


def _on_demand(program: Program, index: int, given: Sequence[int]) -> Callable[..., Iterator[Steps]]:
    """A generator of the steps of a move, if there are any, which is compiled when there are."""
    function: Callable[..., Steps] | None = None

    def steps(words: list[Any], mask: Any, *values: Any) -> Iterator[Steps]:
        nonlocal function
        if mask.any():
            if function is None:
                arguments = ["w", "mask", *(f"t{node}" for node in given)]
                function = _compiled(step_source(program, index, given), arguments)
            yield function(words, mask, *values)

    return steps


def build_masks(program: Program, nodes: Sequence[int]) -> Masks:
    """Compile a function that returns, per state, where each of the nodes is true."""
    return _compiled(masks_source(program, nodes))


def successors(words: list[Any], rows: Any, changed: Changed) -> list[Any]:
    """The states after a step from some rows of a chunk."""
    new = [word.take(rows) for word in words]
    overwrite(new, rows, changed)
    return new


def overwrite(words: list[Any], rows: Any, changed: Changed) -> None:
    """Make successors of copies of the rows of a chunk: only the columns that change are written."""
    for word, place, column in changed:
        target = words[word]
        target.view(column.dtype)[place :: target.itemsize // column.itemsize] = column.take(rows)


def _compiled(
    source: str, arguments: Sequence[str] = ("w",), scope: Mapping[str, Any] = MappingProxyType({})
) -> Callable[..., Any]:
    """The function with this body, which may name what is in a scope."""
    import numpy as np

    scope = {**scope, "full": np.full, "left_shift": np.left_shift, "count": _count}
    for size in (1, 2, 4, 8):
        scope |= {f"I{size}": np.dtype(f"i{size}").type, f"U{size}": np.dtype(f"u{size}").type}
    exec(compile(f"def function({', '.join(arguments)}):\n {source}\n", "<explorer>", "exec"), scope)
    function: Callable[..., Any] = scope["function"]
    return function


def _count(mask: Any, bits: int) -> Any:
    """Count the lowest bits that are set, per row."""
    total = (mask & 1).astype("i4")
    for at in range(1, bits):
        total = total + ((mask >> at) & 1).astype("i4")
    return total
