"""The columns of what the metadata log shows, as fields of the model's language, and the observations made of them."""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import Expr, field
from .....model.sorts import Bool, Int, Open, SetOf, Sort
from .....model.views import PARTITION, Broker
from ...fields import EVENT, SPAN, controller_epoch, releases, sorts, unsure
from ...observe.compared import was
from ...observe.observation import Input, Names, Observation
from ...table.protocol import Table
from . import rows

TEXT = Open("Text")
leader, isr, replicas = PARTITION["leader"], PARTITION["isr"], PARTITION["replicas"]
leader_epoch, partition_epoch = PARTITION["leader_epoch"], PARTITION["partition_epoch"]
adding, removing = field("adding", SetOf(Broker)), field("removing", SetOf(Broker))
elr, last_known = field("elr", SetOf(Broker)), field("last_known", SetOf(Broker))
recovering = field("recovering", Bool)
created, named = field("created", Bool), field("named", Bool)
"""Whether the record creates the partition; whether it names a leader, perhaps the same."""
inactive = field("inactive", SetOf(Broker))
"""Of the members of the ISR and the leader, those that are fenced, in controlled shutdown, or not registered."""
unchanged = field("unchanged", Bool)
"""Whether the record leaves everything as it was, but for the partition epoch."""
again = field("again", Bool)
"""Whether a record of the same batch changed the partition before."""
was_empty = field("was_empty", Bool)
"""Whether the ISR was empty before: the partition is no new one."""
relocated = field("relocated", Bool)
"""Whether the record assigns replicas to other directories, and leaves the replicas as they are."""
repeated = field("repeated", Bool)
"""Whether the ISR, the replicas or the ELR name a broker twice."""
isr_size, min_isr = field("isr_size", Int()), field("min_isr", Int())
wrong_directories, perhaps_lost = field("wrong_directories", SetOf(TEXT)), field("perhaps_lost", Bool)
"""Directories that replicas come to and that their brokers never registered, as far as the log tells; whether they may
have had them before the snapshot with which it begins."""
cordoned = field("cordoned", SetOf(Broker))
"""New replicas on brokers all of whose directories are cordoned."""
directory_count, replica_count = field("directory_count", Int()), field("replica_count", Int())
level, elr_on, migrating = field("level", Int()), field("elr_on", Bool), field("migrating", Bool)
"""metadata.version, whether eligible leader replicas are on, and whether a migration from ZooKeeper goes on."""
committed = field("committed", Bool)
"""Whether the record is known to be committed."""

_PLACE: Mapping[str, Sort] = {
    **sorts(field("offset", Int(0)), committed, field("record", TEXT), controller_epoch),
    **{name: EVENT[name] for name in ("file", "ts")},
    "cluster": SPAN["cluster"],
}
_RECORD = {**_PLACE, **sorts(releases, level, elr_on, migrating, unsure)}
_STATE = (leader, isr, replicas, adding, removing, elr, last_known, recovering, leader_epoch, partition_epoch)
_TOPIC = {name: EVENT[name] for name in ("topic", "partition")}
_BEFORE = {"before_file": EVENT["file"], "before_offset": Int(0)}


def _as_it_is(table: Table, *_: Names) -> Table:
    return table


def _observation(name: str, columns: Mapping[str, Sort]) -> Observation:
    return Observation(name, made_from=Input(name), lines=(), columns=columns, make=_as_it_is)


def _fields(**columns: Sort) -> tuple[Expr, ...]:
    return tuple(field(name, sort) for name, sort in columns.items())


PARTITIONS = _observation(
    rows.PARTITION_CHANGES,
    {
        **_RECORD,
        **_TOPIC,
        **_BEFORE,
        **sorts(*_STATE, *(was(each) for each in _STATE), created, named, unchanged, again, inactive, repeated),
        **sorts(was_empty, relocated, isr_size, min_isr, wrong_directories, perhaps_lost, directory_count),
        **sorts(replica_count, cordoned),
    },
)
"""Records that create or change a partition: its registration before and after."""

known, kind = field("known", Bool), field("kind", TEXT)
UNKNOWN_ENTITIES = _observation(rows.REFERENCES, {**_RECORD, **_TOPIC, **sorts(known)})
"""Records about a topic or a partition that does not exist. (Those about one that does are other observations'.)"""

fresh, free, contiguous = _fields(fresh=Bool, free=Bool, contiguous=Bool)
TOPICS = _observation(rows.TOPICS, {**_RECORD, **_TOPIC, **sorts(fresh, free, contiguous)})
"""New topics: whether the id is new and the name free; at the end of a batch, whether partitions go from 0 on."""

