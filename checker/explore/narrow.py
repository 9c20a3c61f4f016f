"""Scalar programs as plain Python source, one packed state at a time: for narrow levels.

A level costs NumPy some milliseconds however few states it has; this costs some 50 microseconds a state. A long search
of narrow levels is therefore handed to this code, which is compiled only then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .packing import Cell
from .program import Effect, Program
from .scalars import (
    ADD,
    AND,
    ANDNOT,
    BIT,
    BITAND,
    BITOR,
    COUNT,
    ITE,
    NOT,
    OR,
    TEST,
)
from .source import COMPARED, SourceWriter, roots, stored

# (move, new packed state or None, ways, properties that fire)
Step = tuple[int, int | None, int, tuple[int, ...]]
Expand = Callable[[int], tuple[list[int], list[Step]]]

_INFIX = {ADD: "+", AND: "and", OR: "or", BITOR: "|", BITAND: "&", ANDNOT: "& ~"}


class Plain(SourceWriter):
    """Python source; `x` is the packed state."""

    def operator(self, node: int, op: int, args: Sequence[int], negated: bool) -> str:
        names = [self.names[arg] for arg in args]
        if op in COMPARED:
            return f"({names[0]} {COMPARED[op][negated]} {names[1]})"
        if op == TEST:
            return f"({names[0]} >> {names[1]} & 1 {'==' if negated else '!='} 0)"
        if op == NOT:
            return f"(not {names[0]})"
        if op == ITE:
            return f"({names[1]} if {names[0]} else {names[2]})"
        if op == BIT:
            return f"(1 << {names[0]})"
        if op == COUNT:
            return f"bin({names[0]}).count('1')"
        return f"({names[0]} {_INFIX[op]} {names[1]})"

    def load(self, cell: Cell) -> str:
        number = f"(x >> {8 * cell.byte + cell.shift} & {(1 << cell.bits) - 1})"
        return f"({number} + {cell.lo})" if cell.lo else number

    def after(self, writes: Sequence[tuple[Cell, int]]) -> str:
        """The source of the packed state in which cells have new numbers, counted from the lowest of each."""
        keep, parts = -1, []
        for cell, node in writes:
            at = 8 * cell.byte + cell.shift
            keep &= ~(((1 << cell.bits) - 1) << at)
            parts.append(f"({self.names[node]} << {at})")
        return " | ".join([f"(x & {keep})", *parts]) if parts else "x"


def source(program: Program) -> str:
    """`expand(x)`: the state watches that fire in a packed state, and the steps from it."""
    s, plain = program.scalars, Plain(program)
    shared = [move.guard for move in program.moves] + [watch.node for watch in program.state_watches]
    plain.count(shared)
    plain.write(shared)
    lines = [*plain.lines, "fires, steps = [], []"]
    for watch in program.state_watches:
        lines.append(f"if {plain.names[watch.node]}: fires.append({watch.prop})")
    before = dict(plain.names)
    for index, move in enumerate(program.moves):
        plain.names = dict(before)
        plain.lines = [f"if {before[move.guard]}:"]
        writes = stored(program, move.writes)
        plain.count(roots(move, writes))
        plain.write(roots(move, writes))
        lines += plain.lines[:1] + [f"  {line}" for line in plain.lines[1:]]
        new = plain.after(writes)
        ways = " * ".join(
            "(" + " + ".join(f"bool({plain.names[part]})" for part in clause) + ")" for clause in move.ways
        )
        fires = "".join(f"*(({watch.prop},) if {plain.names[watch.node]} else ()), " for watch in move.watches)
        step = f"({index}, {new}, {ways or 1}, ({fires}))"
        if move.overflow != s.false:
            step = f"({index}, None, {ways or 1}, ()) if {plain.names[move.overflow]} else {step}"
        lines.append(f"  steps.append({step})")
    return "\n ".join(["def expand(x):", *lines, "return fires, steps"])


def build(program: Program) -> Expand:
    """Compile the function."""
    expand: Expand = _compiled(source(program), "expand")
    return expand


def build_guards(program: Program, guards: Sequence[int]) -> Callable[[int], tuple[bool, ...]]:
    """Compile a function that returns, for a packed state, whether each condition holds."""
    plain = Plain(program)
    plain.count(guards)
    plain.write(guards)
    result = "".join(f"{plain.names[each]}, " for each in guards)
    guarded: Callable[[int], tuple[bool, ...]] = _compiled(
        "\n ".join(["def guards(x):", *plain.lines, f"return ({result})"]), "guards"
    )
    return guarded


def build_effect(program: Program, effect: Effect) -> Callable[[int], int | None]:
    """The packed state after a step from a packed one; None where a value is out of range."""
    plain, writes = Plain(program), stored(program, effect.writes)
    nodes = [*(node for _, node in writes), effect.overflow]
    plain.count(nodes)
    plain.write(nodes)
    result = plain.after(writes)
    if effect.overflow != program.scalars.false:
        result = f"None if {plain.names[effect.overflow]} else {result}"
    after: Callable[[int], int | None] = _compiled(
        "\n ".join(["def after(x):", *plain.lines, f"return {result}"]), "after"
    )
    return after


def _compiled(source: str, name: str) -> Any:
    scope: dict[str, Any] = {}
    exec(compile(source, "<explorer, narrow>", "exec"), scope)
    return scope[name]
