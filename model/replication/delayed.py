"""Requests that wait: produce with acks=all, and fetch, in the purgatory of a partition's leader.

They are Kafka's DelayedProduce and DelayedFetch (docs/zookeeper.md, "Requests that wait").

One partition, its leader's broker, one follower, at most one request of each kind at a time. The states of a request
are those of specs/machines. A request is looked at anew when the high watermark or the log's end moves, when the broker
becomes a follower or leads in a new epoch, and when the replica is deleted; not when a log directory fails. What moves
the ISR takes effect at once here: the wait for AlterPartition is in the models kip497 and kip966.
"""

from __future__ import annotations

from collections.abc import Callable

from ...specs.machines import machine
from ...specs.releases import span
from ..action import Action, action, waived
from ..expr import Expr, after, both, const, either, false, field, ite, minimum, setting, some, true, var
from ..family import Chosen, Family, of_table
from ..property import Property
from ..protocol import Model, starts
from ..sorts import Bool, Enum, Int, OptionOf, Setting, Value

RECORDS = Setting("records", 3, "the number of appended records, in all", at_least=1)
EPOCHS = Setting("max_leader_epoch", 2, "the last leader epoch")
MIN_ISR = Setting("min_insync_replicas", 2, "min.insync.replicas", at_least=1)

_PRODUCE, _FETCH = machine("delayed-produce"), machine("delayed-fetch")
ProduceState = Enum("ProduceState", tuple(each.name for each in _PRODUCE.states))
FetchState = Enum("FetchState", tuple(each.name for each in _FETCH.states))
Host = Enum("Host", ("Leader", "Follower", "Deleted", "Offline"))
Offset = Int(0, RECORDS)
Epoch = Int(0, EPOCHS)

host = field("host", Host)
leader_epoch = field("leader_epoch", Epoch)
end = field("log_end", Offset)
high_watermark = field("high_watermark", Offset)
follower_end = field("follower_end", Offset)
in_sync = field("in_sync", Bool)
produce = field("produce", OptionOf(ProduceState))
required = field("required", Offset)
acknowledged = field("acknowledged", Offset)
fetch = field("fetch", OptionOf(FetchState))
fetch_at = field("fetch_at", Offset)
fetch_epoch = field("fetch_epoch", Epoch)
of_follower = field("of_follower", Bool)
FIELDS = (
    starts(host, "Leader", "the broker's replica of the partition"),
    starts(leader_epoch, 0, "the partition's leader epoch, as the broker knows it"),
    starts(end, 0, "the end of its log"),
    starts(high_watermark, 0, "its high watermark"),
    starts(follower_end, 0, "the end of the follower's log, as the leader knows it"),
    starts(in_sync, True, "the follower is in the ISR"),
    starts(produce, None, "the produce request"),
    starts(required, 0, "the high watermark that completes it"),
    starts(acknowledged, 0, "the end of the acknowledged records"),
    starts(fetch, None, "the fetch request"),
    starts(fetch_at, 0, "the offset that it reads from"),
    starts(fetch_epoch, 0, "the leader epoch that it names"),
    starts(
        of_follower, False, "it is a follower's, which reads to the end of the log; a consumer's, to the high watermark"
    ),
)
_o, _f = var("offset", Offset), var("of_a_follower", Bool)
_WAITS, _LEADS = "Waiting", "the broker leads"
Updates = dict[Expr, Expr | Value]


def _waits(request: Expr) -> Expr:
    return both(request.is_some(), request.eq(some(const(_WAITS, request.sort.element))))  # type: ignore[attr-defined]


def _enough(chosen: Chosen, synced: Expr) -> Expr:
    """The ISR is no smaller than min.insync.replicas."""
    return setting(MIN_ISR) <= ite(synced, const(2, Int(1, 2)), 1) if chosen.has("KAFKA-1555") else true


def _reached(synced: Expr, own: Expr, others: Expr) -> Expr:
    """The offset up to which all members of the ISR have the log."""
    return ite(synced, minimum(own, others), own)


