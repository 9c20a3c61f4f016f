"""Packing of packed states: each field becomes cells, each cell a few bits of a byte, bytes form words.

Cells never straddle a byte (a cell of more than 8 bits takes whole bytes), so that a cell is read with one shift and
one mask of a byte column, and a permutation of replicas works byte by byte. An absent value (of an option, or beyond
the end of a sequence) has one canonical form: equal states are equal words.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ...model.errors import DefinitionError, SortError
from ...model.protocol import Field, Instance
from ...model.sorts import (
    SORTS,
    BoolSort,
    Bound,
    BySort,
    EnumSort,
    FiniteSort,
    IntSort,
    MapSort,
    OpenSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Settings,
    Sort,
    Value,
    default,
    elements,
    resolve,
)

Path = tuple[tuple[Sort | None, int | str], ...]

# Everything is spread over cells and moves before the search begins; instances beyond this are too large to search.
MOST_CELLS = 4096


@dataclass
class Cell:
    """One scalar of the state.

    * `path`: how to get there from its field: (key sort, key index), (None, record field or position).
    * `kind`: what the number means ("value" of `sort`, "set" bits of it, "option" code of it, "present", "length").
    """

    index: int
    path: Path
    kind: str
    sort: Sort | None
    lo: int
    hi: int
    byte: int = 0
    shift: int = 0
    bits: int = 0

    @property
    def size(self) -> int:
        """The bytes of the column that the cell is read from."""
        return next(size for size in (1, 2, 4, 8) if self.bits <= 8 * size)


# Shapes: thousands are made of a model, so they are the quickest kind of record.
class Fused(NamedTuple):
    """An option of a scalar as one number: 0 is none, else the value + 1 - base."""

    code: Any
    base: int


class Optional(NamedTuple):
    """An option of a larger value: a truth value, and the canonical blank where it is none."""

    present: Any
    value: Any


class Bits(NamedTuple):
    """A set as a bitmask; bit i is the element base + i."""

    mask: Any
    base: int
    width: int


class Rows(NamedTuple):
    """A record, or a map by the index of its keys."""

    parts: tuple[Any, ...]


class Sequence(NamedTuple):
    """A length and a cell for each position; positions from the length on hold blanks."""

    length: Any
    items: tuple[Any, ...]


def _int_range(sort: IntSort, settings: Settings) -> tuple[int, int]:
    if sort.lo is None or sort.hi is None:
        raise SortError(f"the explorer needs both bounds of an integer field, and {sort} lacks one; write Int(lo, hi)")
    return resolve(sort.lo, settings), resolve(sort.hi, settings)


_SCALAR_RANGE: BySort[tuple[int, int] | None] = BySort(
    {
        BoolSort: lambda sort, settings: (0, 1),
        IntSort: _int_range,
        EnumSort: lambda sort, settings: (0, len(sort.values) - 1),
        FiniteSort: lambda sort, settings: (0, resolve(Bound(sort.size), settings) - 1),
        **dict.fromkeys((OpenSort, SetSort, OptionSort, RecordSort, MapSort, SeqSort), lambda sort, settings: None),
    }
)


def scalar_range(sort: Sort, settings: Settings) -> tuple[int, int] | None:
    """The numbers that stand for the values of a scalar sort; None for other sorts."""
    return _SCALAR_RANGE[type(sort)](sort, settings)


class Packing:
    """The cells of an instance's state, and the packing of whole states."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.settings = instance.settings
        self.cells: list[Cell] = []
        self.shapes: dict[str, Any] = {}
        for field in instance.model.fields:
            self.shapes[field.name] = self._shape(field.sort, ((None, field.name),))
        self.bytes = self._place()
        # Bytes of each word: 8, and, to save memory, in the last one as few as will do.
        whole, rest = divmod(max(self.bytes, 1), 8)
        self.sizes = [8] * whole
        if rest:
            self.sizes.append(next(size for size in (1, 2, 4, 8) if rest <= size))

    def _cell(self, path: Path, kind: str, sort: Sort | None, lo: int, hi: int) -> Cell:
        cell = Cell(len(self.cells), path, kind, sort, lo, hi, bits=(hi - lo).bit_length())
        if cell.bits > 62:
            raise SortError(f"a field needs {cell.bits} bits, the explorer packs at most 62 into one cell ({sort})")
        self.cells.append(cell)
        self._refuse_more_than(MOST_CELLS, len(self.cells))
        return cell

    def _refuse_more_than(self, most: int, cells: int) -> None:
        if cells > most:
            raise DefinitionError(
                f"a state of {self.instance.name} has more than {most:,} cells; choose smaller settings"
            )

    def _shape(self, sort: Sort, path: Path) -> Any:
        return _SHAPE[type(sort)](self, sort, path)

    def scalar_shape(self, sort: Sort, path: Path) -> Cell:
        """A cell for a number."""
        around = scalar_range(sort, self.settings)
        assert around is not None
        return self._cell(path, "value", sort, *around)

    def set_shape(self, sort: SetSort, path: Path) -> Bits:
        """A cell with a bit for each element."""
        lo, hi = self._element_range(sort)
        return Bits(self._cell(path, "set", sort.element, 0, (1 << (hi - lo + 1)) - 1), lo, hi - lo + 1)

    def option_shape(self, sort: OptionSort, path: Path) -> Fused | Optional:
        """One cell, of a scalar's option; else a cell that says that there is something, and its shape."""
        inner = scalar_range(sort.element, self.settings)
        if inner is not None:
            return Fused(self._cell(path, "option", sort.element, 0, inner[1] - inner[0] + 1), inner[0])
        present = self._cell(path, "present", None, 0, 1)
        return Optional(present, self._shape(sort.element, path))

    def record_shape(self, sort: RecordSort, path: Path) -> Rows:
        """The shapes of its fields."""
        return Rows(tuple(self._shape(each, (*path, (None, name))) for name, each in sort.fields))

    def map_shape(self, sort: MapSort, path: Path) -> Rows:
        """The shapes of its values."""
        lo, hi = scalar_range(sort.key, self.settings) or (0, 0)
        self._refuse_more_than(MOST_CELLS, hi - lo + 1)
        return Rows(tuple(self._shape(sort.value, (*path, (sort.key, key))) for key in range(hi - lo + 1)))

    def sequence_shape(self, sort: SeqSort, path: Path) -> Sequence:
        """A cell for its length, and the shapes of as many values as it may have."""
        capacity = resolve(sort.capacity, self.settings)
        self._refuse_more_than(MOST_CELLS, capacity)
        length = self._cell(path, "length", None, 0, capacity)
        items = tuple(self._shape(sort.element, (*path, (None, at))) for at in range(capacity))
        return Sequence(length, items)

    def _element_range(self, sort: SetSort) -> tuple[int, int]:
        around = scalar_range(sort.element, self.settings)
        if around is None or around[1] - around[0] + 1 > 62:
            raise SortError(f"the explorer stores sets of at most 62 elements, {sort} can have more")
        return around

    def _place(self) -> int:
        """Give each cell its byte and shift: large cells first, each into the first byte with room."""
        room: list[int] = []
        used = 0
        for cell in sorted((each for each in self.cells if each.size > 1), key=lambda each: -each.size):
            cell.byte, cell.shift = used, 0
            used += cell.size
        for cell in sorted((each for each in self.cells if 0 < each.bits <= 8), key=lambda each: -each.bits):
            for at, left in enumerate(room):
                if left >= cell.bits:
                    cell.byte, cell.shift = used + at, 8 - left
                    room[at] -= cell.bits
                    break
            else:
                cell.byte, cell.shift = used + len(room), 0
                room.append(8 - cell.bits)
        return used + len(room)

    def words(self, *packed: int) -> list[Any]:
        """Packed states as their words: for each an array of a row per state, as generated code reads states."""
        import numpy as np

        return [
            np.array([each >> (64 * index) & (2**64 - 1) for each in packed], f"u{size}")
            for index, size in enumerate(self.sizes)
        ]

    def pack(self, state: tuple[Value, ...]) -> int:
        """A state of the reference as one integer; word i begins at bit 64 i."""
        packed = 0
        for field, value in zip(self.instance.model.fields, state, strict=True):
            packed |= self.packed(field.name, value)
        return packed

    def packed(self, name: str, value: Value) -> int:
        """The value of one field, at its place in a packed state."""
        bits = 0
        for cell, number in self._numbers(self.shapes[name], value, self._of_field[name][0].sort):
            bits |= (number - cell.lo) << (8 * cell.byte + cell.shift)
        return bits

    def unpack(self, packed: int) -> tuple[Value, ...]:
        """The reference's state of a packed one."""
        return tuple(self.value_of(field.name, packed) for field in self.instance.model.fields)

    def value_of(self, name: str, packed: int) -> Value:
        """One field of a packed state."""
        field, cells = self._of_field[name]
        numbers = {
            cell.index: cell.lo + (packed >> (8 * cell.byte + cell.shift) & ((1 << cell.bits) - 1)) for cell in cells
        }
        return self._value(self.shapes[name], numbers, field.sort)

    @cached_property
    def _of_field(self) -> dict[str, tuple[Field, list[Cell]]]:
        found: dict[str, tuple[Field, list[Cell]]] = {each.name: (each, []) for each in self.instance.model.fields}
        for cell in self.cells:
            found[str(cell.path[0][1])][1].append(cell)
        return found

    def bits_of(self, name: str) -> int:
        """The bits of a packed state that hold a field."""
        return sum(((1 << cell.bits) - 1) << (8 * cell.byte + cell.shift) for cell in self._of_field[name][1])

    def number(self, value: Value, sort: Sort) -> int:
        """The number that stands for a scalar value."""
        if isinstance(sort, EnumSort):
            return sort.values.index(value)
        return int(value)

    def _numbers(self, shape: Any, value: Value, sort: Sort) -> Any:
        if isinstance(shape, Cell):
            yield shape, self.number(value, sort)
        elif isinstance(shape, Bits):
            assert isinstance(sort, SetSort)
            yield shape.mask, sum(1 << (self.number(each, sort.element) - shape.base) for each in value)
        elif isinstance(shape, Fused):
            assert isinstance(sort, OptionSort)
            yield shape.code, 0 if value is None else self.number(value, sort.element) - shape.base + 1
        elif isinstance(shape, Optional):
            assert isinstance(sort, OptionSort)
            yield shape.present, int(value is not None)
            yield from self._numbers(
                shape.value, blank(sort.element, self.settings) if value is None else value, sort.element
            )
        elif isinstance(shape, Sequence):
            assert isinstance(sort, SeqSort)
            yield shape.length, len(value)
            missing = len(shape.items) - len(value)
            for item, each in zip(shape.items, (*value, *[blank(sort.element, self.settings)] * missing), strict=True):
                yield from self._numbers(item, each, sort.element)
        else:
            sorts = [inner for _, inner in sort.fields] if isinstance(sort, RecordSort) else [sort.value] * len(value)  # type: ignore[attr-defined]
            for part, each, inner in zip(shape.parts, value, sorts, strict=True):
                yield from self._numbers(part, each, inner)

    def _value(self, shape: Any, numbers: Mapping[int, int], sort: Sort) -> Value:
        if isinstance(shape, Cell):
            return self.named(numbers[shape.index], sort)
        if isinstance(shape, Bits):
            assert isinstance(sort, SetSort)
            mask = numbers[shape.mask.index]
            return frozenset(self.named(shape.base + at, sort.element) for at in range(shape.width) if mask >> at & 1)
        if isinstance(shape, Fused):
            assert isinstance(sort, OptionSort)
            code = numbers[shape.code.index]
            return None if code == 0 else self.named(code - 1 + shape.base, sort.element)
        if isinstance(shape, Optional):
            assert isinstance(sort, OptionSort)
            return self._value(shape.value, numbers, sort.element) if numbers[shape.present.index] else None
        if isinstance(shape, Sequence):
            assert isinstance(sort, SeqSort)
            items = shape.items[: numbers[shape.length.index]]
            return tuple(self._value(item, numbers, sort.element) for item in items)
        sorts = [inner for _, inner in sort.fields] if isinstance(sort, RecordSort) else [sort.value] * len(shape.parts)  # type: ignore[attr-defined]
        return tuple(self._value(part, numbers, inner) for part, inner in zip(shape.parts, sorts, strict=True))

    def named(self, number: int, sort: Sort) -> Value:
        """The scalar value that a number stands for."""
        if isinstance(sort, BoolSort):
            return bool(number)
        if isinstance(sort, EnumSort):
            return sort.values[number]
        return number


