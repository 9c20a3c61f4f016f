"""Generated histories of small clusters: what every broker's state-change.log would hold, at TRACE.

A small simulation of Kafka's controller in ZooKeeper mode. It knows the order of the controller's passes and what each
writes, so a history without a planted fault is legal (up to 2.2 but for KAFKA-3143).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Any

from isrproof.specs.lines import rows
from isrproof.specs.releases import release as release_row
from isrproof.specs.releases import span
from isrproof.traces.events.event import Event
from isrproof.traces.events.render import render

NO_LEADER, DELETING = -1, -2
START, HOUR = 1_600_000_000_000, 3_600_000
TP = tuple[str, int]


@dataclass(frozen=True)
class Written:
    """A line: the broker whose file it is in, when, what."""

    broker: int
    ts: int
    event: Event


@dataclass
class Znode:
    leader: int
    isr: list[int]
    leader_epoch: int = 0
    version: int = 0
    controller_epoch: int = 0


@dataclass
class History:
    """A cluster while it lives; `written` is all that its brokers have logged."""

    release: str
    dice: random.Random
    brokers: int = 3
    epoch: int = 0
    controller: int = 0
    ts: int = START
    dead: set[int] = field(default_factory=set)
    assignment: dict[TP, list[int]] = field(default_factory=dict)
    znodes: dict[TP, Znode] = field(default_factory=dict)
    replicas: dict[tuple[TP, int], str] = field(default_factory=dict)
    partitions: dict[TP, str] = field(default_factory=dict)
    topics: int = 0
    requests: int = 0
    written: list[Written] = field(default_factory=list)

    def has(self, releases: str) -> bool:
        return bool(release_row(self.release).mask & span(releases))

    @property
    def live(self) -> list[int]:
        return [broker for broker in range(1, self.brokers + 1) if broker not in self.dead]

    # ---- Lines

    def say(self, row: str, at: int | None = None, **values: Any) -> None:
        self.ts += self.dice.choice((0, 1, 7, 900))
        speaks = {"controller": self.controller, "controller_epoch": self.epoch}
        self.written.append(Written(at or self.controller, self.ts, Event(row, **(speaks | values))))

    def of(self, tp: TP) -> dict[str, Any]:
        state = self.znodes.get(tp, Znode(NO_LEADER, []))
        return {
            "topic": tp[0], "partition": tp[1], "leader": state.leader, "isr": tuple(state.isr),
            "leader_epoch": state.leader_epoch, "partition_epoch": state.version, "recovery": "RECOVERED",
            "written_by_epoch": state.controller_epoch, "replicas": tuple(self.assignment[tp]), "adding": (),
            "removing": (), "offline_replicas": (), "is_new": False,
        }  # fmt: skip

    def tell(self, tps: Iterable[TP], leader: int | None = None) -> None:
        """LeaderAndIsr to the live replicas, UpdateMetadata to all; those write what they hear."""
        for tp in tps:
            shown = self.of(tp)
            if leader is not None:
                shown |= {"leader": leader, "leader_epoch": 0, "partition_epoch": 0}
            else:
                for broker in self.assignment[tp]:
                    if broker in self.live:
                        kind = "become-leader" if broker == shown["leader"] else "become-follower"
                        self.say("leader-and-isr-sent", kind=kind, **(shown | {"recipient": broker}))
            if not self.has(">=2.6"):
                self.say(
                    "update-metadata-sent", **(shown | {"recipient": self.live[0], "recipients": tuple(self.live)})
                )
            self.requests += 1  # to each broker a controller's requests have rising numbers
            for broker in self.live:
                self.say("metadata-cached", broker, **(shown | {"speaker": broker, "correlation_id": self.requests}))

    def move(self, tp: TP, replica: int, target: str) -> None:
        before = self.replicas.get((tp, replica), "NonExistentReplica")
        self.say("replica-moved", from_state=before, to_state=target, **(self.of(tp) | {"replica": replica}))
        self.replicas[tp, replica] = target

    def turn(self, tp: TP, target: str) -> None:
        before = self.partitions.get(tp, "NonExistentPartition")
        row = {"NewPartition": "partition-created", "OnlinePartition": "partition-online"}.get(
            target, "partition-offline-or-gone"
        )
        dated: dict[str, Any] = {}
        if target == "NonExistentPartition" and self.has("1.0"):
            dated = {"controller_epoch": None}
        self.say(row, from_state=before, to_state=target, **(self.of(tp) | dated))
        self.partitions[tp] = target

    # ---- What the controller does

    def write(self, tp: TP, leader: int, isr: Iterable[int]) -> None:
        old = self.znodes[tp]
        self.znodes[tp] = Znode(leader, list(isr), old.leader_epoch + 1, old.version + 1, self.epoch)

    def elect(self, tps: Iterable[TP]) -> None:
        changed = []
        for tp in tps:
            state = self.znodes[tp]
            able = [broker for broker in self.assignment[tp] if broker in self.live and broker in state.isr]
            if able:
                self.write(tp, able[0], [broker for broker in state.isr if broker in self.live])
                self.turn(tp, "OnlinePartition")
                changed.append(tp)
            else:
                self.say("partition-refused", from_state=self.partitions[tp], to_state="OnlinePartition", **self.of(tp))
                if self.has(">=1.1"):
                    self.say("thrown-no-leader", strategy="OfflinePartitionLeaderElectionStrategy(false)",
                             error="kafka.common.StateChangeFailedException", topic=tp[0], partition=tp[1],
                             controller=None, controller_epoch=None)  # fmt: skip
        self.tell(changed)

    def take_offline(self, replicas: Iterable[tuple[TP, int]]) -> None:
        changed = []
        for tp, broker in replicas:
            state = self.znodes[tp]
            if broker in state.isr:
                rest = [each for each in state.isr if each != broker] or state.isr
                self.write(tp, NO_LEADER if state.leader == broker else state.leader, rest)
                changed.append(tp)
            self.move(tp, broker, "OfflineReplica")
        self.tell(changed)

    def offline(self) -> list[TP]:
        return [tp for tp in sorted(self.znodes) if self.partitions[tp] in ("OfflinePartition", "NewPartition")]

    def take_over(self, controller: int) -> None:
        """KafkaController.onControllerFailover."""
        self.controller, self.epoch = controller, self.epoch + 1
        pairs = [(tp, broker) for tp in sorted(self.assignment) for broker in self.assignment[tp]]
        self.replicas = {
            (tp, broker): "OnlineReplica" if broker in self.live else "ReplicaDeletionIneligible"
            for tp, broker in pairs
        }
        if self.has("0.8.0"):
            self.replicas |= {pair: "OfflineReplica" for pair in pairs if pair[1] in self.dead}
        self.partitions = {
            tp: "OnlinePartition" if state.leader in self.live else "OfflinePartition"
            for tp, state in self.znodes.items()
        }
        for tp, broker in pairs:
            if broker in self.live:
                self.move(tp, broker, "OnlineReplica")
        self.tell(sorted(self.assignment))
        if self.has(">=2.3"):
            self.take_offline([pair for pair in pairs if pair[1] in self.dead])
        self.elect(self.offline())

    # ---- What happens to the cluster

    def create(self) -> None:
        self.topics += 1
        name = f"t{self.dice.randint(0, 2)}" if self.dice.random() < 0.5 else f"u{self.topics}"
        tps = [(name, number) for number in range(self.dice.randint(1, 2))]
        if any(topic == name for topic, _ in self.assignment):
            return
        for tp in tps:
            self.assignment[tp] = self.dice.sample(self.live, min(len(self.live), self.dice.randint(1, 3)))
            self.turn(tp, "NewPartition")
        for tp in tps:
            for broker in self.assignment[tp]:
                self.move(tp, broker, "NewReplica")
        for tp in tps:
            isr = self.assignment[tp]
            self.znodes[tp] = Znode(isr[0], list(isr), controller_epoch=self.epoch)
            self.turn(tp, "OnlinePartition")
        for tp in tps:
            for broker in self.assignment[tp]:
                self.move(tp, broker, "OnlineReplica")
        self.tell(tps)

    def delete(self) -> None:
        whole = {topic for topic, _ in self.assignment} - {
            tp[0] for tp, brokers in self.assignment.items() if set(brokers) & self.dead
        }
        if not whole or self.has("0.8.0"):  # KAFKA-330
            return
        name = self.dice.choice(sorted(whole))
        tps = sorted(tp for tp in self.assignment if tp[0] == name)
        if self.has(">=2.1"):
            self.forget(tps)
        self.tell(tps, leader=DELETING)
        for target in ("OfflineReplica", "ReplicaDeletionStarted", "ReplicaDeletionSuccessful", "NonExistentReplica"):
            for tp in tps:
                for broker in self.assignment[tp]:
                    self.move(tp, broker, target)
        if self.has("<=2.0"):
            self.forget(tps)
        for tp in tps:
            for broker in self.assignment.pop(tp):
                del self.replicas[tp, broker]
            del self.znodes[tp], self.partitions[tp]

    def forget(self, tps: list[TP]) -> None:
        for target in ("OfflinePartition", "NonExistentPartition"):
            for tp in tps:
                self.turn(tp, target)

    def die(self) -> None:
        if len(self.live) < 2:
            return
        broker = self.dice.choice(self.live)
        self.dead.add(broker)
        if broker == self.controller:
            self.take_over(self.dice.choice(self.live))
            return
        gone = [tp for tp, state in sorted(self.znodes.items()) if state.leader not in self.live]
        for tp in gone:
            if not (self.has("0.8.0") and self.partitions[tp] == "OfflinePartition"):
                self.turn(tp, "OfflinePartition")
        self.elect(gone)
        self.take_offline([(tp, broker) for tp in sorted(self.assignment) if broker in self.assignment[tp]])

    def come_back(self) -> None:
        if not self.dead:
            return
        broker = self.dice.choice(sorted(self.dead))
        self.dead.remove(broker)
        mine = [tp for tp in sorted(self.assignment) if broker in self.assignment[tp]]
        for tp in mine:
            self.move(tp, broker, "OnlineReplica")
        self.tell(mine)
        self.elect(self.offline())
        for tp in mine:  # the leader takes it back into the ISR, without a line of the controller's
            state = self.znodes[tp]
            if state.leader in self.live and broker not in state.isr:
                state.isr.append(broker)
                state.version += 1

    def resign(self) -> None:
        self.take_over(self.dice.choice(self.live))

    def wipe(self) -> None:
        """All data folders are removed, and the same brokers start as a new cluster; their log files go on."""
        self.dead.clear()
        for kept in (self.assignment, self.znodes, self.replicas, self.partitions):
            kept.clear()
        self.epoch = 0
        self.ts += HOUR
        self.take_over(self.dice.choice(self.live))
        self.create()


def history(seed: int, release: str, steps: int = 10, wipes: int = 0) -> History:
    """Return the story of a cluster of three or four brokers."""
    dice = random.Random(f"{seed} {release}")
    made = History(release, dice, brokers=dice.randint(3, 4))
    made.take_over(1)
    made.create()
    happenings = [made.create, made.create, made.die, made.die, made.come_back, made.delete, made.resign]
    for life in range(wipes + 1):
        if life:
            made.wipe()
        for _ in range(steps):
            dice.choice(happenings)()
    return made


def with_faults(written: list[Written], dice: random.Random, faults: int) -> list[Written]:
    """Lines dropped, repeated, or with a wrong state, leader, epoch."""
    found = list(written)
    for _ in range(faults):
        i = dice.randrange(len(found))
        line = found[i]
        changed: dict[str, Any] = dice.choice(
            (
                {"from_state": "OfflineReplica" if line.event.row == "replica-moved" else "NewPartition"},
                {"leader": 4},
                {"leader_epoch": 0},
                {"isr": (2,)},
                {},
            )
        )
        if line.event.topic is None:
            continue
        if changed:
            found[i] = replace(line, event=replace(line.event, **changed))
        else:
            del found[i]
    return found


def texts(written: Iterable[Written], *releases: str, clocks: Mapping[int, int] | None = None) -> dict[int, list[str]]:
    """The lines of each broker's file; `clocks` are milliseconds by which a broker's clock is ahead.

    A release prints of an event what its wording does, be it true or not, or nothing; of several, they take turns.
    """
    ahead = clocks or {}
    lines: dict[int, list[str]] = {}
    for line, release in zip(written, cycle(releases)):
        if not rows()[line.event.row].releases & release_row(release).mask:
            continue
        event = replace(line.event, ts=line.ts + ahead.get(line.broker, 0))
        lines.setdefault(line.broker, []).append(render(event, release))
    return lines


def save(folder: Path, lines: Mapping[int, list[str]]) -> Path:
    """broker-N/state-change.log for each broker."""
    for broker, own in lines.items():
        path = folder / f"broker-{broker}" / "state-change.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in own), encoding="utf-8")
    return folder
