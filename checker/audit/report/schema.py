"""The JSON Schema of the output of `--format json`, derived from the dataclasses of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ....specs.happenings import happenings
from ....traces.place import Place
from ....traces.timeline import Lost
from ..findings.finding import Finding
from ..findings.happened import Happened
from ..findings.moves import Move
from ..findings.state import StoppedMove
from ..findings.tally import Tally
from ..rules.advice import Advice
from .json import INNER, OF_HAPPENED, OPTIONAL, SCHEMA
from .model import Report

_PLAIN = {int: "integer", str: "string", bool: "boolean", NoneType: "null"}
_ALWAYS = ("what", "trouble", "count", "places")
"""The keys of what happened that are always there; `until` is null where nothing shows the end."""
Schema = dict[str, Any]


def schema() -> Schema:
    """Return the whole schema; each class is a definition of its own."""
    definitions: Schema = {}
    report = _properties(Report, definitions)
    report["what_to_do"] = {"type": "object", "additionalProperties": _of(Advice, definitions)}
    head = {"schema": {"const": SCHEMA}, "version": {"type": "string"}}
    required = [name for name in report if name not in OPTIONAL]
    definitions["Report"] = {"type": "object", "properties": report, "required": required}
    clusters = {
        "properties": {
            **head,
            "clusters": {
                "type": "array",
                "items": {"allOf": [{"$ref": "#/$defs/Report"}], "required": ["path"]},
            },
        },
        "required": ["schema", "version", "clusters"],
    }
    one = {"allOf": [{"$ref": "#/$defs/Report"}], "properties": head, "required": ["schema", "version"]}
    error = {
        "properties": {"verdict": {"const": "error"}, "error": {"type": "string"}},
        "required": ["verdict", "error"],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What `isrproof audit --format json` prints",
        "description": "A report; with --each, one for every PATH; or an error that says why there is none.",
        "type": "object",
        "anyOf": [one, clusters, error],
        "$defs": dict(sorted(definitions.items())),
    }


def _of(kind: Any, definitions: Schema) -> Schema:
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}  # ends the recursion of a class that contains itself
            properties = _properties(kind, definitions)
            required = [name for name in properties if name not in ("line", "offset", *OPTIONAL)]
            if kind is Happened:
                required = [*_ALWAYS]
            definitions[kind.__name__] = {"type": "object", "properties": properties, "required": required}
        return {"$ref": f"#/$defs/{kind.__name__}"}
    arguments = get_args(kind)
    if get_origin(kind) is Literal:
        return {"enum": list(arguments)}
    if get_origin(kind) in (Union, UnionType):
        return {"anyOf": [_of(each, definitions) for each in arguments]}
    if get_origin(kind) is tuple:
        return {"type": "array", "items": _of(arguments[0], definitions)}
    if get_origin(kind) is Mapping:
        return {"type": "object", "additionalProperties": _of(arguments[1], definitions)}
    raise TypeError(f"no schema is known for {kind!r}")


def _properties(kind: type, definitions: Schema) -> Schema:
    """Return the keys of an object, as json.py writes them: a place adds its keys to the object that contains it."""
    hints = get_type_hints(kind)
    found: Schema = {}
    for name in (each.name for each in fields(kind)):
        if hints[name] is Place:
            found |= _place()
        elif name not in INNER:
            found[name] = _of(hints[name], definitions)
    if kind is Place:
        return _place()
    if kind is Happened:
        found["what"] = {"enum": [*happenings()]}
        own = {name: each for name, each in found.items() if name not in OF_HAPPENED}
        return {**own, "why": {"type": "string"}}
    if kind is Finding:
        derived = {"severity": {"type": "string"}, "fingerprint": {"type": "string"}}
        return {**found, **_place(), **derived, "place": _of(Place, definitions)}
    if kind in (Move, StoppedMove):
        return {{"source": "from", "target": "to"}.get(name, name): each for name, each in found.items()}
    if kind is Lost:
        return {{"start": "from", "end": "to"}.get(name, name): each for name, each in found.items()}
    if kind is Tally:
        return {"evaluated": {"type": "integer"}, **found}
    return found


def _place() -> Schema:
    return {"file": {"type": "string"}, "line": {"type": "integer"}, "offset": {"type": "integer"}}
