"""The lines that brokers write of LeaderAndIsr requests and about their ISRs (docs/lines.md).

Logs are empty here: every offset is 0. The controller of an epoch, and the number of a request, are no part of the
state; the writer of a run adds them (checker/conformance).

Sources: ReplicaManager.scala, Partition.scala.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...specs.releases import span
from ..expr import Expr, both, set_of, some, true
from ..lines import Block, Line
from ..sorts import Value
from .effects import Effects
from .lines import Listed, leader_and_isr
from .state import p

_EMPTY: dict[str, Value] = {"offset": 0, "high_watermark": 0}
_NO_TOPIC_ID, _NO_EPOCH = "None", -1
"""The topic id as printed below inter.broker.protocol 2.8, and the leader epoch printed before the first one."""


@dataclass(frozen=True)
class Handling:
    """A LeaderAndIsr request that a broker reads."""

    effects: Effects
    b: Expr
    """The broker."""
    tenure: Expr
    """The epoch of the controller that sent it."""
    ordered_state: Expr
    """The request's state of p."""
    new: Expr
    """The request says that p is new."""
    mine: Expr
    """The broker's own state of p."""
    takes: Expr
    """The broker takes the request's state."""
    leader_found: Expr
    """There is a leader to follow."""
    listed: Listed
    """The replicas of p in the request."""

    @property
    def _leads(self) -> Expr:
        return self.ordered_state.value["leader"].eq(some(self.b))

    def _line(self, row: str, given: Expr, **fields: Expr | Value) -> Line:
        """A line for each partition."""
        of: dict[str, Expr | Value] = {
            "speaker": self.b,
            "controller_epoch": self.tenure,
            "topic": p,
            "partition": p,
            "written_by_epoch": self.ordered_state.value["controller_epoch"],
            "leader": self.ordered_state.value["leader"],
            "leader_epoch": self.ordered_state.value["leader_epoch"],
        }
        return Line(row, self.b, of | fields, both(self.ordered_state.is_some(), given), (p,))

    def _count(self, row: str, given: Expr = true, **fields: Expr | Value) -> Block:
        """A line for the request, with the number of partitions that it is about."""
        concerned = set_of(p, both(self.ordered_state.is_some(), given))
        printed = {"speaker": self.b, "controller_epoch": self.tenure, "count": concerned.size(), **fields}
        return (Line(row, self.b, printed, ~concerned.is_empty()),)

    def _in(self, releases: str) -> bool:
        return bool(self.effects.chosen.release.mask & span(releases))

    def received(self) -> list[Block]:
        """Return the lines for a received request, written whether or not it is obeyed."""
        state = {**leader_and_isr(self.ordered_state.value), "replicas": self.listed.replicas}
        more = {"is_new": self.new, "adding": self.listed.adding, "removing": self.listed.removing}
        line = self._line("leader-and-isr-received", true, **state, **more)
        return [self._count("leader-and-isr-begun"), (line,)]

    def ended(self) -> Block:
        return self._count("leader-and-isr-ended")

    def ignored(self, known: Expr) -> Block:
        """Return the line of a request that is ignored: its controller epoch is lower than the one that is `known`."""
        printed = {"speaker": self.b, "controller_epoch": self.tenure, "known_controller_epoch": known}
        return (Line("leader-and-isr-ignored", self.b, printed, self.tenure < known),)

    def offline(self, failed: Expr) -> Block:
        """Return the lines for replicas whose log directory has failed: their part of the request is ignored."""
        return (self._line("leader-and-isr-while-offline", failed),)

    def refused(self) -> Block:
        """Return the lines for partition states that are not new; since 2.3 an equal leader epoch has its own line."""
        its, own = self.ordered_state.value["leader_epoch"], self.mine.value["leader_epoch"]
        if self._in("<=2.2"):
            return (self._line("leader-epoch-refused", self.mine.is_some() & (its <= own), current_leader_epoch=own),)
        return (
            self._line("leader-epoch-refused", self.mine.is_some() & (its < own), current_leader_epoch=own),
            self._line("leader-epoch-refused", self.mine.is_some() & its.eq(own)),
        )

    def becomes(self) -> list[Block]:
        """Return the lines for what the broker does: first the partitions that it leads, then those that it follows.

        The lines are written partition by partition (ReplicaManager.makeLeaders, makeFollowers).
        """
        leads, follows = both(self.takes, self._leads), both(self.takes, ~self._leads)
        found = both(follows, self.leader_found)
        restarts = both(found, ~self._goes_on())
        before: dict[str, Expr | Value] = {"kind": "become-leader"}
        after: dict[str, Expr | Value] = {"kind": "become-follower"}
        blocks = [(self._line("become-begun", leads, **before),), *self._stopped(leads, before)]
        was_leader = both(self.mine.is_some(), self.mine.value["leader"].eq(some(self.b)))
        led_before = [self._line("same-leader", both(leads, was_leader), **before)] if self._in("<=3.2") else []
        blocks.append((*self._started("lead", leads), *led_before))
        blocks += [(self._line("become-ended", leads, **before),), (self._line("become-begun", follows, **after),)]
        unavailable = self._line("leader-unavailable", both(follows, ~found))
        goes_on = self._line("same-leader", both(found, self._goes_on()), **after)
        blocks += [(unavailable, *self._started("follow", found), goes_on), *self._stopped(restarts, after)]
        if self._in("<=2.5"):
            blocks.append((self._line("truncated-for-leader", restarts),))
            blocks.append((self._line("fetchers-started", restarts),))
        return [*blocks, (self._line("become-ended", follows, **after),)]

    def _goes_on(self) -> Expr:
        """The leader is the one that it follows already: nothing is stopped, nothing truncated (KAFKA-7164)."""
        same = both(self.mine.is_some(), self.mine.value["leader"].eq(self.ordered_state.value["leader"]))
        if self.effects.chosen.has("KAFKA-7164"):
            return same
        next_one = self.ordered_state.value["leader_epoch"].eq(self.mine.value["leader_epoch"] + 1)
        return both(same, next_one) if self._in("2.0.1") else ~true

    def _stopped(self, given: Expr, kind: dict[str, Expr | Value]) -> list[Block]:
        """Return the lines on stopped fetchers: since 2.6 one for the request."""
        if self._in("<=2.5"):
            return [(self._line("fetchers-stopped", given, **kind),)]
        return [self._count("fetchers-stopped", given, **kind)]

    def _started(self, what: str, given: Expr) -> list[Line]:
        """Return the lines saying that a partition leads or follows from now on; up to 2.5 a follower prints none."""
        changes = {"adding": self.listed.adding, "removing": self.listed.removing}
        state = {**leader_and_isr(self.ordered_state.value), **_EMPTY, "topic_id": _NO_TOPIC_ID, **changes}
        mine = self.mine.value
        known = {"previous_leader": mine["leader"], "previous_leader_epoch": mine["leader_epoch"]}
        lines = []
        for row in ("leader-starts", "leader-started") if what == "lead" else ("follower-started",):
            unknown = self._line(row, both(given, self.mine.is_none()), **state, previous_leader_epoch=_NO_EPOCH)
            lines += [unknown, self._line(row, both(given, self.mine.is_some()), **state, **known)]
        return lines


