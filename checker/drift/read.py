"""Everything that the gate checks, read once from the files of all paths."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from . import compiled
from .calls import Call, loggers_of, source_file
from .classes import outermost, simple
from .classfile import NoClassFileError, class_file
from .levels import METADATA, LevelOfSource, feature_of_class, feature_of_java, levels_of_class, levels_of_java
from .schemas import Schema, control_keys, from_class, from_json
from .sources import Damaged, Source

MODULES: Mapping[str, str] = {
    "clients": "org.apache.kafka.common.",
    "core": "kafka.server.",
    "metadata": "org.apache.kafka.metadata.",
    "raft": "org.apache.kafka.raft.",
    "server-common": "org.apache.kafka.server.common.",
    "server": "org.apache.kafka.network.",
    "storage": "org.apache.kafka.storage.internals.",
}
"""The modules of brokers and controllers, by packages that only one module has. Where a module is absent, a class that
is not found proves nothing.
"""
_VERSION = re.compile(r"^version\s*=\s*([0-9]+)\.([0-9]+)(?:\.([0-9]+))?(\S*)", re.MULTILINE)
_OF_JAR = re.compile(r"-([0-9]+\.[0-9]+\.[0-9]+)[^/]*\.jar$")
_CONFLUENT = "-ccs"
_AHEAD = 4
"""The lead of Confluent's source versions over Kafka's, in majors: 8.4.0-0-ccs is Kafka 4.4."""


@dataclass
class Kafka:
    """The contents of Kafka's files."""

    calls: list[Call] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)
    """Names of all classes that have a body."""
    with_logger: set[str] = field(default_factory=set)
    """Names of the classes that print, or hold a logger."""
    heirs: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Direct subclasses by the simple name of the class that they extend."""
    schemas: dict[str, Schema] = field(default_factory=dict)
    """Types of records by name."""
    control: dict[str, int] = field(default_factory=dict)
    """Types of control records by name."""
    levels: dict[int, LevelOfSource] = field(default_factory=dict)
    literals: list[str] = field(default_factory=list)
    """Literals that no call shows: messages may be built from them."""
    features: dict[str, int] = field(default_factory=dict)
    releases: list[str] = field(default_factory=list)
    """Versions that files name, in the order in which they were read."""
    compiled: bool = False
    """True if some of it comes from class files, which do not show what is printed."""
    damaged: list[Damaged] = field(default_factory=list)

    @property
    def missing(self) -> tuple[str, ...]:
        """The modules of which no class was read."""
        return tuple(module for module, of in MODULES.items() if not any(name.startswith(of) for name in self.classes))

    @cached_property
    def outer(self) -> frozenset[str]:
        """The names of classes that are not nested."""
        return frozenset(map(outermost, self.classes))

    @property
    def empty(self) -> bool:
        """True if nothing of Kafka was read."""
        return not (self.classes or self.schemas or self.levels)


def kafka(sources: Iterable[Source | Damaged]) -> Kafka:
    """Return the contents of these files. If several files have a class, the first one counts."""
    seen = Kafka()
    for source in sources:
        if isinstance(source, Damaged):
            seen.damaged.append(source)
            continue
        try:
            _read(source, seen)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            where = f"{source.jar}: {source.name}" if source.jar else source.name
            seen.damaged.append(Damaged(where, _why(error)))
    for names in seen.heirs.values():
        names.sort()
    return seen


def _why(error: Exception) -> str:
    if isinstance(error, NoClassFileError):
        return f"not a class file: {error}"
    return f"it cannot be read ({type(error).__name__})"


def _read(source: Source, seen: Kafka) -> None:
    if source.jar and (of := _OF_JAR.search(source.jar)) and of[1] not in seen.releases:
        seen.releases.append(of[1])
    ending = source.name.rsplit(".", 1)[-1]
    _READERS[ending](source, seen)


def _text(source: Source) -> str:
    return source.data.decode("utf-8", "replace")


def _properties(source: Source, seen: Kafka) -> None:
    found = _VERSION.search(_text(source))
    if found:
        major = int(found[1]) - (_AHEAD if _CONFLUENT in found[4] else 0)
        patch = f".{found[3]}" if found[3] and "-" not in found[4] else ""
        seen.releases.append(f"{major}.{found[2]}{patch}")


def _json(source: Source, seen: Kafka) -> None:
    schema = from_json(_text(source), source.name)
    if schema and (schema.name not in seen.schemas or not seen.schemas[schema.name].whole):
        seen.schemas[schema.name] = schema


def _source(source: Source, seen: Kafka) -> None:
    text = _text(source)
    name = source.name
    file = source_file(text, name, scala=name.endswith(".scala"))
    for each in file.classes:
        _add(seen, each.name, each.parents)
        if simple(each.name) == "MetadataVersion":
            seen.levels.update((level.level, level) for level in levels_of_java(text))
    seen.calls += file.calls
    seen.literals += file.literals
    seen.with_logger.update(call.logger for call in file.calls)
    if name.endswith("/ControlRecordType.java"):
        seen.control.update(control_keys(text))
    if feature := feature_of_java(text, name.removesuffix(".java").replace("/", ".")):
        seen.features[feature[0]] = feature[1]


def _class(source: Source, seen: Kafka) -> None:
    file = class_file(source.data)
    seen.compiled = True
    _add(seen, file.name, (file.parent, *file.interfaces))
    if compiled.has_logger(file):
        seen.with_logger.add(file.name)
    texts = compiled.texts(file)
    seen.calls += texts
    if file.name not in seen.with_logger:
        seen.literals += [part for call in texts for part in call.template.parts if part]
    if schema := from_class(file):
        seen.schemas.setdefault(schema.name, schema)
    if file.name == METADATA:
        seen.levels.update((level.level, level) for level in levels_of_class(file))
    if feature := feature_of_class(file):
        seen.features[feature[0]] = feature[1]


def _add(seen: Kafka, name: str, parents: Iterable[str]) -> None:
    seen.classes.add(name)
    for parent in parents:
        seen.heirs[simple(parent)].append(name)


_READERS: Mapping[str, Callable[[Source, Kafka], None]] = {
    "properties": _properties,
    "json": _json,
    "java": _source,
    "scala": _source,
    "class": _class,
}


def named(seen: Kafka) -> Iterator[tuple[str, Call]]:
    """Yield all calls with each logger under which they print."""
    for call in seen.calls:
        for name in loggers_of(call, seen.heirs):
            yield name, call
