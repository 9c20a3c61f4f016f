"""The report as text: short however much was found, whole where asked for, harmless on a terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from isrproof.checker.audit import judge
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report import terminal
from isrproof.checker.audit.report.causes import causes
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.text import as_text

from tests import engines, shapes
from tests.recordings import CHAOS, FAILOVER, RECORDED, audited

MANY = ("failover-on-leader-2.0.0-kill", "failover-elsewhere-2.0.0-kill")
PYTHON = Options(engine="python")
ELECTED = (
    "TRACE [Controller id=1 epoch={epoch}] Changed partition {partition} from OfflinePartition to OnlinePartition with"
)
STATE = "state LeaderAndIsr(leader=1, leaderEpoch={version}, isr=List(2), zkVersion={version})"


def log(folder: Path, partitions: int, topic: str = "t", epochs: int = 1) -> Path:
    """A leader that is not in its ISR (KR201), for each partition and epoch."""
    lines = [
        f"[2026-01-01 00:{epoch:02d}:00,{n:03d}] "
        + ELECTED.format(epoch=epoch, partition=f"{topic}-{n}")
        + f" {STATE.format(version=epoch)} (state.change.logger)\n"
        for epoch in range(1, epochs + 1)
        for n in range(partitions)
    ]
    folder.mkdir(exist_ok=True)
    (folder / "state-change.log").write_text("".join(lines))
    return folder


def text(folder: Path, *, verbose: bool = False) -> str:
    (report,) = audit([str(folder)], PYTHON)
    return as_text(report, verbose=verbose)


@pytest.mark.full
@pytest.mark.parametrize("epochs", [20, 1])
def test_a_thousand_findings_of_one_cause_are_one_paragraph(tmp_path: Path, epochs: int) -> None:
    few, many = (text(log(tmp_path / str(n), n // epochs, epochs=epochs)) for n in (40, 1000))
    assert few.count("\n") == many.count("\n")
    assert "And 999 findings like it." in many
    assert f"{1000 // epochs} partitions: t-0, t-1, t-2," in many
    assert f"and {1000 // epochs - 8} more" in many
    assert "1000 illegal" in many.splitlines()[0]


def test_what_is_said_of_many_files_is_said_once(tmp_path: Path) -> None:
    shapes.write(tmp_path, shapes.recorded(RECORDED / "failover-on-leader-2.0.0-kill"), "cri", "kafka")
    (report,) = audit([str(tmp_path)], PYTHON)
    shown, whole = as_text(report), as_text(report, verbose=True)
    assert len(report.notes) > 4
    assert [line for line in whole.splitlines() if line.startswith("note: ")] == [f"note: {n}" for n in report.notes]
    (note,) = [line for line in shown.splitlines() if line.startswith("note: ")]
    assert note.startswith(f"note: {len(report.notes)} files: read as cri over kafka")
    assert note.endswith(f" and {len(report.notes) - 3} more")


def test_logs_of_several_clusters_are_told_to_be_so() -> None:
    """A likely mistake, and what helps."""
    (report,) = audit([str(RECORDED / name) for name in MANY], PYTHON)
    assert len(report.lives) > 1
    assert "for logs of several clusters use --each" in as_text(report)
    assert "contradictory" not in as_text(report)


def test_a_wording_that_another_tells_more_exactly_is_not_told() -> None:
    """The lines of one controller distinguish Kafka 1.1 from 2.0, those of another do not."""
    report = audited(CHAOS.name)
    assert {stretch.releases for stretch in report.releases} == {"1.1", "1.1-2.0"}
    assert as_text(report).splitlines()[2].endswith("; wording of Kafka 1.1")


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", [CHAOS.name, "reassign-2.3.1", "lifecycle-2.0.0"])
def test_every_finding_is_of_one_cause(name: str) -> None:
    report = audited(name)
    found = [finding for cause in causes(report.findings) for finding in cause.findings]
    assert sorted(map(str, found)) == sorted(map(str, report.findings))


def test_causes_that_are_left_out_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.checker.audit.report.text._CAUSES", 1)
    report = audited(CHAOS.name)
    assert "and 1 other cause; --verbose shows all" in as_text(report)
    assert "other cause" not in as_text(report, verbose=True)


# ---- What is left out


@pytest.mark.full(every=3)
@pytest.mark.parametrize(("recording", "most", "buckets"), [(FAILOVER, 1, 7), (CHAOS, 2, 7), (CHAOS, 2, 1)])
def test_findings_that_are_left_out_are_counted_and_judged(
    recording: Path, most: int, buckets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks at which partitions: the same are left out."""
    pytest.importorskip("numpy")
    whole = as_json(audited(recording.name))
    monkeypatch.setattr(judge, "FINDINGS", most)
    first = engines.reference([recording])
    assert engines.columns([recording], buckets=buckets) == first
    assert len(first[0]["findings"]) < len(whole["findings"])
    for name in ("verdict", "counts", "rules"):
        assert first[0][name] == whole[name]
    kept: dict[tuple[str, str], int] = {}
    for finding in first[0]["findings"]:
        key = finding["rule"], finding["verdict"]
        kept[key] = kept.get(key, 0) + 1
    assert set(kept.values()) == {most}


def test_the_text_says_how_many_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = audited(FAILOVER.name)
    assert whole.left_out == 0
    monkeypatch.setattr(judge, "FINDINGS", 1)
    (report,) = audit([str(FAILOVER)], PYTHON)
    assert report.left_out == len(whole.findings) - len(report.findings) > 0
    assert f"{report.left_out} finding more, counted above but not in this report" in as_text(report)
    assert as_text(report).splitlines()[0] == as_text(whole).splitlines()[0]


def test_a_verdict_counts_what_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "FINDINGS", 0)
    (report,) = audit([str(log(tmp_path, 3))], PYTHON)
    assert (report.verdict, report.findings, report.left_out) == ("illegal", (), 3)


# ---- On a terminal


class Terminal(io.StringIO):
    """A stdout that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def shown(text: str, monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Terminal())
    return terminal.coloured(text)


def test_a_terminal_gets_colours_and_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    report = as_text(audited(CHAOS.name))
    with monkeypatch.context() as patch:
        coloured = shown(report, patch)
    assert "\x1b[1;31millegal\x1b[0m" in coloured
    assert "\x1b[1;36mKR401 dead-leader-after-failover\x1b[0m" in coloured
    with monkeypatch.context() as patch:
        assert shown(report, patch, NO_COLOR="1").count("\x1b[3") == 0


def test_a_pipe_gets_it_plain() -> None:
    assert terminal.coloured("illegal (exit 1): [bold]x[/bold]\n") == "illegal (exit 1): [bold]x[/bold]\n"


def test_what_a_log_says_is_no_markup_and_no_escape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = log(tmp_path / "[red]", 1)
    with (folder / "state-change.log").open("a") as file:
        file.write("[2026-01-01 00:00:00,000] INFO \x07[red] :boom: (state.change.logger)\n")
    report = text(folder, verbose=True)
    with monkeypatch.context() as patch:
        coloured = shown(report, patch)
    assert "\\x07[red] :boom:" in coloured
    assert "\x07" not in coloured
    assert "[red]/state-change.log" in coloured
