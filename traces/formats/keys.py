"""Values under the keys of a JSON object, however deep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...specs.formats import Keys

Objects = tuple[Mapping[str, Any], ...]
"""An object and those around it, the innermost first."""


def under(value: Any, key: str) -> Any:
    """Return the value under a key, or None. A dot goes one object deeper, or is part of the key."""
    if isinstance(value, list):
        value = _attributes(value)
    if not isinstance(value, Mapping):
        return None
    if key in value:
        return value[key]
    dot = key.find(".")
    while dot >= 0:
        if key[:dot] in value:
            found = under(value[key[:dot]], key[dot + 1 :])
            if found is not None:
                return found
        dot = key.find(".", dot + 1)
    return None


def _attributes(pairs: Sequence[Any]) -> dict[str, Any] | None:
    """Return OpenTelemetry's attributes as an object: [{"key": "host.name", "value": {"stringValue": "b1"}}]."""
    found = {}
    for pair in pairs:
        if not isinstance(pair, Mapping) or not isinstance(pair.get("key"), str):
            return None
        value = pair.get("value")
        found[pair["key"]] = next(iter(value.values()), None) if isinstance(value, Mapping) else value
    return found


def first(objects: Objects, keys: Keys) -> Any:
    """Return the value under the first of the keys that has one, in an object or those around it."""
    for key in keys:
        for each in objects:
            found = each.get(key)
            if found is None:
                found = under(each, key)
            if found is not None:
                return found
    return None


def has(objects: Objects, key: str) -> bool:
    """Return True if a key is there, even with null."""
    return any(key in each or under(each, key) is not None for each in objects)


def members(objects: Objects, each: Keys) -> Iterator[Objects]:
    """Return the objects that these keys reach one by one, through lists; an absent key is skipped.

    A list in a list counts as an object with the keys "0", "1" and so on.
    """
    if not each:
        yield objects
        return
    inner = objects[0].get(each[0])
    if inner is None:
        yield from members(objects, each[1:])
        return
    for one in inner if isinstance(inner, list) else [inner]:
        if isinstance(one, list):
            one = {str(place): value for place, value in enumerate(one)}
        if isinstance(one, Mapping):
            yield from members((one, *objects), each[1:])
