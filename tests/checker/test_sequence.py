"""Logs as sequence diagrams."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

from tests.imports import ROOT

CHAOS = ROOT / "traces" / "recorded"
KRAFT = ROOT / "traces" / "recorded-kraft"
RECORDING = CHAOS / "failover-on-leader-2.0.0-kill"


def _drawn(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["sequence", *arguments])
    return done.exit_code, done.output


def test_the_recording_and_the_model_end_alike(tmp_path: Path) -> None:
    story = ["--release", "2.0.0", "--property", "LeaderAliveOrNone", "--level", "TRACE", "--out", str(tmp_path)]
    assert CliRunner().invoke(main, ["simulate", "cluster", *story]).exit_code == 0
    drawn = [_drawn(str(tmp_path)), _drawn(str(RECORDING), "--partition", "t-0")]
    for code, text in drawn:
        lines = [line for line in text.splitlines() if line.strip() != "end" and not line.startswith("    rect ")]
        assert (code, lines[3]) == (0, "sequenceDiagram")
        failed, ready = lines[-2:]
        assert "failed: " in failed
        assert "from OfflinePartition to OnlinePartition" in failed
        assert ready.endswith("is ready, epoch 2")
        brokers = {line.split()[1] for line in lines if line.startswith("    participant")}
        drawn_at = [line.partition(": ")[0] for line in lines if "participant" not in line]
        assert brokers == {each for line in drawn_at for each in re.findall("B[0-9]+", line)}


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
    says = "12:00:00.123 a.b-0<br/>from OfflinePartition to OnlinePartition,<br/>leader 2, ISR 2, leader epoch 1"
    assert f"Note over B3: {says}" in text
    assert text.count("participant") == 1  # broker 2 does nothing here


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((str(RECORDING), "--partition", "t"), "xpected"),
        ((str(RECORDING), "--since", "noon"), "noon"),
        (("nowhere",), "nowhere"),
        ((str(RECORDING), "--out", "no/such/x.svg"), "no/such/x.svg"),
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


def _svg(text: str) -> tuple[list[str], int]:
    """Return the texts of a picture, and the number of its red notes."""
    root = ElementTree.fromstring(text)
    texts = [each.text or "" for each in root.iter() if each.tag.endswith("}text")]
    return texts, sum(each.attrib.get("class") == "bad" for each in root.iter())


def test_deaths_and_failed_elections_are_red_and_all_has_its_time(tmp_path: Path) -> None:
    code, text = _drawn(str(RECORDING), "--partition", "t-0", "--format", "svg")
    assert code == 0
    texts, red = _svg(text)
    assert red == 3  # the controller says that broker 1 is dead, so it is; the election at the failover fails
    assert {"What the controllers did", "Red: a broker died, or something failed.", "broker 4"} <= set(texts)
    assert "is dead, says the controller" in texts
    assert "failed: t-0" in texts
    times = [each for each in texts if re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3}", each)]
    assert times == sorted(times)
    assert len(times) == 25
    out = tmp_path / "story.svg"
    assert _drawn(str(RECORDING), "--partition", "t-0", "--out", str(out)) == (0, "")
    assert out.read_text(encoding="utf-8") == text


def test_only_the_times_asked_for_are_drawn() -> None:
    whole = _drawn(str(RECORDING), "--partition", "t-0")[1]
    log = (RECORDING / "broker-4" / "controller.log").read_text("utf-8")
    day = re.findall(r"\[(\d{4}-\d\d-\d\d) 20:24:35", log)[0]
    late = _drawn(str(RECORDING), "--partition", "t-0", "--since", f"{day} 20:24:30")[1]
    early = _drawn(str(RECORDING), "--partition", "t-0", "--until", f"{day} 20:24:30")[1]
    assert "failed: t-0" in late
    assert "broker 1" not in late
    assert "failed: t-0" not in early
    assert len(re.findall("Note|->>", late)) + len(re.findall("Note|->>", early)) == len(re.findall("Note|->>", whole))


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("log", "says", "troubles"),
    [
        (CHAOS / "chaos-2.3.1-1", "steps of controllers are too many to draw, so these are spells.", 0),
        (KRAFT / "failover-3.5.2", "Red: trouble.", 3),
    ],
)
def test_of_long_logs_and_of_kraft_the_spells_are_drawn(log: Path, says: str, troubles: int) -> None:
    code, text = _drawn(str(log), "--format", "svg")
    assert code == 0
    texts, red = _svg(text)
    assert red == troubles
    assert any(says in each for each in texts)
    assert {"What the cluster went through", "node 1", "cluster"} <= set(texts)


def test_a_metadata_log_alone_is_drawn(tmp_path: Path) -> None:
    folder = next(each for each in sorted((KRAFT / "failover-3.5.2").rglob("*.log")) if each.name[0] == "0").parent
    code, text = _drawn(str(folder), "--partition", "t-0")
    assert code == 0, text
    assert "t-0" in text
