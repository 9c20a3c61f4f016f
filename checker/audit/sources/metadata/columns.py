"""The columns of the metadata log's rows, as fields of the model's language, and the observations made from them."""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import Expr, field
from .....model.sorts import Bool, Int, Open, SetOf, Sort
from .....model.views import PARTITION, Broker
from ...fields import EVENT, SPAN, controller_epoch, releases, sorts, unsure
from ...observe.compared import was
from ...observe.observation import Input, Names, Observation
from ...table.protocol import Table

TEXT = Open("Text")
leader, isr, replicas = PARTITION["leader"], PARTITION["isr"], PARTITION["replicas"]
leader_epoch, partition_epoch = PARTITION["leader_epoch"], PARTITION["partition_epoch"]
adding, removing = field("adding", SetOf(Broker)), field("removing", SetOf(Broker))
elr, last_known = field("elr", SetOf(Broker)), field("last_known", SetOf(Broker))
recovering = field("recovering", Bool)
created, named = field("created", Bool), field("named", Bool)
"""True if the record creates the partition; true if it names a leader, even the same."""
inactive = field("inactive", SetOf(Broker))
"""The members of the ISR, and the leader, that are fenced, in controlled shutdown, or not registered."""
unchanged = field("unchanged", Bool)
"""True if the record changes nothing but the partition epoch."""
again = field("again", Bool)
"""True if a record of the same batch changed the partition before."""
was_empty = field("was_empty", Bool)
"""True if the ISR of an existing partition was empty before."""
relocated = field("relocated", Bool)
"""True if the record assigns replicas to other directories, and leaves the replicas unchanged."""
repeated = field("repeated", Bool)
"""True if the ISR, the replicas or the ELR name a broker twice."""
isr_size, min_isr = field("isr_size", Int()), field("min_isr", Int())
wrong_directories, perhaps_lost = field("wrong_directories", SetOf(TEXT)), field("perhaps_lost", Bool)
"""New directories of replicas that their brokers never registered, as far as the log shows; true if brokers may have
had them before the snapshot with which the log begins.
"""
cordoned = field("cordoned", SetOf(Broker))
"""New replicas on brokers whose directories are all cordoned."""
directory_count, replica_count = field("directory_count", Int()), field("replica_count", Int())
level, elr_on, migrating = field("level", Int()), field("elr_on", Bool), field("migrating", Bool)
"""metadata.version, whether eligible leader replicas are on, and whether a migration from ZooKeeper is in progress."""
committed = field("committed", Bool)
"""True if the record is known to be committed."""

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
    "metadata_partitions",
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
UNKNOWN_ENTITIES = _observation("metadata_references", {**_RECORD, **_TOPIC, **sorts(known)})
"""Records about a topic or a partition that does not exist. (Records about existing ones are in other observations.)"""

fresh, free, contiguous = _fields(fresh=Bool, free=Bool, contiguous=Bool)
TOPICS = _observation("metadata_topics", {**_RECORD, **_TOPIC, **sorts(fresh, free, contiguous)})
"""New topics: whether the id is new and the name free; at the end of a batch, whether partitions are numbered from
0.
"""

epoch, last_epoch, lag = _fields(epoch=Int(), last_epoch=Int(), lag=Int())
same_incarnation, cleaned, in_batch = _fields(same_incarnation=Bool, cleaned=Bool, in_batch=Bool)
uncounted = field("uncounted", Bool)
"""True if there are only LeaderChange records between the offset that is the epoch and the record."""
registers, current = _fields(registers=Bool, current=Bool)
fenced = field("fenced", Bool)
"""True if the broker is fenced: by the record if it registers the broker, else as it is known."""
shared_directories = field("shared_directories", SetOf(TEXT))
REGISTRATIONS = _observation(
    "metadata_registrations",
    {
        **_RECORD,
        **_BEFORE,
        **sorts(field("broker", Broker), epoch, last_epoch, lag, same_incarnation, cleaned, in_batch),
        **sorts(uncounted),
        **sorts(registers, current, shared_directories, fenced, was(fenced)),
    },
)
"""Registrations, and records that name one.

`lag` is the record's offset minus the epoch; `cleaned`: only changes of partitions stand between the two, in one batch;
`current`: the epoch is that of the broker's registration.
"""

