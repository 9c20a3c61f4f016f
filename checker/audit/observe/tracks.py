"""The tracks: what the rules look at, made from the lines' events.

Each is a table in which a row has all that a rule needs: a line, and what came before it for the same entity. Written
once against `Table`, so that every engine makes the same tracks.

An event arrives here with the columns of its line (traces.Event) and of its span (lives.Span).
"""

from __future__ import annotations

from collections.abc import Mapping

from ....model.expr import Expr, const, either, false, field, ite, true
from ....model.sorts import Bool, Enum, Int, SetOf
from ....model.views import Broker
from ....specs.lines import STATE_CHANGE, rows_with
from ....specs.lines import rows as line_rows
from ....specs.lines.roles import ENTITIES, MOVES
from ....specs.lines.roles import VIEWS as VIEW_ROLES
from ....specs.machines import machine
from ..table.protocol import Column, Table
from ..vocabulary import (
    ANYTHING,
    LEADER_DURING_DELETE,
    SEEDED,
    from_state,
    isr,
    leader,
    leader_epoch,
    level,
    lossy,
    partition_epoch,
    replicas,
    states,
    to_state,
)

MOVED: Mapping[str, tuple[str, ...]] = {name: rows_with(*MOVES, entity=name) for name in ENTITIES}
"""Lines of a move that was made."""
STOPPED: Mapping[str, tuple[str, ...]] = {name: rows_with("move-refused", entity=name) for name in ENTITIES}
"""Lines of a move that was refused or failed: the state did not change."""
CREATED = rows_with("created")
ELECTED = rows_with("elected")
REQUESTED = rows_with("leader-and-isr-sent")
TOLD = rows_with("update-metadata-sent")
REASSIGNED = rows_with("reassigned")
REMOVED = rows_with("replica-removed")
REFUSED = rows_with("refusal")
"""First lines of the throwables with which Kafka refuses a move."""
THROWN = rows_with(speaker="throwable")
HEARD = rows_with("request-received")
"""Lines in which a broker names a controller and its epoch."""
READY = rows_with("ready")
"""The line with which a controller's start ends."""
READ = rows_with("epoch-read")
"""Lines in which a coming controller prints the epoch of the one before: it does not have that epoch itself."""
INACTIVE = rows_with("start", "end", "other-controller")
"""Lines of a broker's controller module that it also writes when another broker is controller."""
VIEWS = rows_with(*VIEW_ROLES)
"""Lines that print a partition's leader and ISR."""
MACHINES = rows_with(speaker="controller", family=STATE_CHANGE)
"""Lines that a controller writes to state-change.log."""
_DONE = rows_with(*MOVES, "move-refused", "reassigned", "replica-removed")
FACTS = rows_with(*MOVES, "move-refused", *VIEW_ROLES)

PARTITION = ("life", "topic", "partition")
PLACE = ("at", "file")
"""The order of a tenure's lines. Two copies of one log count their lines alike: then the file decides."""
IN_ORDER = ("controller_epoch", *PLACE)
NEAR = ("topic", "partition")
"""What every track's key includes; the rest of the order of lines follows from life, epoch and place."""
_OF_TENURE = (*PARTITION, "controller_epoch")
"""A partition in one tenure: in a life, an epoch has one controller (lives.py)."""
_INCARNATED = (*PARTITION, "incarnation", "controller_epoch")

SPAN = ("cluster", "life", "tenure", "block", "seen_level", "lossy", "releases", "start_seen", "known_since")
"""Columns of a line's span (lives.Span) that tracks and rules read."""
READS = (
    *("file", "line", "row", "ts", "controller", "controller_epoch", "topic", "partition", "replica"),
    *("from_state", "to_state", "leader", "isr", "leader_epoch", "partition_epoch", "written_by_epoch", "replicas"),
    "valid_states",
)
"""What the audit reads of a line; the rest of its event (recipients, correlation ids, ...) is not carried along."""
_PRINTED = ("ts", *(name for name in READS if name not in ("ts", "file", "line")))
"""Of that, what a line prints; times are rarely the same."""

