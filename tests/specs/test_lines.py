"""What the line table refuses, how its rows are asked for, and what some releases print untruly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from isrproof.specs.errors import TableError, UnknownNameError
from isrproof.specs.lines import _wordings, load, rows, rows_with
from isrproof.specs.lines.roles import ENTITIES, MOVES, ROLES, SPEAKERS
from isrproof.specs.machines import machine
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
