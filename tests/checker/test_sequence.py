"""Logs as sequence diagrams."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

from tests.imports import ROOT

RECORDING = ROOT / "traces" / "recorded" / "failover-on-leader-2.0.0-kill"


def _drawn(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["sequence", *arguments])
    return done.exit_code, done.output


def test_the_recording_and_the_model_end_alike(tmp_path: Path) -> None:
    story = ["--release", "2.0.0", "--property", "LeaderAliveOrNone", "--level", "TRACE", "--out", str(tmp_path)]
    assert CliRunner().invoke(main, ["simulate", "cluster", *story]).exit_code == 0
    drawn = [_drawn(str(tmp_path)), _drawn(str(RECORDING), "--partition", "t-0")]
    for code, text in drawn:
        lines = text.splitlines()
        assert (code, lines[3]) == (0, "sequenceDiagram")
        failed, ready = lines[-2:]
        assert "failed: " in failed
        assert "from OfflinePartition to OnlinePartition" in failed
        assert ready.endswith("is ready, epoch 2")
        brokers = {line.split()[1] for line in lines if line.startswith("    participant")}
        assert brokers == {each for line in lines for each in re.findall("B[0-9]+", line) if "participant" not in line}


def test_what_is_drawn_is_what_the_log_says(tmp_path: Path) -> None:
    (tmp_path / "state-change.log").write_text(
        "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed partition a.b-0 from OfflinePartition to "
        "OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=1, isr=List(2), zkVersion=1) "
        "(state.change.logger)\n",
        encoding="utf-8",
    )
    code, text = _drawn(str(tmp_path), "--title", 'the "end"')
    assert code == 0
    assert 'title: "the \\"end\\""' in text
    says = "a.b-0<br/>from OfflinePartition to OnlinePartition,<br/>leader 2, ISR 2, leader epoch 1"
    assert f"Note over B3: {says}" in text
    assert text.count("participant") == 1  # broker 2 does nothing here


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((str(RECORDING), "--partition", "t"), "expected a topic and a number"),
        ((str(RECORDING.parent / "chaos-2.3.1-1"),), "too many to draw, at most 200"),
        (("nowhere",), "nowhere"),
        ((str(RECORDING), "--out", "no/x.svg"), "Expected a file that ends in .mmd, got .svg"),
        ((str(RECORDING), "--out", "no/x.PNG"), "got .png"),
        ((str(RECORDING), "--out", "no/x.dot"), "got .dot"),
    ],
)
def test_misuse_is_told(arguments: tuple[str, ...], says: str) -> None:
    code, text = _drawn(*arguments)
    assert code == 2
    assert says in text


@pytest.mark.parametrize("name", ["story.mmd", "story.txt", "story"])
def test_it_is_written_to_a_file_of_text(name: str, tmp_path: Path) -> None:
    arguments = (str(RECORDING), "--partition", "t-0")
    assert _drawn(*arguments, "--out", str(tmp_path / name)) == (0, "")
    assert (tmp_path / name).read_text(encoding="utf-8") == _drawn(*arguments)[1]
