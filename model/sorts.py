"""Sorts: the types of the language, and the plain Python values they hold.

| sort | Python value (the reference reading) |
|---|---|
| `Bool` | bool |
| `Int(lo, hi)` | int; a bound may be a `Setting`, or None (unbounded) |
| `Enum(name, values)` | str |
| `Finite(name, setting)` | int, 0 .. size-1; the elements are interchangeable, they have no order |
| `Open(name)` | any hashable value; compared for equality only |
| `SetOf(element)` | frozenset |
| `OptionOf(element)` | None, or the element's value |
| `Record(name, fields)` | tuple, in the order of the fields |
| `MapOf(key, value)` | tuple, in the order of the keys |
| `SeqOf(element, capacity)` | tuple of at most `capacity` values |

A setting (`--set NAME=INT`) is what an instance of a model chooses: how many replicas, how long a log. A search needs
all of them; a proof leaves the upper bounds out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from .errors import DefinitionError, ModelError, SortError, UnknownNameError, unknown

T = TypeVar("T")
Value = Any
Settings = Mapping[str, int]


@dataclass(frozen=True)
class Setting:
    """A number that an instance of a model chooses."""

    name: str
    default: int = field(compare=False)
    """Its number where none is given; models with one setting may differ in this."""
    meaning: str
    at_least: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.default, bool) or not isinstance(self.default, int):
            raise DefinitionError(f"setting {self.name}: expected an integer as its default, got {self.default!r}")

    def __add__(self, plus: int) -> Bound:
        return Bound(self, plus)

    def __sub__(self, minus: int) -> Bound:
        return Bound(self, -minus)


@dataclass(frozen=True)
class Bound:
    """A setting plus a number: the end of a range."""

    setting: Setting
    plus: int = 0

    def __str__(self) -> str:
        sign = "" if self.plus == 0 else f" {'+' if self.plus > 0 else '-'} {abs(self.plus)}"
        return f"{self.setting.name}{sign}"


def resolve(bound: int | Bound, settings: Settings) -> int:
    """The number a bound stands for in an instance."""
    if isinstance(bound, int):
        return bound
    if bound.setting.name not in settings:
        raise UnknownNameError(f"setting {bound.setting.name!r} has no value; set it with {bound.setting.name}=<int>")
    return settings[bound.setting.name] + bound.plus


@dataclass(frozen=True)
class Sort:
    """Base of all sorts."""


@dataclass(frozen=True)
class BoolSort(Sort):
    """Truth values. All sorts of them mix in expressions."""

    absent: bool | None = None
    """The value that a reading takes where a printed one is absent; None: it has none."""

    def __str__(self) -> str:
        return "Bool" if self.absent is None else f"Bool, {str(self.absent).lower()} where absent"


@dataclass(frozen=True)
class IntSort(Sort):
    """Integers from `lo` to `hi`, both included; None is no bound. All integer sorts mix in expressions."""

    lo: int | Bound | None = None
    hi: int | Bound | None = None

    def __str__(self) -> str:
        ends = ["" if end is None else str(end) for end in (self.lo, self.hi)]
        return "Int" if ends == ["", ""] else f"Int {ends[0]}..{ends[1]}"


@dataclass(frozen=True)
class EnumSort(Sort):
    """Named values; they have no order."""

    name: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class FiniteSort(Sort):
    """A sort of interchangeable elements, as many as its setting says. A proof may leave it uninterpreted."""

    name: str
    size: Setting

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class OpenSort(Sort):
    """Identifiers of which nothing is known but equality: broker ids in a view."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class SetSort(Sort):
    element: Sort

    def __str__(self) -> str:
        return f"Set of {self.element}"


@dataclass(frozen=True)
class OptionSort(Sort):
    element: Sort

    def __str__(self) -> str:
        return f"Option of {self.element}"