# What the rules read of the tracks, beside vocabulary.py.
made = field("made", Bool)
start_seen, known_since = field("start_seen", Bool), field("known_since", Int())
controller = field("controller", Broker)
leader_before = field("before_leader", leader.sort)
next_version = partition_epoch.eq(field("before_partition_epoch", Int()) + 1)
same_version = partition_epoch.eq(field("before_partition_epoch", Int()))
last_leader, last_leader_in = field("last_leader", leader.sort), field("last_leader_in", Int())
last_lossy = field("last_lossy", Bool)
last_replicas, made_offline = field("last_replicas", SetOf(Broker)), field("made_offline", SetOf(Broker))
last_isr, at_start = field("last_isr", SetOf(Broker)), field("at_start", Bool)
creation, fresh, reassigning = field("creation", Bool), field("fresh", Bool), field("reassigning", Int(0))
metadata, emptied = field("metadata", Bool), field("emptied", Bool)
sent_between = ~field("sent", Int()).eq(field("before_sent", Int()))
moves_before = field("moves_before", Int(0))

_VIEWED = (*READS, *SPAN, "at", "incarnation", "creation", "fresh", "reassigning", "repeated", "emptied")
_block, _block_before = field("block", Int()), field("before_block", Int())
_tenure, _tenure_before = field("tenure", Int()), field("before_tenure", Int())
_epoch, _epoch_before = field("controller_epoch", Int()), field("before_controller_epoch", Int())

_ZNODE = ("leader", "isr", "leader_epoch", "partition_epoch")
_shown = level.eq("TRACE")  # every move of a partition

# Of a view, what the line before said of the same partition.
_LINE = Enum("Line", tuple(line_rows()))
_line = field("row", _LINE)
_SAID = ("row", "tenure", "block", "leader", "isr", "leader_epoch", "partition_epoch", "written_by_epoch")
_repeated = (
    ~creation
    & leader.ne(LEADER_DURING_DELETE)
    & _tenure.eq(field("said_tenure", Int()))
    & _block.eq(field("said_block", Int()))
    & field("written_by_epoch", Int()).eq(field("said_written_by_epoch", Int()))
    & leader_epoch.eq(field("said_leader_epoch", Int()))
    & partition_epoch.eq(field("said_partition_epoch", Int()))
    & leader.eq(field("said_leader", leader.sort))
    & isr.eq(field("said_isr", isr.sort))
    & replicas.eq(last_replicas)
)


def is_line(rows: tuple[str, ...]) -> Expr:
    """Whether a line is one of these rows of the line table."""
    return either(*(_line.eq(row) for row in rows))


election = is_line(ELECTED)
_emptied = (
    isr.is_empty()
    & ~field("said_isr", isr.sort).is_empty()
    & _tenure.eq(field("said_tenure", Int()))
    & _block.eq(field("said_block", Int()))
)


def in_place(events: Table) -> Table:
    """The events as the tracks ask for them: sorted once, so that none of them sorts or moves all lines again.

    `again`: says what the line before said of the same partition, at the same time.
    """
    return events.kept(NEAR, (*PARTITION, *IN_ORDER), alike=_PRINTED)


def done(events: Table) -> Table:
    """What happens once: moves made and tried, and writes of znodes. (Requests to several brokers are alike.)"""
    return events.of_lines(_DONE)


def again(events: Table) -> Table:
    """Of what happens once, the lines that tell of it again."""
    return done(events).where(field("again", Bool))


def once(events: Table) -> Table:
    """Without lines that tell something again, in tenures that are `doubled`."""
    retold = field("again", Bool) & field("doubled", Bool)
    return events.derive(retold=retold, new=false).filled("retold", "new").where(~field("retold", Bool))


