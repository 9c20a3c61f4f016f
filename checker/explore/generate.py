"""Scalar programs as NumPy source: one function that tells where each guard holds, one per move that makes successors.

The source reads packed states: `w` is a list of arrays of 64-bit words, one row per state. Every column has the
smallest integer type that its range allows, so that most of the work is on single bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .layout import Cell, Layout
from .program import Move, Program
from .scalars import (
    ADD,
    AND,
    ANDNOT,
    BIT,
    BITAND,
    BITOR,
    BOOLEANS,
    CELL,
    CONST,
    COUNT,
    EQ,
    ITE,
    LE,
    NOT,
    OR,
    TEST,
    Scalars,
)

_TYPES = ((1, 127), (2, 32767), (4, 2**31 - 1), (8, 2**63 - 1))


def width(lo: int, hi: int) -> int:
    """The bytes of the smallest signed type that holds the range."""
    for size, top in _TYPES:
        if -top <= lo and hi <= top:
            return size
    raise OverflowError(f"a value between {lo} and {hi} does not fit into 64 bits")


class Emitter:
    """Lines of NumPy source for some nodes, each computed once, each freed after its last use."""

    def __init__(self, layout: Layout, scalars: Scalars, whole_chunk: bool) -> None:
        self.layout, self.s = layout, scalars
        self.whole_chunk = whole_chunk
        self.lines: list[str] = []
        self.inline: dict[int, str] = {}

    def emit(self, roots: Iterable[int], finish: Callable[[int, str], str | None]) -> None:
        """Writes the nodes below the roots; `finish(root, name)` gives a line to add once a root is computed."""
        s = self.s
        wanted = set(roots)
        needed: set[int] = set()
        stack = list(wanted)
        while stack:
            node = stack.pop()
            if node in needed:
                continue
            needed.add(node)
            if s.ops[node] not in (CONST, CELL):
                stack.extend(s.args[node])
        order = sorted(needed)
        uses = dict.fromkeys(order, 0)
        user: dict[int, int] = {}
        for node in order:
            if s.ops[node] not in (CONST, CELL):
                for arg in s.args[node]:
                    uses[arg] += 1
                    user[arg] = node
        # A node with one use is written inside its user; `site` is the line where it is computed.
        depth: dict[int, int] = {}
        inside: set[int] = set()
        for node in order:
            args = () if s.ops[node] in (CONST, CELL) else s.args[node]
            depth[node] = 1 + max((depth[arg] for arg in args if arg in inside), default=0)
            if uses[node] == 1 and node not in wanted and s.ops[node] != CONST and depth[node] < 12:
                inside.add(node)
        site: dict[int, int] = {}
        last: dict[int, int] = {}
        for node in reversed(order):
            site[node] = site[user[node]] if node in inside else node
            for arg in () if s.ops[node] in (CONST, CELL) else s.args[node]:
                last[arg] = max(last.get(arg, 0), site[node])
        freed: dict[int, list[int]] = {}
        for arg, node in last.items():
            if s.ops[arg] != CONST and arg not in wanted and arg not in inside:
                freed.setdefault(node, []).append(arg)
        for node in order:
            if node in inside:
                self.inline[node] = f"({self._source(node)})"
                continue
            if s.ops[node] != CONST:
                self.lines.append(f"t{node} = {self._source(node)}")
            if node in wanted:
                line = finish(node, self.name(node))
                if line is not None:
                    self.lines.append(line)
            if node in freed:
                self.lines.append("del " + ", ".join(f"t{arg}" for arg in freed[node]))

    def name(self, node: int) -> str:
        """The source of a computed node: its variable, or the number itself."""
        if node in self.inline:
            return self.inline[node]
        return str(self.s.los[node]) if self.s.ops[node] == CONST else f"t{node}"

    def typed(self, node: int, size: int) -> str:
        """The node as an array or scalar of at least the given size."""
        s = self.s
        if s.ops[node] == CONST:
            return f"I{size}({s.los[node]})"
        return self.name(node) if self.size(node) >= size else f"{self.name(node)}.astype(I{size})"

    def size(self, node: int) -> int:
        """The bytes of a node's column; 0 for a truth value."""
        s = self.s
        return 0 if s.ops[node] in BOOLEANS else width(s.los[node], s.his[node])

    def _source(self, node: int) -> str:
        s = self.s
        op, args = s.ops[node], s.args[node]
        if op == CELL:
            return self._load(self.layout.cells[args[0]])
        if op == ADD:
            size = self.size(node)
            return f"{self.typed(args[0], size)} + {self.typed(args[1], size)}"
        names = [self.name(arg) for arg in args]
        if op == LE:
            return f"{names[0]} <= {names[1]}"
        if op == EQ:
            return f"{names[0]} == {names[1]}"
        if op == NOT:
            return f"~{names[0]}"
        if op == AND:
            return f"{names[0]} & {names[1]}"
        if op == OR:
            return f"{names[0]} | {names[1]}"
        if op == ITE:
            size = self.size(node)
            return f"where({names[0]}, {self.typed(args[1], size)}, {self.typed(args[2], size)})"
        if op == TEST:
            return f"({names[0]} & {1 << s.los[args[1]]}) != 0"
        if op == BIT:
            size = self.size(node)
            return f"left_shift(I{size}(1), {self.typed(args[0], size)})"
        size = self.size(node)
        if op == COUNT:
            return f"count({names[0]}, {s.his[args[0]].bit_length()}).astype(I{size})"
        wide = max(size, *(self.size(arg) for arg in args))
        left, right = (self.typed(arg, wide) for arg in args)
        shrink = f".astype(I{size})" if wide > size else ""
        if op == BITOR:
            return f"({left} | {right}){shrink}"
        if op == BITAND:
            return f"({left} & {right}){shrink}"
        if op == ANDNOT:
            return f"({left} & ~{right}){shrink}"
        raise AssertionError(f"no source for scalar operator {op}")

    def _load(self, cell: Cell) -> str:
        word, byte = divmod(cell.byte, 8)
        size = width(cell.lo, cell.hi)
        if cell.bits > 8:
            number = f"((w[{word}] >> {8 * byte + cell.shift}) & {(1 << cell.bits) - 1}).astype(I{size})"
        else:
            column = f"b[{cell.byte}]" if self.whole_chunk else f"v{word}[{byte}::8]"
            number = f"({column} >> {cell.shift})" if cell.shift else column
            if cell.bits + cell.shift < 8:
                number = f"({number} & {(1 << cell.bits) - 1})"
            narrow = size == 1 and cell.hi - cell.lo <= 127
            if narrow and cell.shift == 0 and cell.bits == 8 and not self.whole_chunk:
                number = f"{number}.astype(I1)"
            else:
                number = f"{number}.view(I1)" if narrow else f"{number}.astype(I{size})"
        return f"{number} + I{size}({cell.lo})" if cell.lo else number


