"""Jars: what source jars and class jars show, and jars that were made to do harm."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest
from isrproof.checker.drift import sources
from isrproof.checker.drift.classfile import NoClassFileError, class_file
from isrproof.checker.drift.compiled import texts
from isrproof.checker.drift.levels import levels_of_class
from isrproof.checker.drift.schemas import from_class
from isrproof.checker.drift.sources import Damaged, Source, read

from tests.checker.drift.made import RELEASE, found, jar, tree
from tests.checker.drift.made_class import Maker

LEVELS = "org/apache/kafka/server/common/MetadataVersion"
RECORD = "org/apache/kafka/common/metadata/OddRecord"


def record() -> bytes:
    """A record's class: its key, versions and fields."""
    made = Maker(RECORD).field("odd", "I").field("_unknownTaggedFields", "I").field("SCHEMA_0", "I")
    made.field("LOWEST_SUPPORTED_VERSION", "S", 0).field("HIGHEST_SUPPORTED_VERSION", "S", 2)
    return made.method("apiKey", made.small(99) + b"\xac").made()


def levels() -> bytes:
    """A class of levels: one for production, one that is not."""
    made = Maker(LEVELS)
    code = b""
    for place, level in enumerate((98, 99)):
        name = f"IBP_9_9_IV{place}"
        code += made.new(LEVELS) + made.push(name) + made.small(place) + made.small(level)
        code += made.push("9.9") + made.push(f"IV{place}") + b"\x04" + made.put(LEVELS, name)
    code += made.get(LEVELS, "IBP_9_9_IV0") + made.put(LEVELS, "LATEST_PRODUCTION")
    return made.method("<clinit>", code + b"\xb1").made()


def printing() -> bytes:
    """A class that prints: a literal, a recipe, and what a builder joins."""
    made = Maker("p/Some").field("log", "Lorg/slf4j/Logger;")
    builder = "java/lang/StringBuilder"
    code = made.push("a {} text") + made.joined("b \x01 text \x01")
    code += made.new(builder) + made.push("c ") + made.call(builder, "append") + made.call(builder, "append")
    code += made.push(" text") + made.call(builder, "append") + made.call(builder, "toString")
    return made.method("m", code).made()


def test_texts_of_a_class() -> None:
    shown = {call.template.shown for call in texts(class_file(printing()))}
    assert {"a {} text", "b {} text {}", "c {} text"} <= shown


def test_the_class_of_a_record_shows_key_versions_and_fields() -> None:
    schema = from_class(class_file(record()))
    assert schema
    assert (schema.name, schema.key, schema.newest, schema.whole) == ("Odd", 99, 2, False)
    assert [(field.name, field.type) for field in schema.fields] == [("odd", None)]


def test_levels_of_a_class() -> None:
    seen = [
        (level.level, level.name, level.changes, level.production) for level in levels_of_class(class_file(levels()))
    ]
    assert seen == [(98, "9.9-IV0", True, True), (99, "9.9-IV1", True, False)]


def test_a_source_jar_is_read_like_its_tree(tmp_path: Path) -> None:
    seen = found(jar(tree(), tmp_path / f"kafka-{RELEASE.tags[-1]}-sources.jar"))
    assert (seen.version, seen.findings, seen.damaged) == (RELEASE.tags[-1], (), ())


def test_a_folder_of_jars(tmp_path: Path) -> None:
    half = len(tree()) // 2
    for name, files in (("a", list(tree().items())[:half]), ("b", list(tree().items())[half:])):
        jar(dict(files), tmp_path / f"kafka-{name}-{RELEASE.tags[-1]}-sources.jar")
    assert found(tmp_path).findings == ()


def test_a_class_jar_says_what_it_cannot_show(tmp_path: Path) -> None:
    files = {f"{RECORD}.class": record(), f"{LEVELS}.class": levels(), "p/Some.class": printing()}
    seen = found(jar(files, tmp_path / "kafka-some-9.9.0.jar"))
    assert [(each.group, each.text) for each in seen.findings if each.fails] == [
        ("level", "unknown, changes records"),
        ("record", "type 99 is unknown, versions 0-2: odd"),
    ]
    assert not any(each.group == "new" for each in seen.findings)
    assert any("do not show which texts are printed" in line for line in seen.unseen)
    assert any("not types, tags and nullability" in line for line in seen.unseen)


