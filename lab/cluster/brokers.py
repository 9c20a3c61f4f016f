"""Lines of brokers that are not controllers about the requests that they get, in state-change.log and server.log.

They are as in a cluster at TRACE: each request is received, begun and ended, partition by partition. A leader prints
where its log begins, a follower the fetcher that is removed and the one that is added. A leader prints how its ISR
grows, and each replica's broker caches the metadata. A broker's knowledge of a partition is kept, so that everything
that is not planted is legal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .lines import Ids, line
from .state import Log, Partition

_TP = ("topic", "partition")
_STATE = ("leader", "isr", "leader_epoch", "partition_epoch", "replicas")
_RECORDS = 100
"""Number of records that are appended in each leader epoch."""


def _wordings(broker: int) -> Mapping[str, Callable[..., str]]:
    asked = ("controller", "controller_epoch", "correlation_id")
    here = {"speaker": broker}
    trace: dict[str, Any] = {"level": "TRACE", **here}
    return {
        "received": line("leader-and-isr-received", *_TP, *_STATE, *asked, "written_by_epoch", adding=(), removing=(),
                         is_new=False, **trace),
        "leads-begun": line("become-begun", *_TP, *asked, kind="become-leader", **trace),
        "follows-begun": line("become-begun", *_TP, "leader", *asked, kind="become-follower", **trace),
        "leads-ended": line("become-ended", *_TP, *asked, kind="become-leader", **trace),
        "follows-ended": line("become-ended", *_TP, "leader", *asked, kind="become-follower", **trace),
        "cached": line("metadata-cached", *_TP, *_STATE, "offline_replicas", *asked, "written_by_epoch", **trace),
        "leads": line("leader-starts", *_TP, "leader_epoch", "offset", "high_watermark", "previous_leader_epoch",
                      level="INFO", **here),
        "expands": line("isr-expands", *_TP, "old_isr", "isr", level="INFO", **here),
        "written": line("isr-updated", *_TP, "isr", "partition_epoch", level="INFO", **here),
        "starts": line("process-starts", level="INFO"),
        "started": line("process-started", level="INFO", **here),
    }  # fmt: skip


@dataclass
class Broker:
    """One broker's two files, and the knowledge of its process: leader epochs by partition, and the last correlation
    id."""

    number: int
    state_change: Log
    server: Log
    known: dict[tuple[str, int], int] = field(default_factory=dict)
    correlation_id: int = 0

    def __post_init__(self) -> None:
        self._print = _wordings(self.number)

    def close(self) -> int:
        """Close the files; return the number of lines."""
        for each in (self.state_change, self.server):
            each.close()
        return self.state_change.count + self.server.count

    def starts(self, time: str) -> None:
        """Start a new process, which knows nothing."""
        self.known, self.correlation_id = {}, 0
        for each in ("starts", "started"):
            self.server.put(self._print[each](time=time))

    def request(self, time: str, controller: int, epoch: int) -> dict[str, Any]:
        """Return the values that lines print about the next request."""
        self.correlation_id += 1
        of = {"controller": controller, "controller_epoch": epoch, "written_by_epoch": epoch}
        return {"time": time, **of, "correlation_id": self.correlation_id}

    def takes(self, asked: Mapping[str, Any], batch: Sequence[Partition], above: int = 0) -> None:
        """Handle a LeaderAndIsr request: newer states are taken. `above`: as in `leads`."""
        for p in batch:
            self.receives(asked, p)
        newer = [p for p in batch if self.known.get((p.topic, p.number), -1) < p.leader_epoch and p.leader > 0]
        for role, leads in (("leads", True), ("follows", False)):
            chosen = [p for p in newer if (p.leader == self.number) is leads]
            for p in chosen:
                self.state_change.put(self._print[f"{role}-begun"](**asked, **_state(p)))
            for p in chosen:
                previous = self.known.get((p.topic, p.number), -1)
                self.known[p.topic, p.number] = p.leader_epoch
                if leads:
                    self.leads(asked["time"], p, previous, above)
                else:
                    self.fetches(asked["time"], p, p.leader)
            for p in chosen:
                self.state_change.put(self._print[f"{role}-ended"](**asked, **_state(p)))

    def receives(self, asked: Mapping[str, Any], p: Partition) -> int:
        return self.state_change.put(self._print["received"](**asked, **_state(p)))

    def leads(self, time: str, p: Partition, previous: int, above: int = 0) -> int:
        """Print where its log begins; all of it is committed, and `above` more records."""
        end = p.leader_epoch * _RECORDS
        of = {"offset": end, "high_watermark": end + above, "previous_leader_epoch": previous}
        return self.server.put(self._print["leads"](time=time, **_state(p), **of))

    def fetches(self, time: str, p: Partition, leader: int) -> int:
        """Print the fetcher that is removed, and the one that is added."""
        manager, log = f"[ReplicaFetcherManager on broker {self.number}]", "(kafka.server.ReplicaFetcherManager)"
        name = f"{p.topic}-{p.number}"
        self.server.put(f"[{time}] INFO {manager} Removed fetcher for partitions Set({name}) {log}")
        source = f"BrokerEndPoint(id={leader}, host=broker-{leader}:9092)"
        state = f"(offset={p.leader_epoch * _RECORDS}, leaderEpoch={p.leader_epoch})"
        added = f"Added fetcher to broker {source} for partitions Map({name} -> {state})"
        return self.server.put(f"[{time}] INFO {manager} {added} {log}")

    def caches(
        self, asked: Mapping[str, Any], changed: Sequence[Partition], offline: Callable[[Partition], Ids]
    ) -> int:
        """Handle an UpdateMetadata request; return the number of its last line."""
        number = 0
        for p in changed:
            line_ = self._print["cached"](**asked, **_state(p), offline_replicas=offline(p))
            number = self.state_change.put(line_)
        return number

    def expands(self, time: str, p: Partition, old: Ids) -> int:
        """Print that the ISR grew, as the partition already has it; return the number of the first line."""
        number = self.server.put(self._print["expands"](time=time, **_state(p), old_isr=old))
        self.writes(time, p)
        return number

    def writes(self, time: str, p: Partition) -> int:
        """Print that the ISR is in ZooKeeper."""
        return self.server.put(self._print["written"](time=time, **_state(p)))


def _state(p: Partition) -> dict[str, Any]:
    return {
        "topic": p.topic,
        "partition": p.number,
        "leader": p.leader,
        "isr": p.isr,
        "leader_epoch": p.leader_epoch,
        "partition_epoch": p.version,
        "replicas": p.replicas,
    }
