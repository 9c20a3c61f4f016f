"""Columns as fields of the model's language: those of every event and of its span, and those that any row may have.

An observation (observe/) adds columns of its own. table/encoding.py defines the values of columns.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...model.evaluate import name_of
from ...model.expr import Expr, const, field, some
from ...model.sorts import Bool, Enum, EnumSort, Int, Open, SetOf, Sort
from ...model.views import PARTITION, Broker
from ...specs.machines import LEVELS, machine
from .lines import line
from .table.encoding import RELEASE, Flag

SEEDED, ANYTHING = "seeded at the start of the epoch", "anything"
"""Stand-ins for the state before an entity's first line: set by the controller's start-up, or not known at all."""
LEADER_DURING_DELETE = some(const(-2, Broker))
"""UpdateMetadata's leader of a partition whose topic is being deleted."""
LEVEL = Enum("Level", LEVELS)
TENURE = ("file", "controller", "controller_epoch")
"""The columns that identify the lines of one tenure of a controller in a file."""


def sorts(*fields: Expr) -> dict[str, Sort]:
    """Return the sorts of fields, by the names of their columns."""
    return {name_of(each): each.sort for each in fields}


def _states(name: str) -> tuple[str, ...]:
    return tuple(state.name for state in machine(name).states)


def states(name: str) -> EnumSort:
    """Return the states of a machine, and the two stand-ins for the state before a first line."""
    return Enum(f"{name} state", (*_states(name), SEEDED, ANYTHING))


def from_state(name: str) -> Expr:
    return field("from_state", states(name))


def to_state(name: str) -> Expr:
    return field("to_state", states(name))


def before(name: str) -> Expr:
    """Return the state after the entity's previous line, or SEEDED or ANYTHING."""
    return field("before", states(name))


STATE = Enum("replica or partition state", (*_states("replica"), *_states("partition")))
_NAME = Open("Name")

leader, isr, replicas = PARTITION["leader"], PARTITION["isr"], PARTITION["replicas"]
leader_epoch, partition_epoch = PARTITION["leader_epoch"], PARTITION["partition_epoch"]
controller, controller_epoch = field("controller", Broker), PARTITION["controller_epoch"]
written_by_epoch = field("written_by_epoch", Int())
ts = field("ts", Int())
brokers = field("brokers", replicas.sort)
removing = field("removing", replicas.sort)
"""The replicas that a reassignment in progress removes."""
from_state_untrue = field("from_state_untrue", SetOf(RELEASE))
"""The releases of a wording whose from-state need not be the state before."""

EVENT: Mapping[str, Sort] = {
    **sorts(field("file", Int(0)), field("line", Int(0)), line, ts, controller, controller_epoch),
    **sorts(field("topic", _NAME), field("partition", Int(0)), field("replica", Broker)),
    **sorts(field("from_state", STATE), field("to_state", STATE), leader, isr, leader_epoch, partition_epoch),
    **sorts(written_by_epoch, replicas, brokers, field("valid_states", SetOf(STATE)), from_state_untrue),
}
"""The columns of a controller's event that the audit reads; the rest (recipients, correlation ids, ...) is not carried
along.
"""

UNDER_MIN_ISR = "(under-min-isr)"
"""The word of a leader whose ISR has fewer members than min.insync.replicas."""
KIND = Enum("Kind", ("become-leader", "become-follower", "latest", "start", "own end", "begins", "ends", UNDER_MIN_ISR))
speaker, kind = field("speaker", Broker), field("kind", KIND)
correlation_id, previous_leader_epoch = field("correlation_id", Int()), field("previous_leader_epoch", Int())
topic_id, old_isr, delete = field("topic_id", _NAME), field("old_isr", isr.sort), field("delete", Flag)
offset, high_watermark, log_end_offset = (field(n, Int()) for n in ("offset", "high_watermark", "log_end_offset"))
current_leader_epoch, count = field("current_leader_epoch", Int()), field("count", Int())
lagging, last_offset = field("lagging", isr.sort), field("last_offset", Int())
"""The replicas that leave an ISR; the greatest end of their logs, or, on another line, a log's last offset."""

OF_BROKER: Mapping[str, Sort] = sorts(
    *(speaker, kind, correlation_id, previous_leader_epoch, topic_id, old_isr, delete),
    *(offset, high_watermark, log_end_offset, current_leader_epoch, count, removing, lagging, last_offset),
)
"""The further columns of a broker's event that the audit reads; `controller` is then the sender of a request."""
READ: Mapping[str, Sort] = {**EVENT, **OF_BROKER}
"""The columns of any event that the audit reads."""

raft_epoch, voted, node = field("raft_epoch", Int()), field("voted", Broker), field("node", Broker)
raft_state, from_raft_state = field("raft_state", _NAME), field("from_raft_state", _NAME)
from_raft_epoch = field("from_raft_epoch", Int())
OF_QUORUM: Mapping[str, Sort] = sorts(
    *(raft_epoch, raft_state, from_raft_state, from_raft_epoch, voted),
    *(field("broker_epoch", Int()), field("detail", _NAME)),
)
"""The further columns of lines about the metadata quorum, and of KRaft nodes' lines about its log."""

known_controller_epoch = field("known_controller_epoch", Int())
OF_REQUEST: Mapping[str, Sort] = sorts(known_controller_epoch)
"""The further columns of lines about whole requests."""
OF_HAPPENED = ("broker", "recipient", "error", "adding", "deleted_brokers", "dir")
"""The further columns of lines that say what happened."""
OF_FILES: tuple[str, ...] = (*READ, *OF_REQUEST, *OF_QUORUM, *OF_HAPPENED)
"""The columns of events that any part of the audit reads."""

releases = field("releases", SetOf(RELEASE))
life_at_least = field("life_at_least", releases.sort)
"""The releases that are not older than the one that some controller of the life must have."""
seen_level = field("seen_level", LEVEL)
lossy, start_seen = field("lossy", Bool), field("start_seen", Bool)
tenure, block, known_since = field("tenure", Int()), field("block", Int()), field("known_since", Int())

SPAN: Mapping[str, Sort] = sorts(
    *(field("cluster", Int()), field("life", Int()), tenure, field("stream", Int()), block),
    *(seen_level, lossy, releases, life_at_least, start_seen, known_since),
)
"""The columns of an event's span that observations and rules read."""

journal, process = field("journal", Int()), field("process", Int())
broker, process_known = field("broker", Broker), field("process_known", Bool)
whole, server_log = field("whole", Bool), field("server_log", Bool)
of_zookeeper, takes_shown = field("of_zookeeper", Bool), field("takes_shown", Bool)
lived_until, ends_from = field("lived_until", Int()), field("ends_from", Int())
jars = field("jars", SetOf(RELEASE))
"""The releases that the process may have, by the version that it printed as it started; all, if it printed none."""

JOURNAL: Mapping[str, Sort] = sorts(
    *(journal, broker, process, process_known, whole, server_log, of_zookeeper, takes_shown, lived_until, ends_from),
    jars,
)
"""The columns that observations and rules read of a broker's event's journal (history/journals.py)."""

gap = field("gap", Bool)
"""True if lines may be missing between a row and the one before it."""
unsure = field("unsure", Bool)
"""True if a row depends on something that this program does not know, such as a newer release."""
