"""Each kind of drift on a made-up Kafka: it fires on one change, and nothing else does."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from isrproof.checker.drift import lines
from isrproof.checker.drift.calls import Call
from isrproof.checker.drift.templates import template
from isrproof.specs.lines import Wording, rows
from isrproof.specs.metadata import types_by_name
from isrproof.specs.metadata.levels import features

from tests.checker.drift.made import (
    RECORDS,
    RELEASE,
    VERSION,
    Tree,
    changed,
    found,
    kept,
    known_levels,
    message,
    metadata_version,
    record_file,
    schema,
    tree,
    written,
)

TOPIC = f"{RECORDS}/TopicRecord.json"
ACTIVE = rows()["controller-active"]
LOGGER = next(name for name, mask in ACTIVE.loggers if mask & RELEASE.mask)
FILE = f"core/src/main/java/{LOGGER.replace('.', '/')}.java"
TEXT = next(message(each) for each in ACTIVE.wordings if each.releases & RELEASE.mask)


def findings(files: Tree, folder: Path) -> list[tuple[str, str, bool]]:
    """Group and subject with text of each finding, and whether it fails."""
    seen = found(written(files, folder))
    assert not seen.damaged
    assert not seen.unseen
    return [(each.group, f"{each.subject}: {each.text}", each.fails) for each in seen.findings]


def test_nothing_is_found_where_kafka_is_what_the_tables_say(tmp_path: Path) -> None:
    assert findings(tree(), tmp_path) == []


def _topic(**columns: object) -> Tree:
    """The tree with columns of the schema of one type replaced."""
    shown = {**schema(types_by_name()["TOPIC_RECORD"]), **columns}
    path, text = record_file(shown)
    return {**tree(), path: text}


NEW_FIELD = {
    "name": "Odd",
    "type": "[]int32",
    "versions": "1+",
    "taggedVersions": "1+",
    "tag": 3,
    "nullableVersions": "1+",
}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            lambda: _topic(name="OddRecord", apiKey=99),
            ["ODD_RECORD: type 99 is unknown, versions 0-0: name string, topicId uuid"],
        ),
        (lambda: _topic(validVersions="0-1"), ["TOPIC_RECORD: version 1 is unknown; known is 0"]),
        (lambda: _topic(apiKey=98), ["TOPIC_RECORD: its key is 98, not 2"]),
        (
            lambda: _topic(fields=[*schema(types_by_name()["TOPIC_RECORD"])["fields"], NEW_FIELD]),
            ["TOPIC_RECORD: field odd []int32 from version 1 tag 3 null is unknown"],
        ),
        (
            lambda: _topic(fields=schema(types_by_name()["TOPIC_RECORD"])["fields"][:1]),
            ["TOPIC_RECORD: field topicId is gone"],
        ),
        (
            lambda: changed(tree(), TOPIC, '"uuid"', '"bytes"'),
            ["TOPIC_RECORD: field topicId: its type is bytes, not uuid"],
        ),
        (
            lambda: changed(tree(), TOPIC, '"type": "uuid"', '"type": "uuid", "nullableVersions": "0+"'),
            ["TOPIC_RECORD: field topicId: its null is yes, not no"],
        ),
        (
            lambda: changed(tree(), TOPIC, '"type": "uuid"', '"type": "uuid", "tag": 0'),
            ["TOPIC_RECORD: field topicId: its tag is 0, not none"],
        ),
    ],
)
def test_records(files: object, expected: list[str], tmp_path: Path) -> None:
    assert callable(files)
    assert findings(files(), tmp_path) == [("record", text, True) for text in expected]


def test_a_nested_field_is_named_by_its_struct(tmp_path: Path) -> None:
    name = f"{RECORDS}/RegisterControllerRecord.json"
    files = changed(tree(), name, '"Host"', '"Hostname"')
    texts = [text for _, text, _ in findings(files, tmp_path)]
    assert texts == [
        "REGISTER_CONTROLLER_RECORD: field endPoints.host is gone",
        "REGISTER_CONTROLLER_RECORD: field endPoints.hostname string is unknown",
    ]


@pytest.mark.parametrize(("production", "fails"), [(True, True), (False, False)])
def test_a_level_fails_when_clusters_can_run_it(production: bool, fails: bool, tmp_path: Path) -> None:
    known = known_levels()
    newest, level = known[-1][0], known[-1][0] + 1
    rows_of_kafka = [*known, (level, "9.9-IV0", True)]
    files = {**tree(), VERSION: metadata_version(rows_of_kafka, level if production else newest)}
    ((group, text, failing),) = findings(files, tmp_path)
    assert (group, failing) == ("level", fails)
    assert text == f"{level} (9.9-IV0): unknown, changes records{'' if production else ', unstable in this source'}"


def test_a_level_that_is_otherwise(tmp_path: Path) -> None:
    known = known_levels()
    level, name, changes = known[-1]
    files = {**tree(), VERSION: metadata_version([*known[:-1], (level, "9.9-IV0", not changes)], level)}
    assert findings(files, tmp_path) == [
        (
            "level",
            f"{level} (9.9-IV0): changes records: {('no', 'yes')[not changes]}, not {('no', 'yes')[changes]}",
            True,
        ),
        ("level", f"{level} (9.9-IV0): its name is 9.9-IV0, not {name}", True),
    ]


def test_features(tmp_path: Path) -> None:
    name, highest = "eligible.leader.replicas.version", features()["eligible.leader.replicas.version"].newest
    body = ", ".join(f"FV_{level}({level}, MetadataVersion.MINIMUM_VERSION)" for level in range(highest + 2))
    enum = (
        "package org.apache.kafka.server.common;\n"
        'public enum {} implements FeatureVersion {{ {};\n String FEATURE_NAME = "{}"; }}'
    )
    folder = "server-common/src/main/java/org/apache/kafka/server/common"
    files = {
        **tree(),
        f"{folder}/Known.java": enum.format("Known", body, name),
        f"{folder}/OddVersion.java": enum.format("OddVersion", body, "odd.version"),
        f"{folder}/TestOdd.java": enum.format("TestOdd", body, "test.version"),
    }
    assert findings(files, tmp_path) == [
        ("feature", f"{name}: level {highest + 1} is new; known is {highest}", True),
        ("feature", f"odd.version: unknown, levels 0-{highest + 1}", True),
    ]


def test_a_class_that_moved(tmp_path: Path) -> None:
    moved = FILE.replace("org/apache/kafka", "org/elsewhere")
    files = {name: text for name, text in tree().items() if name != FILE}
    files[moved] = tree()[FILE].replace("package org.apache.kafka", "package org.elsewhere")
    seen = findings(files, tmp_path)
    losses = [(text, fails) for group, text, fails in seen if group == "logger"]
    assert [fails for _, fails in losses] == [True]
    assert losses[0][0].startswith(f"{LOGGER}: is {LOGGER.replace('org.apache.kafka', 'org.elsewhere')}; lost: ")
    assert f"controller-active ({ACTIVE.role})" in losses[0][0]
    assert not [text for group, text, _ in seen if group == "line"]


def test_what_is_left_under_the_old_name_does_not_hide_a_move(tmp_path: Path) -> None:
    moved = FILE.replace("org/apache/kafka", "org/elsewhere")
    package, name = LOGGER.rsplit(".", 1)
    files = {**tree(), FILE: f"package {package};\nclass {name} {{ void m() {{ }} }}\n"}
    files[moved] = tree()[FILE].replace("package org.apache.kafka", "package org.elsewhere")
    assert any(group == "logger" and fails for group, _, fails in findings(files, tmp_path))


def test_a_line_that_is_gone(tmp_path: Path) -> None:
    files = changed(tree(), FILE, f"log.info({TEXT}, it);", "")
    texts = [each for each in findings(files, tmp_path) if each[0] == "line"]
    assert [(text.split(":")[0], fails) for _, text, fails in texts] == [("controller-active", True)]


def test_a_line_that_is_changed_is_shown_with_what_it_is_now(tmp_path: Path) -> None:
    files = changed(tree(), FILE, TEXT, TEXT.replace("Becoming the active", "Becoming the only active"))
    (line, new) = findings(files, tmp_path)
    assert line[0] == "line"
    assert line[1].startswith(f"controller-active: ({ACTIVE.role}) is changed: Becoming the active controller")
    assert " -> Becoming the only active controller" in line[1]
    assert (new[0], new[2]) == ("new", False)


def test_a_line_that_another_class_prints(tmp_path: Path) -> None:
    files = changed(tree(), FILE, f"log.info({TEXT}, it);", "")
    other = f"package kafka.raft;\nclass Odd {{ Logger log; void m() {{ log.info({TEXT}, it); }} }}\n"
    texts = [
        text
        for group, text, _ in findings({**files, "core/src/main/java/kafka/raft/Odd.java": other}, tmp_path)
        if group == "line"
    ]
    assert texts[0].startswith(f"controller-active: ({ACTIVE.role}) is printed by kafka.raft.Odd: Becoming")


def test_a_line_that_a_method_puts_together_is_not_gone(tmp_path: Path) -> None:
    files = changed(tree(), FILE, f"log.info({TEXT}, it);", "")
    pieces = ", ".join(f'"{piece}"' for piece in TEXT.strip('"').split("{}"))
    built = f"package kafka.raft;\nclass Built {{ String m() {{ return join({pieces}); }} }}\n"
    assert findings({**files, "core/src/main/java/kafka/raft/Built.java": built}, tmp_path) == []


def test_a_line_that_a_logger_prints_that_was_handed_over_is_not_gone(tmp_path: Path) -> None:
    files = changed(tree(), FILE, f"log.info({TEXT}, it);", "")
    handed = f"package kafka.raft;\nclass Handed {{ void m(Logger log) {{ log.info({TEXT}, it); }} }}\n"
    assert not [
        each
        for each in findings({**files, "core/src/main/java/kafka/raft/Handed.java": handed}, tmp_path)
        if each[0] == "line"
    ]


def test_a_row_that_lacks_the_release_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(wording: Wording) -> Wording:
        levels_of_it = tuple((level, mask & ~RELEASE.mask) for level, mask in wording.levels)
        return dataclasses.replace(wording, levels=levels_of_it)

    row = dataclasses.replace(ACTIVE, wordings=tuple(map(ended, ACTIVE.wordings)))
    monkeypatch.setattr(lines, "rows", lambda: {**kept(), row.id: row})
    seen = [each for each in found(written(tree(), tmp_path)).findings if each.group == "line"]
    assert [(each.subject, each.fails) for each in seen] == [("controller-active", True)]
    assert "is printed, but no variant covers this release: Becoming the active controller" in seen[0].text


def test_a_wording_that_lacks_the_release_is_found_beside_others_of_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = dataclasses.replace(
        ACTIVE.wordings[0], pieces=("A line that ended before",), prefix=0, levels=(("INFO", RELEASE.mask >> 1),)
    )
    row = dataclasses.replace(ACTIVE, wordings=(*ACTIVE.wordings, old))
    monkeypatch.setattr(lines, "rows", lambda: {**kept(), row.id: row})
    assert findings(tree(), tmp_path / "without") == []
    files = changed(
        tree(), FILE, f"log.info({TEXT}, it);", f'log.info({TEXT}, it); log.warn("A line that ended before");'
    )
    seen = [each for each in findings(files, tmp_path / "with") if each[0] == "line"]
    text = f"({row.role}) is printed, but no variant covers this release: A line that ended before"
    assert seen == [("line", f"{row.id}: {text}", True)]


def test_of_what_a_message_may_be_one_text_that_is_read_is_enough(tmp_path: Path) -> None:
    """Methods of one name return different texts: which of them is meant, no call shows."""
    both = f'String info(X x) {{ return "of something else"; }} String info(Y y) {{ return {TEXT}; }}'
    files = changed(tree(), FILE, f"log.info({TEXT}, it);", 'log.info("{}", info(it));')
    assert "void prints" in files[FILE]
    assert findings(changed(files, FILE, "void prints", f"{both} void prints"), tmp_path) == []


REFUSED = rows()["alter-partition-refused"].wordings[0]
BEGUN, ADDED = "Rejecting AlterPartition request from node {}", "Proposed ISR was {} and current ISR is {}. Current"
ENDED = "Current replica set is {}. Current partitionEpoch is {}. Current leaderEpoch is {}."


@pytest.mark.parametrize(
    ("texts", "level", "whole"),
    [
        ([(BEGUN, "A"), (ADDED, "A"), (ENDED, "A")], None, True),
        ([(BEGUN, "A"), (ADDED, "B"), (ENDED, "B")], None, False),
        ([(BEGUN, "A"), (ADDED, "A")], None, False),
        ([(ADDED, "A"), (ENDED, "A"), (f"Not {BEGUN}", "A")], None, False),
        ([(BEGUN, "A"), (ADDED, "A"), (ENDED, "A")], "INFO", False),
    ],
)
def test_a_class_file_shows_a_message_and_what_is_added_to_it_apart(
    texts: list[tuple[str, str]], level: str | None, whole: bool
) -> None:
    calls = [Call("p.A", True, level, template([text]), file, 0) for text, file in texts]
    assert lines._built(REFUSED, "", calls) is whole


def test_new_lines_come_by_what_their_logger_bears_on(tmp_path: Path) -> None:
    files = changed(
        tree(),
        FILE,
        f"log.info({TEXT}, it);",
        f'log.info({TEXT}, it); log.warn("A thing that nobody knows: {{}}", it);',
    )
    odd = 'package odd;\nclass Odd { Logger log; void m() { log.info("Another thing that nobody knows"); } }\n'
    short = 'package odd;\nclass Short { Logger log; void m() { log.info("{}: {}", a, b); } }\n'
    seen = found(
        written({**files, "core/src/main/java/odd/Odd.java": odd, "core/src/main/java/odd/Short.java": short}, tmp_path)
    )
    assert [(each.rank // 2, each.text.rpartition(" (")[0]) for each in seen.findings] == [
        (0, "A thing that nobody knows: {}"),
        (1, "Another thing that nobody knows"),
    ]
    assert not seen.fails


def test_what_an_older_source_prints_too_is_not_new(tmp_path: Path) -> None:
    added = 'log.warn("A thing that nobody knows: {}", it);'
    older = changed(tree(), FILE, f"log.info({TEXT}, it);", f"log.info({TEXT}, it); {added}")
    newer = changed(older, FILE, added, f'{added} log.warn("One more thing that nobody knows", it);')
    since = written(older, tmp_path / "older")
    assert found(since, since=since).findings == ()
    (finding,) = found(written(newer, tmp_path / "newer"), since=since).findings
    assert finding.text.startswith("One more thing that nobody knows")


@pytest.mark.parametrize(
    ("version", "release", "text"),
    [
        (RELEASE.tags[-1], RELEASE.name, ""),
        ("99.1.0", RELEASE.name, f"99.1.0: unknown; compared with the rows of {RELEASE.name}"),
        (f"{RELEASE.name}.99", RELEASE.name, f"{RELEASE.name}.99: is not a tag of its row"),
        (f"{RELEASE.name}.0-SNAPSHOT", RELEASE.name, ""),
        ("8.0.0-0-ccs", "4.0", ""),
    ],
)
def test_the_release_is_what_the_files_say(version: str, release: str, text: str, tmp_path: Path) -> None:
    files = {**tree(), "gradle.properties": f"version={version}\n"}
    seen = found(written(files, tmp_path))
    assert seen.release == release
    assert [f"{each.subject}: {each.text}" for each in seen.findings if each.group == "release"] == [text] * bool(text)
    assert not any(each.fails for each in seen.findings if each.group == "release")


def test_a_release_can_be_asked_for(tmp_path: Path) -> None:
    assert found(written(tree(), tmp_path), release="3.9").release == "3.9"


def test_what_was_not_given_is_not_gone(tmp_path: Path) -> None:
    files = {name: text for name, text in tree().items() if name.startswith("metadata/")}
    seen = found(written(files, tmp_path))
    assert seen.findings == ()
    assert any("no class of clients, core" in line for line in seen.unseen)
    assert any("no MetadataVersion" in line for line in seen.unseen)


def test_the_same_files_give_the_same_findings(tmp_path: Path) -> None:
    files = {name: text for name, text in tree().items() if "controller" not in name}
    one, other = (found(written(files, tmp_path / each)) for each in ("one", "other"))
    assert one == other
    assert list(one.findings) == sorted(one.findings)
    assert json.dumps([each.text for each in one.findings])