class _Step:
    """A step's changes and their effects: the high watermark, and the requests that are answered."""

    def __init__(self, chosen: Chosen, changes: Updates) -> None:
        self.chosen, self.changes = chosen, changes

    def of(self, which: Expr) -> Expr:
        """A field as the step leaves it."""
        value = self.changes.get(which, which)
        return value if isinstance(value, Expr) else const(value, which.sort)

    def advanced(self) -> _Step:
        """Add the leader's high watermark to the step: it never falls; since 3.7 it waits for min.insync.replicas."""
        reached = _reached(self.of(in_sync), self.of(end), self.of(follower_end))
        may = true if self.chosen.has("KAFKA-15583") else _enough(self.chosen, self.of(in_sync))
        grown = ite(both(self.of(host).eq("Leader"), may, high_watermark < reached), reached, self.of(high_watermark))
        return _Step(self.chosen, {**self.changes, high_watermark: grown})

    def answered(self) -> Updates:
        """Return the updates with the requests that are answered."""
        return {**self.changes, **self._produced(), **self._fetched()}

    def _gone(self, sort: Enum) -> Callable[[Expr], Expr]:  # type: ignore[valid-type]
        def answer(otherwise: Expr) -> Expr:
            where, found = self.of(host), otherwise
            for place, name in (
                ("Follower", "NotLeader"),
                ("Offline", "StorageError"),
                ("Deleted", "UnknownPartition"),
            ):
                found = ite(where.eq(place), const(name, sort), found)
            return found

        return answer

    def _produced(self) -> Updates:
        asked, mark = self.of(produce), self.of(high_watermark)
        done = self.of(required) <= mark
        few = const("NotEnoughReplicas", ProduceState)
        good = ite(_enough(self.chosen, self.of(in_sync)), const("Acknowledged", ProduceState), few)
        answer = self._gone(ProduceState)(ite(done, good, const(_WAITS, ProduceState)))
        acknowledged_now = both(_waits(asked), answer.eq("Acknowledged"))
        return {
            produce: ite(_waits(asked), some(answer), asked),
            acknowledged: ite(acknowledged_now, self.of(required), acknowledged),
        }

    def _fetched(self) -> Updates:
        asked, limit = self.of(fetch), ite(self.of(of_follower), self.of(end), self.of(high_watermark))
        answer = ite(self.of(fetch_at) < limit, const("Answered", FetchState), const(_WAITS, FetchState))
        if self.chosen.has("KIP-320"):
            answer = ite(self.of(fetch_epoch) < self.of(leader_epoch), const("Fenced", FetchState), answer)
        return {fetch: ite(_waits(asked), some(self._gone(FetchState)(answer)), asked)}


def _by_client(chosen: Chosen) -> tuple[Action, ...]:
    room = {"records are left": end < setting(RECORDS)}
    appended: Updates = {end: end + 1}
    asked: Updates = {**appended, required: end + 1, produce: some(const(_WAITS, ProduceState))}
    looked: Updates = {
        fetch: some(const(_WAITS, FetchState)),
        fetch_at: _o,
        fetch_epoch: leader_epoch,
        of_follower: _f,
    }
    return (
        action(
            "Produce",
            "A client produces with acks=all: the record is appended, and the request waits for the high watermark.",
            guard={
                _LEADS: host.eq("Leader"),
                "no other waits": ~_waits(produce),
                "the ISR is large enough": waived(
                    _enough(chosen, in_sync), "else NOT_ENOUGH_REPLICAS: nothing happens"
                ),
            },
            limits=room,
            updates=_Step(chosen, asked).advanced().answered(),
            cites=("appendRecords in ReplicaManager.scala",),
        ),
        action(
            "Append",
            "A client produces with another acks: no request waits.",
            guard={_LEADS: host.eq("Leader")},
            limits=room,
            updates=_Step(chosen, appended).advanced().answered(),
        ),
        action(
            "Fetch",
            "A consumer or a follower asks for the records after an offset, and waits until there are some.",
            _o,
            _f,
            guard={
                _LEADS: waived(host.eq("Leader"), "otherwise it is answered at once"),
                "no other waits": waived(~_waits(fetch), "one at a time keeps the model small"),
                "the offset is there": waived(_o <= end, "any other is out of range"),
            },
            updates=_Step(chosen, looked).answered(),
            cites=("fetchMessages in ReplicaManager.scala",),
        ),
    )