def _function(name: str, lines: Sequence[str], result: str) -> str:
    body = "\n    ".join([*lines, f"return {result}"])
    return f"def {name}(w):\n    {body}\n"


def guards_source(program: Program) -> str:
    """`masks(w)`: a list with, for each move, where its guard holds, then for each state watch, where it fires."""
    return masks_source(program, [each.guard for each in program.moves] + [each.node for each in program.state_watches])


def masks_source(program: Program, roots: Sequence[int]) -> str:
    """`masks(w)`: where each of the nodes is true."""
    emitter = Emitter(program.layout, program.scalars, whole_chunk=True)
    emitter.lines += [
        "n = len(w[0])",
        "b = [c for x in w for c in x.view(U1).reshape(n, 8).T.copy()]",
        "r = [None] * R",
    ]
    places: dict[int, list[int]] = {}
    for place, node in enumerate(roots):
        places.setdefault(node, []).append(place)

    def finish(node: int, name: str) -> str | None:
        if program.scalars.ops[node] == CONST:
            name = f"full(n, {program.scalars.los[node] == 1})"
        return " = ".join(f"r[{place}]" for place in places[node]) + f" = {name}"

    emitter.emit(roots, finish)
    return _function("masks", emitter.lines, "r").replace("* R", f"* {len(roots)}")


