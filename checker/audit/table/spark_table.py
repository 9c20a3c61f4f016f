"""The Spark reading of `Table`: every step is a DataFrame call, so that any master, local or remote, can run it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import BooleanType, DataType, LongType, StringType, StructField, StructType

from ....model.expr import Expr
from ..files.spark_lines import few_rows
from .protocol import FEW, Column, PythonTable, Row, Table
from .spark_columns import column

_HOME = "_home"
"""A hash of what a kept table is placed by: one number to sort by, in place of a topic and a partition."""
_TYPES: Mapping[type, DataType] = {int: LongType(), str: StringType(), bool: BooleanType()}


class SparkTable:
    """A DataFrame; see `Table` for what the steps mean."""

    def __init__(self, frame: DataFrame, near: tuple[str, ...] = ()) -> None:
        self.frame = frame
        self._near = near  # the columns of which _HOME is the hash

    def _with(self, frame: DataFrame) -> SparkTable:
        return SparkTable(frame, self._near)

    def where(self, condition: Expr) -> SparkTable:
        return self._with(self.frame.where(column(condition)))

    def of_lines(self, rows: Iterable[str]) -> SparkTable:
        return self._with(self.frame.where(F.col("row").isin(*sorted(rows))))

    def without_lines(self, rows: Iterable[str]) -> SparkTable:
        return self._with(self.frame.where(~F.col("row").isin(*sorted(rows))))

    def present(self, *columns: str) -> SparkTable:
        return self._with(self.frame.where(reduce(SparkColumn.__and__, (F.col(name).isNotNull() for name in columns))))

    def absent(self, column: str) -> SparkTable:
        return self._with(self.frame.where(F.col(column).isNull()))

    def derive(self, **columns: Expr) -> SparkTable:
        return self._with(self.frame.withColumns({name: column(expr) for name, expr in columns.items()}))

    def along(self, key: Sequence[str], order: Sequence[str], **columns: Column) -> SparkTable:
        # Rows are sorted by a number first: most are told apart by it, and topics need not be compared.
        number = F.col(_HOME) if self._near and {*self._near} <= {*key} else F.xxhash64(*key)
        window = Window.partitionBy(number, *key).orderBy(*order)
        earlier = window.rowsBetween(Window.unboundedPreceding, -1)
        looked = self.frame.withColumns(
            {
                name: F.lag(_value(each)).over(window)
                if each.how == "previous"
                else _EARLIER[each.how](_value(each)).over(earlier)
                for name, each in columns.items()
            }
        )
        finished = {name: _FINISHED[each.how](name) for name, each in columns.items() if each.how in _FINISHED}
        return self._with(looked.withColumns(finished) if finished else looked)

    def grouped(self, key: Sequence[str], **columns: Column) -> SparkTable:
        aggregates = [_AGGREGATES[each.how](_value(each)).alias(name) for name, each in columns.items()]
        return SparkTable(self.frame.groupBy(*key).agg(*aggregates))

    def joined(
        self,
        rows: Sequence[Mapping[str, Any]],
        on: Sequence[str],
        columns: Mapping[str, type],
        within: tuple[str, str] | None = None,
    ) -> SparkTable:
        types = {name: self.frame.schema[name].dataType for name in on}
        types |= {name: _TYPES[kind] for name, kind in columns.items()}
        types |= {f"_{name}": LongType() for name in within or ()}
        schema = StructType([StructField(name, kind) for name, kind in types.items()])
        asked = [{name: row[name.removeprefix("_")] for name in types} for row in rows]
        few = few_rows(self.frame.sparkSession, schema, asked)
        here = self.frame.drop(*columns).join(F.broadcast(few), list(on))
        if within is None:
            return self._with(here)
        first, last = (f"_{name}" for name in within)
        return self._with(here.where(F.col("line").between(F.col(first), F.col(last))).drop(first, last))

    def attached(self, other: Table, on: Sequence[str], columns: Sequence[str]) -> SparkTable:
        there = _frame(other).select(*on, *columns)
        return self._with(self.frame.drop(*columns).join(there, list(on), "left"))

    def filled(self, column: str, otherwise: str) -> SparkTable:
        return self._with(self.frame.withColumn(column, F.coalesce(F.col(column), F.col(otherwise))))

    def only_where(self, condition: Expr, *columns: str) -> SparkTable:
        holds = column(condition)
        return self._with(self.frame.withColumns({name: F.when(holds, F.col(name)) for name in columns}))

    def matching(self, other: Table, on: Sequence[str]) -> SparkTable:
        wanted = F.broadcast(_frame(other).select(*on).distinct())
        return self._with(self.frame.join(wanted, list(on), "left_semi"))

    def plus(self, other: Table) -> SparkTable:
        frames = self.frame, _frame(other)
        near = self._near if all(_HOME in frame.columns for frame in frames) else ()
        return SparkTable(frames[0].unionByName(frames[1], allowMissingColumns=True), near)

    def select(self, *columns: str) -> SparkTable:
        there = set(self.frame.columns)
        wanted = (*columns, _HOME) if self._near else columns
        return self._with(self.frame.select(*(name for name in wanted if name in there)))

    def renamed(self, **old: str) -> SparkTable:
        return self._with(self.frame.drop(*old.values()).withColumnsRenamed(old))

    def kept(self, near: Sequence[str], order: Sequence[str], alike: Sequence[str] = ()) -> SparkTable:
        # A checkpoint remembers how its rows are placed and sorted: windows along that order need neither.
        here = self.frame
        if self._near != tuple(near):
            here = here.withColumn(_HOME, F.xxhash64(*near)).repartition(_HOME)
        here = here.sortWithinPartitions(_HOME, *order)
        if alike:
            there = reduce(SparkColumn.__and__, (F.col(name).isNotNull() for name in (*near, *order)))
            said, window = F.when(there, F.struct(*near, *alike)), Window.partitionBy(_HOME).orderBy(*order)
            here = here.withColumn("again", there & F.lag(said).over(window).eqNullSafe(said))
        return SparkTable(here.localCheckpoint(), tuple(near))

    def near_by(self) -> Table:
        rows = self.rows(FEW + 1)
        return PythonTable(rows) if len(rows) <= FEW else self

    def apart(self, near: Sequence[str]) -> Sequence[SparkTable]:
        return [self]

    def rows(self, limit: int | None = None) -> list[Row]:
        frame = self.frame if limit is None else self.frame.limit(limit)
        return [{name: _plain(value) for name, value in row.asDict().items()} for row in frame.collect()]


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _frame(table: Table) -> DataFrame:
    if not isinstance(table, SparkTable):
        raise TypeError(f"two engines meet: expected a SparkTable, got {type(table).__name__}")
    return table.frame


def _value(each: Column) -> SparkColumn:
    value = F.lit(True) if each.of is None else F.col(each.of)
    return value if each.where is None else F.when(column(each.where), value)


_EARLIER: Mapping[str, Callable[[SparkColumn], SparkColumn]] = {
    "last": lambda value: F.last(value, ignorenulls=True),
    "so_far": lambda value: F.sum(F.when(value, 1).otherwise(0)),
    "gathered": F.collect_set,
}
_FINISHED: Mapping[str, Callable[[str], SparkColumn]] = {
    "so_far": lambda name: F.coalesce(F.col(name), F.lit(0)),
    "gathered": F.array_sort,
}
_AGGREGATES: Mapping[str, Callable[[SparkColumn], SparkColumn]] = {
    "min": F.min,
    "max": F.max,
    "count": lambda value: F.count(F.when(value, 1)),
    "sum": F.sum,
    "common": F.bit_and,
}