def _of_replication(chosen: Chosen) -> tuple[Action, ...]:
    shrunk = _Step(chosen, {in_sync: false})
    if not chosen.has("KAFKA-13091"):
        shrunk = shrunk.advanced()
    return (
        action(
            "FollowerFetches",
            "The follower has the log up to an offset, and reports it.",
            _o,
            guard={
                _LEADS: waived(host.eq("Leader"), "otherwise it is refused, and not read"),
                "it is further than before": follower_end < _o,
                "it has no more than the leader": _o <= end,
            },
            updates=_Step(chosen, {follower_end: _o}).advanced().answered(),
            cites=("updateFollowerFetchState in Partition.scala",),
        ),
        action(
            "ExpandIsr",
            "The follower has caught up, and joins the ISR.",
            guard={
                _LEADS: waived(host.eq("Leader"), "otherwise it is not read"),
                "it has the committed records": high_watermark <= follower_end,
                "it is not in the ISR": waived(~in_sync, "otherwise nothing changes"),
            },
            updates=_Step(chosen, {in_sync: true}).advanced().answered(),
            cites=("maybeExpandIsr in Partition.scala",),
        ),
        action(
            "ShrinkIsr",
            "The follower is behind for too long, and leaves the ISR.",
            guard={
                _LEADS: waived(host.eq("Leader"), "otherwise it is not read"),
                "it is behind": waived(follower_end < end, "whichever member leaves, the others have the log"),
            },
            updates=shrunk.answered(),
            cites=("maybeShrinkIsr in Partition.scala", "KAFKA-13091"),
        ),
    )


def _of_control(chosen: Chosen) -> tuple[Action, ...]:
    follows: Updates = {
        host: "Follower",
        leader_epoch: leader_epoch + 1,
        end: _o,
        follower_end: 0,
        in_sync: False,
    }
    leads: Updates = {
        host: "Leader",
        leader_epoch: leader_epoch + 1,
        follower_end: ite(host.eq("Leader"), follower_end, 0),
        in_sync: _f,
    }
    room = {"leader epochs are left": leader_epoch < setting(EPOCHS)}
    hosts_it = either(host.eq("Leader"), host.eq("Follower"))
    found = (
        action(
            "BecomeFollower",
            "The broker follows in a new leader epoch, and cuts its log, but not below the committed records.",
            _o,
            guard={
                "it has a replica": hosts_it,
                "committed records stay": both(high_watermark <= _o, _o <= end),
            },
            limits=room,
            updates=_Step(chosen, follows).answered(),
            cites=("makeFollowers in ReplicaManager.scala",),
        ),
        action(
            "BecomeLeader",
            (
                "The broker leads in a new leader epoch; it must learn the follower's log end again, unless it led "
                "before."
            ),
            _f,
            guard={"it has a replica": hosts_it},
            limits=room,
            updates=_Step(chosen, leads).advanced().answered(),
            cites=("makeLeader in Partition.scala",),
        ),
        action(
            "DeleteReplica",
            "The broker is asked to delete its replica.",
            guard={"it has a replica": hosts_it},
            updates=_Step(chosen, {host: "Deleted"}).answered(),
            cites=("stopReplica in ReplicaManager.scala",),
        ),
        action(
            "TimeOut",
            "A produce request times out.",
            guard={"it waits": _waits(produce)},
            updates={produce: some(const("TimedOut", ProduceState))},
            cites=("onExpiration in DelayedProduce.scala",),
        ),
        action(
            "FetchTimeOut",
            "A fetch request times out: it is answered with the available records.",
            guard={"it waits": waived(_waits(fetch), "an answer that no request waits for is not read")},
            updates={fetch: some(const("Answered", FetchState))},
            cites=("onComplete in DelayedFetch.scala",),
        ),
    )
    if not chosen.has("KIP-112"):
        return found
    return (
        *found,
        action(
            "LogDirFails",
            "The log directory fails: the waiting requests are not looked at.",
            guard={"it has a replica": hosts_it},
            updates={host: "Offline"},
            cites=("handleLogDirFailure in ReplicaManager.scala",),
        ),
        action(
            "LookAgain",
            "Something else makes the broker look at the requests of an offline partition.",
            guard={"is offline": waived(host.eq("Offline"), "otherwise everything that matters makes it look")},
            updates=_Step(chosen, {}).answered(),
        ),
    )


