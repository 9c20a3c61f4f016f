"""The scenarios, played to a cluster that exists in memory only; and the real one under the marker `cluster`."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from isrproof.checker.commands.record import command
from isrproof.traces.record import catalogue, manifest, scenarios, story
from isrproof.traces.record.errors import RecordError
from isrproof.traces.record.scenarios import chaos
from isrproof.traces.record.zookeeper import answering


@pytest.mark.parametrize("name", scenarios.names())
def test_each_is_found_by_its_name_and_told_in_the_help(name: str) -> None:
    scenario = scenarios.find(name)
    assert scenario.name == name
    assert len(scenario.brokers) >= 3
    assert name in CliRunner().invoke(command, ["--help"]).output.replace("\n  ", " ")


def test_an_unknown_one_names_the_nearest() -> None:
    with pytest.raises(RecordError, match="Did you mean failover-elsewhere"):
        scenarios.find("fail-over-elsewhere")


class Znodes:
    """The parts of a cluster that scenarios read, without a cluster behind them."""

    def __init__(self) -> None:
        self.assignments: dict[str, dict[int, list[int]]] = {}
        self.deleting: list[str] = []
        self.up: set[int] = set()

    def live(self) -> set[int]:
        return self.up

    def controller(self) -> int | None:
        return min(self.up, default=None)

    def topics(self) -> list[str]:
        return sorted(self.assignments)

    def assignment(self, topic: str) -> dict[int, list[int]]:
        return self.assignments[topic]

    def children(self, path: str) -> list[str]:
        assert path == "/admin/delete_topics"
        return self.deleting

    def value(self, path: str) -> Any:
        return None

    def state(self, topic: str, partition: int) -> Any:
        return {}


class Story(story.Story):
    """Does everything at once; `deeds` is what was done."""

    def __init__(self, seed: int) -> None:
        self.mock = Znodes()
        super().__init__(None, self.mock, "kill", random.Random(seed), lambda text: None)  # type: ignore[arg-type]

    def running(self) -> set[int]:
        return self.mock.up

    def start(self, *brokers: int) -> None:
        for broker in brokers:
            assert broker not in self.mock.up
            self.note("start", broker=broker)
            self.mock.up.add(broker)

    def kill(self, broker: int) -> None:
        assert broker in self.mock.up
        self.note("kill", broker=broker)
        self.mock.up.remove(broker)

    terminate = kill

    def pause(self, broker: int) -> None:
        self.paused.add(broker)

    def resume(self, broker: int) -> None:
        self.paused.remove(broker)

    def create_topic(self, topic: str, assignment: Mapping[int, Any]) -> None:
        assert topic not in self.mock.assignments
        self.note("create-topic", topic=topic, assignment=assignment)
        self.mock.assignments[topic] = dict(assignment)

    add_partitions = delete_topic = reassign = elect_preferred = lambda self, *_: None  # type: ignore[assignment]

    def depose_controller(self) -> None:
        self.note("depose-controller")

    def wait(self, *_: Any, **__: Any) -> None:
        pass

    wait_for_isr = wait

    def settle(self, *_: Any, **__: Any) -> None:
        pass


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40)
def test_chaos_keeps_a_broker_up_and_ends_with_all(seed: int) -> None:
    first, second = Story(seed), Story(seed)
    naps: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chaos.time, "sleep", naps.append)
        chaos.run(first)
        chaos.run(second)
    assert first.mock.up == set(chaos.BROKERS)
    assert not first.paused
    untimed = [[{**deed, "time": ""} for deed in told.timeline] for told in (first, second)]
    assert untimed[0] == untimed[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["failover", "--kafka", "2.0.0"], "There is no scenario 'failover'"),
        (["chaos", "--kafka", "2.0.9"], "Did you mean"),
        (["chaos", "--kafka", "2.0.0", "--set", "x"], "KEY=VALUE"),
        (["chaos", "--kafka", "2.0.0", "--kafka-home", "."], "Kafka"),
    ],
)
def test_misuse_is_told_and_makes_nothing(tmp_path: Path, arguments: list[str], said: str) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(command, [*arguments, "--out", str(out)])
    assert result.exit_code == 2
    assert said in result.output
    assert not out.exists()


def test_a_recording_is_never_overwritten(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["chaos", "--kafka", "2.0.0", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "exists" in result.output


def test_without_kazoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = CliRunner().invoke(command, ["chaos", "--kafka", "2.0.0", "--out", str(tmp_path / "out"), "--json"])
    assert result.exit_code == 2
    assert "isrproof[record]" in json.loads(result.output)["error"]


def test_what_kazoo_raises_is_told() -> None:
    from kazoo.exceptions import ConnectionLoss

    with pytest.raises(RecordError, match="ConnectionLoss"), answering():
        raise ConnectionLoss


def test_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("isrproof.traces.record.run.record", interrupt)
    result = CliRunner().invoke(command, ["chaos", "--kafka", "2.0.0", "--out", str(tmp_path / "out")])
    assert result.exit_code == 130


@pytest.mark.cluster
class TestRealCluster:
    """Needs Java, Maven and minutes: set ISRPROOF_CLUSTER=1."""

    pytestmark = pytest.mark.skipif(
        os.environ.get("ISRPROOF_CLUSTER") != "1", reason="starts a real Kafka cluster: set ISRPROOF_CLUSTER=1"
    )

    @pytest.mark.parametrize(("version", "dead"), [("2.0.0", ["t-0", "t-1"]), ("2.3.1", [])])
    def test_kafka_3143(self, tmp_path: Path, version: str, dead: list[str]) -> None:
        out = tmp_path / "out"
        result = CliRunner().invoke(command, ["failover-on-leader", "--kafka", version, "--out", str(out)])
        assert result.exit_code == 0, result.output
        assert catalogue.dead_leaders(manifest.read(out)) == dead

    @pytest.mark.parametrize(("scenario", "lost"), [("traffic", set()), ("unclean", {"all", "quiet"})])
    def test_acknowledged_records(self, tmp_path: Path, scenario: str, lost: set[str]) -> None:
        """Only an unclean election loses what was acknowledged with acks=all."""
        out = tmp_path / "out"
        result = CliRunner().invoke(command, [scenario, "--kafka", "2.8.2", "--out", str(out)])
        assert result.exit_code == 0, result.output
        told = manifest.read(out)
        assert {row["topic"] for row in told["lost"] if row["acks"] == "all"} == lost
        assert {(row["log_end"], row["high_watermark"]) for row in told["replicas"] if row["topic"] == "one"}

    def test_a_broker_that_does_not_come_up_is_told_with_its_last_lines(self, tmp_path: Path) -> None:
        arguments = ["lifecycle", "--kafka", "2.0.0", "--set", "log.cleanup.policy=nothing"]
        result = CliRunner().invoke(command, [*arguments, "--out", str(tmp_path / "out")])
        assert result.exit_code == 2
        assert "Broker 1 did not come up" in result.output
        assert "log.cleanup.policy" in result.output
        assert not list(tmp_path.iterdir())