epoch, last_epoch, lag = _fields(epoch=Int(), last_epoch=Int(), lag=Int())
same_incarnation, cleaned, in_batch = _fields(same_incarnation=Bool, cleaned=Bool, in_batch=Bool)
uncounted = field("uncounted", Bool)
"""Whether there are only LeaderChange records from the offset that is the epoch to the record."""
registers, current = _fields(registers=Bool, current=Bool)
shared_directories = field("shared_directories", SetOf(TEXT))
REGISTRATIONS = _observation(
    rows.REGISTRATIONS,
    {
        **_RECORD,
        **_BEFORE,
        **sorts(field("broker", Broker), epoch, last_epoch, lag, same_incarnation, cleaned, in_batch),
        **sorts(uncounted),
        **sorts(registers, current, shared_directories),
    },
)
"""Registrations, and records that name one. `lag` is the record's offset less the epoch; `cleaned`: only changes of
partitions stand between the two, in one batch; `current`: the epoch is that of the broker's registration."""

still_in = field("still_in", SetOf(TEXT))
FENCINGS = _observation(rows.FENCINGS, {**_RECORD, **sorts(field("broker", Broker), still_in)})
"""Brokers that are fenced or unregistered, and the partitions in whose ISR they still are, but as the last of nobody's
partition."""

DEPOSED = _observation(
    rows.DEPOSED, {**_RECORD, **_TOPIC, **_BEFORE, **sorts(field("broker", Broker), leader, isr, replicas)}
)
"""Changes that take a partition, and the place in its ISR, from a leader that is active and stays a replica, where the
next record that changes no partition, in the same batch or the next, is not about that broker. (Where it is, nothing is
shown.)"""

leader_id, other_leader = _fields(leader_id=Broker, other_leader=Broker)
voters, granting = _fields(voters=SetOf(Broker), granting=SetOf(Broker))
majority, first, changed = _fields(majority=Bool, first=Bool, changed=Int())
LEADERS = _observation(
    rows.LEADERS, {**_RECORD, **_BEFORE, **sorts(leader_id, other_leader, voters, granting, majority, first)}
)
"""LeaderChange records; `other_leader` is who another record says leads the same epoch, or the same broker."""

node, agrees = field("node", TEXT), field("agrees", Bool)
REMEMBERED = _observation(rows.REMEMBERED, {**_RECORD, **sorts(node, kind, leader_id, other_leader, agrees)})
"""LeaderChange records beside what the quorum-state of a node says of their epoch: `other_leader` is, by `kind`, who
leads it, or whom a node voted for that the record counts among those who granted their votes."""

VOTERS = _observation(rows.VOTERS, {**_RECORD, **_BEFORE, **sorts(voters, was(voters), changed)})
"""Sets of voters, each with the one before; `changed` says how many voters came or went."""

is_open, ends, left_open = _fields(open=Bool, ends=Bool, left_open=Bool)
TRANSACTIONS = _observation(rows.TRANSACTIONS, {**_RECORD, **sorts(is_open, ends, left_open)})
"""Begins and ends of metadata transactions: whether one was open; and the first record that a later epoch writes into
one that was left open."""

next_id = field("next", Int())
PRODUCER_IDS = _observation(rows.PRODUCERS, {**_RECORD, **_BEFORE, **sorts(next_id, was(next_id))})
"""Blocks of producer ids, each with the one before."""

version_named = field("version_named", Bool)
BEGINNINGS = _observation(rows.BEGINNINGS, {**_RECORD, **sorts(version_named)})
"""The first data record of a log: whether metadata.version was told before the first broker registered."""

CONTROLLERS = _observation(rows.CONTROLLERS, {**_RECORD, **sorts(field("broker", Broker), voters)})
"""Controllers that are unregistered, and the voters of the quorum then, as the last record of them has them."""

to_level, crossed = field("to_level", Int()), field("crossed", SetOf(TEXT))
LEVELS = _observation(rows.LEVELS, {**_RECORD, **_BEFORE, **sorts(to_level, crossed)})
"""Changes of metadata.version from `level`, as far as that is known; `crossed` has the levels over which it falls
though they change what records hold."""

differs = field("differs", SetOf(TEXT))
fits, proved = _fields(fits=Bool, proved=Bool)
SNAPSHOTS = _observation(
    rows.SNAPSHOTS, {**_RECORD, **_TOPIC, **_BEFORE, **sorts(field("broker", Broker), kind, differs, proved)}
)
"""What a snapshot says of a topic, a partition, a broker or a feature, beside the log up to the snapshot's end; and of
its end, which is not `proved` to be wrong: epochs are in no CRC."""

COPIES = _observation(rows.COPIES, {**_RECORD, **_BEFORE, **sorts(kind, fits, proved)})
"""Batches of a copy that do not fit, each with its kind of misfit; and one row for each copy that fits. `proved`: two
records of one offset and epoch differ, and the copy has no other misfit."""
