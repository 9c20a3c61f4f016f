"""Kafka's tables as constants of a condition: a map of maps, and the keys that a reading has asked it for so far."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Generic, TypeVar

from ....model.expr import Expr
from ....model.sorts import MapSort, Sort, elements

T = TypeVar("T")


@dataclass(frozen=True)
class ConstantMap(Generic[T]):
    """`value` is what the language holds it as: tuples in tuples, by the places of the keys."""

    value: Any
    sort: Sort
    keys: tuple[tuple[MapSort, T], ...] = ()

    @staticmethod
    def of(node: Expr) -> ConstantMap[T]:
        return ConstantMap(node.data, node.sort)

    def at(self, key: T) -> ConstantMap[T]:
        """One key more; when all are there (`whole`), a reading looks `values` up."""
        assert isinstance(self.sort, MapSort)
        return ConstantMap(self.value, self.sort.value, (*self.keys, (self.sort, key)))

    @property
    def whole(self) -> bool:
        return not isinstance(self.sort, MapSort)

    @property
    def axes(self) -> list[tuple[tuple[Any, ...], T]]:
        """For each key the values that it may have, in order, and what was asked for."""
        return [(elements(sort.key, {}), key) for sort, key in self.keys]

    def values(self) -> list[Any]:
        """The values for all keys; the last key changes first."""
        found = []
        for place in product(*(range(len(names)) for names, _ in self.axes)):
            value = self.value
            for i in place:
                value = value[i]
            found.append(value)
        return found
