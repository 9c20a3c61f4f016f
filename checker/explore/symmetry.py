"""Symmetry: states that differ only by a renaming of replicas are searched once.

The elements of a finite sort are interchangeable unless the model names one. A renaming moves cells and renames what
is in them; since no cell straddles a byte, it is a table look-up per byte and permutation. The representative of an
orbit is its smallest packed state.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ...model.errors import DefinitionError
from ...model.protocol import names_an_element
from ...model.sorts import FiniteSort
from .layout import Cell, Layout

Renaming = dict[FiniteSort, tuple[int, ...]]


def renamings(layout: Layout) -> list[Renaming]:
    """All renamings of the elements of the instance's finite sorts, the identity first."""
    sorts = sorted({sort for cell in layout.cells for sort in _sorts(cell)}, key=lambda each: each.name)
    sizes = [range(layout.settings[sort.size.name]) for sort in sorts]
    each = [list(itertools.permutations(size)) for size in sizes]
    return [dict(zip(sorts, choice, strict=True)) for choice in itertools.product(*each)]


def refuse_if_broken(layout: Layout) -> None:
    """Says why an instance has no symmetry.

    Raises:
        DefinitionError: the model names an element, or stores one where nothing may be.
    """
    why = names_an_element(layout.instance.model)
    if why is None:
        for cell in layout.cells:
            inside = any(key is None and isinstance(at, int) for key, at in cell.path)
            if cell.kind == "value" and isinstance(cell.sort, FiniteSort) and inside:
                why = f"field {cell.path[0][1]} holds elements of {cell.sort} in a sequence or optional record"
    if why is not None:
        raise DefinitionError(f"symmetry does not apply: {why}; run without --symmetry")


def canonicaliser(layout: Layout) -> Callable[[list[Any]], list[Any]]:
    """The function that replaces packed states (arrays of words) by their representatives."""
    import numpy as np

    tables = [_byte_tables(layout, renaming, np) for renaming in renamings(layout)[1:]]

    def canonical(words: list[Any]) -> list[Any]:
        sized = zip(words, layout.sizes, strict=True)
        columns = [word.view(np.uint8)[at::size].copy() for word, size in sized for at in range(size)][: layout.bytes]
        best = [word.copy() for word in words]
        for table in tables:
            moved: list[Any] = [None] * len(words)
            for column, parts in zip(columns, table, strict=True):
                for index, lookup in parts:
                    part = lookup.take(column)
                    if moved[index] is None:
                        moved[index] = part
                    else:
                        moved[index] |= part
            moved = [np.zeros_like(old) if new is None else new for new, old in zip(moved, words, strict=True)]
            smaller = moved[-1] < best[-1]
            tied = moved[-1] == best[-1]
            for index in reversed(range(len(words) - 1)):
                smaller |= tied & (moved[index] < best[index])
                tied &= moved[index] == best[index]
            best = [np.where(smaller, new, old) for new, old in zip(moved, best, strict=True)]
        return best

    return canonical


def _byte_tables(layout: Layout, renaming: Renaming, np: Any) -> list[list[tuple[int, Any]]]:
    """For each byte of a state: what it contributes to which words of the renamed state, by its value."""
    places = {(cell.path, cell.kind): cell for cell in layout.cells}
    tables: list[dict[int, Any]] = [{} for _ in range(layout.bytes)]
    values = np.arange(256, dtype=np.uint64)
    for cell in layout.cells:
        if cell.bits == 0:
            continue
        target = places[_renamed_path(cell, renaming), cell.kind]
        word, shift = divmod(8 * target.byte + target.shift, 64)
        if cell.bits > 8:
            if _sorts(cell) & set(renaming):
                raise DefinitionError(
                    f"symmetry does not apply: field {cell.path[0][1]} has a cell of {cell.bits} bits"
                )
            for part in range(-(-cell.bits // 8)):
                at = tables[cell.byte + part]
                at[word] = at.get(word, np.zeros(256, np.uint64)) | (values << np.uint64(shift + 8 * part))
            continue
        numbers = [_renamed(cell, number, renaming) for number in range(1 << cell.bits)]
        renamed = np.array(numbers, np.uint64)[(values >> np.uint64(cell.shift)) & np.uint64((1 << cell.bits) - 1)]
        at = tables[cell.byte]
        at[word] = at.get(word, np.zeros(256, np.uint64)) | (renamed << np.uint64(shift))
    # Each look-up table gives words as they are stored.
    return [[(word, table.astype(f"u{layout.sizes[word]}")) for word, table in each.items()] for each in tables]


def _sorts(cell: Cell) -> set[FiniteSort]:
    found = {key for key, _ in cell.path if isinstance(key, FiniteSort)}
    if isinstance(cell.sort, FiniteSort):
        found.add(cell.sort)
    return found


def _renamed_path(cell: Cell, renaming: Renaming) -> tuple[Any, ...]:
    return tuple((key, renaming[key][int(at)] if isinstance(key, FiniteSort) else at) for key, at in cell.path)


def _renamed(cell: Cell, number: int, renaming: Renaming) -> int:
    """The number of a cell (without its lowest value taken off) after the renaming."""
    if not isinstance(cell.sort, FiniteSort):
        return number
    to = renaming[cell.sort]
    if cell.kind == "set":
        return sum(1 << to[at] for at in range(len(to)) if number >> at & 1)
    if cell.kind == "option":
        return 0 if number == 0 or number > len(to) else to[number - 1] + 1
    return to[number] if number < len(to) else number
