"""Levels of metadata.version and of the other features, from the source of Kafka's enums or from their classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from .classfile import GET, INT, NEW, PUT, TEXT, ClassFile, Instruction

METADATA = "org.apache.kafka.server.common.MetadataVersion"
_FEATURE = "org.apache.kafka.server.common.FeatureVersion"
_UNTRUE = re.compile(r"(?:^|\.)(?:UnitTest|Test)\w*$")
"""Enums of features that only Kafka's tests have."""
_LEVEL = re.compile(r'\b(IBP_[0-9A-Z_]+)\(\s*([0-9]+)\s*,\s*"([0-9.]+)"\s*,\s*"(\w*)"\s*(?:,\s*(true|false))?\s*\)')
_PRODUCTION = re.compile(r"\bLATEST_PRODUCTION\s*=\s*(?:MetadataVersion\.)?(IBP_\w+)\s*;")
_CONSTANT = re.compile(r"\b[A-Z][A-Z_]*_([0-9]+)\(\s*[0-9]+\s*[,)]")
_NUMBERED = re.compile(r"[A-Z][A-Z_]*_([0-9]+)")
_NAMED = re.compile(r'\bFEATURE_NAME\s*=\s*"([a-z.]+)"')
_COMMENT = re.compile(r"//[^\n]*")


@dataclass(frozen=True)
class LevelOfSource:
    """A level of metadata.version in Kafka."""

    level: int
    name: str
    """Such as 4.4-IV1."""
    changes: bool
    production: bool
    """True if a cluster may run it without a setting for unstable levels."""


def levels_of_java(text: str) -> list[LevelOfSource]:
    """Return the levels in MetadataVersion.java."""
    source = _COMMENT.sub("", text)
    found = _PRODUCTION.search(source)
    latest = found[1] if found else ""
    constants = [
        (name, int(level), release, sub, changes == "true")
        for name, level, release, sub, changes in _LEVEL.findall(source)
    ]
    return _levels(constants, latest)


def levels_of_class(file: ClassFile) -> list[LevelOfSource]:
    """Return the levels in the class MetadataVersion, which creates its constants one after the other."""
    steps = _initializer(file)
    constants = []
    for values, name in _made(steps, file.name):
        texts = [value for value in values if isinstance(value, str)]
        numbers = [value for value in values if isinstance(value, int)]
        # The name of the constant, release and sub-version; its ordinal, its level, and whether it changes records.
        if len(texts) >= 3 and len(numbers) >= 3 and texts[0] == name:
            constants.append((name, numbers[1], texts[1], texts[2], numbers[2] == 1))
    latest = ""
    for before, step in pairwise(steps):
        if step.kind == PUT and step.value == "LATEST_PRODUCTION" and before.kind == GET:
            latest = str(before.value)
    return _levels(constants, latest)


def _levels(constants: list[tuple[str, int, str, str, bool]], latest: str) -> list[LevelOfSource]:
    newest = next((level for name, level, *_ in constants if name == latest), None)
    return [
        LevelOfSource(level, f"{release}-{sub}" if sub else release, changes, newest is None or level <= newest)
        for _, level, release, sub, changes in constants
    ]


def _initializer(file: ClassFile) -> list[Instruction]:
    return [step for method, steps in file.methods if method == "<clinit>" for step in steps]


def _made(steps: list[Instruction], name: str) -> Iterator[tuple[list[int | str], str]]:
    """Yield each constant's arguments and name. javac creates each in a static initializer or a method."""
    values: list[int | str] = []
    for step in steps:
        if step.kind == NEW and step.value == name:
            values = []
        elif step.kind in (INT, TEXT):
            values.append(step.value)
        elif step.kind == PUT and step.owner == name and values:
            yield values, str(step.value)
            values = []


def feature_of_java(text: str, name: str) -> tuple[str, int] | None:
    """Return the name and the highest level of a feature other than metadata.version; None if the file is not an enum
    of levels.
    """
    named = _NAMED.search(text)
    if not named or "implements FeatureVersion" not in text or _UNTRUE.search(name):
        return None
    numbers = [int(level) for level in _CONSTANT.findall(_COMMENT.sub("", text))]
    return (named[1], max(numbers)) if numbers else None


def feature_of_class(file: ClassFile) -> tuple[str, int] | None:
    """Return the same from the class: the names of the constants end in their levels."""
    named = file.constants.get("FEATURE_NAME")
    if not isinstance(named, str) or _FEATURE not in file.interfaces or _UNTRUE.search(file.name):
        return None
    own = f"L{file.name.replace('.', '/')};"
    numbers = [
        int(level[1]) for name, kind in file.fields.items() if kind == own and (level := _NUMBERED.fullmatch(name))
    ]
    return (named, max(numbers)) if numbers else None
