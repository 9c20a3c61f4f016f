"""The metadata log applied record by record: the rows that it contributes to each observation.

An applied record gives the state before and after it; other values that rules need (active brokers, levels) are in its
row. Records between the begin of a metadata transaction and its abort never happened; those between begin and end
happen at the end. Lists in rows are as in records.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from .....specs.metadata.levels import CORDONED, DIRECTORIES, NAME, changes_between, jars, running
from .....traces.metadata.batches import Record
from .....traces.metadata.reader import NO_OP_RECORD
from ...files.metadata import Segment
from ...observe.observation import Observation
from ...table.protocol import Row
from .chronicle import Chronicle, Happened
from .columns import (
    BEGINNINGS,
    CONTROLLERS,
    DEPOSED,
    FENCINGS,
    LEADERS,
    LEVELS,
    PRODUCER_IDS,
    REGISTRATIONS,
    TOPICS,
    TRANSACTIONS,
    UNKNOWN_ENTITIES,
    VOTERS,
)
from .conditions import Conditions
from .deposed import OF_BROKERS, Deposed
from .known import Known
from .rows import NOTHING, NOWHERE, At, Change, Context, Rows
from .state import NO_CHANGE, Broker, Cluster, Data, Partition, newest_level
from .unsure import Unsure, level_of

_new = tuple.__new__
"""Creates a named tuple in half the time that its class takes."""
_FENCE, _UNFENCE = 1, -1
_CHANGE = "PARTITION_CHANGE_RECORD"


class Fold:
    """A cluster's state along its log. `state` is the result of its records so far.

    Args:
        cluster: the number of the cluster in the audit.
        state: the beginning of the log: empty, or a snapshot's content.
        from_start: the log's first record is the cluster's first.
        leaders: for each epoch a leader, and the file and the offset where a copy names it.
        chronicle: receives the records' effects on partitions and brokers; None if not requested.
        rows: receives the records' rows; None if not requested.
        conditions: receives changes of partitions; None if not requested.
        known: receives faults that are legal in the releases that have them; None if not requested.
        unsure: receives what this program does not know; its initial content is unsure from the start.
    """

    def __init__(
        self,
        cluster: int,
        state: Cluster | None = None,
        *,
        from_start: bool = True,
        leaders: Mapping[int, tuple[int, int, int]] | None = None,
        chronicle: Chronicle | None = None,
        rows: Rows | None = None,
        conditions: Conditions | None = None,
        known: Known | None = None,
        unsure: Unsure | None = None,
    ) -> None:
        self.cluster = cluster
        self.state = state or Cluster()
        self.unsure = Unsure() if unsure is None else unsure
        self.epoch = -1
        self.leader: int | None = None
        self._from_start = from_start
        self._leaders = dict(leaders or {})
        self._chronicle = chronicle
        self._rows = rows
        self._conditions = conditions
        self._known = known
        self._open: list[tuple[Record, At]] | None = None
        self._known_context: Context | None = None
        self._opened_in = -1
        self._may_be_open = not self.state.whole
        """True if the log begins later, without a snapshot, and nothing has shown yet whether inside a transaction."""
        self._base = self._before = -1
        self._only_changes_since = -1
        self._leader_changes = -1, -1
        """The offsets from which, and before which, the last consecutive LeaderChange records stand."""
        self._voters: tuple[int, ...] | None = None
        """The voters in the last LeaderChange."""
        self._first_broker_seen = not from_start
        self._first_data: Row | None = None
        self._touched: dict[str, Row] = {}
        self._least_before: dict[str, int | None] = {}
        """For topics whose partition 0 got other replicas in the batch: the result of `min_isr` before it."""
        self._deposed = Deposed()
        self._last: dict[tuple[str, int], tuple[int, int]] = {}

    # Batches and records

    def begins(self, offset: int) -> None:
        """Begin a batch."""
        if self._deposed.waiting:
            self._deposed.begins(self._base)
        if self._least_before:
            self._least_before = {}
        self._base = self._only_changes_since = offset

    def ends(self) -> None:
        """End a batch: check whether the topics that got partitions in it have all from 0 on."""
        for topic, row in self._touched.items():
            numbers = self.state.partitions.get(topic, {})
            if numbers and self.state.whole:
                contiguous = max(numbers) == len(numbers) - 1
                shown = {"topic": self.state.names.get(topic, topic), "contiguous": contiguous}
                self._show(TOPICS, row | shown | {"fresh": True, "free": True})
        if self._touched:
            self._touched = {}

    def idles(self, record: Record) -> bool:
        """Return whether a record is a NoOp without consequences, as half of all records are."""
        return record.type == NO_OP_RECORD and self.idles_at(record.offset, record.epoch)

    def idles_at(self, offset: int, epoch: int) -> bool:
        """Return whether the NoOp at an offset has no consequences."""
        if epoch != self.epoch or not self._first_broker_seen:
            return False
        self._only_changes_since = offset + 1
        if self._deposed.waiting:
            self._explained(NO_OP_RECORD, {})
        if self._chronicle is not None:
            self._chronicle.ends()
        return True

    def record(self, record: Record, segment: Segment, committed: bool) -> None:
        """Apply a record that does not idle."""
        offset, epoch, time, _, kind, _, data, _, partial = record
        if partial:
            self.unsure.met(record)
            self._known_context = None
        if data is None:
            return
        at = _new(At, (self.cluster, segment.index, offset, time, epoch, committed, kind))
        if kind == _CHANGE and self._open is None and epoch == self.epoch and self._first_broker_seen:
            self._partition_change(data, at)  # most records that are not NoOps
        else:
            self._record(record, at)

    def _show(self, observation: Observation, row: Row) -> None:
        """Add a row, with the levels that it was written under and the possible releases of its controller.

        `unsure`: these, or the subject of the row itself, are unsure.
        """
        if self._rows is not None:
            context = self._context._asdict() | row
            self._rows.add(
                observation.name, context | {"unsure": context["unsure"] or self._is_unsure(observation, row)}
            )

    def _is_unsure(self, observation: Observation, row: Row) -> bool:
        """Return whether something that a row is about is unsure; its topic is there by name."""
        if not self.unsure:
            return False
        if observation.name in _OF_QUORUM:
            return self.unsure.quorum
        if observation is FENCINGS:
            return self.unsure.of_some  # the ISRs that still contain a broker depend on all partitions
        topic = self.state.ids.get(row.get("topic") or "", row.get("topic"))
        brokers = {row.get("broker", -1), *row.get("isr", ()), *row.get("replicas", ())}
        return self.unsure.has(topic=topic, partition=row.get("partition"), brokers=brokers)

    @property
    def context(self) -> Context:
        """The possible releases of the controller, and the levels that hold, at this record."""
        return self._context

    def _record(self, record: Record, at: At) -> None:
        if self._chronicle is not None and record.type not in (_CHANGE, *OF_BROKERS):
            self._chronicle.ends()
        if record.control:
            self._control(record, at._asdict())
        else:
            self._transaction(record, at)
        if record.type != _CHANGE:
            self._only_changes_since = record.offset + 1
            if self._deposed.waiting:
                self._explained(record.type, record.data or {})
            self._known_context = None

    def _control(self, record: Record, row: Row) -> None:
        data = record.data or {}
        if record.type == "LEADER_CHANGE":
            self._leader_change(record, data, row)
        elif record.type == "KRAFT_VOTERS":
            after = tuple(sorted(voter["voterId"] for voter in data["voters"]))
            before = self.state.voters
            self.state.voters = after
            if self._chronicle is not None:
                self._chronicle.voters_are(after)
            row = row | self._earlier(row, ("voters", 0))
            if before is not None:
                shown = {"voters": list(after), "before_voters": list(before)}
                self._show(VOTERS, row | shown | {"changed": len({*after} ^ {*before})})
        elif record.type == "KRAFT_VERSION":
            self.unsure.feature("kraft.version", data["kRaftVersion"])

    def _leader_change(self, record: Record, data: Data, row: Row) -> None:
        first = record.epoch > self.epoch
        since, until = self._leader_changes
        self._leader_changes = since if until == record.offset else record.offset, record.offset + 1
        self.epoch, self.leader = max(self.epoch, record.epoch), data["leaderId"]
        voters = sorted({voter["voterId"] for voter in data["voters"]})
        self._voters = tuple(voters)
        if self._chronicle is not None and row["committed"]:
            self._chronicle.leaders[record.epoch] = data["leaderId"], row["file"], record.offset
            self._chronicle.voters.update(voters)
        known = self._leaders.setdefault(record.epoch, (data["leaderId"], row["file"], record.offset))
        granting = sorted({voter["voterId"] for voter in data["grantingVoters"]})
        last = self.state.voters or ()  # from KRaftVoters records; uncommitted ones count
        shown = {
            "leader_id": data["leaderId"],
            "other_leader": known[0],
            "before_file": known[1],
            "before_offset": known[2],
            "voters": voters,
            "granting": granting,
            "majority": _is_majority(granting, voters) and _is_majority(granting, last),
            "first": first,
        }
        self._show(LEADERS, row | shown)

    # Metadata transactions

    def _transaction(self, record: Record, at: At) -> None:
        kind, row = record.type, at._asdict()
        new_epoch = record.epoch > self.epoch
        if new_epoch:
            self.epoch, self.leader = record.epoch, None
        if self._open is not None and self._opened_in < record.epoch and kind not in _ENDS and kind != NO_OP_RECORD:
            self._show(TRANSACTIONS, row | {"open": True, "ends": False, "left_open": True})
            self._opened_in = record.epoch  # reported once
        if kind == "BEGIN_TRANSACTION_RECORD" or kind in _ENDS:
            is_open = None if self._may_be_open and kind in _ENDS else self._open is not None
            self._may_be_open = False
            self._show(TRANSACTIONS, row | {"open": is_open, "ends": kind in _ENDS, "left_open": False})
            held = self._open or []
            self._open = [] if kind == "BEGIN_TRANSACTION_RECORD" else None
            self._opened_in = record.epoch
            if kind == "END_TRANSACTION_RECORD":
                for each, place in held:
                    self._applied(each, place)
        elif self._open is not None:
            self._open.append((record, at))
        else:
            self._applied(record, at)

    def _applied(self, record: Record, at: At) -> None:
        if not self._first_broker_seen:
            self._beginning(record, at._asdict())
        of_partition, handler = _OF_PARTITIONS.get(record.type), _HANDLERS.get(record.type)
        if of_partition is not None:
            of_partition(self, record.data or {}, at)
        elif handler is not None:
            handler(self, record.data or {}, at._asdict())
            self._known_context = None

    def _beginning(self, record: Record, row: Row) -> None:
        """Check at the first registration of a broker whether the log had set its level before."""
        self._first_data = self._first_data or row
        if record.type == "REGISTER_BROKER_RECORD":
            self._first_broker_seen = True
            newest = newest_level(record.data or {})
            if newest is not None:
                feature_named = NAME in self.state.features
                self._show(BEGINNINGS, self._first_data | {"version_named": feature_named, "releases": jars(newest)})

    @property
    def _context(self) -> Context:
        if self._known_context is None:
            state = self.state
            unsure = self.unsure.everything or self._runs_newer()
            self._known_context = Context(self.releases, state.level, state.elr, state.migrating, unsure)
        return self._known_context

    def _runs_newer(self) -> bool:
        """Return whether the active controller has an unknown release."""
        leader, state = self.leader, self.state
        if leader is None:
            return False
        of_broker = state.brokers.get(leader)
        newest = state.controllers.get(leader, None if of_broker is None else of_broker.newest)
        return self.unsure.runs(leader, newest)

    @property
    def in_transaction(self) -> bool:
        """True while a metadata transaction is open: its records are applied when it ends."""
        return self._open is not None

    @property
    def releases(self) -> int:
        """The possible releases of the active controller, by the levels that it registered; otherwise by the level."""
        state, leader = self.state, self.leader
        if leader is not None:
            if leader in state.controllers:
                return jars(state.controllers[leader])
            if leader in state.brokers:
                return jars(state.brokers[leader].newest)
        return running(state.level)

    # Partitions

    def _partition(self, data: Data, at: At) -> None:
        after = Partition.of(data)
        there = self.state.partitions.get(after.topic)
        if self.state.whole and after.topic not in self.state.names:
            self._missing(at._asdict(), after.topic, after.number)
            return
        self._touched.setdefault(after.topic, at._asdict() | {"partition": after.number})
        self._changed((there or {}).get(after.number), after, data, at)

    def _partition_change(self, data: Data, at: At) -> None:
        topic, number = data["topicId"], data["partitionId"]
        there = self.state.partitions.get(topic)
        before = there.get(number) if there else None
        if before is not None:
            self._changed(before, before.merged(data), data, at)
        elif self.state.whole:
            self._missing(at._asdict(), topic, number)
        elif self._chronicle is not None:
            self._chronicle.changed_unseen()

    def _changed(self, before: Partition | None, after: Partition, data: Data, at: At) -> None:
        """Record a partition before and after a record."""
        state, topic = self.state, after.topic
        inactive = state.inactive(after.isr, after.leader)
        wrong = state.wrong_directories(after, before) if data.get("directories") else ()
        if before is None:
            state.put(after, before)
        least = state.min_isr(after)  # Kafka computes it before it writes the change, and all others of the request
        if self._least_before and least is not None:
            least = max(least, self._least_before.get(topic) or 0)
        if after.number == 0 and before is not None and before.replicas != after.replicas:
            self._least_before.setdefault(topic, least)
        if before is not None:
            state.put(after, before)
        if self._chronicle is not None:
            self._chronicle.put(after, at)
            if before is not None:
                self._chronicle.changed(before, after, at)
        if self._conditions is not None:
            self._conditions.changed(before, after, at)
        named = data.get("leader", NO_CHANGE) != NO_CHANGE
        if named and self._known is not None and before is not None and before.leader == after.leader:
            self._known.leader_named_again(before, after, state.names.get(topic, topic), at, self._context)
        if self._rows is None:
            return
        key = after[:2]
        earlier = self._last.get(key, NOWHERE)
        self._last[key] = at[1:3]
        if before is not None and before.leader != after.leader and before.leader in state.active:
            self._deposed.loses(before, after, at, earlier, state, self._base)
        context = self._known_context or self._context
        if self.unsure.of_some and not context.unsure and self.unsure.has_partition(before, after):
            context = context._replace(unsure=True)
        name = state.names.get(topic, topic)
        there = NOTHING if before is None else before
        lost = bool(wrong) and state.may_be_lost(wrong)
        again = earlier[0] == at.file and (earlier[1] or 0) >= self._base
        places = data.get("replicas") and state.level >= CORDONED
        cordoned = state.put_where_cordoned(after, before) if places else ()
        change = Change(at, context, name, there, after, earlier, named, inactive, least, wrong, lost, again, cordoned)
        self._rows.changes.append(change)

    def _explained(self, kind: str, data: Data) -> None:
        """Report a record that changes no partition, after some in which active leaders lost theirs."""
        for row in self._deposed.explained(kind, data, self.state):
            self._show(DEPOSED, row)

    def _earlier(self, row: Row, entity: tuple[str, int]) -> Row:
        """Return the place of the previous record about the same entity."""
        before = self._last.get(entity)
        self._last[entity] = row["file"], row["offset"]
        return {} if before is None else {"before_file": before[0], "before_offset": before[1]}

    def _missing(self, row: Row, topic: str, number: int | None = None) -> None:
        shown = {"topic": self.state.names.get(topic, topic), "partition": number, "known": False}
        self._show(UNKNOWN_ENTITIES, row | shown)

    # Topics, configurations, features

    def _topic(self, data: Data, row: Row) -> None:
        state, name, topic = self.state, data["name"], data["topicId"]
        shown = {"topic": name, "fresh": topic not in state.ever, "free": name not in state.ids, "contiguous": True}
        self._show(TOPICS, row | shown)
        state.names[topic], state.ids[name] = name, topic
        if self._chronicle is not None:
            self._chronicle.named(name, topic)
        state.ever.add(topic)
        state.partitions.setdefault(topic, {})

    def _remove_topic(self, data: Data, row: Row) -> None:
        topic = data["topicId"]
        if self.state.whole and topic not in self.state.names:
            self._missing(row, topic)
        if self._chronicle is not None:
            self._chronicle.gone(topic, self.state.partitions.get(topic, {}).values(), _happened(row))
        if self._conditions is not None:
            self._conditions.gone(topic, row["ts"])
        self.state.remove(topic)

    def _clear_elr(self, data: Data, row: Row) -> None:
        state, name = self.state, data["topicName"]
        if name and name not in state.ids:
            if state.whole:
                self._missing(row, name)
            return
        hit = state.partitions.get(state.ids[name], {}).values() if name else state.all()
        at = At(**row)
        for partition in [each for each in hit if each.elr or each.last_known]:
            self._changed(partition, partition.cleared(), {}, at)

    def _config(self, data: Data, row: Row) -> None:
        self.state.configure(data)

    def _feature(self, data: Data, row: Row) -> None:
        level = level_of(data)
        self.unsure.feature(data["name"], level)
        if data["name"] == NAME:
            self._moves_level(level, row)
        if level:
            self.state.features[data["name"]] = level
        else:
            self.state.features.pop(data["name"], None)

    def _moves_level(self, to_level: int, row: Row) -> None:
        """Set metadata.version to another level."""
        earlier = self._earlier(row, ("levels", 0))
        if self.state.whole or NAME in self.state.features:
            crossed = changes_between(to_level, self.state.level)
            self._show(LEVELS, row | earlier | {"to_level": to_level, "crossed": list(crossed)})

    def _remove_feature(self, data: Data, row: Row) -> None:
        self.state.features.pop(data["name"], None)

    def _migration(self, data: Data, row: Row) -> None:
        self.state.migration = data["zkMigrationState"]
        if self._chronicle is not None and self.state.migration:
            self._chronicle.mixed = True

    def _producer_ids(self, data: Data, row: Row) -> None:
        before, after = self.state.producer_ids, data["nextProducerId"]
        self.state.producer_ids = after
        earlier = self._earlier(row, ("producer ids", 0))
        if before is not None:
            self._show(PRODUCER_IDS, row | earlier | {"next": after, "before_next": before})

    # Brokers and controllers

    def _register(self, data: Data, row: Row) -> None:
        state, after = self.state, Broker.of(data)
        before = state.brokers.get(after.id)
        elsewhere = {d for other in state.brokers.values() if other.id != after.id for d in other.directories}
        shown = {
            "broker": after.id,
            "epoch": after.epoch,
            "last_epoch": state.epochs.get(after.id, -1),
            "same_incarnation": before is not None and before.incarnation == after.incarnation,
            "lag": row["offset"] - after.epoch,
            "cleaned": self._only_changes_since <= after.epoch < row["offset"],
            "uncounted": self._leader_changes[0] <= after.epoch < self._leader_changes[1] == row["offset"],
            "in_batch": after.epoch >= self._base,
            "shared_directories": sorted(elsewhere & set(after.directories)),
            "registers": True,
            "current": True,
        }
        self._show(REGISTRATIONS, row | self._earlier(row, ("broker", after.id)) | shown)
        if self._known is not None:
            self._known.registered(before, after, At(**row), cleaned=shown["cleaned"])
        state.register(after)
        if self._chronicle is not None:
            self._chronicle.registered(after.id, after.epoch)

    def _register_controller(self, data: Data, row: Row) -> None:
        self.state.controllers[data["controllerId"]] = newest_level(data)

    def _unregister_controller(self, data: Data, row: Row) -> None:
        voters = self.state.voters or self._voters
        if voters is not None:
            self._show(CONTROLLERS, row | {"broker": data["controllerId"], "voters": list(voters)})
        self.state.controllers.pop(data["controllerId"], None)

    def _unregister(self, data: Data, row: Row) -> None:
        self._of_broker(data["brokerId"], data["brokerEpoch"], row)
        self._handles("unregister", data["brokerId"], row)
        if data["brokerId"] in self.state.brokers:
            self._left(data["brokerId"], row)
        self.state.brokers.pop(data["brokerId"], None)
        self.state.seen(data["brokerId"])

    def _registration_change(self, data: Data, row: Row) -> None:
        self._of_broker(data["brokerId"], data["brokerEpoch"], row)
        self._fenced(data["brokerId"], data.get("fenced", 0), row)
        if data.get("inControlledShutdown", 0) == 1:
            self._handles("shutdown", data["brokerId"], row)
        elif not data.get("fenced", 0) and self._chronicle is not None:
            self._chronicle.ends()
        broker = self.state.brokers.get(data["brokerId"])
        if broker is not None:
            broker.in_shutdown = broker.in_shutdown or data.get("inControlledShutdown", 0) == 1
            self.state.seen(broker.id)
            broker.directories = data.get("logDirs") or broker.directories
            broker.cordoned = data.get("cordonedLogDirs", broker.cordoned)

    def _fence(self, data: Data, row: Row) -> None:
        self._of_broker(data["id"], data["epoch"], row)
        self._fenced(data["id"], _FENCE, row)

    def _unfence(self, data: Data, row: Row) -> None:
        self._of_broker(data["id"], data["epoch"], row)
        self._fenced(data["id"], _UNFENCE, row)

    def _fenced(self, broker: int, change: int, row: Row) -> None:
        there = self.state.brokers.get(broker)
        if change:
            self._handles("fence" if change == _FENCE else "unfence", broker, row)
        if there is None or not change:
            return
        there.fenced = change == _FENCE
        self.state.seen(broker)
        if there.fenced:
            self._left(broker, row)

    def _handles(self, kind: str, broker: int, row: Row) -> None:
        """Record for the chronicle that a broker joins or leaves."""
        if self._chronicle is not None:
            if kind in ("unfence", "shutdown"):
                self._chronicle.ends()
            self._chronicle.handles(kind, broker, _happened(row))

    def _left(self, broker: int, row: Row) -> None:
        """Report the ISRs that still contain a fenced or unregistered broker, except as the last member of a leaderless
        partition.
        """
        state = self.state
        there = (state.partitions[topic][number] for topic, number in state.in_isr(broker))
        still = [each for each in there if each.isr != (broker,) or each.leader >= 0]
        named = sorted(f"{state.names.get(each.topic, each.topic)}-{each.number}" for each in still)
        self._show(FENCINGS, row | {"broker": broker, "still_in": named})

    def _of_broker(self, broker: int, epoch: int, row: Row) -> None:
        """Check whether a record about a broker names its registration."""
        there = self.state.brokers.get(broker)
        if there is None and not self.state.whole:
            return
        known = None if there is None else there.epoch
        shown = {
            "broker": broker,
            "epoch": epoch,
            "last_epoch": -1 if known is None else known,
            "same_incarnation": False,
            "lag": 0,
            "cleaned": False,
            "uncounted": False,
            "in_batch": True,
            "shared_directories": [],
            "registers": False,
            "current": known == epoch,
        }
        self._show(REGISTRATIONS, row | self._earlier(row, ("broker", broker)) | shown)


_OF_QUORUM = {each.name for each in (CONTROLLERS, LEADERS, VOTERS)}
_Handler = Callable[[Fold, Data, Row], None]
_ENDS = ("END_TRANSACTION_RECORD", "ABORT_TRANSACTION_RECORD")
_CONTROL = ("LEADER_CHANGE", "KRAFT_VOTERS", "KRAFT_VERSION")
_OF_PARTITIONS: Mapping[str, Callable[[Fold, Data, At], None]] = {
    "PARTITION_RECORD": Fold._partition,
    _CHANGE: Fold._partition_change,
}
_HANDLERS: Mapping[str, _Handler] = {
    "TOPIC_RECORD": Fold._topic,
    "REMOVE_TOPIC_RECORD": Fold._remove_topic,
    "CLEAR_ELR_RECORD": Fold._clear_elr,
    "CONFIG_RECORD": Fold._config,
    "FEATURE_LEVEL_RECORD": Fold._feature,
    "REMOVE_FEATURE_LEVEL_RECORD": Fold._remove_feature,
    "ZK_MIGRATION_STATE_RECORD": Fold._migration,
    "PRODUCER_IDS_RECORD": Fold._producer_ids,
    "REGISTER_BROKER_RECORD": Fold._register,
    "REGISTER_CONTROLLER_RECORD": Fold._register_controller,
    "UNREGISTER_CONTROLLER_RECORD": Fold._unregister_controller,
    "UNREGISTER_BROKER_RECORD": Fold._unregister,
    "BROKER_REGISTRATION_CHANGE_RECORD": Fold._registration_change,
    "FENCE_BROKER_RECORD": Fold._fence,
    "UNFENCE_BROKER_RECORD": Fold._unfence,
}


def applied_types() -> frozenset[str]:
    """Return the types of records that are applied; all others are declared to bear on no rule
    (specs/metadata/records.toml).
    """
    transactions = ("BEGIN_TRANSACTION_RECORD", *_ENDS)
    return frozenset({*_OF_PARTITIONS, *_HANDLERS, *transactions, *_CONTROL})


def _is_majority(granting: Collection[int], voters: Collection[int]) -> bool:
    """Return whether more than half of the voters granted their votes; True where none are known."""
    return not voters or 2 * len({*granting} & {*voters}) > len(voters)


def _happened(row: Row) -> Happened:
    return Happened(row["file"], row["offset"], row["ts"], row["controller_epoch"])


def snapshot_state(records: Iterable[Record]) -> tuple[Cluster, Unsure]:
    """Return the state that a snapshot's records produce, and what is unsure in it; its history is not examined."""
    fold = Fold(0, from_start=False)
    nowhere = Segment(0, "")
    for record in records:
        fold.record(record, nowhere, True)
    return fold.state, fold.unsure