def test_the_json_of_a_class_jar_goes_before_its_classes(tmp_path: Path) -> None:
    known = {name: text for name, text in tree().items() if name.endswith(".json")}
    record_class = (
        Maker("org/apache/kafka/common/metadata/TopicRecord").field("HIGHEST_SUPPORTED_VERSION", "S", 7).made()
    )
    files = {**known, "org/apache/kafka/common/metadata/TopicRecord.class": record_class}
    assert not [each for each in found(jar(files, tmp_path / "a.jar")).findings if each.group == "record"]


def entries(path: Path) -> list[Source | Damaged]:
    return list(read([path]))


def test_names_that_lead_out_of_a_jar_are_names(tmp_path: Path) -> None:
    files = {"../../odd.java": "class A { }", "/abs.java": "class B { }", "a\x1b[31m.java": "class C { }"}
    before = sorted(tmp_path.rglob("*"))
    found_entries = entries(jar(files, tmp_path / "a.jar"))
    assert sorted(tmp_path.rglob("*")) == [*before, tmp_path / "a.jar"]
    assert {each.name for each in found_entries} == {"../../odd.java", "/abs.java", "a\\u{1b}[31m.java"}


def test_a_file_that_unpacks_to_too_much_ends_the_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGEST", 1000)
    (damaged,) = entries(jar({"A.java": " " * 5000, "B.java": ""}, tmp_path / "a.jar"))
    assert damaged == Damaged("a.jar", "A.java: expected at most 1,000 bytes unpacked, got more")


def test_many_files_that_unpack_to_too_much_end_the_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGEST_JAR", 1000)
    (damaged,) = entries(jar({f"A{number}.java": " " * 400 for number in range(5)}, tmp_path / "a.jar"))
    assert isinstance(damaged, Damaged)


def test_too_many_files_end_the_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_ENTRIES", 3)
    (damaged,) = entries(jar({f"A{number}.java": "" for number in range(5)}, tmp_path / "a.jar"))
    assert damaged == Damaged("a.jar", "expected at most 3 files in a jar, got 5")


def test_a_size_that_is_not_true_is_damage(tmp_path: Path) -> None:
    path = jar({"A.java": "class A { }" * 100}, tmp_path / "a.jar")
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 5)
    path.write_bytes(data)
    (damaged,) = entries(path)
    assert isinstance(damaged, Damaged)


@pytest.mark.parametrize("data", [b"", b"no jar", b"PK\x03\x04" + b"\0" * 40, b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_jar_is_damage(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.jar").write_bytes(data)
    (damaged,) = entries(tmp_path / "a.jar")
    assert isinstance(damaged, Damaged)
    assert damaged.why


def test_every_cut_and_every_changed_byte_of_a_jar_is_read_or_damage(tmp_path: Path) -> None:
    path = jar({"A.java": "class A { }", "B.class": printing()}, tmp_path / "a.jar")
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        for mangled in (data[:place], data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]):
            path.write_bytes(mangled)
            found(path)


def test_every_cut_and_every_changed_byte_of_a_class_is_read_or_refused() -> None:
    for data in (printing(), record(), levels()):
        for place in range(len(data)):
            for mangled in (data[:place], data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]):
                try:
                    file = class_file(mangled)
                except NoClassFileError:
                    continue
                texts(file), from_class(file), levels_of_class(file)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("common/metadata/A.json", "no json"),
        ("common/metadata/A.json", "[" * 100_000),
        ("common/metadata/A.json", '{"type": "metadata", "name": "A"}'),
        ("common/metadata/A.json", '{"type": "metadata", "name": "A", "validVersions": "0", "fields": [7]}'),
        (
            "common/metadata/A.json",
            '{"type": "metadata", "name": "A", "apiKey": "x", "validVersions": "0", "fields": []}',
        ),
        ("p/A.class", "no class"),
    ],
)
def test_a_file_that_cannot_be_read_is_damage_and_the_rest_goes_on(name: str, text: str, tmp_path: Path) -> None:
    seen = found(jar({**tree(), name: text}, tmp_path / f"kafka-{RELEASE.tags[-1]}.jar"))
    assert [each.name for each in seen.damaged] == [f"kafka-{RELEASE.tags[-1]}.jar: {name}"]
    assert seen.findings == ()


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "A.java").write_text("class A { }", encoding="utf-8")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "tree" / "B.java").symlink_to(tmp_path / "outside" / "A.java")
    assert entries(tmp_path / "tree") == []


def test_an_encrypted_file_is_damage(tmp_path: Path) -> None:
    path = jar({"A.java": "class A { }"}, tmp_path / "a.jar")
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    path.write_bytes(data)
    (damaged,) = entries(path)
    assert isinstance(damaged, Damaged)
    assert zipfile.is_zipfile(path)
