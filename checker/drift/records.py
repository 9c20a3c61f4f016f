"""Drift of metadata records, of levels and of features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...specs.metadata import RAW, Field, RecordType, control_types, printed, types_by_name
from ...specs.metadata.levels import Level, features, levels
from ...specs.releases import span
from .finding import Finding
from .levels import LevelOfSource
from .read import Kafka
from .schemas import FieldSchema, Schema


def records(kafka: Kafka, release: int) -> Iterator[Finding]:
    """Yield types, versions and fields of records that only Kafka or only records.toml has in this release, a mask."""
    for schema in kafka.schemas.values():
        name = schema.name if schema.key is None else f"{printed(schema.name)}_RECORD"
        for text in _beside(schema, types_by_name().get(name), release):
            yield Finding("record", 0, name, text, True, schema.file)
    known = {kind.key for kind in control_types().values()}
    for name, key in kafka.control.items():
        if key not in known:
            yield Finding("record", 0, name, f"control record of type {key} is unknown", True)


def _beside(schema: Schema, own: RecordType | None, release: int) -> Iterator[str]:
    if own is None:
        yield f"type {schema.key} is unknown, versions 0-{schema.newest}: {_listed(schema.fields)}"
        return
    if schema.key is not None and schema.key != own.key:
        yield f"its key is {schema.key}, not {own.key}"
    if schema.newest >= len(own.since):
        yield f"version {schema.newest} is unknown; known is {len(own.since) - 1}"
    # A field that came with a later version is not lost in this release.
    later = {version for version, since in enumerate(own.since) if not span(f">={since}") & release}
    fields = [field for field in own.fields if field.since not in later and field.type != RAW]  # a fork's
    yield from _fields(schema.fields, own.fields, fields, "", schema.whole)


def _listed(fields: Sequence[FieldSchema]) -> str:
    return ", ".join(map(_described, fields)) or "no fields"


def _described(field: FieldSchema) -> str:
    if field.type is None:
        return field.name
    words = [f"{field.name} {field.type}"]
    words += [f"from version {field.since}"] if field.since else []
    words += [f"tag {field.tag}"] if field.tag is not None else []
    words += ["null"] if field.nullable else []
    return " ".join(words)


def _fields(
    fields: Sequence[FieldSchema], own: Sequence[Field], needed: Sequence[Field], within: str, whole: bool
) -> Iterator[str]:
    """Yield differences of fields from `own`, of which only `needed` must be there."""
    known = {field.name: field for field in own}
    for field in fields:
        if field.name not in known:
            yield f"field {within}{_described(field)} is unknown"
        elif whole:
            yield from _columns(field, known[field.name], within)
    shown = {field.name for field in fields}
    for missing in needed:
        if missing.name not in shown:
            yield f"field {within}{missing.name} is gone"


def _columns(field: FieldSchema, own: Field, within: str) -> Iterator[str]:
    for column, theirs, ours in (
        ("type", field.type, own.type),
        ("first version", field.since, own.since),
        ("tag", field.tag, own.tag),
        ("null", field.nullable, own.nullable),
    ):
        if theirs != ours:
            yield f"field {within}{field.name}: its {column} is {_word(theirs)}, not {_word(ours)}"
    yield from _fields(field.fields, own.fields, own.fields, f"{within}{field.name}.", True)


def _word(value: object) -> str:
    if value is None:
        return "none"
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def metadata_levels(kafka: Kafka) -> Iterator[Finding]:
    """Yield levels of metadata.version that levels.toml lacks, or has with other values.

    A level that is not for production may still change: it is listed if it is unknown, but does not fail the gate.
    """
    for level in kafka.levels.values():
        own = levels().get(level.level)
        about = f"{level.level} ({level.name})"
        if own is None:
            changes = "changes records" if level.changes else "changes no record"
            unstable = "" if level.production else ", unstable in this source"
            yield Finding(
                "level", 0 if level.production else 1, about, f"unknown, {changes}{unstable}", level.production
            )
        elif level.production:
            yield from _other(about, level, own)


def _other(about: str, level: LevelOfSource, own: Level) -> Iterator[Finding]:
    if own.name != level.name:
        yield Finding("level", 0, about, f"its name is {level.name}, not {own.name}", True)
    if own.changes != level.changes:
        yield Finding("level", 0, about, f"changes records: {_word(level.changes)}, not {_word(own.changes)}", True)


def feature_levels(kafka: Kafka) -> Iterator[Finding]:
    """Yield levels of other features that the table lacks. Those that bear on a rule are missing from it."""
    known = features()
    for name, highest in kafka.features.items():
        if name not in known:
            yield Finding("feature", 0, name, f"unknown, levels 0-{highest}", True)
        elif highest > known[name].newest:
            bears = known[name].bears
            text = f"level {highest} is new; known is {known[name].newest}"
            yield Finding("feature", int(not bears), name, text, bears)