@dataclass(frozen=True)
class RecordSort(Sort):
    name: str
    fields: tuple[tuple[str, Sort], ...]

    def field(self, name: str) -> Sort:
        """The sort of a field."""
        for each, sort in self.fields:
            if each == name:
                return sort
        raise unknown("record field", name, (each for each, _ in self.fields), self.name)

    def index(self, name: str) -> int:
        """The place of a field in the record's tuple."""
        self.field(name)
        return [each for each, _ in self.fields].index(name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class MapSort(Sort):
    """A value for every key; the keys are a Bool, an enum, a finite sort or an integer range."""

    key: Sort
    value: Sort

    def __str__(self) -> str:
        return f"Map {self.key} to {self.value}"


@dataclass(frozen=True)
class SeqSort(Sort):
    """A sequence of at most `capacity` values, from position 0. A proof leaves the capacity out."""

    element: Sort
    capacity: int | Bound

    def __str__(self) -> str:
        return f"Seq of {self.element}, at most {self.capacity}"


SCALARS = (BoolSort, IntSort, EnumSort, FiniteSort, OpenSort)
SORTS: tuple[type[Sort], ...] = (*SCALARS, SetSort, OptionSort, RecordSort, MapSort, SeqSort)


class BySort(dict[type[Sort], Callable[..., T]]):
    """A reading of sorts: a function for each class of them, called as `TABLE[type(sort)](sort, ...)`.

    A sort without one is refused, with its name: no reading approximates.

    Args:
        table: by class of sorts the function; one of its arguments is the sort.
        refusal: the message on other sorts, with {sort} in it.
        error: the error that has the message.
    """

    def __init__(
        self,
        table: Mapping[type[Sort], Callable[..., T]],
        refusal: str = "{sort!r} is not a sort of the language",
        error: type[ModelError] = SortError,
    ) -> None:
        super().__init__(table)
        self._refusal, self._error = refusal, error

    def __missing__(self, kind: type) -> Callable[..., NoReturn]:
        if not issubclass(kind, Sort):
            raise SortError(f"expected a sort of the language, got a {kind.__name__}")
        return lambda *arguments: self.refuse(next(each for each in arguments if isinstance(each, Sort)))

    def refuse(self, sort: Sort) -> NoReturn:
        """Raise the error on a sort."""
        raise self._error(self._refusal.format(sort=sort))


_INSIDE: BySort[tuple[Sort, ...]] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda sort: ()),
        **dict.fromkeys((SetSort, OptionSort, SeqSort), lambda sort: (sort.element,)),
        RecordSort: lambda sort: tuple(inner for _, inner in sort.fields),
        MapSort: lambda sort: (sort.key, sort.value),
    }
)


def with_inner(*sorts: Sort) -> Iterator[Sort]:
    """Yield the sorts and all sorts inside them."""
    for sort in sorts:
        yield sort
        yield from with_inner(*_INSIDE[type(sort)](sort))


def _bound(end: int | Setting | Bound | None) -> int | Bound | None:
    return Bound(end) if isinstance(end, Setting) else end


def is_key(sort: Sort) -> bool:
    """Check whether a sort has finitely many values in every instance, each of them a scalar."""
    if isinstance(sort, IntSort):
        return sort.lo is not None and sort.hi is not None
    return isinstance(sort, BoolSort | EnumSort | FiniteSort)


Bool = BoolSort()


def Int(lo: int | Setting | Bound | None = None, hi: int | Setting | Bound | None = None) -> IntSort:  # noqa: N802
    """Integers `lo` .. `hi`."""
    if isinstance(lo, int) and isinstance(hi, int) and lo > hi:
        raise DefinitionError(f"Int({lo}, {hi}) has no value; expected lo <= hi")
    return IntSort(_bound(lo), _bound(hi))


def Enum(name: str, values: tuple[str, ...]) -> EnumSort:  # noqa: N802
    """An enumeration; the values must differ."""
    if isinstance(values, str) or not values or len(set(values)) != len(values):
        raise DefinitionError(f"enum {name} needs a tuple of at least one value, none twice, got {values!r}")
    return EnumSort(name, tuple(values))


def Finite(name: str, size: Setting) -> FiniteSort:  # noqa: N802
    """A sort of interchangeable elements, as many as the setting says."""
    if not isinstance(size, Setting):
        raise DefinitionError(
            f"{name}: expected Finite({name!r}, SETTING), for example Setting('n', 3, ...), got {size!r}"
        )
    return FiniteSort(name, size)


def Open(name: str) -> OpenSort:  # noqa: N802
    """A sort of identifiers."""
    return OpenSort(name)


def SetOf(element: Sort) -> SetSort:  # noqa: N802
    """Set of a scalar sort."""
    if not isinstance(element, SCALARS):
        raise SortError(f"a set holds scalars (Bool, Int, Enum, Finite, Open), not {element}")
    return SetSort(element)


