"""Actions of a scenario on a cluster, each noted with its time, and conditions that it can wait for."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .clock import utc
from .cluster import START_SECONDS, Cluster
from .errors import RecordError
from .replicas import partitions_in
from .traffic import Traffic
from .zookeeper import Assignment, Znodes

WAIT_SECONDS = 120.0
QUIET_SECONDS = 3.0
_POLL_SECONDS = 0.1


@dataclass
class Story:
    """A running cluster. Methods that change something return at once; methods named `wait_...` wait."""

    cluster: Cluster
    znodes: Znodes
    stop_with: str
    """`kill` or `term`: the method that `stop` uses."""
    random: random.Random
    tell: Callable[[str], None]
    """Shows progress."""
    timeline: list[dict[str, Any]] = field(default_factory=list)
    paused: set[int] = field(default_factory=set)
    traffic: Traffic | None = None
    """None unless the scenario has traffic."""

    # Actions

    def note(self, did: str, **details: object) -> None:
        self.timeline.append({"time": utc(time.time_ns() // 1_000_000), "did": did, **details})
        self.tell(" ".join([did, *(f"{key}={value}" for key, value in details.items())]))

    def start(self, *brokers: int) -> None:
        """Start brokers one after the other, each after its id of an earlier life has left ZooKeeper.

        Up to 2.1 a broker that finds its id still registered gives up.
        """
        for broker in brokers:
            self.wait_for_leave(broker)
            self.note("start", broker=broker)
            self.cluster.start_broker(broker)
            self._wait_for_broker(broker)

    def kill(self, broker: int) -> None:
        """Kill a broker (SIGKILL): its session, and so its id, stays until the session times out."""
        self.note("kill", broker=broker)
        self.paused.discard(broker)
        self.cluster.signal(broker, signal.SIGKILL)
        self.cluster.wait_for_end(broker)

    def terminate(self, broker: int) -> None:
        """Shut a broker down in a controlled way (SIGTERM), until its process has ended."""
        self.note("terminate", broker=broker)
        self.cluster.signal(broker, signal.SIGTERM)
        self.cluster.wait_for_end(broker)
        self.note("terminated", broker=broker)

    def stop(self, broker: int) -> None:
        """Stop a broker by `kill` or `terminate`, as the user chose, until its id has left ZooKeeper."""
        (self.kill if self.stop_with == "kill" else self.terminate)(broker)
        self.wait_for_leave(broker)

    def restart(self, broker: int) -> None:
        self.stop(broker)
        self.start(broker)

    def pause(self, broker: int) -> None:
        self.note("pause", broker=broker)
        self.cluster.signal(broker, signal.SIGSTOP)
        self.paused.add(broker)

    def resume(self, broker: int) -> None:
        self.note("resume", broker=broker)
        self.cluster.signal(broker, signal.SIGCONT)
        self.paused.discard(broker)

    def fail_disk(self, broker: int, number: int) -> list[tuple[str, int]]:
        """Put a file in place of a log directory, so that the next checkpoint cannot be written; return its partitions.

        Permissions would not stop a broker that runs as root.
        """
        disk = self.cluster.disks(broker)[number - 1]
        self.note("fail-disk", broker=broker, disk=disk.name)
        disk.rename(disk.with_name(f"{disk.name}.away"))
        disk.write_text("no directory")
        return partitions_in(disk.with_name(f"{disk.name}.away"))

    def mend_disk(self, broker: int, number: int) -> None:
        """Put the directory back, for a broker that is not running."""
        disk = self.cluster.disks(broker)[number - 1]
        self.note("mend-disk", broker=broker, disk=disk.name)
        disk.unlink()
        disk.with_name(f"{disk.name}.away").rename(disk)

    def produce(self, topic: str, acks: str) -> None:
        """Write numbered records to every partition of the topic from now on, with acks `1` or `all`."""
        self.note("produce", topic=topic, acks=acks)
        self._traffic.produce(topic, sorted(self.znodes.assignment(topic)), acks)

    def silence(self, *topics: str) -> None:
        """Stop writing to these topics; return when each record was acknowledged or given up."""
        self.note("silence", topics=list(topics))
        self._traffic.silence(*topics)

    @property
    def _traffic(self) -> Traffic:
        if self.traffic is None:
            raise RecordError("This scenario writes records, but does not declare traffic.")
        return self.traffic

    def running(self) -> set[int]:
        """The brokers whose process runs, even paused ones."""
        return {broker for broker in self.cluster.brokers if self.cluster.alive(broker)}

    def create_topic(self, topic: str, assignment: Assignment) -> None:
        self.note("create-topic", topic=topic, assignment=_named(assignment))
        self.znodes.put(f"/config/topics/{topic}", {"version": 1, "config": {}})
        self.znodes.create(f"/brokers/topics/{topic}", {"version": 1, "partitions": _named(assignment)})

    def add_partitions(self, topic: str, assignment: Assignment) -> None:
        """Add the partitions to the topic, and keep the other content of the topic's znode (topic id,
        reassignments)."""
        self.note("add-partitions", topic=topic, assignment=_named(assignment))
        path = f"/brokers/topics/{topic}"
        value = self.znodes.value(path)
        self.znodes.put(path, {**value, "partitions": {**value["partitions"], **_named(assignment)}})

    def delete_topic(self, topic: str) -> None:
        self.note("delete-topic", topic=topic)
        self.znodes.create(f"/admin/delete_topics/{topic}", {})

    def reassign(self, topic: str, assignment: Assignment) -> None:
        self.note("reassign", topic=topic, assignment=_named(assignment))
        rows = [{"topic": topic, "partition": int(p), "replicas": list(ids)} for p, ids in assignment.items()]
        self.znodes.create("/admin/reassign_partitions", {"version": 1, "partitions": rows})

    def elect_preferred(self, *partitions: tuple[str, int]) -> None:
        self.note("elect-preferred", partitions=[f"{topic}-{number}" for topic, number in partitions])
        rows = [{"topic": topic, "partition": number} for topic, number in partitions]
        self.znodes.create("/admin/preferred_replica_election", {"version": 1, "partitions": rows})

    def depose_controller(self) -> None:
        """Delete /controller, as operators do to force an election."""
        self.note("depose-controller", controller=self.znodes.controller())
        self.znodes.delete("/controller")

    # Conditions to wait for

    def wait(
        self, what: str, condition: Callable[[], object], seconds: float = WAIT_SECONDS, poll: float = _POLL_SECONDS
    ) -> None:
        """Wait until the condition holds; RecordError with the ends of the logs if it does not in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise RecordError(f"Waited {seconds:.0f} s in vain for {what}.\n{self._last_lines()}")
            time.sleep(poll)

    def wait_for_leave(self, broker: int) -> None:
        self.wait(f"broker {broker} to leave", lambda: broker not in self.znodes.live())

    def wait_for_leader(self, topic: str, partition: int, *among: int) -> None:
        """Wait until one of these brokers leads the partition."""
        self.wait(
            f"{topic}-{partition} to be led by {' or '.join(map(str, among))}",
            lambda: self.znodes.state(topic, partition)["leader"] in among,
        )

    def wait_for_isr_of(self, topic: str, partition: int, *members: int) -> None:
        """Wait until the ISR has exactly these members."""
        self.wait(
            f"the ISR of {topic}-{partition} to be {members}",
            lambda: set(self.znodes.state(topic, partition)["isr"]) == set(members),
        )

    def wait_for_controller(self, *not_these: int) -> int:
        self.wait("a controller", lambda: self.znodes.controller() not in (None, *not_these))
        return self.znodes.controller() or 0

    def wait_for_isr(self, *topics: str) -> None:
        """Wait until every partition of the topics has a leader and each of its live replicas in the ISR."""

        def complete() -> bool:
            live = self.znodes.live()
            for topic in topics:
                assignment = self.znodes.assignment(topic)
                for number, replicas in assignment.items():
                    state = self.znodes.state(topic, number)
                    if state is None or state["leader"] < 0 or not live & set(replicas) <= set(state["isr"]):
                        return False
            return True

        self.wait(f"the ISR of {', '.join(topics)} to be complete", complete)

    def wait_for_delete(self, *topics: str) -> None:
        requests = "/admin/delete_topics"
        self.wait("the deletion", lambda: not set(topics) & {*self.znodes.topics(), *self.znodes.children(requests)})

    def wait_for_reassignment(self) -> None:
        self.wait("the reassignment", lambda: self.znodes.value("/admin/reassign_partitions") is None)

    def settle(self, quiet: float = QUIET_SECONDS, seconds: float = WAIT_SECONDS) -> None:
        """Wait until no kept log has grown for `quiet` seconds: everything that was to be done is done."""
        deadline = time.monotonic() + seconds
        sizes, since = self._log_sizes(), time.monotonic()
        while time.monotonic() - since < quiet:
            if time.monotonic() > deadline:
                self.note("not-quiet", after=seconds)
                return
            time.sleep(_POLL_SECONDS)
            if (now := self._log_sizes()) != sizes:
                sizes, since = now, time.monotonic()

    def _log_sizes(self) -> list[int]:
        homes = [self.cluster.home(broker) for broker in self.cluster.brokers]
        files = [home / name for home in homes for name in ("state-change.log", "controller.log")]
        return [file.stat().st_size if file.exists() else 0 for file in files]

    def _wait_for_broker(self, broker: int) -> None:
        deadline = time.monotonic() + START_SECONDS
        while broker not in self.znodes.live():
            if not self.cluster.alive(broker) or time.monotonic() > deadline:
                why = "ended" if not self.cluster.alive(broker) else f"did not register within {START_SECONDS:.0f} s"
                raise RecordError(f"Broker {broker} did not come up: it {why}.\n{self.cluster.last_lines(broker)}")
            time.sleep(_POLL_SECONDS)
        self.wait_for_controller()

    def _last_lines(self) -> str:
        return "\n".join(self.cluster.last_lines(broker, 5) for broker in self.cluster.brokers)


def _named(assignment: Assignment) -> dict[str, Sequence[int]]:
    return {str(number): list(replicas) for number, replicas in assignment.items()}