def _by_table(name: str, request: Expr, sort: Enum, chosen: Chosen) -> Expr:  # type: ignore[valid-type]
    """A request is moved as its table has it; a new one begins to wait, and may be answered at once."""
    moved, valid = after(request), of_table(name, chosen)
    allowed = (
        both(moved.eq(some(const(target, sort))), either(*(request.eq(some(const(each, sort))) for each in previous)))
        for target, previous in valid.items()
        if previous
    )
    at_once = (each for each in valid if each != "TimedOut")
    fresh = both(~_waits(request), either(*(moved.eq(some(const(each, sort))) for each in at_once)))
    return either(moved.eq(request), fresh, *allowed)


_led_on = both(host.eq("Leader"), after(host).eq("Leader"))
_PARTITION, _GONE = ("kafka.cluster.Partition",), either(host.eq("Deleted"), host.eq("Offline"))
_KEPT = (
    Property("GoneIsFinal", "A deleted or offline replica stays so.", _GONE.implies(after(host).eq(host)), "step"),
    Property(
        "OnlyALeaderAppends",
        "Clients' records are appended by a leader.",
        (end < after(end)).implies(host.eq("Leader")),
        "step",
        cites=_PARTITION,
    ),
    Property(
        "FollowerIsNotAhead",
        "A leader takes no follower for further than itself.",
        host.eq("Leader").implies(follower_end <= end),
        cites=_PARTITION,
    ),
    Property(
        "FollowerGoesOn",
        "While a broker leads, the follower's log end that it knows does not fall.",
        _led_on.implies(follower_end <= after(follower_end)),
        "step",
        cites=_PARTITION,
    ),
    Property(
        "JoinsWithWhatIsCommitted",
        "A follower that joins the ISR has the committed records.",
        both(~in_sync, after(in_sync), after(leader_epoch).eq(leader_epoch)).implies(high_watermark <= follower_end),
        "step",
        cites=_PARTITION,
    ),
    Property(
        "WaitsForTheSame",
        "A waiting request goes on waiting for the same records.",
        both(_waits(produce), _waits(after(produce))).implies(after(required).eq(required)),
        "step",
        cites=("kafka.server.DelayedProduce",),
    ),
)


