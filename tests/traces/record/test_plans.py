"""Scenarios whatif-*: each plan is carried out in a cluster that is whole again, between two rows of the timeline."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from signal import Signals

import pytest
from isrproof.traces.record.errors import RecordError
from isrproof.traces.record.java import Java
from isrproof.traces.record.kraft import plans
from isrproof.traces.record.kraft.cluster import KRaftCluster
from isrproof.traces.record.kraft.plans import PlayedPlan, Topic
from isrproof.traces.record.kraft.scenarios import find
from isrproof.traces.record.kraft.story import Story

WHATIF = ("whatif-brokers", "whatif-quorum", "whatif-voters")
ALL = (*plans.BROKERS, *plans.QUORUM, *plans.VOTERS)


class Played(KRaftCluster):
    """A cluster without processes: what runs is unfenced and in sync at once; `quorum` needs a majority."""

    offset: int
    topics: dict[str, dict[int, list[int]]]
    refuses: str

    def start(self, node: int) -> None:
        self.running[node] = None  # type: ignore[assignment]

    def stop(self, node: int, number: Signals, seconds: float = 90.0) -> None:
        del self.running[node]

    def signal(self, node: int, number: Signals) -> None:
        pass

    def directory(self, node: int) -> str:
        return "directory"

    def ask(self, command: str) -> str:
        verb, *words = command.split()
        up = [each for each in self.layout.brokers if each in self.running]
        if self.refuses and command.startswith(self.refuses):
            return "error refused"
        if verb == "create":
            rows = (each.partition("=") for each in words[1].split(";"))
            self.topics[words[0]] = {int(number): [*map(int, ids.split(","))] for number, _, ids in rows}
        elif verb == "delete":
            del self.topics[words[0]]
        elif verb == "brokers":
            return " ".join(map(str, up))
        elif verb == "partitions":
            return " ".join(
                _partition(topic, at, ids, up) for topic, own in self.topics.items() for at, ids in own.items()
            )
        elif verb == "quorum":
            alive = [each for each in self.layout.controllers if each in self.running]
            self.offset += 2
            return f"{alive[-1]} 1 {self.offset}" if 2 * len(alive) > len(self.layout.controllers) else "error"
        return "ok"

    def __enter__(self) -> Played:
        super().__enter__()
        self.offset, self.topics, self.refuses = 10, {}, ""
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _partition(topic: str, number: int, replicas: Sequence[int], up: Sequence[int]) -> str:
    isr = [each for each in replicas if each in up]
    ids = (",".join(map(str, each)) for each in (isr, replicas))
    return f"{topic}:{number}:{isr[0] if isr else -1}:{':'.join(ids)}"


def played(folder: Path, scenario: str, run: Sequence[PlayedPlan] | None = None, refuses: str = "") -> Story:
    """The story of a scenario, or of some plans in its cluster."""
    layout = find(scenario).layout
    with Played(Java("java", "17"), folder, folder, "4.4.0", layout, 0, {}) as cluster:
        story = Story(cluster, random.Random(0), lambda _: None)
        story.start(*layout.nodes)
        cluster.refuses = refuses
        (find(scenario).run if run is None else plans.play(run))(story)
        assert set(cluster.running) == set(layout.nodes)
        assert not cluster.topics
    return story


@pytest.fixture(autouse=True)
def _no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)


@pytest.mark.parametrize("name", WHATIF)
def test_each_plan_is_played_between_two_offsets(tmp_path: Path, name: str) -> None:
    rows = [row for row in played(tmp_path, name).timeline if row["kind"] in ("plan", "planned")]
    assert [row["kind"] for row in rows] == ["plan", "planned"] * (len(rows) // 2)
    for begin, end in zip(rows[::2], rows[1::2], strict=True):
        assert begin["name"] == end["name"]
        assert begin["offset"] < end["offset"]


def test_a_quorum_without_a_majority_is_lost(tmp_path: Path) -> None:
    ends = {
        row["name"]: row["quorum"] for row in played(tmp_path, "whatif-quorum").timeline if row["kind"] == "planned"
    }
    assert ends == {"quorum-fail-1-safe": "ok", "quorum-fail-2-unsafe": "lost"}


def test_the_follower_that_dies_does_not_lead(tmp_path: Path) -> None:
    plan = PlayedPlan("x", "fail one", {"fail": ["1"]}, {"t": Topic({0: [1, 2, 3]})}, ("follower-dies 3 1",))
    killed = [row["node"] for row in played(tmp_path, "whatif-quorum", [plan]).timeline if row["kind"] == "kill"]
    assert killed == [1]  # the last controller leads in this cluster


@pytest.mark.parametrize(("refused", "said"), [("create", "was not created"), ("reassign", "was refused")])
def test_a_refused_request_ends_the_recording(tmp_path: Path, refused: str, said: str) -> None:
    plan = next(each for each in plans.BROKERS if each.name == "reassign-safe")
    with pytest.raises(RecordError, match=said):
        played(tmp_path, "whatif-brokers", [plan], refuses=refused)


def test_each_kind_has_a_plan_that_is_safe_and_one_that_is_not() -> None:
    kinds: Mapping[str, set[str]] = {each.kind: set() for each in ALL}
    for each in ALL:
        kinds[each.kind].add(each.name.rpartition("-")[2])
    assert all(found == {"safe", "unsafe"} for found in kinds.values()), kinds
    assert len({each.name for each in ALL}) == len(ALL)
