"""A made-up Kafka: source that prints what the rows of a release say, with the records and levels of the tables.

No line of it is Kafka's. On it the gate has nothing to say, and each test changes one thing.
"""

from __future__ import annotations

import json
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from isrproof.checker.drift.drift import Drift, drift
from isrproof.checker.drift.loggers import is_class
from isrproof.checker.drift.loggers import named as loggers_of
from isrproof.checker.drift.read import MODULES, kafka
from isrproof.checker.drift.sources import read
from isrproof.specs.lines import Row, Slot, Wording, rows
from isrproof.specs.metadata import RAW, Field, RecordType, record_types
from isrproof.specs.metadata.levels import levels
from isrproof.specs.releases import RELEASES

RELEASE = RELEASES[-1]
"""The release that the made-up Kafka is of."""
VERSION = "server-common/src/main/java/org/apache/kafka/server/common/MetadataVersion.java"
RECORDS = "metadata/src/main/resources/common/metadata"
CORE = "core/src/main/scala"

Tree = Mapping[str, str]
"""Texts of files by their paths."""


@cache
def kept() -> Mapping[str, Row]:
    """The rows that tests compare, a few that stand for all: those of one class of Java, of an object of Scala, and
    of the logger with a name of its own."""
    whole = [row for row in rows().values() if "org.apache.kafka.controller.QuorumController" in dict(row.loggers)]
    of_object = [row for row in rows().values() if any(name.endswith("$") for name in loggers_of(row, RELEASE.mask))]
    named = [row for row in rows().values() if "state.change.logger" in loggers_of(row, RELEASE.mask) and row.bears]
    return {row.id: row for row in (*whole, *of_object[:1], *named[-2:])}


def _escaped(literal: str) -> str:
    return literal.replace("\\", "\\\\").replace('"', '\\"')


def message(wording: Wording) -> str:
    """The first argument of a call of Java that prints a wording."""
    pieces = wording.pieces[wording.prefix :]
    return '"' + "".join("{}" if isinstance(piece, Slot) else _escaped(piece) for piece in pieces) + '"'


def _nested(name: str, calls: Iterable[str]) -> str:
    """A file of Java with a class, or one in another, that prints."""
    package, _, classes = name.rpartition(".")
    outer, *inner = [each for each in classes.split("$") if each]
    body = "\n".join(f"        log.info({call}, it);" for call in calls)
    text = f"class {(inner or [outer])[-1]} {{\n    void prints(Object it) {{\n{body}\n    }}\n}}\n"
    for around in [outer, *inner[:-1]][::-1] if inner else []:
        text = f"class {around} {{\n{text}}}\n"
    return f"package {package};\n\nimport org.slf4j.Logger;\n\n{text}"


def _object(name: str, calls: Iterable[str]) -> str:
    """A file of Scala with an object that prints."""
    package, _, of = name.rstrip("$").rpartition(".")
    body = "\n".join(f"    info({call})" for call in calls)
    return f"package {package}\n\nobject {of} extends Logging {{\n  def prints(): Unit = {{\n{body}\n  }}\n}}\n"


def _lines() -> dict[str, str]:
    calls: dict[str, list[str]] = defaultdict(list)
    for row in kept().values():
        for wording in row.wordings:
            if wording.releases & RELEASE.mask and not wording.anything:
                for logger in loggers_of(row, RELEASE.mask):
                    calls[logger].append(message(wording))
    found = {}
    for logger, texts in calls.items():
        path = logger.replace(".", "/").replace("$", "_")
        if logger.endswith("$"):
            found[f"{CORE}/{path}.scala"] = _object(logger, texts)
        elif is_class(logger):
            found[f"core/src/main/java/{path}.java"] = _nested(logger, texts)
        elif logger == "state.change.logger":
            body = "".join(f"    stateChangeLogger.info({text})\n" for text in texts)
            found[f"{CORE}/kafka/Changes.scala"] = f"package kafka\n\nclass Changes {{\n{body}}}\n"
        else:
            found[f"core/src/main/java/{path}/Any.java"] = _nested(f"{logger}.Any", texts)
    return found


def field_of(field: Field) -> dict[str, object]:
    """A field as Kafka's JSON has it."""
    versions = f"{field.since}+"
    row: dict[str, object] = {"name": field.name[:1].upper() + field.name[1:], "type": field.type, "versions": versions}
    if field.tag is not None:
        row |= {"tag": field.tag, "taggedVersions": versions}
    if field.nullable:
        row["nullableVersions"] = versions
    if field.fields:
        row |= {
            "type": f"{field.type.removesuffix('struct')}Of{field.name}",
            "fields": list(map(field_of, field.fields)),
        }
    return row


def schema(kind: RecordType) -> dict[str, object]:
    """A type of records as Kafka's JSON has it."""
    name = "".join(word.title() for word in kind.name.split("_"))
    fields = [field_of(each) for each in kind.fields if each.type != RAW]
    versions = f"0-{len(kind.since) - 1}"
    return {"apiKey": kind.key, "type": "metadata", "name": name, "validVersions": versions, "fields": fields}


def record_file(shown: Mapping[str, object]) -> tuple[str, str]:
    """The path and the text of the schema of a record."""
    return f"{RECORDS}/{shown['name']}.json", f"// a comment\n{json.dumps(shown)}\n"


def metadata_version(rows: Iterable[tuple[int, str, bool]], latest: int) -> str:
    """MetadataVersion.java with these levels, their names and whether they change records."""
    constants = []
    for level, name, changes in rows:
        release, _, sub = name.partition("-")
        constants.append(f'    {_constant(name)}({level}, "{release}", "{sub}", {str(changes).lower()})')
    newest = next(_constant(name) for level, name, _ in rows if level == latest)
    made = ',\n    // not a level: IBP_9_9_IV9(99, "9.9", "IV9", true)\n'.join(constants)
    return (
        "package org.apache.kafka.server.common;\n\npublic enum MetadataVersion {\n"
        f"{made};\n    public static final MetadataVersion LATEST_PRODUCTION = {newest};\n}}\n"
    )


def _constant(name: str) -> str:
    return f"IBP_{name.replace('.', '_').replace('-', '_')}"


def known_levels() -> list[tuple[int, str, bool]]:
    """The levels of the table."""
    return [(level.level, level.name, level.changes) for level in levels().values()]


@cache
def tree() -> Tree:
    """All files of the made-up Kafka."""
    known = known_levels()
    modules = {
        f"{module}/src/main/java/{of}Here.java": f"package {of[:-1]};\nclass Here {{ }}\n"
        for module, of in MODULES.items()
    }
    return {
        "gradle.properties": f"group=org\nversion={RELEASE.tags[-1]}\n",
        VERSION: metadata_version(known, known[-1][0]),
        **modules,
        **dict(record_file(schema(kind)) for kind in record_types().values()),
        **_lines(),
    }


def written(files: Tree, folder: Path) -> Path:
    """A tree on disk."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def jar(files: Mapping[str, str | bytes], path: Path) -> Path:
    """A jar with these files, as source jars have them: without the folders of modules."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.partition("/src/main/")[2].partition("/")[2] or name, content)
    return path


def found(*paths: Path, since: Path | None = None, release: str | None = None) -> Drift:
    """Return the findings of the gate."""
    return drift(kafka(read(paths)), release, kafka(read([since])) if since else None)


def changed(files: Tree, name: str, old: str, new: str) -> Tree:
    """The tree with a text of one file replaced."""
    assert old in files[name], name
    return {**files, name: files[name].replace(old, new)}
