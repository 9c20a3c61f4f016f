"""The releases that the first lines of files show."""

from __future__ import annotations

from isrproof.checker.audit.files.heads import releases_of
from isrproof.specs.lines import rows
from isrproof.specs.releases import ALL, span
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line

MOVED = rows()["replica-moved"].sample
OLD = "[2014-03-01 10:00:00,004] TRACE Controller 1 epoch 2 changed state of replica 1 for partition [t,0]" + (
    " from NewReplica to OnlineReplica (state.change.logger)"
)
ADDED = rows()["fetchers-added"].sample


def shown(line: str) -> int:
    event = parse_line(line)
    assert isinstance(event, Event)
    assert event.releases is not None
    return event.releases


def test_lines_that_show_nothing_are_of_any_release() -> None:
    assert releases_of([]) == ALL
    assert releases_of([[], ["", "nothing of Kafka's"]]) == ALL


def test_the_releases_that_all_lines_may_be_of() -> None:
    both = shown(MOVED) & shown(ADDED)
    assert 0 < both < ALL
    assert both not in (shown(MOVED), shown(ADDED))
    assert releases_of([[MOVED, "", ADDED]]) == both
    assert releases_of([[MOVED], [""], [ADDED]]) == both


def test_of_files_before_and_after_an_upgrade_those_of_both() -> None:
    assert shown(OLD) & shown(MOVED) == 0
    assert releases_of([[OLD], [MOVED]]) == shown(OLD) | shown(MOVED)
    assert releases_of([[OLD, MOVED]]) == shown(OLD) | shown(MOVED)
    assert shown(MOVED) & span(">=1.0")
