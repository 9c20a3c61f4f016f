"""Symmetry: states that differ only by a renaming of replicas are searched once.

The elements of a finite sort are interchangeable unless the model names one. A renaming moves cells and renames what
is in them; since no cell straddles a byte, it is a table look-up per byte and permutation. The representative of an
orbit is, of the states in which the elements are sorted by their own numbers, the smallest when packed: few renamings
sort a state, mostly one. An orbit has as many states as there are renamings, divided by those that leave one as it is:
so what is counted of representatives is known of all states.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...model.errors import DefinitionError
from ...model.protocol import names_an_element
from ...model.sorts import FiniteSort
from .packing import Cell, Packing

Renaming = dict[FiniteSort, tuple[int, ...]]

MOST_RENAMINGS = 5040  # of seven elements; each has tables of its own


def renamings(packing: Packing) -> list[Renaming]:
    """All renamings of the elements of the instance's finite sorts, the identity first."""
    sorts = _renamed_sorts(packing)
    sizes = [range(packing.settings[sort.size.name]) for sort in sorts]
    each = [list(itertools.permutations(size)) for size in sizes]
    return [dict(zip(sorts, choice, strict=True)) for choice in itertools.product(*each)]


def _renamed_sorts(packing: Packing) -> list[FiniteSort]:
    return sorted({sort for cell in packing.cells for sort in _sorts(cell)}, key=lambda each: each.name)


def why_broken(packing: Packing) -> str | None:
    """Return why an instance has no symmetry, or None: it names an element, stores one wrongly, or has too many."""
    why = names_an_element(packing.instance.model)
    renamed = math.prod(math.factorial(packing.settings[sort.size.name]) for sort in _renamed_sorts(packing))
    if why is None and renamed > MOST_RENAMINGS:
        why = f"there are {renamed:,} renamings, and at most {MOST_RENAMINGS:,} are tried"
    if why is None:
        for cell in packing.cells:
            inside = any(key is None and isinstance(at, int) for key, at in cell.path)
            if cell.kind == "value" and isinstance(cell.sort, FiniteSort) and inside:
                why = f"field {cell.path[0][1]} holds elements of {cell.sort} in a sequence or optional record"
            if cell.bits > 8 and _sorts(cell):
                why = f"field {cell.path[0][1]} has a cell of {cell.bits} bits"
    return why


def refuse_if_broken(packing: Packing) -> None:
    """Refuse an instance that has no symmetry.

    Raises:
        DefinitionError: it has none.
    """
    why = why_broken(packing)
    if why is not None:
        raise DefinitionError(f"symmetry does not apply: {why}; run without --symmetry")


@dataclass(frozen=True)
class Orbits:
    """The orbits of an instance's states under renaming.

    `orders`: each renaming, the identity first, with what the bytes of a state become. `signed`: for each sort, where
    the sign of each element is.
    """

    orders: list[tuple[Renaming, list[list[tuple[int, Any]]]]]
    signed: list[tuple[FiniteSort, list[list[tuple[int, Any]]]]]

    def representatives(self, words: list[Any]) -> list[Any]:
        """Packed states (arrays of words), each replaced by the representative of its orbit."""
        import numpy as np

        rises = {}  # whether the sign of one element is at most that of another
        for sort, signs in self._signs(words, np):
            for one, other in itertools.permutations(range(len(signs)), 2):
                rises[sort, one, other] = signs[one] <= signs[other]
        best = [np.full(len(word), -1, np.int64).astype(word.dtype) for word in words]
        for renaming, tables in self.orders:
            sorts_them = np.ones(len(words[0]), bool)
            for sort, to in renaming.items():
                old = sorted(range(len(to)), key=to.__getitem__)  # which element becomes the first, the second ...
                for one, other in itertools.pairwise(old):
                    sorts_them &= rises[sort, one, other]
            rows = sorts_them.nonzero()[0]
            moved = _moved([word.take(rows) for word in words], tables, np)
            _keep_smaller(best, rows, moved)
        return best

    def sizes(self, words: list[Any]) -> Any:
        """Count the states in the orbit of each packed state."""
        import numpy as np

        signs = dict(self._signs(words, np))
        kept = np.ones(len(words[0]), np.int64)  # how many renamings leave it as it is
        for renaming, tables in self.orders[1:]:
            may = np.ones(len(words[0]), bool)
            for sort, to in renaming.items():
                for old, new in enumerate(to):
                    if old != new:
                        may &= signs[sort][old] == signs[sort][new]
            rows = may.nonzero()[0]
            before = [word.take(rows) for word in words]
            same = np.ones(len(rows), bool)
            for old_word, new_word in zip(before, _moved(before, tables, np), strict=True):
                same &= old_word == new_word
            kept[rows[same]] += 1
        return len(self.orders) // kept

    def _signs(self, words: list[Any], np: Any) -> Iterator[tuple[FiniteSort, list[Any]]]:
        columns = _columns(words)
        for sort, tables in self.signed:
            yield sort, [_looked_up(columns, table, len(words[0]), np.uint64, np) for table in tables]