def differences(snapshot: Cluster, state: Cluster) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Yield differences between a snapshot and the log's state at its end: per entity its kind, its names, and what
    differs.
    """
    for topic in sorted({*snapshot.names, *state.names}):
        name = state.names.get(topic, snapshot.names.get(topic, topic))
        here, there = snapshot.partitions.get(topic, {}), state.partitions.get(topic, {})
        if (topic in snapshot.names) != (topic in state.names):
            yield "topic", {"topic": name}, [f"the topic {_only(topic in snapshot.names)}"]
            continue
        for number in sorted({*here, *there}):
            yield (
                "partition",
                {"topic": name, "partition": number},
                _partition_differences(here.get(number), there.get(number), elr=state.elr),
            )
    for broker in sorted({*snapshot.brokers, *state.brokers}):
        one, other = snapshot.brokers.get(broker), state.brokers.get(broker)
        found = [_only(one is not None)] if one is None or other is None else []
        if one is not None and other is not None:
            found = [
                f"{name} {getattr(one, name)}, not {getattr(other, name)}"
                for name in ("epoch", "incarnation", "fenced", "in_shutdown")
                if getattr(one, name) != getattr(other, name)
            ]
            if state.level >= DIRECTORIES and sorted(one.directories) != sorted(other.directories):
                found.append("directories")
        yield "broker", {"broker": broker}, found
    for feature in sorted({*snapshot.features, *state.features}):
        absent = 1 if feature == NAME else 0  # a log without the record runs at 3.0-IV1
        one_level, other_level = snapshot.features.get(feature, absent), state.features.get(feature, absent)
        yield "feature", {}, [] if one_level == other_level else [f"{feature} {one_level}, not {other_level}"]


def _only(in_snapshot: bool) -> str:
    return "is only in the snapshot" if in_snapshot else "is not in the snapshot"


def _partition_differences(one: Partition | None, other: Partition | None, *, elr: bool) -> list[str]:
    """Return the fields in which a snapshot's partition is not the log's; `elr`: eligible leader replicas are on.

    Where they were on and are turned off, partitions keep theirs until they change, and snapshots do not contain them
    (ImageWriterOptions.isEligibleLeaderReplicasEnabled, since 4.0).
    """
    if one is None or other is None:
        return [_only(one is not None)]
    if not elr and not (one.elr or one.last_known):
        other = other._replace(elr=(), last_known=())
    return [f"{name} {getattr(one, name)}, not {getattr(other, name)}" for name in one.differences(other)]
