"""The question that a report has beside trouble: a command that `isrproof why` takes."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.happened_text import Line
from isrproof.checker.audit.why.answer import knowing
from isrproof.checker.audit.why.asked import Asked, candidates
from isrproof.checker.commands.why import command

from tests.imports import ROOT


@pytest.mark.parametrize(
    ("each", "subject"),
    [
        (Happened("offline", since=7, topic="a.b_c-d", partition=3), "--partition a.b_c-d-3"),
        (Happened("deletion-stuck", since=7, topic="a"), "--topic a"),
        (Happened("process-lost", since=7, node=2), "--node 2"),
        (Happened("quorum-without-leader", since=7), "--quorum"),
    ],
)
def test_a_command_is_one_that_the_program_takes(each: Happened, subject: str) -> None:
    asked = replace(each, trouble=True).why
    assert asked is not None
    assert asked == f"isrproof why LOGS {subject} --at 7"
    program, name, *arguments = shlex.split(asked)
    assert (program, name) == ("isrproof", "why")
    assert command.make_context("why", arguments).params["at"] == "7"


@pytest.mark.parametrize(
    "each",
    [
        Happened("offline", topic="a; rm -rf /", partition=3),
        Happened("offline", topic="$(x)", partition=3),
        Happened("offline", topic="-x", partition=3),
        Happened("offline", topic=None, partition=3),
        Happened("error-logged"),
        Happened("process-lost"),
    ],
)
def test_what_a_shell_takes_apart_or_nobody_explains_has_none(each: Happened) -> None:
    assert replace(each, trouble=True).why is None


def test_a_line_asks_about_the_longest_and_only_about_trouble() -> None:
    short = Happened("offline", trouble=True, since=1, longest=1, topic="a", partition=0)
    long = Happened("offline", trouble=True, since=2, longest=9, topic="a", partition=1)
    assert Line((short, long)).why == "isrproof why LOGS --partition a-1 --at 2"
    assert Line((Happened("created", topic="a"),)).why is None


@pytest.mark.full
@pytest.mark.parametrize("recording", ["recorded/failover-on-leader-2.0.0-kill", "recorded-kraft/chaos-4.2.0"])
def test_each_command_of_a_report_is_answered(recording: str) -> None:
    path = str(ROOT / "traces" / recording)
    options = Options(engine="python")
    (known,) = knowing([path], options).values()
    commands = [each.why for each in audit([path], options)[0].happened if each.why is not None]
    assert commands
    for asked in commands:
        given = command.make_context("why", shlex.split(asked)[2:]).params
        partition = Options.of(partition=given["partition"]).partition
        about = Asked(partition, given["node"], given["topic"], given["quorum"], int(given["at"]))
        assert candidates(about, known)
