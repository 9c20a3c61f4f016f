"""Actions on a KRaft cluster, each noted with its time."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import RecordError
from ..traffic import Traffic
from .cluster import KRaftCluster

READY_SECONDS = 180.0
"""Generous, because the machine may be busy with other things."""
NEW_LEADER_SECONDS = 20.0
_LOOK_SECONDS = 0.002
"""The time between two looks at a log, short enough to act before a node's next step."""
_NO_LEADER = "NotLeaderOrFollowerException"


@dataclass
class Story:
    """A cluster and the actions on it so far."""

    cluster: KRaftCluster
    random: random.Random
    tell: Callable[[str], None]
    timeline: list[dict[str, Any]] = field(default_factory=list)
    """A row for each action: seconds, kind, and its details."""
    paused: set[int] = field(default_factory=set)
    began: float = field(default_factory=time.time)
    traffic: Traffic | None = None
    """None unless the scenario has traffic."""

    def note(self, kind: str, **what: Any) -> None:
        self.timeline.append({"t": round(time.time(), 3), "kind": kind, **what})
        self.tell(f"{time.time() - self.began:6.1f} s  {kind} {' '.join(str(each) for each in what.values())}")

    def begin(self) -> None:
        """Format and start every node; wait until every broker is up.

        Raises:
            RecordError: they do not come up.
        """
        for node in self.cluster.layout.nodes:
            self.cluster.format(node)
            self.note("format", node=node)
        self.start(*self.cluster.layout.nodes)
        self.wait_for(*self.cluster.layout.brokers)

    def start(self, *nodes: int) -> None:
        for node in nodes:
            self.cluster.start(node)
            self.note("start", node=node)

    def wait_for(self, *brokers: int) -> None:
        """Wait until these brokers are unfenced."""
        deadline = time.monotonic() + READY_SECONDS
        while not self._unfenced(*brokers):
            if time.monotonic() > deadline:
                raise RecordError(f"Brokers {brokers} did not come up.\n{self.cluster.last_lines(brokers[0])}")
            time.sleep(0.3)

    def _unfenced(self, *brokers: int) -> bool:
        return {str(broker) for broker in brokers} <= set(self.cluster.ask("brokers").split())

    def comes_up(self, broker: int) -> bool:
        """Wait until a broker that was started is unfenced, or its process has ended; return which it is.

        Raises:
            RecordError: it is neither.
        """
        deadline = time.monotonic() + READY_SECONDS
        while not self.cluster.has_ended(broker):
            if self._unfenced(broker):
                return True
            if time.monotonic() > deadline:
                raise RecordError(f"Broker {broker} did not come up.\n{self.cluster.last_lines(broker)}")
            time.sleep(0.3)
        self.note("ended by itself", node=broker)
        return False

    def starts_to(self, node: int, text: str) -> bool:
        """Start a node, and return at once when its server.log has a text; False if it has not in time."""
        log = self.cluster.home(node) / "server.log"
        before = log.stat().st_size if log.is_file() else 0
        self.start(node)
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if text in _from(log, before):
                return True
            time.sleep(_LOOK_SECONDS)
        return False

    def kill(self, node: int) -> None:
        self.note("kill", node=node)
        self.cluster.stop(node, signal.SIGKILL)

    def terminate(self, node: int) -> None:
        self.note("term", node=node)
        self.cluster.stop(node, signal.SIGTERM)
        self.note("exited", node=node)

    def pause(self, node: int) -> None:
        self.note("pause", node=node)
        self.cluster.signal(node, signal.SIGSTOP)
        self.paused.add(node)

    def resume(self, node: int) -> None:
        self.cluster.signal(node, signal.SIGCONT)
        self.paused.discard(node)
        self.note("resume", node=node)

    def ask(self, *words: object) -> str:
        """Send an admin's request; note its answer, even a refusal."""
        command = " ".join(map(str, words))
        answer = self.cluster.ask(command)
        self.note("admin", cmd=command, answer=answer[:200])
        return answer

    def create(self, topic: str, assignment: Mapping[int, Sequence[int]], **settings: object) -> str:
        given = ";".join(f"{number}={','.join(map(str, replicas))}" for number, replicas in assignment.items())
        return self.ask(
            "create", topic, given, *(f"{name.replace('_', '.')}={value}" for name, value in settings.items())
        )

    def produce(self, topic: str, partitions: Iterable[int], acks: str = "all") -> None:
        """Write to these partitions from now on; nothing in a story without traffic."""
        if self.traffic is not None:
            self.traffic.produce(topic, partitions, acks)

    def reassign(self, topic: str, partition: int, replicas: Sequence[int]) -> str:
        return self.ask("reassign", topic, partition, ",".join(map(str, replicas)))

    def move(self, topic: str, partitions: Sequence[int], broker: int, disk: Path) -> str:
        """Move replicas of a broker to another of its directories; return the answer, which comes before they are
        there."""
        numbers = ",".join(map(str, partitions))
        answer = self.cluster.ask(f"move {topic} {numbers} {broker} {disk}").replace(str(disk), disk.name)
        self.note("admin", cmd=f"move {topic} {numbers} {broker} {disk.name}", answer=answer[:200])
        return answer

    def vote_in(self, controller: int) -> str:
        """Make a controller a voter of the quorum. The request is repeated while a node that no longer leads answers
        it; a broker may ask such a node for some seconds."""
        address = f"127.0.0.1:{self.cluster.ports[f'c{controller}']}"
        deadline = time.monotonic() + NEW_LEADER_SECONDS
        while True:
            answer = self.ask("vote-in", controller, self.cluster.directory(controller), address)
            if _NO_LEADER not in answer or time.monotonic() > deadline:
                return answer
            self.sleep(2)

    def vote_out(self, controller: int) -> str:
        return self.ask("vote-out", controller, self.cluster.directory(controller))

    def partitions(self) -> dict[tuple[str, int], tuple[int, list[int], list[int]]]:
        """Return leader, ISR and replicas of every partition, as the admin client sees them; empty if no node
        answers."""
        answer = self.cluster.ask("partitions")
        found = {}
        for word in answer.split() if not answer.startswith("error") else ():
            topic, number, leader, isr, replicas = word.split(":")
            found[topic, int(number)] = (int(leader), _ids(isr), _ids(replicas))
        self.timeline.append({"t": round(time.time(), 3), "kind": "partitions", "answer": answer})
        return found

    def leader(self) -> int | None:
        """Return the active controller; None if no node answers."""
        answer = self.cluster.ask("quorum").split()
        self.timeline.append({"t": round(time.time(), 3), "kind": "quorum", "answer": " ".join(answer)})
        return int(answer[0]) if answer and answer[0].lstrip("-").isdigit() else None

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    @property
    def up(self) -> list[int]:
        return sorted(set(self.cluster.running) - self.paused)


def _from(log: Path, begin: int) -> str:
    """Return what a log has from an offset on; nothing if there is no such log yet."""
    if not log.is_file():
        return ""
    with log.open("rb") as file:
        file.seek(begin)
        return file.read().decode("utf-8", "replace")


def _ids(text: str) -> list[int]:
    return [int(each) for each in text.split(",") if each]