def orbits(packing: Packing) -> Orbits:
    """The orbits of an instance that has symmetry."""
    import numpy as np

    orders = [(renaming, _byte_tables(packing, renaming, np)) for renaming in renamings(packing)]
    return Orbits(orders, [(sort, _sign_tables(packing, sort, np)) for sort in orders[0][0]])


def _columns(words: list[Any]) -> list[Any]:
    return [word.view("u1")[at :: word.itemsize] for word in words for at in range(word.itemsize)]


def _moved(words: list[Any], tables: list[list[tuple[int, Any]]], np: Any) -> list[Any]:
    """Packed states after a renaming."""
    columns = _columns(words)
    parts: list[list[tuple[int, Any]]] = [[] for _ in words]
    for byte, table in enumerate(tables):
        for word, lookup in table:
            parts[word].append((byte, lookup))
    return [_looked_up(columns, part, len(word), word.dtype, np) for part, word in zip(parts, words, strict=True)]


def _looked_up(columns: list[Any], parts: list[tuple[int, Any]], length: int, dtype: Any, np: Any) -> Any:
    """Return what bytes contribute by look-up tables, together."""
    total = None
    for byte, lookup in parts:
        part = lookup.take(columns[byte])
        total = part if total is None else np.bitwise_or(total, part, out=total)
    return np.zeros(length, dtype) if total is None else total


def _keep_smaller(best: list[Any], rows: Any, moved: list[Any]) -> None:
    """Put states into some rows where they are smaller than the present ones."""
    old = [word.take(rows) for word in best]
    smaller, tied = moved[-1] < old[-1], moved[-1] == old[-1]
    for new, was in zip(reversed(moved[:-1]), reversed(old[:-1]), strict=True):
        smaller |= tied & (new < was)
        tied &= new == was
    at = smaller.nonzero()[0]
    for word, new in zip(best, moved, strict=True):
        word[rows.take(at)] = new.take(at)


def _sign_tables(packing: Packing, sort: FiniteSort, np: Any) -> list[list[tuple[int, Any]]]:
    """Return for each element, by byte, its sign: the numbers that only it has, and that no renaming changes.

    In a representative the signs of the elements rise. As many cells as fit into a word make the sign.
    """
    size = packing.settings[sort.size.name]
    tables: list[dict[int, Any]] = [{} for _ in range(size)]
    used = [0] * size
    values = np.arange(256, dtype=np.uint64)
    for cell in packing.cells:
        keys = [(key, at) for key, at in cell.path if isinstance(key, FiniteSort)]
        if len(keys) != 1 or keys[0][0] != sort or isinstance(cell.sort, FiniteSort) or not 0 < cell.bits <= 8:
            continue
        element = int(keys[0][1])
        if used[element] + cell.bits > 64:
            continue
        number = (values >> np.uint64(cell.shift)) & np.uint64((1 << cell.bits) - 1)
        table = tables[element]
        table[cell.byte] = table.get(cell.byte, 0) | (number << np.uint64(used[element]))
        used[element] += cell.bits
    return [list(table.items()) for table in tables]


def _byte_tables(packing: Packing, renaming: Renaming, np: Any) -> list[list[tuple[int, Any]]]:
    """Return for each byte of a state its contribution to the words of the renamed state, by its value."""
    places = {(cell.path, cell.kind): cell for cell in packing.cells}
    tables: list[dict[int, Any]] = [{} for _ in range(packing.bytes)]
    values = np.arange(256, dtype=np.uint64)
    for cell in packing.cells:
        if cell.bits == 0:
            continue
        target = places[_renamed_path(cell, renaming), cell.kind]
        word, shift = divmod(8 * target.byte + target.shift, 64)
        if cell.bits > 8:
            for part in range(-(-cell.bits // 8)):
                at = tables[cell.byte + part]
                at[word] = at.get(word, np.zeros(256, np.uint64)) | (values << np.uint64(shift + 8 * part))
            continue
        numbers = [_renamed(cell, number, renaming) for number in range(1 << cell.bits)]
        renamed = np.array(numbers, np.uint64)[(values >> np.uint64(cell.shift)) & np.uint64((1 << cell.bits) - 1)]
        at = tables[cell.byte]
        at[word] = at.get(word, np.zeros(256, np.uint64)) | (renamed << np.uint64(shift))
    # Each look-up table gives words as they are stored.
    return [[(word, table.astype(f"u{packing.sizes[word]}")) for word, table in each.items()] for each in tables]


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
