"""Moves that get a function of their own: those that need many nodes that nothing else needs.

Most moves of a large model can be taken in few states, or in none of an instance. The code that only they need is
written, compiled and computed once a state can take them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .program import Program
from .scalars import CONST
from .source import SourceWriter, below

# Fewer nodes than this are computed for every chunk: a call, and a look whether it is needed, cost as much.
APART = 64

_SHARED = -1


def moves_apart(program: Program, writer: SourceWriter, least: int) -> Mapping[int, tuple[int, ...]]:
    """Return the moves that get a function of their own, each with the nodes of others that it reads.

    Args:
        writer: says what the source of a node names.
        least: the number of nodes that nothing else needs from which on a move is one of them.
    """
    owners: dict[int, int] = {}
    _own(owners, writer, [watch.node for watch in program.state_watches], _SHARED)
    _own(owners, writer, [move.guard for move in program.moves], _SHARED)
    for index, move in enumerate(program.moves):
        _own(owners, writer, below(program, move), index)
    alone: dict[int, list[int]] = {}
    for node, owner in owners.items():
        alone.setdefault(owner, []).append(node)
    found = {}
    for index, move in enumerate(program.moves):
        mine = alone.get(index, ())
        if len(mine) >= least:
            named = [*below(program, move), *(arg for node in mine for arg in writer.reads(node))]
            shared = {node for node in named if owners[node] != index and program.scalars.ops[node] != CONST}
            found[index] = tuple(sorted(shared - {move.guard}))
    return found


def _own(owners: dict[int, int], writer: SourceWriter, nodes: Sequence[int], owner: int) -> None:
    """Mark the nodes below some as an owner's; a node that belongs to another already is shared."""
    stack = [(node, owner) for node in nodes]
    while stack:
        node, mine = stack.pop()
        held = owners.get(node)
        if held in (mine, _SHARED):
            continue
        owners[node] = mine = mine if held is None else _SHARED
        stack += [(arg, mine) for arg in writer.reads(node)]
