"""Requests without a line that they were received, where the level of a log changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report

CREATED = (
    "TRACE [Controller id=3 epoch=1] Changed partition t-0 state from NonExistentPartition to NewPartition with"
    " assigned replicas 1,2"
)
ELECTED = (
    "TRACE [Controller id=3 epoch=1] Changed partition t-0 from NewPartition to OnlinePartition with state"
    " LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), zkVersion=0)"
)
FAILED = (
    "ERROR [Controller id=3 epoch=1] Controller 3 epoch 1 failed to change state for partition t-0 from NewPartition to"
    " OnlinePartition"
)


def received(request: int) -> str:
    return (
        "TRACE [Broker id=3] Received LeaderAndIsr request PartitionState(controllerEpoch=1, leader=3, leaderEpoch=0,"
        f" isr=3, zkVersion=0, replicas=3, isNew=true) correlation id {request} from controller 3 epoch 1 for partition"
        " u-0"
    )


def skipped(request: int) -> str:
    return (
        "INFO [Broker id=3] Skipped the become-leader state change after marking its partition as leader with"
        f" correlation id {request} from controller 3 epoch 1 for partition u-0 (last update controller epoch 1) since"
        " it is already the leader for the partition."
    )


def audited(folder: Path, lines: tuple[str, ...], engine: str = "python") -> Report:
    text = "".join(f"[2018-09-01 10:00:{i:02},000] {line} (state.change.logger)\n" for i, line in enumerate(lines))
    (folder / "state-change.log").write_text(text)
    (report,) = audit([str(folder)], Options(engine=engine))
    return report


def verdicts(report: Report) -> list[str]:
    return [finding.verdict for finding in report.findings if finding.rule == "KR104"]


def stretches(report: Report) -> list[str]:
    return [note.split(": lines ")[1].split(":")[0] for note in report.notes if "brokers act on requests" in note]


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    ("lines", "expected", "verdict"),  # TRACE is logged after these lines
    [
        # Each request that is acted on was received.
        ((CREATED, ELECTED, received(1), skipped(1), received(2), skipped(2), FAILED), [], "illegal"),
        # From somewhere below request 1 on, less is logged.
        ((CREATED, ELECTED, received(1), skipped(1), skipped(2), skipped(3), FAILED), ["from 4 on"], "unknown"),
        # Less was logged for a time only, and what is below is not doubted for itself; but the tenure is not whole.
        ((CREATED, ELECTED, received(1), skipped(2), received(3), FAILED), ["4 to 4"], "unknown"),
        # It is one request only, so lines are missing here and there.
        ((received(1), skipped(2), received(3), CREATED, ELECTED, FAILED), ["2 to 2"], "unknown"),
        # A log begins in the middle of a request.
        ((skipped(1), CREATED, ELECTED, received(2), skipped(2), FAILED), [], "illegal"),
        # It begins with several: the level was raised.
        ((skipped(1), skipped(2), received(3), CREATED, ELECTED, FAILED), ["1 to 2"], "illegal"),
        # Requests are not logged at all.
        ((CREATED, ELECTED, skipped(1), skipped(2), FAILED), [], "illegal"),
    ],
)
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_a_stretch_in_which_less_was_logged_is_told_and_doubted(
    tmp_path: Path, engine: str, lines: tuple[str, ...], expected: list[str], verdict: str
) -> None:
    if engine == "columns":
        pytest.importorskip("numpy", reason="columns in memory need NumPy")
    report = audited(tmp_path, (*lines, CREATED.replace("t-0", "v-0")), engine)
    assert stretches(report) == expected
    assert verdicts(report) == [verdict]


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ((FAILED,), "unknown"),  # the level may have been raised before it
        ((skipped(2), FAILED), "unknown"),
        ((received(2), FAILED), "unknown"),
        ((FAILED, skipped(2)), "unknown"),
        ((FAILED, received(2)), "illegal"),
        ((FAILED, CREATED.replace("t-0", "v-0")), "illegal"),
    ],
)
def test_below_the_last_line_of_a_level_nothing_shows_that_it_is_logged(
    tmp_path: Path, lines: tuple[str, ...], verdict: str
) -> None:
    assert verdicts(audited(tmp_path, (CREATED, ELECTED, received(1), skipped(1), *lines))) == [verdict]


@pytest.mark.parametrize(("first", "verdict"), [((), "unknown"), ((received(1),), "illegal")])
def test_above_the_first_line_of_a_level_nothing_shows_that_it_is_logged(
    tmp_path: Path, first: tuple[str, ...], verdict: str
) -> None:
    created = FAILED.replace("NewPartition", "OnlinePartition", 1)
    assert verdicts(audited(tmp_path, (*first, created, ELECTED, received(2)))) == [verdict]