def _properties(chosen: Chosen) -> tuple[Property, ...]:
    acknowledged_now = both(
        _waits(produce) | after(required).ne(required), after(produce).eq(some(const("Acknowledged", ProduceState)))
    )
    reached = _reached(in_sync, end, follower_end)
    waits_for_isr = false if chosen.has("KAFKA-15583") else ~_enough(chosen, in_sync)
    timed = ("TimeOut", "FetchTimeOut")
    return (
        Property(
            "AcknowledgedIsCommitted",
            "A produce request is acknowledged by a leader whose high watermark has reached its records, with an ISR "
            "that is large enough.",
            acknowledged_now.implies(
                both(
                    after(host).eq("Leader"),
                    after(required) <= after(high_watermark),
                    _enough(chosen, after(in_sync)),
                )
            ),
            "step",
            cites=("kafka.server.DelayedProduce", "KAFKA-1555"),
        ),
        Property(
            "AcknowledgedIsKept",
            "Acknowledged records are in the log of the broker, while it has one.",
            either(host.eq("Deleted"), host.eq("Offline"), acknowledged <= end),
            cites=("kafka.server.ReplicaManager",),
        ),
        Property(
            "NothingToWaitFor",
            "No produce request waits for records that every member of the ISR has.",
            both(_waits(produce), host.eq("Leader"), ~waits_for_isr).implies(reached < required),
            cites=("KAFKA-13091",),
        ),
        Property(
            "ReadIsOnEnough",
            (
                "The high watermark moves only if the ISR is large enough: a consumer reads no record that fewer "
                "replicas have."
            ),
            (high_watermark < after(high_watermark)).implies(_enough(chosen, after(in_sync))),
            "step",
            cites=("KAFKA-15583",),
        ),
        Property(
            "HighWatermarkWithinLog",
            "The high watermark is not beyond the log's end.",
            high_watermark <= end,
            cites=("kafka.cluster.Partition",),
        ),
        *_KEPT,
        Property(
            "RequestsMoveByTable",
            "Requests move as their tables allow: an answer is final.",
            both(
                _by_table("delayed-produce", produce, ProduceState, chosen),
                _by_table("delayed-fetch", fetch, FetchState, chosen),
            ),
            "step",
            cites=("kafka.server.DelayedProduce", "kafka.server.DelayedFetch"),
        ),
        Property(
            "WaitEnds",
            "A waiting request is eventually answered.",
            either(_waits(produce), _waits(fetch)),
            "leads_to",
            cites=("kafka.server.DelayedOperationPurgatory",),
            goal=both(~_waits(produce), ~_waits(fetch)),
            fair=timed,
        ),
        *(
            Property(
                f"Produce{name}", f"Some produce request is answered with {name}.", _is(produce, name), "sometimes"
            )
            for name in _answers(chosen)
        ),
        *(
            Property(f"Fetch{name}", f"Some fetch request is answered with {name}.", _is(fetch, name), "sometimes")
            for name in ("Answered", "NotLeader", *(("Fenced",) if chosen.has("KIP-320") else ()))
        ),
    )


def _answers(chosen: Chosen) -> tuple[str, ...]:
    few = ("NotEnoughReplicas",) if chosen.has("KAFKA-1555") and chosen.has("KAFKA-15583") else ()
    return ("Acknowledged", *few, "NotLeader", "UnknownPartition", "TimedOut")


def _is(request: Expr, name: str) -> Expr:
    return request.eq(some(const(name, request.sort.element)))  # type: ignore[attr-defined]


def _build(chosen: Chosen) -> Model:
    return Model(
        PURGATORY.name,
        PURGATORY.statement,
        (RECORDS, EPOCHS, MIN_ISR),
        FIELDS,
        (*_by_client(chosen), *_of_replication(chosen), *_of_control(chosen)),
        _properties(chosen),
    )


_CLIENTS = frozenset({"Produce", "Append", "Fetch"})
_OUTSIDE = frozenset({"BecomeFollower", "BecomeLeader", "DeleteReplica", "LogDirFails"})


def _actor(taken: Action) -> str:
    """Return the actor of a step."""
    return "client" if taken.name in _CLIENTS else "controller" if taken.name in _OUTSIDE else "broker"


PURGATORY = Family(
    "purgatory",
    "Produce and fetch requests that wait at a leader, while its partition changes under them.",
    span(">=1.0"),
    ("KAFKA-1555", "KAFKA-13091", "KAFKA-15583", "KIP-112", "KIP-320"),
    (),
    _build,
    (
        ("KAFKA-10554", "the log has no epochs: no fetch is answered with a divergence"),
        (
            "KAFKA-15021",
            "the model has no time: no replica outside the ISR is caught up and holds the high watermark back",
        ),
    ),
    {str(each.expr.data): "broker" for each in FIELDS},
    _actor,
)
