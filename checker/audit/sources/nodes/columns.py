"""The columns of nodes' lines about the quorum and beside the metadata log, and the observations made from them."""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import field
from .....model.sorts import Bool, Int, Open, SetOf, Sort
from .....model.views import PARTITION, Broker
from ...fields import (
    EVENT,
    SPAN,
    controller_epoch,
    from_raft_epoch,
    from_state,
    lossy,
    node,
    raft_epoch,
    releases,
    sorts,
    to_state,
    voted,
)
from ...observe.compared import was
from ...observe.observation import Input, Names, Observation
from ...table.protocol import Table
from . import effects, raft, registrations, unclean

TEXT = Open("Text")
leader, other_leader = PARTITION["leader"], field("other_leader", PARTITION["leader"].sort)
high_watermark, offset, known_offset = (field(name, Int()) for name in ("high_watermark", "offset", "known_offset"))
one_life, in_order, voters_shown = (field(name, Bool) for name in ("one_life", "in_order", "voters_shown"))
"""True if all lines are of one life of one cluster; true if this line was written after the one that it is compared
with; true if the node itself says that the high watermark fell.
"""
from_role, to_role = from_state("raft-role"), to_state("raft-role")
from_printed = field("from_printed", Bool)
"""True if the line itself prints the state before; otherwise the line before does."""
falls, follows = field("falls", Bool), field("follows", Bool)
"""True if the epoch is below the previous one that the line itself prints; true if that, and the previous state, are
those of the line before, or are not printed.
"""
process = field("process", Int())

_LINE: Mapping[str, Sort] = {
    **{name: EVENT[name] for name in ("file", "line", "ts")},
    **sorts(controller_epoch, releases, raft_epoch, node, one_life, lossy, process),
    "cluster": SPAN["cluster"],
}
_EARLIER = {"before_file": EVENT["file"], "before_line": EVENT["line"]}
_BEFORE = {**_EARLIER, **sorts(in_order)}
_RECORD = {"before_file": EVENT["file"], "before_offset": Int(0)}


def _as_it_is(rows: Table, *_: Names) -> Table:
    return rows


def _observation(name: str, columns: Mapping[str, Sort], key: Names = (), order: Names = ()) -> Observation:
    return Observation(name, Input(name), (), columns, _as_it_is, key, order)


STATES = _observation(
    raft.STATES,
    {**_LINE, **_BEFORE, **sorts(was(raft_epoch), from_raft_epoch, from_role, to_role, from_printed, falls, follows)},
    key=("file", "node", "process"),
    order=("line",),
)
"""Moves of nodes between raft states, each with the epoch before it in its process."""

LEADERS = _observation(
    raft.LEADERS,
    {**_LINE, **_EARLIER, "before_offset": Int(0), **sorts(leader, other_leader)},
)
"""Lines that name the leader of an epoch of the quorum.

`other_leader` is the leader in the metadata log, or in most lines about the epoch: the first of these is the line
before, even where it stands after.
"""

VOTES = _observation(
    raft.VOTES,
    {**_LINE, **_BEFORE, **sorts(voted, was(voted))},
    key=("cluster", "node", "raft_epoch"),
    order=("file", "line"),
)
"""Votes that a node gave, each with the first that it gave in the epoch."""

HIGH_WATERMARKS = _observation(
    raft.WATERMARKS,
    {**_LINE, **_BEFORE, **sorts(high_watermark, was(high_watermark), voters_shown)},
    key=("file", "node", "raft_epoch"),
    order=("line",),
)
"""High watermarks that a node prints, each with its previous one in the epoch."""

EPOCH_STARTS = _observation(raft.EPOCH_STARTS, {**_LINE, **_RECORD, **sorts(offset, known_offset)})
"""Starts of epochs as leaders print them, and the places of their LeaderChange in the metadata log."""

