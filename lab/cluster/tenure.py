"""A simulated cluster and the log of its controllers: failover after failover, with deaths of brokers between.

The simulation covers the part that the log shows: every partition's leader, ISR, leader epoch and znode version, moved
by the passes of Kafka's controller in their order (ReplicaStateMachine.startup, PartitionStateMachine.startup,
KafkaController.onBrokerFailure, onBrokerStartup), so that everything that is not planted is legal.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from isrproof.traces.events.render import time_text

from .brokers import Broker
from .lines import RELEASE, Ids, ids, line
from .state import Fault, Log, Partition

STATE_CHANGE = "state-change.log"
_STARTED = 1_583_020_800_000
_LINES_PER_MILLISECOND = 20
_PARTITIONS_PER_TOPIC = 100
_STACK = (
    "\tat kafka.controller.ZkPartitionStateMachine.doElectLeaderForPartitions(PartitionStateMachine.scala:381)",
    "\tat kafka.controller.ZkPartitionStateMachine.handleStateChanges(PartitionStateMachine.scala:145)",
    "\tat kafka.controller.KafkaController.processBrokerChange(KafkaController.scala:1280)",
)


@dataclass
class Cluster:
    """Brokers 1..n, the partitions, the dead brokers. `logged`: the brokers whose own lines are written."""

    folder: Path
    brokers: int
    partitions: list[Partition]
    random: random.Random
    ticks: int = 0
    dead: set[int] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    lines: int = 0
    logged: dict[int, Broker] = field(default_factory=dict)

    def log_brokers(self, numbers: Iterable[int]) -> None:
        """Write the lines of these brokers, too, from now on; each has just been started."""
        for number in numbers:
            folder = self.folder / f"broker-{number}"
            self.logged[number] = Broker(number, Log(folder / STATE_CHANGE), Log(folder / "server.log"))
            self.logged[number].starts(time_text(_STARTED))

    def close(self) -> None:
        """Close the logs of brokers."""
        self.lines += sum(each.close() for each in self.logged.values())

    @property
    def live(self) -> Ids:
        return ids(*(broker for broker in range(1, self.brokers + 1) if broker not in self.dead))


def cluster(folder: Path, brokers: int, partitions: int, seed: int) -> Cluster:
    """Return partitions of three replicas, every sixty-first of one, spread as Kafka spreads them."""
    made, chance = [], random.Random(seed)
    for i in range(partitions):
        first, shift = i % brokers, (i // brokers) % (brokers - 2)
        spread = [first, (first + 1 + shift) % brokers, (first + 2 + shift) % brokers]
        replicas = ids(*(broker + 1 for broker in (spread[:1] if i % 61 == 0 else spread)))
        topic, number = divmod(i, _PARTITIONS_PER_TOPIC)
        made.append(Partition(f"events-{topic:04d}", number, replicas, replicas[0], replicas,
                              epoch := chance.randrange(1, 20), epoch + chance.randrange(5)))  # fmt: skip
    return Cluster(folder, brokers, made, chance)


class Tenure:
    """One controller's time, and the lines that it writes to its broker's files."""

    def __init__(self, cluster: Cluster, controller: int, epoch: int) -> None:
        self.cluster, self.controller, self.epoch = cluster, controller, epoch
        folder = cluster.folder / f"broker-{controller}"
        self.log, self.marks = Log(folder / STATE_CHANGE), Log(folder / "controller.log")
        self.lines_per_millisecond = _LINES_PER_MILLISECOND
        self._unmoved: set[int] = set()
        self.tick()
        speaks = {"controller": controller, "controller_epoch": epoch}
        tp, state = ("topic", "partition"), ("leader", "isr", "leader_epoch", "partition_epoch")
        request = {"written_by_epoch": epoch}

        self._moved = {
            (a, b): line("replica-moved", "replica", *tp, level="TRACE", from_state=a, to_state=b, **speaks)
            for a, b in (
                ("OnlineReplica", "OnlineReplica"),
                ("ReplicaDeletionIneligible", "OfflineReplica"),
                ("OnlineReplica", "OfflineReplica"),
                ("OfflineReplica", "OnlineReplica"),
                ("ReplicaDeletionIneligible", "OnlineReplica"),
                ("NonExistentReplica", "NewReplica"),
                ("NewReplica", "OnlineReplica"),
                ("OnlineReplica", "NewReplica"),
            )
        }
        self._went = {
            (a, b): line("partition-offline-or-gone", *tp, level="TRACE", from_state=a, to_state=b, **speaks)
            for a, b in (("OnlinePartition", "OfflinePartition"), ("OnlinePartition", "NonExistentPartition"))
        }
        self._created = line(
            "partition-created",
            *tp,
            "replicas",
            level="TRACE",
            from_state="NonExistentPartition",
            to_state="NewPartition",
            **speaks,
        )
        self._elected = {
            a: line("partition-online", *tp, *state, level="TRACE", from_state=a, to_state="OnlinePartition", **speaks)
            for a in ("OfflinePartition", "OnlinePartition", "NewPartition")
        }
        self._failed = line(
            "partition-refused", *tp, level="ERROR", from_state="OfflinePartition", to_state="OnlinePartition", **speaks
        )
        self._no_leader = line("thrown-no-leader", *tp, strategy="OfflinePartitionLeaderElectionStrategy(false)",
                               error="kafka.common.StateChangeFailedException")  # fmt: skip
        self._asked = {
            (kind, new): line(
                "leader-and-isr-sent", *tp, *state, "replicas", "recipient", level="TRACE", kind=kind, is_new=new,
                adding=(), removing=(), **speaks, **request,
            )
            for kind in ("become-leader", "become-follower")
            for new in (False, True)
        }  # fmt: skip
        self._requests: dict[Ids, Callable[..., str]] = {}
        self._answered = line("response-received", level="TRACE", **speaks)
        self._received = line("leader-and-isr-received", *tp, *state, "replicas", level="TRACE", speaker=controller,
                              correlation_id=1, is_new=False, adding=(), removing=(), **speaks, **request)  # fmt: skip
        become = {"level": "TRACE", "speaker": controller, "correlation_id": 1, **speaks}
        self._leads = line("become-begun", *tp, kind="become-leader", **become)
        self._follows = line("become-begun", *tp, "leader", kind="become-follower", **become)

    def tick(self) -> None:
        self.cluster.ticks += 1
        self.time = time_text(_STARTED + self.cluster.ticks)

    def put(self, text: str) -> int:
        """Write a line; return its number."""
        self.log.put(text)
        if not self.log.count % self.lines_per_millisecond:
            self.tick()
        return self.log.count

    def mark(self, row: str, **values: object) -> None:
        """Write a line of controller.log."""
        self.tick()
        self.marks.put(line(row, level="INFO", controller=self.controller, **values)(time=self.time))

    def plant(self, rule: str, number: int) -> None:
        self.cluster.faults.append(Fault(str(self.log.path.relative_to(self.cluster.folder)), number, rule))

    # --- single lines

    def moved(self, p: Partition, replica: int, a: str, b: str) -> int:
        text = self._moved[a, b](time=self.time, replica=replica, topic=p.topic, partition=p.number)
        return self.put(text)

    def went(self, p: Partition, a: str, b: str) -> int:
        return self.put(self._went[a, b](time=self.time, topic=p.topic, partition=p.number))

    def created(self, p: Partition) -> int:
        return self.put(self._created(time=self.time, topic=p.topic, partition=p.number, replicas=p.replicas))

    def elected(self, p: Partition, a: str = "OfflinePartition") -> int:
        return self.put(self._elected[a](time=self.time, **p.printed()))

    def failed(self, p: Partition) -> int:
        number = self.put(self._failed(time=self.time, topic=p.topic, partition=p.number))
        self.put(self._no_leader(topic=p.topic, partition=p.number))
        for each in _STACK:
            self.put(each)
        return number

    def asked(self, p: Partition, broker: int) -> int:
        kind = "become-leader" if broker == p.leader else "become-follower"
        print_ = self._asked[kind, p.new]
        return self.put(print_(time=self.time, recipient=broker, replicas=p.replicas, **p.printed()))

    def request_of(self, p: Partition, brokers: Ids | None = None) -> int:
        """Send UpdateMetadata to brokers, by default the live ones; this broker's own answer is in its log, too."""
        brokers = brokers or self.cluster.live
        print_ = self._requests.get(brokers) or self._request(brokers)
        state = {
            "topic": p.topic, "partition": p.number, "leader": p.leader, "isr": p.isr, "replicas": p.replicas,
            "leader_epoch": p.leader_epoch, "partition_epoch": p.version,
            "offline_replicas": self._offline(p),
        }  # fmt: skip
        return self.put(print_(time=self.time, **state))

    def _offline(self, p: Partition) -> Ids:
        return ids(*(replica for replica in p.replicas if replica in self.cluster.dead)) if self.cluster.dead else ids()

    def _request(self, brokers: Ids) -> Callable[..., str]:
        made = self._requests[brokers] = line(
            "update-metadata-sent", "topic", "partition", "leader", "isr", "leader_epoch", "partition_epoch",
            "replicas", "offline_replicas", level="TRACE", recipients=brokers, controller=self.controller,
            controller_epoch=self.epoch, written_by_epoch=self.epoch,
        )  # fmt: skip
        return made

    # --- passes

    def send(self, changed: Sequence[Partition], to: Sequence[int] | None = None, metadata: bool = True) -> None:
        """Send LeaderAndIsr to the live replicas (or to those of them in `to`), broker by broker; then
        UpdateMetadata."""
        dead = self.cluster.dead
        batches: dict[int, list[Partition]] = {}
        for p in changed:
            for replica in p.replicas:
                if replica not in dead and (to is None or replica in to):
                    batches.setdefault(replica, []).append(p)
        for broker, batch in batches.items():
            for p in batch:
                self.asked(p, broker)
        if metadata:
            for p in changed:
                self.request_of(p)
        self._taken(batches, metadata)
        for p in batches.get(self.controller, ()):
            self.put(self._received(time=self.time, replicas=p.replicas, **p.printed()))
            if p.leader == self.controller:
                self.put(self._leads(time=self.time, topic=p.topic, partition=p.number))
            else:
                self.put(self._follows(time=self.time, topic=p.topic, partition=p.number, leader=p.leader))
        if metadata:
            self.cache(changed)
        for _ in batches:
            self.put(self._answered(time=self.time))
        for p in changed:
            p.new = False

    def _taken(self, batches: Mapping[int, Sequence[Partition]], metadata: bool) -> None:
        """Write the lines of other brokers about the requests; about metadata, only for partitions of which they have a
        replica."""
        for broker, batch in batches.items():
            it = self.cluster.logged.get(broker)
            if it is not None:
                it.takes(it.request(self.time, self.controller, self.epoch), batch)
                if metadata:
                    it.caches(it.request(self.time, self.controller, self.epoch), batch, self._offline)

    def cache(self, changed: Iterable[Partition]) -> None:
        """Write the controller's own lines about the UpdateMetadata that it sent to itself."""
        cached = _cached(self.controller, self.controller, self.epoch)
        for p in changed:
            self.put(_fill(cached, self.time, p, self._offline(p)))

    def cache_states(self, controller: int, epoch: int, cached: Iterable[Partition]) -> None:
        """Write the lines of this broker about the previous controller's metadata, as a broker."""
        print_ = _cached(self.controller, controller, epoch)
        for p in cached:
            self.put(_fill(print_, self.time, p, ids()))

    def offline_pass(self, partitions: Sequence[Partition], a: str, silent: Iterable[Partition] = ()) -> None:
        """Move the replicas on dead brokers to OfflineReplica: out of the ISR, and out of leadership."""
        dead, changed = self.cluster.dead, []
        self._unmoved = {id(p) for p in silent}
        for p in partitions:
            for replica in p.replicas:
                if replica not in dead or id(p) in self._unmoved:
                    continue
                self.moved(p, replica, a, "OfflineReplica")
                if replica in p.isr:
                    rest = [r for r in p.isr if r != replica] or list(p.isr)
                    p.write(-1 if p.leader == replica else p.leader, rest)
                changed.append(p)
        self.send(changed)

    def online_pass(self, partitions: Sequence[Partition]) -> dict[int, int]:
        """Elect leaders for partitions without a live one; where no replica can lead, Kafka prints it: id(p) ->
        line."""
        dead, won, lost = self.cluster.dead, [], {}
        for p in partitions:
            able = [replica for replica in p.replicas if replica in p.isr and replica not in dead]
            if able:
                p.write(able[0], able)
                self.elected(p)
                won.append(p)
            else:
                lost[id(p)] = self.failed(p)
        self.send(won)
        return lost

    # --- scenes

    def start(self, silent: Sequence[Partition] = ()) -> None:
        """Fail the controller over: every replica and every offline partition is moved once."""
        c = self.cluster
        self.mark("controller-elected", controller_epoch=self.epoch, zk_version=self.epoch)
        for p in c.partitions:
            for replica in p.replicas:
                if replica not in c.dead:
                    self.moved(p, replica, "OnlineReplica", "OnlineReplica")
        self.send(c.partitions)
        concerned = [p for p in c.partitions if not c.dead.isdisjoint(p.replicas)]
        leaderless = [p for p in c.partitions if p.leader in c.dead or p.leader == -1]
        self.offline_pass(concerned, "ReplicaDeletionIneligible", silent)
        lost = self.online_pass(leaderless)
        for p in silent:
            self.plant("KR401", lost[id(p)])
        self.mark("controller-ready", controller_epoch=self.epoch)

    def broker_dies(self, broker: int) -> None:
        c = self.cluster
        c.dead.add(broker)
        self.mark("live-brokers-changed", new_brokers=(), deleted_brokers=(broker,), bounced_brokers=(), brokers=c.live)
        self.mark("broker-failure", brokers=(broker,))
        lead = [p for p in c.partitions if p.leader == broker]
        for p in lead:
            self.went(p, "OnlinePartition", "OfflinePartition")
        self.online_pass(lead)
        self.offline_pass([p for p in c.partitions if broker in p.replicas], "OnlineReplica")

    def broker_returns(self, broker: int) -> None:
        c = self.cluster
        c.dead.discard(broker)
        self.mark("live-brokers-changed", new_brokers=(broker,), deleted_brokers=(), bounced_brokers=(), brokers=c.live)
        self.mark("broker-startup", brokers=(broker,))
        for p in c.partitions:
            self.request_of(p, ids(broker))
        it = c.logged.get(broker)
        if it is not None:
            it.starts(self.time)
            it.caches(it.request(self.time, self.controller, self.epoch), c.partitions, self._offline)
        here = [p for p in c.partitions if broker in p.replicas]
        for p in here:
            was = "ReplicaDeletionIneligible" if id(p) in self._unmoved else "OfflineReplica"
            self.moved(p, broker, was, "OnlineReplica")
        self.send(here, to=(broker,))
        self.online_pass([p for p in here if p.leader == -1 or id(p) in self._unmoved])
        # The leaders take it back into the ISR and inform the controller, which informs all brokers; no other line.
        grown = [p for p in here if broker not in p.isr]
        for p in grown:
            old = p.isr
            p.write(p.leader, [r for r in p.replicas if r in p.isr or r == broker], epochs=0)
            if p.leader in c.logged:
                c.logged[p.leader].expands(self.time, p, old)
            self.request_of(p)
        self.cache(grown)
        moved = [p for p in here if p.replicas[0] == broker != p.leader]
        for p in moved:
            p.write(broker, p.isr)
            self.elected(p, "OnlinePartition")
        self.send(moved)

    def create(self, topic: str, partitions: int) -> list[Partition]:
        c = self.cluster
        live = c.live
        made = []
        for number in range(partitions):
            replicas = ids(*c.random.sample(live, 3))
            made.append(Partition(topic, number, replicas, replicas[0], replicas, new=True))
        for p in made:
            self.created(p)
        for p in made:
            for replica in p.replicas:
                self.moved(p, replica, "NonExistentReplica", "NewReplica")
        for p in made:
            self.elected(p, "NewPartition")
        self.send(made)
        for p in made:
            for replica in p.replicas:
                self.moved(p, replica, "NewReplica", "OnlineReplica")
        c.partitions += made
        return made

    def close(self) -> None:
        self.cluster.lines += self.log.count + self.marks.count
        self.log.close()
        self.marks.close()


def _cached(broker: int, controller: int, epoch: int) -> Callable[..., str]:
    return line(
        "metadata-cached", "topic", "partition", "leader", "isr", "leader_epoch", "partition_epoch", "replicas",
        "offline_replicas", level="TRACE", speaker=broker, controller=controller, controller_epoch=epoch,
        correlation_id=1, written_by_epoch=epoch,
    )  # fmt: skip


def _fill(print_: Callable[..., str], time: str, p: Partition, offline: Ids) -> str:
    return print_(time=time, replicas=p.replicas, offline_replicas=offline, **p.printed())


__all__ = ["RELEASE", "Cluster", "Fault", "Partition", "Tenure", "cluster"]