def OptionOf(element: Sort) -> OptionSort:  # noqa: N802
    """A value or nothing."""
    if isinstance(element, OptionSort):
        raise SortError("an option of an option has two ways to be nothing; use a record or an enum")
    return OptionSort(element)


def Record(name: str, **fields: Sort) -> RecordSort:  # noqa: N802
    """A record with the given fields, in this order."""
    if not fields:
        raise DefinitionError(f"record {name} needs a field")
    return RecordSort(name, tuple(fields.items()))


def MapOf(key: Sort, value: Sort) -> MapSort:  # noqa: N802
    """A total map."""
    if not is_key(key):
        raise SortError(f"the keys of a map are a Bool, an enum, a finite sort or an integer range, not {key}")
    return MapSort(key, value)


def SeqOf(element: Sort, capacity: int | Setting | Bound) -> SeqSort:  # noqa: N802
    """A bounded sequence."""
    return SeqSort(element, Bound(capacity) if isinstance(capacity, Setting) else capacity)


def _integers(sort: IntSort, settings: Settings) -> tuple[Value, ...]:
    if sort.lo is None or sort.hi is None:
        _ELEMENTS.refuse(sort)
    return tuple(range(resolve(sort.lo, settings), resolve(sort.hi, settings) + 1))


_ELEMENTS: BySort[tuple[Value, ...]] = BySort(
    {
        BoolSort: lambda sort, settings: (False, True),
        IntSort: _integers,
        EnumSort: lambda sort, settings: sort.values,
        FiniteSort: lambda sort, settings: tuple(range(resolve(Bound(sort.size), settings))),
    },
    "{sort} has no list of values; expected a Bool, an enum, a finite sort or an integer range",
)


def elements(sort: Sort, settings: Settings) -> tuple[Value, ...]:
    """All values of a scalar sort of an instance, in the order of its maps.

    Raises:
        SortError: the sort is unbounded or open.
    """
    return _ELEMENTS[type(sort)](sort, settings)


_SAME: BySort[bool] = BySort(
    {
        **dict.fromkeys((*SCALARS, RecordSort), lambda left, right: left == right),
        **dict.fromkeys((BoolSort, IntSort), lambda left, right: True),
        **dict.fromkeys((SetSort, OptionSort, SeqSort), lambda left, right: same(left.element, right.element)),
        MapSort: lambda left, right: left.key == right.key and same(left.value, right.value),
    }
)


def same(left: Sort, right: Sort) -> bool:
    """Check whether values of the two sorts may be compared and assigned: equal but for the bounds of integers, and for
    what an absent truth value means."""
    return type(left) is type(right) and _SAME[type(left)](left, right)


_WITH_INNER: BySort[Sort] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda sort, change: sort),
        SetSort: lambda sort, change: SetSort(change(sort.element)),
        OptionSort: lambda sort, change: OptionSort(change(sort.element)),
        RecordSort: lambda sort, change: RecordSort(sort.name, tuple((name, change(to)) for name, to in sort.fields)),
        MapSort: lambda sort, change: MapSort(change(sort.key), change(sort.value)),
        SeqSort: lambda sort, change: SeqSort(change(sort.element), sort.capacity),
    }
)


def with_sorts(sort: Sort, instead: Mapping[Sort, Sort]) -> Sort:
    """The sort with some sorts inside it replaced by others."""
    return instead.get(sort) or _WITH_INNER[type(sort)](sort, lambda inner: with_sorts(inner, instead))


def _nearest_to_0(sort: IntSort) -> int:
    if isinstance(sort.lo, int) and sort.lo > 0:
        return sort.lo
    return min(0, sort.hi) if isinstance(sort.hi, int) else 0


_DEFAULT: BySort[Value] = BySort(
    {
        BoolSort: lambda sort: False,
        IntSort: _nearest_to_0,
        EnumSort: lambda sort: sort.values[0],
        SetSort: lambda sort: frozenset(),
        OptionSort: lambda sort: None,
        RecordSort: lambda sort: tuple(default(each) for _, each in sort.fields),
        SeqSort: lambda sort: (),
    },
    "{sort} has no default value; give one with .get(...), or ask .set() of the option",
)