differs, covered, epoch = field("differs", SetOf(TEXT)), field("covered", Bool), field("epoch", Int())
state = field("state", TEXT)
fits, proposed, foreign = (field(name, Bool) for name in ("fits", "proposed", "foreign"))
"""True if the log confirms the partition as the line prints it; true if an active controller may have taken it back;
true if the line may be of another cluster, which has lines here.
"""
_ODD = {
    **{name: EVENT[name] for name in ("file", "line", "ts")},
    **sorts(releases, node, fits, covered, differs, proposed, foreign),
    "cluster": SPAN["cluster"],
}
_NAMES = ("topic", "partition", "partition_epoch", "leader", "leader_epoch", "isr")
_KNOWN = {f"known_{name}": EVENT[name] for name in ("leader", "leader_epoch", "isr")}
_OF_PARTITION = {**_ODD, **{name: EVENT[name] for name in _NAMES}, **_KNOWN, **_RECORD}
BROKER_STATES = _observation("broker_states_beside_log", _OF_PARTITION)
"""Lines in which a broker prints a partition, beside the metadata log at that partition epoch.

`covered`: the log continues beyond the time of the line; `differs` has the differing fields, empty where the log has no
such partition epoch.
"""
CONTROLLER_STATES = _observation("controller_states_beside_log", _OF_PARTITION)
"""The same for controllers."""
BROKER_EPOCHS = _observation("broker_epochs_beside_log", {**_ODD, **sorts(epoch)})
"""Lines in which a broker prints the epoch that it registered with."""

because = field("because", SetOf(TEXT))
UNCLEAN_CHANGES = _observation(
    unclean.ELECTIONS,
    {
        **{name: EVENT[name] for name in ("file", "line", "ts", "topic", "partition", "partition_epoch")},
        **sorts(releases, node, because, leader, was(PARTITION["isr"])),
        "isr": EVENT["isr"],
        "cluster": SPAN["cluster"],
    },
)
"""Changes that controllers call UNCLEAN, each once; `because` has the reasons why one may be clean, empty if its line
shows none.
"""

least, most, so_far, count = (field(name, Int()) for name in ("least", "most", "so_far", "count"))
handler, broker = field("detail", TEXT), field("broker", Broker)
goes_on, moves_leader = field("goes_on", Bool), field("moves_leader", Bool)
deleted, unordered = field("deleted", Bool), field("unordered", Bool)
applied_line = field("applied_line", Int(0))
_OF_LINE = {
    **{name: EVENT[name] for name in ("file", "line", "ts")},
    **sorts(releases, node),
    "cluster": SPAN["cluster"],
}
_OF_TOPIC = {name: EVENT[name] for name in ("topic", "partition")}
CHANGES_PRINTED = _observation(
    effects.CHANGES, {**_OF_LINE, **_RECORD, **sorts(count, least, most, fits, proposed, handler, broker)}
)
"""Numbers of partitions that a controller changes, each with the record of about that time that explains it: the log
has `least` to `most` changes beside it.
"""
REGISTRATION_CHANGES_PRINTED = _observation(
    registrations.CHANGES, {**_OF_LINE, **sorts(controller_epoch, count, fits, handler, broker)}
)
"""Changes of brokers' registrations that an active controller prints, each certainly before a committed record of its
epoch, and fencings that a standby prints, without an epoch.

`detail` is the broker's new state, `count` the number of such records in the epoch, or in the log from the broker's
registration to its next.
"""
REASSIGNMENTS_PRINTED = _observation(
    effects.REASSIGNMENTS, {**_OF_LINE, **_RECORD, **_OF_TOPIC, **sorts(goes_on, moves_leader, proposed)}
)
"""Ends of reassignments as a controller prints them, each with the partition's record of the printed partition epoch,
else of about that time; `moves_leader`: the line also says that another replica leads.
"""
doubtful = field("doubtful", Bool)
DELETIONS_PRINTED = _observation(effects.DELETIONS, {**_OF_LINE, **sorts(count, so_far, most, doubtful)})
"""Numbers of replicas that a broker deletes.

`so_far` includes earlier ones, `most` is what the log removed from it; `doubtful`: lines of another cluster are
present, or times go back in the file.
"""
hosted = field("hosted", Bool)
STRAYS_PRINTED = _observation(effects.STRAYS, {**_OF_LINE, **_RECORD, **_OF_TOPIC, **sorts(hosted)})
"""Logs that a broker considers stray, each with the record since which the broker is a replica (`hosted`), else with
the one that created the partition.
"""
TOPICS_REMOVED = _observation(
    effects.REMOVED, {**_OF_LINE, **_RECORD, **_OF_TOPIC, **sorts(deleted, unordered, applied_line)}
)
"""The last line of a file on a partition of a deleted topic, with the record that deleted it.

`deleted`: an earlier line shows that the broker had applied that record; `unordered`: the same holds for other states.
"""
