"""Contents of KRaft's metadata log: record types with their fields and versions. Data: records.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from .. import toml
from ..errors import TableError
from ..releases import span

_FOLDER = resources.files(__package__)
SCALARS = ("bool", "int8", "int16", "uint16", "int32", "int64", "float64", "string", "bytes", "uuid")
"""Types of one value; "[]" before one of them is an array."""
RAW = "raw"
"""The type of a tagged field of a fork: its bytes as they are."""
_WORD = re.compile("(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Field:
    """A field as Kafka's schema has it; `fields` are those of a struct or of an array of structs.

    `since` is the first version that has it; `tag` is None for a field that is always on the wire, `default` what the
    absence of its tag means.
    """

    name: str
    type: str
    since: int = 0
    nullable: bool = False
    tag: int | None = None
    default: Any = None
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True)
class RecordType:
    """A type of records."""

    key: int
    name: str
    since: tuple[str, ...]
    """The first release that has each version, from 0 on. Empty for a fork's type, whose fields are not known."""
    fields: tuple[Field, ...]
    older: tuple[tuple[Field, ...], ...] = ()
    """The fields that version 0 had before, the newest first."""
    bears: bool = True
    """Some rule looks at what these records change. If not, they are counted, and not applied."""


@cache
def record_types() -> Mapping[int, RecordType]:
    """The types of data records by their key. Names are as Kafka's dump tool prints them: NO_OP_RECORD."""
    older: dict[int, list[tuple[Field, ...]]] = {}
    for row in _table()["older"]:
        toml.check_keys(row, f"records.toml, older shape of {row.get('key')}", ("key", "releases", "source", "fields"))
        span(row["releases"])
        older.setdefault(row["key"], []).append(_fields(row["fields"], str(row["key"])))
    tags = _tags_of_forks()
    found = {
        row["key"]: _type(row, f"{printed(row['name'])}_RECORD", older, tags.get(row["name"], ()))
        for row in _table()["record"]
    }
    if set(older) - set(found):
        raise TableError(f"records.toml: older shapes of unknown types {sorted(set(older) - set(found))}")
    return found


@cache
def fork_types() -> Mapping[int, RecordType]:
    """The types of data records that forks of Kafka add, by their key: AUTOMQ_501."""
    found = {}
    for row in _forks():
        for first, last in row.get("types", ()):
            for key in range(first, last + 1):
                found[key] = RecordType(key, f"{row['name'].upper()}_{key}", (), (), bears=False)
    if set(found) & set(record_types()):
        raise TableError(
            f"records.toml: {sorted(set(found) & set(record_types()))} are Kafka's own types, not a fork's"
        )
    return found


@cache
def control_types() -> Mapping[int, RecordType]:
    """The types of control records by the type in their key."""
    return {row["key"]: _type(row, row["name"], {}) for row in _table()["control"]}


@cache
def types_by_name() -> Mapping[str, RecordType]:
    """The types of data and control records by their names."""
    return {kind.name: kind for kind in (*record_types().values(), *control_types().values())}


@cache
def bears(name: str) -> bool:
    """Check whether changes by records of a type, by its name, may matter to a rule; True for an unknown type."""
    kinds = {kind.name: kind for kind in (*types_by_name().values(), *fork_types().values())}
    return name not in kinds or kinds[name].bears


def _forks() -> Sequence[Mapping[str, Any]]:
    rows: Sequence[Mapping[str, Any]] = _table()["fork"]
    for row in rows:
        where = f"records.toml, fork {row.get('name', 'without name')}"
        toml.check_keys(row, where, ("name", "source"), ("types", "of", "tags"))
    return rows


def _tags_of_forks() -> Mapping[str, tuple[Field, ...]]:
    """The tagged fields that forks add to Kafka's own types, by the type's name in the table."""
    found: dict[str, tuple[Field, ...]] = {}
    for row in _forks():
        for name in row.get("of", ()):
            fields = tuple(Field(f"{row['name']} {tag}", RAW, tag=tag) for tag in row["tags"])
            found[name] = (*found.get(name, ()), *fields)
    return found


def printed(name: str) -> str:
    """A name in Kafka's schemas as a constant: PartitionChange as PARTITION_CHANGE."""
    return _WORD.sub("_", name).upper()


@cache
def _table() -> Mapping[str, Any]:
    return toml.read(_FOLDER / "records.toml")


def _type(
    row: Mapping[str, Any],
    name: str,
    older: Mapping[int, Sequence[tuple[Field, ...]]],
    of_forks: tuple[Field, ...] = (),
) -> RecordType:
    where = f"records.toml, {row.get('name', 'a row without name')}"
    toml.check_keys(row, where, ("key", "name", "since", "fields"), ("until", "bears"))
    for release in (*row["since"], *([row["until"]] if "until" in row else [])):
        span(release)
    fields = (*_fields(row["fields"], where), *of_forks)
    if any(field.since >= len(row["since"]) for field in fields):
        raise TableError(f"{where}: a field of a version that `since` does not have")
    known_before = tuple(older.get(row["key"], ()))
    return RecordType(row["key"], name, tuple(row["since"]), fields, known_before, row.get("bears", True))


def _fields(rows: Sequence[Mapping[str, Any]], where: str) -> tuple[Field, ...]:
    return tuple(_field(row, where) for row in rows)


def _field(row: Mapping[str, Any], where: str) -> Field:
    where = f"{where}, {row.get('name', 'a field without name')}"
    toml.check_keys(row, where, ("name", "type"), ("from", "null", "tag", "default", "fields"))
    kind = row["type"]
    structs = kind in ("[]", "struct")
    if not structs and kind.removeprefix("[]") not in SCALARS:
        raise TableError(f"{where}: unknown type {kind!r}; known are {', '.join(SCALARS)}, [] of these, [], struct")
    if structs != ("fields" in row):
        raise TableError(f"{where}: [] and struct have fields, and nothing else has")
    nullable = bool(row.get("null", False))
    default = row.get("default", None if nullable or "tag" not in row else zero(kind))
    fields = _fields(row.get("fields", ()), where)
    return Field(row["name"], kind, row.get("from", 0), nullable, row.get("tag"), default, fields)


def zero(kind: str) -> Any:
    """The value of a type that stands for nothing."""
    if kind.startswith("[]"):
        return []
    return {"bool": False, "float64": 0.0, "string": "", "bytes": "", "uuid": "AAAAAAAAAAAAAAAAAAAAAA"}.get(kind, 0)
