"""Advice: the release, the steps in their order, and what they lose."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.report.now.told import WHY, what_now
from isrproof.checker.audit.report.now.upgrade import has, upgrade
from isrproof.checker.audit.report.now.what import WhatNow
from isrproof.checker.commands.audit import command

OFFLINE = Happened("offline", trouble=True, since=0, lasts=True, topic="a", partition=1)
LOST = Happened("process-lost", trouble=True, since=0, node=2)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("healthy")
    line = "[2025-03-04 10:00:00,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n"
    (folder / "server.log").write_text(line, encoding="utf-8")
    return audit([str(folder)], Options(engine="python"))[0]


def now(report: Report, *happened: Happened, ran: tuple[str, ...] = ()) -> WhatNow:
    found = what_now(replace(report, happened=happened), ran)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("issues", "ran", "mode", "expected"),
    [
        (["KAFKA-19571"], ["4.0.0"], "kraft", "4.0.2"),  # of the same line
        (["KAFKA-19571"], ["3.9.1"], "kraft", "4.0.2"),  # none of the same line
        (["KAFKA-18991"], ["3.9.0"], "kraft", "3.9.1"),
        (["KAFKA-18991", "KAFKA-19571"], ["3.9.0"], "kraft", "4.0.2"),  # the most
        (["KAFKA-21022"], ["4.0.0"], "kraft", None),  # no release is without it
        (["KAFKA-3143"], ["2.0.0", "2.0.1"], "zk", "2.3.0"),  # of a behaviour
    ],
)
def test_the_smallest_release_without_the_most_is_advised(
    issues: list[str], ran: list[str], mode: str, expected: str | None
) -> None:
    found = upgrade(issues, ran, mode)
    assert (None if found is None else found.release) == expected
    assert found is None or not any(has(each, found.release) for each in found.fixes)


def test_a_release_of_the_line_that_fixes_fewer_is_named_as_well() -> None:
    found = upgrade(["KAFKA-18991", "KAFKA-19571"], ["3.9.0"], "kraft")
    assert found is not None
    assert (found.of_line, found.of_line_fixes) == ("3.9.1", ("KAFKA-18991",))


def test_a_new_or_worse_bug_of_the_release_is_told() -> None:
    new = upgrade(["KAFKA-14238"], ["3.2.3"], "kraft")
    assert new is not None
    assert new.release == "3.3.0"
    worse = upgrade(["KAFKA-16757"], ["3.7.0"], "kraft")  # it disturbs only
    assert worse is not None
    assert worse.release == "3.7.1"
    assert "KAFKA-18991" in worse.has  # loses data
    assert "KAFKA-21022" in worse.has  # new, and loses data
    assert "KAFKA-18991" not in new.has  # no worse, and not new


def test_zookeeper_mode_migrates_before_4_0(healthy: Report) -> None:
    found = upgrade(["KAFKA-19571"], ["3.5.0"], "zk")
    assert found is not None
    assert found.needs is not None
    assert "migration" in found.needs
    of_old = upgrade(["KAFKA-19571"], ["3.2.0"], "kraft")
    assert of_old is not None
    assert "metadata.version" in (of_old.needs or "")
    of_new = upgrade(["KAFKA-19571"], ["3.9.0"], "kraft")
    assert of_new is not None
    assert of_new.needs is None


def test_causes_are_counted_by_what_fixes_them(healthy: Report) -> None:
    bug = Happened("directory-failed", trouble=True, node=1, issue="KAFKA-15391")
    one = now(healthy, bug, ran=("3.5.1",))
    assert one.summary.startswith("The cause is fixed by an upgrade to 3.5.2 (KAFKA-15391).")
    two = now(healthy, bug, LOST, ran=("3.5.1",))
    assert two.summary.startswith(
        "1 of 2 causes is fixed by an upgrade to 3.5.2 (KAFKA-15391); the second is a machine"
    )
    like = replace(bug, issue=None, looks_like="KAFKA-15391")
    assert "(KAFKA-15391 likely)" in now(healthy, like, ran=("3.5.1",)).summary
    none = now(healthy, LOST, ran=("3.5.1",))
    assert none.summary.startswith("No upgrade fixes the cause: it is a machine or its operator (node 2 ended")
    unfixed = now(healthy, Happened("known-bug", trouble=True, node=1, issue="KAFKA-21022"))
    assert "which is not fixed in any release" in unfixed.summary
    assert now(healthy, OFFLINE).summary == WHY


def test_of_a_release_that_the_tables_lack_no_upgrade_is_advised_and_none_denied(healthy: Report) -> None:
    failed = Happened("process-failed", trouble=True, since=1, node=1, issue="KAFKA-14946")
    found = now(healthy, failed, ran=("99.1.0",))
    assert found.upgrade is None
    assert "does not know Kafka 99.1.0" in found.summary
    assert "No upgrade" not in found.summary
    assert "does not know" not in now(healthy, failed, ran=("3.4.0",)).summary


def test_steps_are_in_the_order_of_their_stages_and_what_loses_data_is_the_last(healthy: Report) -> None:
    quorum = Happened("quorum-without-leader", trouble=True, since=0, lasts=True)
    steps = now(healthy, OFFLINE, LOST, quorum, ran=("3.7.0",)).steps
    assert [each.do.split()[0] for each in steps] == ["Bring", "Look", "Bring", "If"]
    assert steps[0].do == quorum.word.todo
    assert [each.loses for each in steps] == [False, False, False, True]
    assert steps[-1].run is not None
    assert steps[-1].run.endswith("--election-type unclean --topic a --partition 1")


def test_what_is_over_has_no_step(healthy: Report) -> None:
    over = replace(OFFLINE, lasts=False, until=60_000)
    assert what_now(replace(healthy, happened=(over,)), ()) is None
    assert what_now(healthy, ()) is None


def test_a_name_that_a_shell_takes_apart_is_not_filled_in(healthy: Report) -> None:
    steps = now(healthy, replace(OFFLINE, topic="a; rm -rf /")).steps
    assert steps[-1].run is not None
    assert "--topic TOPIC " in steps[-1].run
    assert "rm -rf" not in json.dumps([each.__dict__ for each in steps])


def test_commands_are_those_of_the_release(healthy: Report) -> None:
    (old, *_) = now(healthy, OFFLINE, ran=("2.1.0", "1.1.0")).steps
    assert "--zookeeper HOST:2181" in (old.check or "")
    (new, *_) = now(healthy, OFFLINE, ran=("3.0.0",)).steps
    assert "--bootstrap-server BROKER:9092" in (new.check or "")


_FAILED = (
    "[2025-03-04 10:00:30,000] ERROR Shutdown broker because all log dirs in /d1, /d2 have failed"
    " (kafka.log.LogManager)\n"
)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("text", "what now\n  No upgrade fixes the cause: it is "),
        ("markdown", "What now:\n\nNo upgrade fixes the cause: it is "),
        ("html", "<h2>What now</h2>\n    <p>No upgrade fixes the cause: it is "),
        ("json", '"what_now": {\n    "summary": "No upgrade fixes the cause: it is '),
    ],
)
def test_each_form_has_it(form: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "server.log").write_text(_FAILED, encoding="utf-8")
    shown = CliRunner().invoke(command, ["--engine", "python", str(tmp_path), "--format", form]).stdout
    assert says in shown
    ready = "[2025-03-04 10:00:00,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n"
    (tmp_path / "server.log").write_text(ready, encoding="utf-8")
    quiet = CliRunner().invoke(command, ["--engine", "python", str(tmp_path), "--format", form]).stdout
    assert says not in quiet