_SHAPE: BySort[Any] = BySort(
    {
        **dict.fromkeys((BoolSort, IntSort, EnumSort, FiniteSort), Packing.scalar_shape),
        SetSort: Packing.set_shape,
        OptionSort: Packing.option_shape,
        RecordSort: Packing.record_shape,
        MapSort: Packing.map_shape,
        SeqSort: Packing.sequence_shape,
    },
    "the explorer cannot store a {sort}: it has no list of values",
)


def packed(words: Seq[Any], row: int) -> int:
    """A row of words as one integer, the inverse of `Packing.words`."""
    return sum(int(word[row]) << (64 * index) for index, word in enumerate(words))


def blank(sort: Sort, settings: Settings) -> Value:
    """The canonical absent value: the default of the sort, or the first element of a finite one."""
    return _BLANK[type(sort)](sort, settings)


def _blank_int(sort: IntSort, settings: Settings) -> int:
    lo, hi = scalar_range(sort, settings) or (0, 0)
    return min(max(0, lo), hi)


_BLANK: BySort[Value] = BySort(
    {
        **dict.fromkeys(SORTS, lambda sort, settings: default(sort)),
        IntSort: _blank_int,
        FiniteSort: lambda sort, settings: 0,
        RecordSort: lambda sort, settings: tuple(blank(each, settings) for _, each in sort.fields),
        MapSort: lambda sort, settings: (blank(sort.value, settings),) * len(elements(sort.key, settings)),
    }
)