def metadata_cached(effects: Effects, b: Expr, tenure: Expr, ordered_state: Expr, listed: Listed) -> list[Block]:
    """Return the lines for an UpdateMetadata request: what is cached, what is forgotten, and since 2.6 how many."""
    of: dict[str, Expr | Value] = {"speaker": b, "controller_epoch": tenure, "topic": p, "partition": p}
    entry = ordered_state["states"][p]
    state = {**leader_and_isr(entry.value), "written_by_epoch": entry.value["controller_epoch"]}
    offline = effects.replicas(p).minus(ordered_state["live"])
    printed = {**of, **state, "replicas": listed.replicas, "offline_replicas": offline}
    deleted = ordered_state["deleted"]
    blocks: list[Block] = [
        (
            Line("metadata-cached", b, printed, entry.is_some(), (p,)),
            Line("update-metadata-received", b, of, deleted.contains(p), (p,)),
        )
    ]
    if effects.chosen.release.mask & span(">=2.6"):
        counts = {"count": set_of(p, entry.is_some()).size(), "deleted": deleted.size()}
        blocks.append((Line("update-metadata-received", b, {"speaker": b, "controller_epoch": tenure, **counts}),))
    return blocks


def replica_stopped(
    effects: Effects, b: Expr, tenure: Expr, ordered_state: Expr, mine: Expr, heeds: Expr
) -> list[Block]:
    """Return the lines for a StopReplica request that deletes; since 2.6 also for one that the broker ignores."""
    of: dict[str, Expr | Value] = {"speaker": b, "topic": p, "partition": p, "delete": True}
    if effects.chosen.before("2.6"):
        rows = ("stop-replica-begun", "stop-replica-ended")
        return [(Line(row, b, of, ordered_state.is_some(), (p,)),) for row in rows]
    its, own = ordered_state.value["leader_epoch"], mine.value["leader_epoch"]
    received = {**of, "controller_epoch": tenure, "leader_epoch": its}
    refused = both(ordered_state.is_some(), ~heeds)
    counted = set_of(p, ordered_state.is_some()).size()
    return [
        (Line("stop-replica-begun", b, {"speaker": b, "controller_epoch": tenure, "count": counted}),),
        (Line("stop-replica-received", b, received, ordered_state.is_some(), (p,)),),
        (
            Line("stop-replica-ignored", b, {**received, "current_leader_epoch": own}, both(refused, its < own), (p,)),
            Line("stop-replica-ignored", b, received, both(refused, its.eq(own)), (p,)),
        ),
    ]