def move_source(program: Program, index: int, move: Move) -> str:
    """`move_i(w)`: (new words, ways or None, overflow or None, [(property, where it fires)])."""
    s, layout = program.scalars, program.layout
    emitter = Emitter(layout, s, whole_chunk=False)
    emitter.lines += [f"v{word} = w[{word}].view(U1)" for word in range(layout.words)]
    shifted = [(cell, node, s.add(node, s.const(-cell.lo))) for cell, node in move.writes]
    ways = [part for clause in move.ways for part in clause]
    roots = [node for _, _, node in shifted] + ways + [watch.node for watch in move.watches] + [move.overflow]
    emitter.emit(roots, lambda node, name: None)
    words = []
    for word in range(layout.words):
        mine = [(cell, node) for cell, _, node in shifted if cell.byte // 8 == word and cell.bits]
        keep, constant, parts = 2**64 - 1, 0, []
        for cell, node in mine:
            at = 8 * (cell.byte % 8) + cell.shift
            keep &= ~(((1 << cell.bits) - 1) << at)
            if s.ops[node] == CONST:
                constant |= (s.los[node] & ((1 << cell.bits) - 1)) << at
            else:
                parts.append(f"({emitter.name(node)}.astype(U8) << {at})" if at else f"{emitter.name(node)}.astype(U8)")
        source = f"(w[{word}] & {keep})" if mine else f"w[{word}]"
        words.append(" | ".join([source, *parts, *([str(constant)] if constant else [])]))
    counted = " * ".join(
        "(" + " + ".join(f"{_mask(emitter, part)}.astype(I4)" for part in clause) + ")" for clause in move.ways
    )
    fires = ", ".join(f"({watch.prop}, {_mask(emitter, watch.node)})" for watch in move.watches)
    overflow = "None" if move.overflow == s.false else _mask(emitter, move.overflow)
    return _function(
        f"move_{index}", emitter.lines, f"([{', '.join(words)}], {counted or None}, {overflow}, [{fires}])"
    )


def _mask(emitter: Emitter, node: int) -> str:
    if emitter.s.ops[node] == CONST:
        return f"full(len(w[0]), {emitter.s.los[node] == 1})"
    return emitter.name(node)


def build(program: Program) -> tuple[Callable[..., Any], list[Callable[..., Any]]]:
    """Compiles the functions of a program: the masks, and the moves."""
    source = [guards_source(program)]
    source += [move_source(program, index, move) for index, move in enumerate(program.moves)]
    scope = _compiled(source)
    return scope["masks"], [scope[f"move_{index}"] for index in range(len(program.moves))]


def build_masks(program: Program, nodes: Sequence[int]) -> Callable[..., Any]:
    """Compiles a function that tells, per state, where each of the nodes is true."""
    masks: Callable[..., Any] = _compiled([masks_source(program, nodes)])["masks"]
    return masks


def _compiled(source: list[str]) -> dict[str, Any]:
    import numpy as np

    scope: dict[str, Any] = {
        "U1": np.uint8,
        "U8": np.uint64,
        "I1": np.int8,
        "I2": np.int16,
        "I4": np.int32,
        "I8": np.int64,
        "where": np.where,
        "full": np.full,
        "left_shift": np.left_shift,
        "count": _count,
    }
    exec(compile("\n".join(source), "<explorer>", "exec"), scope)
    return scope


def _count(mask: Any, bits: int) -> Any:
    """How many of the lowest bits are set, per row."""
    total = (mask & 1).astype("i4")
    for at in range(1, bits):
        total = total + ((mask >> at) & 1).astype("i4")
    return total
