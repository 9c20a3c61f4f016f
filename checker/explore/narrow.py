"""Scalar programs as plain Python source, one packed state at a time: for narrow levels.

A level costs NumPy some milliseconds however few states it has; this costs some 50 microseconds a state. A long search
of narrow levels is therefore handed to this code, which is compiled only then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .layout import Cell
from .program import Program
from .scalars import (
    ADD,
    AND,
    ANDNOT,
    BIT,
    BITAND,
    BITOR,
    CELL,
    CONST,
    COUNT,
    EQ,
    ITE,
    LE,
    NOT,
    OR,
    TEST,
)

# (move, new packed state or None, ways, properties that fire)
Step = tuple[int, int | None, int, tuple[int, ...]]
Expand = Callable[[int], tuple[list[int], list[Step]]]

_INFIX = {ADD: "+", LE: "<=", EQ: "==", AND: "and", OR: "or", BITOR: "|", BITAND: "&", ANDNOT: "& ~", TEST: ">>"}


class _Writer:
    """Lines of Python for nodes: those used once are written inside their user."""

    def __init__(self, program: Program) -> None:
        self.s = program.scalars
        self.cells = program.layout.cells
        self.names: dict[int, str] = {}

    def below(self, roots: Iterable[int]) -> set[int]:
        found: set[int] = set()
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node not in found:
                found.add(node)
                if self.s.ops[node] not in (CONST, CELL):
                    stack.extend(self.s.args[node])
        return found

    def lines(self, roots: list[int], indent: str) -> list[str]:
        """Assigns what the roots share, or what would nest too deep; leaves every root with a name or source."""
        s = self.s
        needed = sorted(self.below(roots) - set(self.names))
        uses = dict.fromkeys(needed, 0)
        for node in roots:
            if node in uses:
                uses[node] += 1
        for node in needed:
            if s.ops[node] not in (CONST, CELL):
                for arg in s.args[node]:
                    if arg in uses:
                        uses[arg] += 1
        lines, depth = [], dict[int, int]()
        for node in needed:
            source = self._source(node)
            args = () if s.ops[node] in (CONST, CELL) else s.args[node]
            depth[node] = 1 + max((depth.get(arg, 0) for arg in args), default=0)
            if s.ops[node] != CONST and (uses[node] > 1 or depth[node] > 12):
                lines.append(f"{indent}t{node} = {source}")
                source, depth[node] = f"t{node}", 0
            self.names[node] = source
        return lines

    def _source(self, node: int) -> str:
        s = self.s
        op, args = s.ops[node], s.args[node]
        if op == CONST:
            return f"({s.los[node]})"
        if op == CELL:
            return self._load(self.cells[args[0]])
        names = [self.names[arg] for arg in args]
        if op == NOT:
            return f"(not {names[0]})"
        if op == ITE:
            return f"({names[1]} if {names[0]} else {names[2]})"
        if op == BIT:
            return f"(1 << {names[0]})"
        if op == COUNT:
            return f"bin({names[0]}).count('1')"
        inner = f"({names[0]} {_INFIX[op]} {names[1]})"
        return f"({inner} & 1)" if op == TEST else inner

    def _load(self, cell: Cell) -> str:
        number = f"(x >> {8 * cell.byte + cell.shift} & {(1 << cell.bits) - 1})"
        return f"({number} + {cell.lo})" if cell.lo else number


def source(program: Program) -> str:
    """`expand(x)`: the state watches that fire in a packed state, and the steps from it."""
    s = program.scalars
    writer = _Writer(program)
    shared = [move.guard for move in program.moves] + [watch.node for watch in program.state_watches]
    lines = ["def expand(x):", *writer.lines(shared, "    "), "    fires, steps = [], []"]
    for watch in program.state_watches:
        lines.append(f"    if {writer.names[watch.node]}: fires.append({watch.prop})")
    before = dict(writer.names)
    for index, move in enumerate(program.moves):
        writer.names = dict(before)
        shifted = [(cell, node, s.add(node, s.const(-cell.lo))) for cell, node in move.writes if cell.bits]
        roots = [node for _, _, node in shifted] + [part for clause in move.ways for part in clause]
        roots += [watch.node for watch in move.watches] + [move.overflow]
        lines += [f"    if {before[move.guard]}:", *writer.lines(roots, "        ")]
        keep, parts = -1, []
        for cell, _, node in shifted:
            at = 8 * cell.byte + cell.shift
            keep &= ~(((1 << cell.bits) - 1) << at)
            parts.append(f"({writer.names[node]} << {at})")
        new = " | ".join([f"(x & {keep})", *parts]) if parts else "x"
        ways = " * ".join(
            "(" + " + ".join(f"bool({writer.names[part]})" for part in clause) + ")" for clause in move.ways
        )
        fires = "".join(f"*(({watch.prop},) if {writer.names[watch.node]} else ()), " for watch in move.watches)
        step = f"({index}, {new}, {ways or 1}, ({fires}))"
        if move.overflow == s.false:
            lines.append(f"        steps.append({step})")
        else:
            lines.append(
                f"        steps.append(({index}, None, {ways or 1}, ()) if {writer.names[move.overflow]} else {step})"
            )
    return "\n".join([*lines, "    return fires, steps", ""])


def build(program: Program) -> Expand:
    """Compiles the function."""
    scope: dict[str, Any] = {}
    exec(compile(source(program), "<explorer, narrow>", "exec"), scope)
    expand: Expand = scope["expand"]
    return expand