def replica_moves(events: Table) -> Table:
    """Replica moves made, refused and failed, each with the state `before` it.

    A replica of a partition that the same controller created before had no state then: it is `created`.
    """
    lines = _lines(events, "replica").plus(events.of_lines(CREATED).derive(partition_new=true, new_block=_block))
    known = lines.along(
        _OF_TENURE,
        PLACE,
        created=Column("last", "partition_new"),
        created_block=Column("last", "new_block"),
    ).of_lines(MOVED["replica"] + STOPPED["replica"])
    return _moves(
        known.derive(not_created=false).filled("created", "not_created").filled("created_block", "block"),
        "replica",
        (*_OF_TENURE, "replica"),
    )


def partition_moves(events: Table) -> Table:
    """Partition moves made, refused and failed, each with the state `before` it."""
    lines = _lines(events, "partition").derive(created=false, created_block=_block)
    return _moves(lines, "partition", _OF_TENURE)


def _lines(events: Table, name: str) -> Table:
    made = events.of_lines(MOVED[name]).derive(after=to_state(name), made=true)
    return made.plus(events.of_lines(STOPPED[name]).derive(after=from_state(name), made=false))


def _moves(lines: Table, name: str, entity: tuple[str, ...]) -> Table:
    sort = states(name)
    unseen = ite(start_seen, const(SEEDED, sort), const(ANYTHING, sort))
    return (
        lines.along(
            entity,
            PLACE,
            before=Column("previous", "after"),
            before_block=Column("previous", "block"),
            before_line=Column("previous", "line"),
            before_file=Column("previous", "file"),
        )
        .filled("before_block", "created_block")
        .derive(
            origin=ite(field("created", Bool), const(machine(name).unknown_is, sort), unseen),
            gap=either(lossy, ~_block.eq(_block_before)),
        )
        .filled("before", "origin")
    )


def incarnations(events: Table) -> Table:
    """Lines that print leader and ISR, with what was printed before of their partition.

    `incarnation`: how often the partition was created up to here, in its life; a topic that is deleted and created
    again starts anew, so nothing is compared across a creation. A new controller finds a partition new without saying
    so: then the election from NewPartition is the only sign. `reassigning`: how often a reassignment was announced up
    to here. `replicas`: as printed, or else as printed last. `creation`: this line creates the znode; `fresh`: and its
    assignment was printed just before, by the same controller. `repeated`: says what the line before said. `emptied`:
    the ISR is empty, and was not on the line before.

    A controller sends one state to many brokers, one after the other: of such a row of equal lines, only the first
    is here.
    """
    earlier, announced = field("earlier", Int()), field("announced", Int())
    return (
        events.of_lines((*CREATED, *STOPPED["partition"], *VIEWS))
        .derive(was_new=from_state("partition").eq("NewPartition"), not_new=false)
        .filled("was_new", "not_new")
        # An election that failed leaves the partition new, and time to change its assignment.
        .derive(
            creation=is_line(CREATED) | (is_line(ELECTED) & field("was_new", Bool)),
            assigned=ite(is_line(CREATED), _tenure, const(0, Int())),
        )
        .along(
            PARTITION,
            IN_ORDER,
            earlier=Column("so_far", "creation"),
            announced=Column("so_far", where=is_line(REASSIGNED)),
            last_replicas=Column("last", "replicas"),
            assigned_in=Column("previous", "assigned"),
            **{f"said_{name}": Column("previous", name) for name in _SAID},
        )
        .of_lines(VIEWS)
        .present("leader_epoch", "leader")
        # No two elections write the same: a line of one that says what the one before said is a line too many.
        .derive(
            repeated=_repeated,
            equal=_repeated & _line.eq(field("said_row", _LINE)) & ~is_line(ELECTED),
            novel=false,
        )
        .filled("repeated", "novel")
        .filled("equal", "novel")
        .where(~field("equal", Bool))
        .derive(
            incarnation=ite(creation, earlier + 1, earlier),
            reassigning=ite(is_line(REASSIGNED), announced + 1, announced),
            fresh=creation & field("assigned_in", Int()).eq(_tenure),
            emptied=_emptied,
            stale=false,
        )
        .filled("fresh", "stale")
        .filled("emptied", "stale")
        .filled("replicas", "last_replicas")
        .filled("written_by_epoch", "controller_epoch")
        .select(*_VIEWED)
        .kept(NEAR, (*PARTITION, "incarnation", *IN_ORDER))
    )


