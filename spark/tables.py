"""The tables that `isrproof.spark` makes: one declaration, from which schemas, rows and docs/spark-tables.md follow.

Columns are fields of the audit's own dataclasses, with the types that SQL users expect. A type is written as Spark
writes it. Only the standard library is needed here.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..checker.audit.files.file import FileFacts
from ..checker.audit.findings.finding import Finding
from ..checker.audit.findings.happened import Happened
from ..specs.toml import read
from ..traces.events.event import FIELDS, Event
from ..traces.place import Place
from ..traces.timeline import TimelineRow

SCHEMA = "isrproof-tables/1"
"""The version of the tables; the number changes if a column is removed, or changes its type or its meaning."""
NTZ, INSTANT = "timestamp_ntz", "timestamp"
"""A time as a line prints it, which has no zone; and an instant, which records of KRaft have."""
_PLAIN: Mapping[Any, str] = {int: "bigint", str: "string", bool: "boolean"}
_TIMES = ("ts", "since", "until")
"""Fields with milliseconds since 1970, which are times in a table."""
_RENAMED = {"ts": "time"}
_INNER = ("index", "cluster", "at")
"""Fields with a meaning within one run only."""
_MASKS = ("releases", "from_state_untrue")
"""Fields of an event with sets of releases, which are texts in a table."""


@dataclass(frozen=True)
class Column:
    """A column of a table, or a field of a struct."""

    name: str
    type: str
    """Its type in Spark's SQL."""
    meaning: str
    """A phrase for its row of docs/spark-tables.md."""
    field: str
    """The field of the dataclass that it shows."""


@dataclass(frozen=True)
class Table:
    """A table that `isrproof.spark` makes."""

    name: str
    says: str
    """The meaning of a row."""
    columns: tuple[Column, ...]

    @property
    def ddl(self) -> str:
        """Its schema in Spark's SQL."""
        return ", ".join(f"`{each.name}` {each.type}" for each in self.columns)


def spark_type(hint: Any) -> str:
    """Return Spark's type of a field.

    Raises:
        TypeError: none is known.
    """
    if hint in _PLAIN:
        return _PLAIN[hint]
    if is_dataclass(hint) and isinstance(hint, type):
        return f"struct<{','.join(f'{each.name}:{each.type}' for each in columns_of(hint))}>"
    if get_origin(hint) is Literal:
        return "string"
    inner = [each for each in get_args(hint) if each not in (NoneType, Ellipsis)]
    if get_origin(hint) is tuple and len(inner) == 1:
        return f"array<{spark_type(inner[0])}>"
    if get_origin(hint) is Mapping:
        return f"map<{','.join(map(spark_type, inner))}>"
    if len(inner) == 1 and NoneType in get_args(hint):
        return spark_type(inner[0])
    raise TypeError(f"no type of Spark is known for {hint!r}")


@cache
def columns_of(kind: type) -> tuple[Column, ...]:
    """Return a column for each field of a dataclass."""
    hints, literals = get_type_hints(kind), _literals(kind)
    return tuple(
        Column(
            _RENAMED.get(name, name),
            NTZ if name in _TIMES else "string" if kind is Event and name in _MASKS else spark_type(hints[name]),
            meaning(kind.__name__, name, literals),
            name,
        )
        for name in (each.name for each in fields(kind))
        if name not in _INNER
    )


def meaning(kind: str, name: str, literals: Mapping[str, str]) -> str:
    """Return the meaning of a field: of spark/meanings.toml, else the literal under it.

    Raises:
        KeyError: it has none.
    """
    told = _meanings()
    found = told.get(kind, {}).get(name) or literals.get(name) or told["any"].get(name)
    if found is None:
        raise KeyError(f"spark/meanings.toml: expected the meaning of {kind}.{name}")
    return found


@cache
def _meanings() -> Mapping[str, Mapping[str, str]]:
    return read(resources.files(__package__) / "meanings.toml")


def _literals(kind: type) -> dict[str, str]:
    """Return the string literals under the fields of a class, each in one line."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body  # type: ignore[attr-defined]
    found = {}
    for above, below in pairwise(body):
        if isinstance(above, ast.AnnAssign) and isinstance(above.target, ast.Name) and isinstance(below, ast.Expr):
            found[above.target.id] = " ".join(str(ast.literal_eval(below.value)).split())
    return found


def _own(table: str, **types: str) -> Iterator[Column]:
    """Yield columns that no dataclass has."""
    return (Column(name, type, meaning(table, name, {}), name) for name, type in types.items())


def _derived(kind: type, *names: str) -> Iterator[Column]:
    """Yield columns for properties."""
    for name in names:
        getter = getattr(kind, name).fget
        said = " ".join((inspect.getdoc(getter) or "").split("\n\n")[0].split())
        yield Column(
            name, spark_type(get_type_hints(getter)["return"]), meaning(kind.__name__, name, {name: said}), name
        )


def _events() -> tuple[Column, ...]:
    placed = _own("events", file="string", line="bigint", part="bigint", writer="string", text="string")
    return (*placed, *(each for each in columns_of(Event) if each.field in FIELDS), *_own("events", problem="string"))


_RECORD = {
    "file": "string",
    "offset": "bigint",
    "epoch": "bigint",
    "time": INSTANT,
    "batch": "bigint",
    "type": "string",
    "version": "bigint",
    "data": "string",
    "partial": "boolean",
    "problem": "string",
}


@cache
def tables() -> Mapping[str, Table]:
    """Return the tables by their names."""
    cluster = tuple(_own("audit", cluster="string"))
    found: Sequence[Table] = (
        Table("events", "A line that bears on a rule; of one that lists partitions, each of them.", _events()),
        Table("records", "A record of KRaft's metadata log.", tuple(_own("records", **_RECORD))),
        Table(
            "findings",
            "A finding of the audit.",
            (*cluster, *columns_of(Finding), *_derived(Finding, "place", "severity", "fingerprint")),
        ),
        Table(
            "happened",
            "Something that happened to the cluster, once or several times.",
            (*cluster, *columns_of(Happened), *_derived(Happened, "why")),
        ),
        Table(
            "partitions", "A state of a partition, and the first line that shows it.", cluster + columns_of(TimelineRow)
        ),
        Table("coverage", "A file that the audit read, or the lines of one writer in it.", _coverage()),
    )
    return {each.name: each for each in found}


def _coverage() -> tuple[Column, ...]:
    own = (
        Column("file", each.type, each.meaning, each.field) for each in columns_of(FileFacts) if each.field == "path"
    )
    rest = (each for each in columns_of(FileFacts) if each.field != "path")
    return (*_own("audit", cluster="string"), *own, *rest)


def structs() -> Mapping[str, tuple[Column, ...]]:
    """Return the fields of each struct that a column has, by the name of its dataclass."""
    from ..checker.audit.files.file import LoggedError
    from ..checker.audit.findings.finding import Entity, Evidence, Origin
    from ..traces.timeline import Lost

    return {kind.__name__: columns_of(kind) for kind in (Place, Evidence, Entity, Lost, Origin, LoggedError)}
