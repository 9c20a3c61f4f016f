"""An event table that grows: what is new is parsed, once; what was renamed or grew is known again."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.stored import writing
from isrproof.checker.audit.stored.manifest import Manifest, alone, read, write
from isrproof.checker.audit.stored.writing import Input, Written, write_events
from isrproof.checker.cli import main
from isrproof.specs.errors import IsrproofError

from tests.checker.audit.stored.test_event_table import answer
from tests.recordings import FAILOVER


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A copy of a recording, with one log that has not got its second half yet."""
    shutil.copytree(FAILOVER, tmp_path / "logs")
    whole = tmp_path / "logs" / "broker-4" / "state-change.log"
    text = whole.read_text().splitlines(keepends=True)
    whole.write_text("".join(text[: len(text) // 2]))
    return tmp_path / "logs"


def append(logs: Path, table: Path) -> Written:
    return write_events(table, Input((str(logs),)), append=True)


def rest(logs: Path) -> None:
    shutil.copy(FAILOVER / "broker-4" / "state-change.log", logs / "broker-4" / "state-change.log")


def counts(written: Written) -> tuple[int, int, int, int]:
    return written.new, written.grown, written.renamed, written.known


def test_nothing_new_is_parsed_again(logs: Path, tmp_path: Path) -> None:
    assert counts(append(logs, tmp_path / "table")) == (8, 0, 0, 0)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "table").rglob("*.parquet")}
    assert counts(append(logs, tmp_path / "table")) == (0, 0, 0, 8)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "table").rglob("*.parquet")} == before


def test_a_file_that_grew(logs: Path, tmp_path: Path) -> None:
    append(logs, tmp_path / "table")
    rest(logs)
    assert counts(append(logs, tmp_path / "table")) == (0, 1, 0, 7)
    assert answer(tmp_path / "table") == answer(logs)
    assert not [*(tmp_path / "table").rglob(".batch*")]


def test_a_file_that_was_rotated(logs: Path, tmp_path: Path) -> None:
    append(logs, tmp_path / "table")
    half = logs / "broker-4" / "state-change.log"
    text = (FAILOVER / "broker-4" / "state-change.log").read_text()
    half.rename(logs / "broker-4" / "state-change.log.1")
    half.write_text(text[len((logs / "broker-4" / "state-change.log.1").read_text()) :])
    assert counts(append(logs, tmp_path / "table")) == (1, 0, 1, 7 + 1)
    assert answer(tmp_path / "table") == answer(logs)


@pytest.mark.full
def test_a_file_that_grew_and_was_rotated(logs: Path, tmp_path: Path) -> None:
    append(logs, tmp_path / "table")
    rest(logs)
    there = logs / "broker-4" / "state-change.log"
    there.rename(there.with_name("state-change.log.1"))
    there.write_text("[2026-11-21 21:00:00,000] INFO [Controller id=4] Starting (kafka.controller.KafkaController)\n")
    assert counts(append(logs, tmp_path / "table")) == (1, 1, 0, 7)
    assert answer(tmp_path / "table") == answer(logs)


def test_a_rotated_file_that_was_compressed(logs: Path, tmp_path: Path) -> None:
    append(logs, tmp_path / "table")
    there = logs / "broker-2" / "state-change.log"
    (logs / "broker-2" / "state-change.log.1.gz").write_bytes(gzip.compress(there.read_bytes()))
    there.unlink()
    assert counts(append(logs, tmp_path / "table")) == (0, 0, 1, 8)
    assert answer(tmp_path / "table") == answer(logs)


def test_a_file_that_is_gone_stays(logs: Path, tmp_path: Path) -> None:
    append(logs, tmp_path / "table")
    before = answer(tmp_path / "table")
    (logs / "broker-2" / "state-change.log").unlink()
    assert counts(append(logs, tmp_path / "table")) == (0, 0, 0, 7)
    assert answer(tmp_path / "table") == before


def test_another_file_under_a_known_name_does_not_replace_it(logs: Path, tmp_path: Path) -> None:
    append(logs, tmp_path / "table")
    text = (logs / "broker-1" / "state-change.log").read_text()
    (logs / "broker-2" / "state-change.log").write_text(text.replace("Broker id=1", "Broker id=2"))
    assert counts(append(logs, tmp_path / "table")) == (1, 0, 0, 7)
    paths = [file.source.path for file in read(tmp_path / "table").files]
    assert len(paths) == len({*paths}) == 9
    assert sum("(earlier, " in path for path in paths) == 1


@pytest.mark.full
def test_two_files_with_the_same_text_are_two(logs: Path, tmp_path: Path) -> None:
    shutil.copytree(logs / "broker-2", logs / "copy-of-broker-2")
    assert append(logs, tmp_path / "table").new == 10
    assert counts(append(logs, tmp_path / "table")) == (0, 0, 0, 10)
    assert answer(tmp_path / "table") == answer(logs)


