"""Schemas of metadata records and control records: from Kafka's JSON, and from the classes generated from it.

A class of a record shows its key, its versions and the names of its fields. Types on the wire, tags, nullability and
the versions of fields are only in the JSON, which source jars and trees have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .classfile import INT, ClassFile

CONTROL: Mapping[str, str] = {
    "LeaderChangeMessage": "LEADER_CHANGE",
    "SnapshotHeaderRecord": "SNAPSHOT_HEADER",
    "SnapshotFooterRecord": "SNAPSHOT_FOOTER",
    "KRaftVersionRecord": "KRAFT_VERSION",
    "VotersRecord": "KRAFT_VOTERS",
}
"""Types of control records by the names of their schemas."""
NO_RECORDS = ("ABORT", "COMMIT", "UNKNOWN")
"""Types of control records that no metadata log has: a transaction's markers, and the unknown type."""
_RECORDS = "org.apache.kafka.common.metadata."
_MESSAGES = "org.apache.kafka.common.message."
_COMMENT = re.compile(r"^\s*//[^\n]*", re.MULTILINE)
_VERSIONS = re.compile(r"([0-9]+)(?:-([0-9]+)|(\+))?")
_CONSTANT = re.compile(r"^\s*([A-Z][A-Z_]+)\(\(short\) *(-?[0-9]+)", re.MULTILINE)
_UNNAMED = ("_unknownTaggedFields", "SCHEMAS", "LOWEST_SUPPORTED_VERSION", "HIGHEST_SUPPORTED_VERSION")


@dataclass(frozen=True)
class FieldSchema:
    """A field of a record."""

    name: str
    type: str | None
    """The type as records.toml writes types; None where the source does not show it."""
    since: int | None
    """The first version with the field; None where the source does not show it."""
    nullable: bool | None
    tag: int | None
    fields: tuple[FieldSchema, ...] = ()


@dataclass(frozen=True)
class Schema:
    """A type of records."""

    name: str
    key: int | None
    """None for control records, whose JSON has none."""
    newest: int
    """The newest version."""
    fields: tuple[FieldSchema, ...]
    whole: bool
    """True if the source shows all columns of its fields."""
    file: str


def from_json(text: str, file: str) -> Schema | None:
    """Return the schema of a record; None for other messages.

    Raises:
        ValueError: the text is not a schema.
    """
    content = json.loads(_COMMENT.sub("", text))
    if not isinstance(content, dict) or not isinstance(content.get("name"), str):
        raise ValueError("expected the schema of a message")
    name, control = content["name"], content["name"] in CONTROL
    if content.get("type") != "metadata" and not control:
        return None
    versions = _VERSIONS.fullmatch(str(content.get("validVersions", "")))
    if not versions or not isinstance(content.get("fields"), list):
        raise ValueError("expected versions and fields")
    structs = {each["name"]: each.get("fields", []) for each in content.get("commonStructs", [])}
    return Schema(
        CONTROL[name] if control else name.removesuffix("Record"),
        None if control else int(content["apiKey"]),
        int(versions[2] or versions[1]),
        _fields(content["fields"], structs, 0),
        True,
        file,
    )


def _fields(rows: Sequence[Mapping[str, Any]], structs: Mapping[str, Any], depth: int) -> tuple[FieldSchema, ...]:
    if depth > 10:
        raise ValueError("expected structs at most 10 deep")
    return tuple(_field(row, structs, depth) for row in rows)


def _field(row: Mapping[str, Any], structs: Mapping[str, Any], depth: int) -> FieldSchema:
    kind = str(row["type"])
    inner = kind.removeprefix("[]")
    nested = _fields(row.get("fields") or structs.get(inner, []), structs, depth + 1)
    if inner[:1].isupper():
        kind = "[]" if kind.startswith("[]") else "struct"
    versions = _VERSIONS.fullmatch(str(row.get("versions", "0+")))
    nullable = str(row.get("nullableVersions", "none")) != "none"
    tag = row.get("tag")
    return FieldSchema(_lowered(str(row["name"])), kind, int(versions[1]) if versions else 0, nullable, tag, nested)


def _lowered(name: str) -> str:
    return name[:1].lower() + name[1:]


def from_class(file: ClassFile) -> Schema | None:
    """Return the schema that the class of a record shows; None for other classes."""
    newest = file.constants.get("HIGHEST_SUPPORTED_VERSION")
    name = file.name.rsplit(".", 1)[-1]
    record = file.name.startswith(_RECORDS) and name.endswith("Record")
    control = file.name.startswith(_MESSAGES) and name in CONTROL
    if "$" in name or not isinstance(newest, int) or not (record or control):
        return None
    keys = [step.value for method, steps in file.methods if method == "apiKey" for step in steps if step.kind == INT]
    fields = tuple(
        FieldSchema(_lowered(field), None, None, None, None)
        for field in file.fields
        if field not in _UNNAMED and not re.fullmatch("SCHEMA_[0-9]+", field)
    )
    key = int(keys[0]) if keys and record else None
    return Schema(CONTROL[name] if control else name.removesuffix("Record"), key, newest, fields, False, file.name)


def control_keys(text: str) -> dict[str, int]:
    """Return the types of control records by the names in ControlRecordType.java."""
    return {name: int(key) for name, key in _CONSTANT.findall(text) if name not in NO_RECORDS}