def directory_fails(b: Expr, of: Expr) -> list[Block]:
    """Return the lines of a log directory that fails, with the replica that is in it."""
    dir_of = {"speaker": b, "dir": "/kafka-logs"}
    return [
        (Line("log-directory-fails", b, {**dir_of, "kind": "begins"}),),
        (Line("replicas-offline", b, {**dir_of, "detail": of}),),
    ]


def metadata_ignored(b: Expr, tenure: Expr, known: Expr, given: Expr) -> Block:
    """Return the line of an UpdateMetadata request of an earlier controller."""
    printed = {"speaker": b, "controller_epoch": tenure, "known_controller_epoch": known}
    return (Line("update-metadata-ignored", b, printed, both(given, tenure < known)),)


def broker_epoch_refused(b: Expr, tenure: Expr, given: Expr) -> Block:
    """Return the line of a request that was meant for an earlier life of its broker."""
    return (Line("broker-epoch-refused", b, {"speaker": b, "controller_epoch": tenure}, given),)


def registered_anew(b: Expr, life: Expr, starts: bool) -> list[Block]:
    """Return the lines of a broker that registers, whose process has just started, or goes on."""
    started = (Line("process-starts", b, {"speaker": b}),)
    registers = (Line("broker-registered", b, {"speaker": b, "broker_epoch": life}),)
    return [started, registers] if starts else [registers]


def isr_change(row: str, b: Expr, of: Expr, old: Expr, new: Expr, lagging: Expr) -> Block:
    """Return the line of a leader about to change its ISR; dropped followers are printed with their log ends, 0."""
    printed = {**_EMPTY, "log_end_offset": 0, "lagging": lagging}
    return (Line(row, b, {"speaker": b, "topic": of, "partition": of, "old_isr": old, "isr": new, **printed}),)


def isr_updated(b: Expr, of: Expr, state: Expr) -> Block:
    """Return the line of a leader's ISR that is written, in the version after the one that it knew."""
    printed = {"isr": state["isr"], "partition_epoch": state["version"]}
    rows = ("isr-updated", "isr-committed")  # the one up to 2.7, the other since
    return tuple(Line(row, b, {"speaker": b, "topic": of, "partition": of, **printed}) for row in rows)


def isr_refused(b: Expr, of: Expr, kept: Expr) -> Block:
    """Return the line of an ISR that the controller refuses for a member; its leader keeps the one that it has."""
    printed = {
        "speaker": b,
        "topic": of,
        "partition": of,
        "error": "INELIGIBLE_REPLICA",
        "detail": kept,
        "level": "INFO",
    }
    return (Line("isr-change-refused", b, printed),)