still_in = field("still_in", SetOf(TEXT))
FENCINGS = _observation("metadata_fencings", {**_RECORD, **sorts(field("broker", Broker), still_in)})
"""Brokers that are fenced or unregistered, and the partitions in whose ISR they still are, except as the last member of
a leaderless one.
"""

DEPOSED = _observation(
    "metadata_deposed_leaders",
    {**_RECORD, **_TOPIC, **_BEFORE, **sorts(field("broker", Broker), leader, isr, replicas)},
)
"""Changes that take a partition, and the place in its ISR, from an active leader that stays a replica, where the next
record that changes no partition, in the same batch or the next, is not about that broker.
"""

leader_id, other_leader = _fields(leader_id=Broker, other_leader=Broker)
voters, granting = _fields(voters=SetOf(Broker), granting=SetOf(Broker))
majority, first, changed = _fields(majority=Bool, first=Bool, changed=Int())
LEADERS = _observation(
    "metadata_leaders", {**_RECORD, **_BEFORE, **sorts(leader_id, other_leader, voters, granting, majority, first)}
)
"""LeaderChange records; `other_leader` is the leader of the same epoch in another record, or the same broker."""

node, agrees = field("node", TEXT), field("agrees", Bool)
REMEMBERED = _observation("metadata_quorum_states", {**_RECORD, **sorts(node, kind, leader_id, other_leader, agrees)})
"""LeaderChange records beside a node's quorum-state of the same epoch.

`other_leader` is, by `kind`, the leader in quorum-state, or the candidate that a node voted for although the record
counts its vote.
"""

VOTERS = _observation("metadata_voters", {**_RECORD, **_BEFORE, **sorts(voters, was(voters), changed)})
"""Sets of voters, each with the one before; `changed` is the number of voters that were added or removed."""

is_open, ends, left_open = _fields(open=Bool, ends=Bool, left_open=Bool)
TRANSACTIONS = _observation("metadata_transactions", {**_RECORD, **sorts(is_open, ends, left_open)})
"""Begins and ends of metadata transactions: whether one was open; and the first record of a later epoch in one that was
left open.
"""

next_id = field("next", Int())
PRODUCER_IDS = _observation("metadata_producer_ids", {**_RECORD, **_BEFORE, **sorts(next_id, was(next_id))})
"""Blocks of producer ids, each with the one before."""

version_named = field("version_named", Bool)
BEGINNINGS = _observation("metadata_beginnings", {**_RECORD, **sorts(version_named)})
"""The first data record of a log: whether metadata.version was set before the first broker registered."""

CONTROLLERS = _observation("metadata_controllers", {**_RECORD, **sorts(field("broker", Broker), voters)})
"""Controllers that are unregistered, and the voters of the quorum then, according to the last record of them."""

to_level, crossed = field("to_level", Int()), field("crossed", SetOf(TEXT))
LEVELS = _observation("metadata_levels", {**_RECORD, **_BEFORE, **sorts(to_level, crossed)})
"""Changes of metadata.version from `level`, as far as known; `crossed` has the levels in between that change the
content of records.
"""

differs = field("differs", SetOf(TEXT))
fits, proved = _fields(fits=Bool, proved=Bool)
SNAPSHOTS = _observation(
    "metadata_snapshots", {**_RECORD, **_TOPIC, **_BEFORE, **sorts(field("broker", Broker), kind, differs, proved)}
)
"""The contents of a snapshot about a topic, a partition, a broker or a feature, beside the log up to the snapshot's
end; and its end, which is not `proved` to be wrong: no CRC covers epochs.
"""

COPIES = _observation("metadata_copies", {**_RECORD, **_BEFORE, **sorts(kind, fits, proved)})
"""Batches of a copy that do not fit, each with its kind of misfit; and one row for each copy that fits.

`proved`: two records of one offset and epoch differ, and the copy has no other misfit; times alone prove nothing.
"""