def views(incarnated: Table) -> Table:
    """Every printed view of a partition (not the marker of a deletion, leader -2)."""
    return incarnated.where(leader.ne(LEADER_DURING_DELETE))


def states_shown(incarnated: Table) -> Table:
    """Views that differ from what the line before showed of the partition."""
    return views(incarnated).where(~field("repeated", Bool))


def chain(incarnated: Table) -> Table:
    """Views in the order of their znode's versions (partition epochs), each with the one before.

    That is the first that was printed of its version, or of the version before: what contradicts it later is not taken
    for the truth. `read_in`: the epoch in which the version before was printed last.
    """
    key, order = (*PARTITION, "incarnation"), ("partition_epoch", *IN_ORDER)
    shown = (
        states_shown(incarnated)
        .present("partition_epoch", "isr")
        .along(
            key,
            order,
            version_before=Column("previous", "partition_epoch"),
            read_in=Column("previous", "controller_epoch"),
        )
        .derive(first_of_version=~partition_epoch.eq(field("version_before", Int())), first=true)
        .filled("first_of_version", "first")
    )
    return _compared(shown, key, order, _ZNODE, field("first_of_version", Bool))


def elections(incarnated: Table) -> Table:
    """Elections that wrote a znode, in the order of its versions, each with the epoch of the writer before."""
    return _elections(incarnated, ("partition_epoch", *IN_ORDER))


def elected(incarnated: Table) -> Table:
    """Elections that wrote a znode, in the order of the log, each with the one before."""
    return _elections(incarnated, IN_ORDER)


def _elections(incarnated: Table, order: tuple[str, ...]) -> Table:
    wrote = incarnated.of_lines(ELECTED).present("partition_epoch")
    return _compared(wrote, (*PARTITION, "incarnation"), order, _ZNODE)


def same_epoch(incarnated: Table) -> Table:
    """Views with the same leader epoch, each with the leader of the one before."""
    return _compared(
        states_shown(incarnated), (*PARTITION, "incarnation", "leader_epoch"), IN_ORDER, ("leader", "leader_epoch")
    )


def requests(incarnated: Table) -> Table:
    """Requests about a partition, in the order of their sending, each with the LeaderAndIsr request before."""
    last = {name: Column("last", name, is_line(REQUESTED)) for name in ("leader", "leader_epoch", "line", "block")}
    return (
        views(incarnated.of_lines(REQUESTED + TOLD))
        .along(_INCARNATED, PLACE, **{f"before_{name}": column for name, column in last.items()})
        .derive(metadata=is_line(TOLD), gap=either(lossy, ~_block.eq(_block_before)))
    )


def repeated_elections(incarnated: Table) -> Table:
    """Elections of a partition by one controller, each with the one before and the requests sent before either."""
    columns = ("leader", "isr", "leader_epoch", "partition_epoch", "sent", "block", "line")
    return (
        views(incarnated.of_lines(ELECTED + REQUESTED))
        .along(_INCARNATED, PLACE, sent=Column("so_far", where=is_line(REQUESTED)))
        .of_lines(ELECTED)
        .present("partition_epoch", "isr")
        .along(_INCARNATED, PLACE, **{f"before_{name}": Column("previous", name) for name in columns})
        .derive(gap=either(lossy, ~_block.eq(_block_before)))
    )