@pytest.mark.full
def test_a_touched_file_is_known_by_its_text(logs: Path, tmp_path: Path) -> None:
    append(logs, tmp_path / "table")
    os.utime(logs / "broker-2" / "state-change.log", (1, 1))
    assert counts(append(logs, tmp_path / "table")) == (0, 0, 0, 8)


@pytest.mark.full(every=6)
@pytest.mark.parametrize("step", range(12))
def test_a_batch_that_is_interrupted_leaves_the_table_as_it_was(
    step: int, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "table"
    append(logs, table)
    before, manifest = answer(table), read(table)
    rest(logs)
    left = [step]

    def replace(here: Path, there: Path, real: object = Path.replace) -> Path:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return real(here, there)  # type: ignore[operator]

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace)
        try:
            append(logs, table)
        except KeyboardInterrupt:
            assert read(table) == manifest
            assert answer(table) == before
        else:
            assert step > 1
    append(logs, table)
    assert answer(table) == answer(logs)
    assert {path.relative_to(table).as_posix() for path in table.rglob("*.parquet")} == {
        part for file in read(table).files for part in (*file.parts, *filter(None, [file.texts]))
    }


def test_a_first_batch_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_publish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        write_events(tmp_path / "table", Input((str(FAILOVER),)))
    assert not (tmp_path / "table").exists()


def test_two_writers_at_once_are_refused(logs: Path, tmp_path: Path) -> None:
    append(logs, tmp_path / "table")
    with alone(tmp_path / "table"), pytest.raises(IsrproofError, match="another process writes"):
        append(logs, tmp_path / "table")


def test_misuse_is_refused_with_what_to_do(logs: Path, tmp_path: Path) -> None:
    table = tmp_path / "table"
    append(logs, table)
    with pytest.raises(IsrproofError, match="--append"):
        write_events(table, Input((str(logs),)))
    with pytest.raises(IsrproofError, match="parsed with --layout not given"):
        write_events(table, Input((str(logs),), layout="%d %p %m (%c)"), append=True)
    with pytest.raises(IsrproofError, match="got a folder of other files"):
        write_events(logs, Input((str(FAILOVER),)))
    with pytest.raises(IsrproofError, match="no such file"):
        write_events(tmp_path / "other", Input((str(tmp_path / "nowhere"),)))
    assert not (tmp_path / "other").exists()
    with pytest.raises(IsrproofError, match=r"a pattern with \{cluster\} once"):
        write_events(tmp_path / "other", Input((str(logs),), cluster_from="logs/"))
    with pytest.raises(IsrproofError, match="begins like --cluster-from elsewhere"):
        write_events(tmp_path / "other", Input((str(logs),), cluster_from="elsewhere/{cluster}"))
    assert "an event table is audited alone" in answer_of(table, logs)


@pytest.mark.parametrize(
    ("paths", "table", "told"),
    [
        (["s3a://logs/east"], "table", "`isrproof audit` and isrproof.spark.events read other file systems"),
        ([str(FAILOVER)], "s3a://tables/one", "expected a folder of this machine"),
    ],
)
def test_other_file_systems_are_refused_in_one_line(
    paths: list[str], table: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(main, ["events", *paths, "--out", table])
    assert run.exit_code == 2
    assert told in run.output
    assert [*tmp_path.iterdir()] == []


def answer_of(*paths: Path) -> str:
    from isrproof.checker.audit.command import audit

    with pytest.raises(IsrproofError) as found:
        audit([*map(str, paths)])
    return str(found.value)


def test_another_version_and_a_damaged_manifest_are_refused(logs: Path, tmp_path: Path) -> None:
    table = tmp_path / "table"
    append(logs, table)
    text = (table / "_isrproof.json").read_text()
    (table / "_isrproof.json").write_text(text.replace('"schema":1', '"schema":99'))
    assert "expected an event table of version 1, got version 99" in answer_of(table)
    (table / "_isrproof.json").write_text(text.replace('"streams"', '"strms"'))
    assert "manifest of this event table is damaged" in answer_of(table)
    (table / "_isrproof.json").write_text(text[: len(text) // 2])
    assert "expected the manifest of an event table" in answer_of(table)


def test_a_table_that_an_older_version_parsed_says_so(logs: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    table = tmp_path / "table"
    append(logs, table)
    assert "knew other wordings" not in answer(table)
    write(table, replace(read(table), wordings="of an older version"))
    assert "knew other wordings" in answer(table)


def test_a_first_batch_that_was_killed_is_begun_again(logs: Path, tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.mkdir()
    write(table, Manifest())
    (table / ".batch" / "events").mkdir(parents=True)
    (table / ".batch" / "events" / "half.parquet").write_bytes(b"PAR1")
    assert "expected log files" in answer_of(table) or "found none" in answer_of(table)
    write_events(table, Input((str(logs),)))
    assert not (table / ".batch").exists()
    assert answer(table) == answer(logs)