def default(sort: Sort) -> Value:
    """The value that fills an absent one: false, 0 (or the nearest in range), {}, none, an empty sequence.

    Raises:
        SortError: a finite or open sort: its elements are interchangeable, none can be the default.
    """
    return _DEFAULT[type(sort)](sort)


_WRONG = object()


def canonical(value: Value, sort: Sort, settings: Settings | None = None) -> Value:
    """The hashable form of a Python value of the sort (list to tuple, dict to tuple, set to frozenset).

    Raises:
        SortError: the value is not of the sort. A bound given by a setting is checked only where `settings` are given.
    """
    out = _CANONICAL[type(sort)](value, sort, settings)
    if out is _WRONG:
        hint = ""
        if isinstance(sort, EnumSort):
            hint = f"; expected one of {', '.join(sort.values)}"
        if isinstance(sort, MapSort):
            hint = "; expected fill(sort, value), or a tuple of values in the order of the keys"
        raise SortError(f"{value!r} is not a value of {sort}{hint}")
    return out


def _known(bound: int | Bound | None, settings: Settings | None) -> int | None:
    if bound is None or isinstance(bound, int):
        return bound
    return None if settings is None else resolve(bound, settings)


def _all(values: Any, sorts: Any, settings: Settings | None) -> Value:
    out = tuple(_CANONICAL[type(sort)](value, sort, settings) for value, sort in zip(values, sorts, strict=True))
    return _WRONG if any(each is _WRONG for each in out) else out


def _is_integer(value: Value, lo: int | None, hi: int | None) -> bool:
    fits = isinstance(value, int) and not isinstance(value, bool)
    return fits and (lo is None or value >= lo) and (hi is None or value <= hi)


def _canonical_int(value: Value, sort: IntSort, settings: Settings | None) -> Value:
    return value if _is_integer(value, _known(sort.lo, settings), _known(sort.hi, settings)) else _WRONG


def _canonical_element(value: Value, sort: FiniteSort, settings: Settings | None) -> Value:
    return value if _is_integer(value, 0, _known(Bound(sort.size, -1), settings)) else _WRONG


def _canonical_set(value: Value, sort: SetSort, settings: Settings | None) -> Value:
    if not isinstance(value, set | frozenset | list | tuple):
        return _WRONG
    members = _all(value, [sort.element] * len(value), settings)
    return _WRONG if members is _WRONG else frozenset(members)


def _canonical_option(value: Value, sort: OptionSort, settings: Settings | None) -> Value:
    return None if value is None else _CANONICAL[type(sort.element)](value, sort.element, settings)


def _canonical_record(value: Value, sort: RecordSort, settings: Settings | None) -> Value:
    if isinstance(value, Mapping):
        value = [value.get(name, _WRONG) for name, _ in sort.fields] if len(value) == len(sort.fields) else _WRONG
    fits = isinstance(value, list | tuple) and len(value) == len(sort.fields)
    return _all(value, [each for _, each in sort.fields], settings) if fits else _WRONG


def _canonical_seq(value: Value, sort: SeqSort, settings: Settings | None) -> Value:
    capacity = _known(sort.capacity, settings)
    fits = isinstance(value, list | tuple) and (capacity is None or len(value) <= capacity)
    return _all(value, [sort.element] * len(value), settings) if fits else _WRONG


def _canonical_map(value: Value, sort: MapSort, settings: Settings | None) -> Value:
    try:
        keys = elements(sort.key, settings or {})
    except UnknownNameError:
        keys = None
    if isinstance(value, Mapping):
        if keys is None or set(keys) != set(value):
            return _WRONG
        value = [value[key] for key in keys]
    if not isinstance(value, list | tuple) or (keys is not None and len(value) != len(keys)):
        return _WRONG
    return _all(value, [sort.value] * len(value), settings)


def _hashable(value: Value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


_CANONICAL: BySort[Value] = BySort(
    {
        BoolSort: lambda value, sort, settings: value if isinstance(value, bool) else _WRONG,
        IntSort: _canonical_int,
        EnumSort: lambda value, sort, settings: value if isinstance(value, str) and value in sort.values else _WRONG,
        FiniteSort: _canonical_element,
        OpenSort: lambda value, sort, settings: _WRONG if value is None or not _hashable(value) else value,
        SetSort: _canonical_set,
        OptionSort: _canonical_option,
        RecordSort: _canonical_record,
        MapSort: _canonical_map,
        SeqSort: _canonical_seq,
    }
)