def writes(incarnated: Table) -> Table:
    """Lines printed after a write of the znode, in the order of the log, each with the one before."""
    return _compared(
        views(incarnated.of_lines(ELECTED + REASSIGNED + REMOVED)).present("isr"),
        (*PARTITION, "incarnation"),
        IN_ORDER,
        ("leader", "isr", "leader_epoch"),
    )


def told_metadata(incarnated: Table) -> Table:
    """What UpdateMetadata requests say of a partition, in the order of their sending, deletions included."""
    return _compared(incarnated.of_lines(TOLD), _INCARNATED, PLACE, ("leader",))


def _compared(
    table: Table, key: tuple[str, ...], order: tuple[str, ...], columns: tuple[str, ...], of: Expr | None = None
) -> Table:
    """Each row with `columns` of the row before, and whether anything can lie between that the lines do not show.

    With `of`, the row before is the latest of which it is true; those have all the columns.
    """
    carried = (*columns, "tenure", "block", "controller_epoch", "known_since", "line", "file")
    # A row before by its version can be of a later epoch, so both ends are asked.
    known = (known_since <= _epoch_before) & (field("before_known_since", Int()) <= _epoch)
    nothing_between = ite(_tenure.eq(_tenure_before), _block.eq(_block_before), known)
    before = {
        f"before_{name}": Column("previous", name) if of is None else Column("last", name, of) for name in carried
    }
    return table.along(key, order, **before).derive(gap=either(lossy, ~nothing_between))


def failed_starts(events: Table) -> Table:
    """Elections that failed although the tenure has not yet moved the partition: it was offline when the tenure began.

    Each with the last leader and ISR that any line before printed, the epoch in which it did, the assignment, and the
    replicas that this tenure has moved (or tried to move) to OfflineReplica by then. `at_start`: the controller was not
    ready yet; above TRACE the partition may also have gone offline later, without a line.
    """
    ready = events.of_lines(READY).grouped(("tenure",), ready_ts=Column("min", "ts"))
    failed = events.of_lines(STOPPED["partition"]).select(*PARTITION)
    live_view = leader.ne(LEADER_DURING_DELETE)
    offline = to_state("replica").eq("OfflineReplica")
    return (
        events.of_lines(FACTS)
        .matching(failed, PARTITION)
        .along(
            PARTITION,
            IN_ORDER,
            last_leader=Column("last", "leader", live_view),
            last_leader_in=Column("last", "controller_epoch", live_view),
            last_lossy=Column("last", "lossy", live_view),
            last_isr=Column("last", "isr", live_view),
            last_replicas=Column("last", "replicas"),
        )
        .along(
            _OF_TENURE,
            PLACE,
            moves_before=Column("so_far", where=is_line(MOVED["partition"] + STOPPED["partition"])),
            made_offline=Column("gathered", "replica", offline),
        )
        .of_lines(STOPPED["partition"])
        .attached(ready, ("tenure",), ("ready_ts",))
        .derive(shown=_shown, at_start=_shown | (field("ts", Int()) <= field("ready_ts", Int())))
        .filled("at_start", "shown")
        .filled("last_isr", "last_replicas")
    )


def refusals(events: Table) -> Table:
    """Moves that Kafka's own guard refused, each with what its throwable says; that is the line just after."""
    thrown = (
        events.of_lines(REFUSED)
        .derive(line=field("line", Int()) - 1)
        .renamed(valid_states="thrown_valid_states", from_state="thrown_from_state")
    )
    stopped = events.of_lines(STOPPED["replica"] + STOPPED["partition"])
    return stopped.attached(thrown, ("file", "line"), ("thrown_valid_states", "thrown_from_state")).present(
        "thrown_from_state"
    )


def timeline(incarnated: Table) -> Table:
    """Every state of a partition that the log shows, at the first line that shows it."""
    return (
        views(incarnated)
        .along((*PARTITION, "incarnation", *_ZNODE), IN_ORDER, shown=Column("so_far"))
        .where(field("shown", Int()).eq(0))
    )
