"""Kafka's tables as constants of a condition: a map of maps, and the keys that a reading has applied so far."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Generic, TypeVar

from ....model.expr import Expr
from ....model.sorts import MapSort, Sort, elements

T = TypeVar("T")


@dataclass(frozen=True)
class ConstantMap(Generic[T]):
    """A constant map; `value` is the language's representation: tuples in tuples, by the places of the keys."""

    value: Any
    sort: Sort
    keys: tuple[tuple[MapSort, T], ...] = ()

    @staticmethod
    def of(node: Expr) -> ConstantMap[T]:
        return ConstantMap(node.data, node.sort)

    def at(self, key: T) -> ConstantMap[T]:
        """Return the map with one more key; when all keys are there (`whole`), a reading looks `values` up."""
        assert isinstance(self.sort, MapSort)
        return ConstantMap(self.value, self.sort.value, (*self.keys, (self.sort, key)))

    @property
    def whole(self) -> bool:
        return not isinstance(self.sort, MapSort)

    @property
    def axes(self) -> list[tuple[tuple[Any, ...], T]]:
        """Return for each key the values that it may have, in order, and the requested one."""
        return [(elements(sort.key, {}), key) for sort, key in self.keys]

    def values(self) -> list[Any]:
        """Return the values for all keys; the last key changes first."""
        found = []
        for place in product(*(range(len(names)) for names, _ in self.axes)):
            value = self.value
            for i in place:
                value = value[i]
            found.append(value)
        return found
