"""Controllers that nobody registers: until one is in the metadata log, starts anew, or the log ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit

TIMED_OUT, REGISTERED = (
    "RegistrationResponseHandler: channel manager timed out before sending the request.",
    "Our registration has been persisted to the metadata log.",
)
STARTS = "[2026-03-04 09:00:20,000] INFO Kafka version: 4.2.0 (org.apache.kafka.common.utils.AppInfoParser)"
REASON = "its request timed out before it could be sent"
NAME = "(KAFKA-20247, fixed in 4.2.1 and 4.3.0)"
Entry = tuple[int | None, int, bool, bool, str | None]


def line(second: int, text: str, level: str = "INFO") -> str:
    writer = "[ControllerRegistrationManager id=11 incarnation=AAAAAAAAAAAAAAAAAAAAAQ]"
    return f"[2026-03-04 09:00:{second:02},000] {level} {writer} {text} (kafka.server.ControllerRegistrationManager)"


def version(release: str) -> str:
    return f"[2026-03-04 09:00:00,000] INFO Kafka version: {release} (org.apache.kafka.common.utils.AppInfoParser)"


def found(folder: Path, *lines: str) -> list[Entry]:
    (folder / "server.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [
        (each.node, each.count, each.lasts, each.trouble, each.reason)
        for each in audit([str(folder)])[0].happened
        if each.what == "registration-unanswered"
    ]


def times_out(second: int) -> str:
    return line(second, TIMED_OUT, "ERROR")


def test_a_controller_that_asks_no_more_is_trouble_to_the_end_of_the_log(tmp_path: Path) -> None:
    waits = line(9, "maybeSendControllerRegistration: waiting for the previous RPC to complete.")
    lines = version("4.2.0"), times_out(5), waits, line(30, "beginShutdown: shutting down event queue.")
    assert found(tmp_path, *lines) == [(11, 1, True, True, f"{REASON} {NAME}")]


def test_a_controller_that_asks_again_is_unanswered_until_it_is_registered(tmp_path: Path) -> None:
    lines = version("4.2.1"), times_out(5), times_out(10), line(14, REGISTERED), line(40, "shutting down.")
    assert found(tmp_path, *lines) == [(11, 2, False, False, REASON)]


def test_two_times_are_as_long_as_the_longer(tmp_path: Path) -> None:
    lines = version("4.2.1"), times_out(5), line(9, REGISTERED), times_out(20), line(30, REGISTERED)
    assert [each[1:4] for each in found(tmp_path, *lines)] == [(2, False, False)]
    (entry,) = [each for each in audit([str(tmp_path)])[0].happened if each.what == "registration-unanswered"]
    assert entry.longest == 10_000


def test_another_start_ends_it(tmp_path: Path) -> None:
    assert [each[2] for each in found(tmp_path, version("4.2.0"), times_out(5), STARTS, line(40, REGISTERED))] == [
        False
    ]


@pytest.mark.parametrize("others", [[REGISTERED], [REGISTERED, REGISTERED], ["shutting down."]])
def test_a_controller_that_is_registered_at_once_is_none(tmp_path: Path, others: list[str]) -> None:
    assert found(tmp_path, version("4.2.0"), *(line(5 + at, each) for at, each in enumerate(others))) == []


def test_a_log_that_ends_at_once_leaves_it_open(tmp_path: Path) -> None:
    assert found(tmp_path, version("4.2.1"), times_out(5), line(7, "shutting down.")) == [(11, 1, False, False, REASON)]
