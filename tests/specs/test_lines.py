"""Errors of the line table, selections of its rows, and wordings that some releases print untruly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from isrproof.specs.errors import TableError, UnknownNameError
from isrproof.specs.lines import _above, _wordings, load, rows, rows_with
from isrproof.specs.lines.classes import known_name, loggers, packages
from isrproof.specs.lines.roles import ENTITIES, MOVES, ROLES, SPEAKERS
from isrproof.specs.machines import machine
from isrproof.specs.release_sets import NAMES
from isrproof.specs.releases import ALL, in_mode, names, span

LAST = "snapshot-outgrown"
"""The last line of a message of several: the logger is named after the text, without a time before it."""
FILE = """
speaker = "broker"
mode = "zk"

[[line]]
id = "a-line"
meaning = "A line."
role = "move-made"
entity = "replica"
logger = "state.change.logger"
source = "none"
level = "INFO"
sample = "none"
variant = [{ releases = "all", text = "A line" }]
"""


def read(folder: Path, text: str) -> None:
    (folder / "some.toml").write_text(text, encoding="utf-8")
    load(folder)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('role = "move-made"', 'role = "move-mad"', "Unknown role 'move-mad'. Did you mean 'move-made'"),
        ('speaker = "broker"', 'speaker = "brokr"', "Unknown speaker 'brokr'. Did you mean 'broker'"),
        ('mode = "zk"', 'mode = "zoo"', "Unknown mode 'zoo'"),
        ('entity = "replica"', 'entity = "repliqua"', "Unknown entity 'repliqua'"),
        ('entity = "replica"\n', "", "the role move-made wants an entity"),
        ('role = "move-made"', 'role = "ready"', "the role ready has no entity"),
        ('sample = "none"\n', "", "needs a sample"),
        ('mode = "zk"\n', "", "mode missing"),
        (
            'logger = "state.change.logger"',
            'logger = "LogManger"',
            "Unknown class 'LogManger'. Did you mean 'LogManager'",
        ),
    ],
)
def test_a_word_outside_the_closed_lists_is_refused(old: str, new: str, complaint: str, tmp_path: Path) -> None:
    read(tmp_path, FILE)
    assert old in FILE
    with pytest.raises(TableError, match=complaint):
        read(tmp_path, FILE.replace(old, new, 1))


def test_ids_are_words_and_every_word_of_the_lists_is_used() -> None:
    assert all(re.fullmatch("[a-z]+(-[a-z]+)+", id) for id in rows())
    assert {row.role for row in rows().values()} == set(ROLES)
    assert {row.speaker for row in rows().values()} == set(SPEAKERS)


def test_rows_are_asked_for_by_their_columns() -> None:
    assert rows_with(*MOVES, entity="partition") == (
        "partition-created",
        "partition-online",
        "partition-offline-or-gone",
    )
    assert [*rows_with(speaker="throwable")] == [each for each in rows() if not rows()[each].loggers and each != LAST]
    for column in ("entity", "speaker", "family"):
        with pytest.raises(UnknownNameError):
            rows_with(**{column: "topic"})
    with pytest.raises(UnknownNameError, match="Did you mean 'ready'"):
        rows_with("redy")


@pytest.mark.parametrize("name", ENTITIES)
def test_what_a_machine_logs_is_a_move_of_its_entity(name: str) -> None:
    assert {mark.line for mark in machine(name).logged} == set(rows_with(*MOVES, entity=name))


def test_a_line_is_of_releases_that_can_run_in_its_mode() -> None:
    assert in_mode("zk") | in_mode("kraft") == ALL
    assert in_mode("zk") == span("<=3.9")
    assert in_mode("kraft") == span(">=2.8")
    for row in rows().values():
        assert row.mode == "any" or not row.releases & ~in_mode(row.mode), row.id


def test_0_8_0_prints_two_from_states_untruly_and_no_other_release_any() -> None:
    untrue = [
        (row.id, field, names(mask)) for row in rows().values() for each in row.wordings for field, mask in each.untrue
    ]
    assert untrue == [("partition-online", "from_state", "0.8.0"), ("partition-offline-or-gone", "from_state", "0.8.0")]


def test_a_field_is_untrue_in_a_release_that_prints_it() -> None:
    row = {"id": "partition-online"}
    variant = {"releases": "0.8.1", "text": "from Online", "untrue": {"from_state": "untrue from-state"}}
    with pytest.raises(TableError, match="from_state is untrue in no release"):
        list(_wordings(row, variant, -1, "here"))


def test_the_loggers_of_a_row_are_those_of_its_class() -> None:
    """A class that moves changes its own row of classes.toml, and no line."""
    assert rows()["log-created"].loggers == (
        ("kafka.log.LogManager", span("<=4.3")),
        ("org.apache.kafka.storage.internals.log.LogManager", span(">=4.1")),
    )
    assert rows()["version-printed"].logger(span("4.3")) == "org.apache.kafka.common.utils.AppInfoParser"
    assert rows()["version-printed"].logger(span("4.4")) == "org.apache.kafka.common.utils.internals.AppInfoParser"
    assert loggers("KafkaMetadataLog$", span("3.0")) == (("kafka.raft.KafkaMetadataLog$", span("3.0")),)
    assert loggers("state.change.logger", ALL) == (("state.change.logger", ALL),)


def test_a_row_names_a_class_and_not_where_it_lives() -> None:
    for row in rows().values():
        for name, _ in row.loggers:
            package, _, last = name.rpartition(".")
            own = packages().get(last.partition("$")[0])
            assert own is None or package in dict(own), f"{row.id}: {name}"


def test_every_class_is_named_by_a_row() -> None:
    named = {name.rpartition(".")[2].partition("$")[0] for row in rows().values() for name, _ in row.loggers}
    assert set(packages()) <= named


def test_a_logger_is_known_by_its_class_in_any_package_of_kafka() -> None:
    known = "org.apache.kafka.storage.internals.log.LogManager"
    assert known_name("kafka.log.LogManager") == "kafka.log.LogManager"
    assert known_name(known) == known
    assert known_name("org.apache.kafka.storage.next.LogManager") == known
    assert known_name("org.apache.kafka.storage.next.LogManager$") == f"{known}$"
    for other in ("com.example.kafka.LogManager", "org.apache.kafkaesque.LogManager", "LogManager", "kafka.log.Logs"):
        assert known_name(other) == other


@pytest.mark.parametrize("number", [*range(120), 999, 1000])
def test_a_number_is_above_another_by_its_digits(number: int) -> None:
    above = re.compile(_above(str(number)))
    for other in range(2_000):
        assert (above.fullmatch(str(other)) is not None) == (other > number)


def test_the_versions_that_a_process_prints_are_those_of_releases() -> None:
    """A release needs a row in releases.toml, and none here."""
    printed = [each for each in rows()["version-printed"].wordings if not each.whole]
    assert [names(each.releases) for each in printed][-2:] == [NAMES[-2], NAMES[-1]]
    told = 0
    for each in printed:
        assert not told & each.releases
        told |= each.releases
    assert told == span(">=2.8")
