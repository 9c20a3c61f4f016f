"""Recoveries of log directories that a process begins, and the next one skips (KAFKA-15375)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import engines
from tests.checker.audit.happened.test_nodes import at, found

VERSION = "INFO Kafka version: {} (org.apache.kafka.common.utils.AppInfoParser)"
BEGINS = "INFO Recovering 3 logs from {} since no clean shutdown file was found (kafka.log.LogManager)"
SKIPS = "INFO Skipping recovery of 3 logs from {} since clean shutdown file was found (kafka.log.LogManager)"
LOADED = "INFO Loaded 3 logs in 400ms (kafka.log.LogManager)"
REASON = "it skips the recovery of /d1, which the process before it began and did not end"
LIKE = f"{REASON} (looks like KAFKA-15375, fixed in 3.5.2 and 3.6.0)"


def bugs(folder: Path, *texts: str, release: str = "3.5.1") -> list[str | None]:
    lines = [VERSION.format(release), *texts]
    entries = found(folder, *(at(second, text) for second, text in enumerate(lines)))
    return [each.reason for each in entries if each.what == "known-bug"]


def test_a_recovery_that_did_not_end_is_skipped(tmp_path: Path) -> None:
    assert bugs(tmp_path, BEGINS.format("/d1"), SKIPS.format("/d1"), LOADED) == [LIKE]


@pytest.mark.parametrize("release", ["3.5.2", "3.6.0", "4.2.0"])
def test_releases_that_mark_only_what_was_recovered_show_no_bug(release: str, tmp_path: Path) -> None:
    assert not bugs(tmp_path, BEGINS.format("/d1"), SKIPS.format("/d1"), LOADED, release=release)


@pytest.mark.parametrize(
    "texts",
    [
        (BEGINS.format("/d1"), LOADED, SKIPS.format("/d1"), LOADED),
        (BEGINS.format("/d1"), BEGINS.format("/d1"), LOADED, SKIPS.format("/d1")),
        (BEGINS.format("/d1"), SKIPS.format("/d2"), LOADED),
        (SKIPS.format("/d1"), SKIPS.format("/d1"), LOADED),
        (SKIPS.format("/d1"), BEGINS.format("/d1")),
    ],
    ids=["it ended", "it began again", "another directory", "none began", "it is skipped before"],
)
def test_a_recovery_that_ends_or_begins_again_shows_no_bug(texts: tuple[str, ...], tmp_path: Path) -> None:
    assert not bugs(tmp_path, *texts)


def test_the_words_up_to_3_4_show_it_too(tmp_path: Path) -> None:
    begins = (
        "INFO Attempting recovery for all logs in /d1 since no clean shutdown file was found (kafka.log.LogManager)"
    )
    skips = "INFO Skipping recovery for all logs in /d1 since clean shutdown file was found (kafka.log.LogManager)"
    assert bugs(tmp_path, begins, skips, release="3.4.1") == [LIKE]
    loaded = "INFO Loaded 3 logs in 257ms. (kafka.log.LogManager)"
    assert not bugs(tmp_path, begins, loaded, skips, release="3.4.1")


@pytest.mark.parametrize("skipped", ["/d1", "/d2"])
def test_columns_know_which_directory_it_is(skipped: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    assert bool(bugs(tmp_path, BEGINS.format("/d1"), SKIPS.format(skipped), LOADED)) == (skipped == "/d1")
    assert engines.columns([tmp_path]) == engines.reference([tmp_path])
