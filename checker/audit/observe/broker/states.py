"""Lines in which a broker in KRaft mode prints a partition's state, beside the lines of all brokers about it.

The controller numbers the states of a partition: all lines with one partition epoch print the same state. A topic id is
never used again, so lines of one id are compared over all brokers and processes, without clocks. A line that prints no
topic id has the one that its broker printed before, in one process, if it shows no deletion since.
"""

from __future__ import annotations

from .....model.expr import Expr, either, false, field, some, true
from .....model.sorts import Bool, Int, Sort
from ...fields import (
    broker,
    current_leader_epoch,
    isr,
    leader,
    leader_epoch,
    of_zookeeper,
    partition_epoch,
    removing,
    replicas,
    sorts,
    topic_id,
)
from ...lines import HOSTS, LEADS, PRINTED_BY_LEADERS, STATE_TAKEN, STATES_TAKEN, is_line
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..case_when import case_when
from ..compared import was
from ..observation import Names, Observation
from ..order import NEAR
from .hosted import HOSTED, HOSTED_LINES, KEPT, MERGED

LINES = (*STATES_TAKEN, *HOSTS)
TOPIC = ("cluster", *NEAR, "topic_id")
"""A partition, over all brokers."""
_IN_FILES = ("file", "at")
id_printed = field("id_printed", Flag)
"""True if the line prints its topic id itself."""
in_order = field("in_order", Flag)
"""True if the line was written after the one that it is compared with: for merged files the time decides."""
outside, before_broker = field("outside", Flag), field("before_broker", broker.sort)
leader_removed = field("leader_removed", Flag)
"""True if the previous leader was to be removed, and nothing is to be removed any more: a reassignment has ended."""
_clock, _file = field("clock", Int()), field("file", Int(0))
_VALUES = (leader_epoch, leader, isr)
_DIFFERS = {f"{value.data}_differs": Bool for value in _VALUES}


def _here(value: Expr) -> Expr:
    return value.eq(value)


def _named(lines: Table) -> Table:
    """Return lines of KRaft mode with a topic id, and the leader that they print."""
    own = lines.of_lines(LINES).where(~of_zookeeper)
    known = own.along(KEPT, MERGED, known_id=Column("last", "topic_id"))
    marked = case_when(known, id_printed=[(_here(topic_id), true), (true, false)])
    states = marked.filled("topic_id", "known_id").of_lines(STATES_TAKEN).present("topic_id")
    return case_when(states, leader=[(is_line(PRINTED_BY_LEADERS), some(broker)), (true, leader)])


def _shown(lines: Table) -> Table:
    """Return the ones of them that print a partition epoch."""
    return _named(lines).present("partition_epoch")


def _last(value: Expr) -> dict[str, Column]:
    """Return columns with an earlier row's value, its place, and whether it printed the topic id."""
    there = {f"{value.data}_{name}": Column("last", name, _here(value)) for name in ("file", "line", "id_printed")}
    return {f"before_{value.data}": Column("last", str(value.data), _here(value)), **there}


def _by_version(lines: Table, key: Names, order: Names) -> Table:
    """Return each line with what another one printed at the same partition epoch."""
    columns: dict[str, Column] = {}
    for value in _VALUES:
        columns |= _last(value)
    found = _shown(lines).along(key, order, **columns)
    differ = case_when(
        found, **{f"{each.data}_differs": [(~each.eq(was(each)), true), (true, false)] for each in _VALUES}
    )
    cases = {
        f"before_{name}": [
            *((field(f"{value.data}_differs", Bool), field(f"{value.data}_{name}", Int(0))) for value in _VALUES),
            *((_here(was(value)), field(f"{value.data}_{name}", Int(0))) for value in _VALUES),
        ]
        for name in ("file", "line")
    }
    ids = [(field(f"{value.data}_differs", Bool), field(f"{value.data}_id_printed", Bool)) for value in _VALUES]
    compared = case_when(differ, **cases, before_id_printed=ids)
    return compared.only_where(_here(field("before_line", Int(0))), *_DIFFERS)


def _leaders(lines: Table, key: Names, order: Names) -> Table:
    own = _named(lines).of_lines(LEADS).present("leader_epoch")
    names = ("broker", "file", "line", "id_printed")
    return own.along(key, order, **{f"before_{name}": Column("previous", name) for name in names})


def _in_turn(lines: Table, key: Names, order: Names) -> Table:
    """Return each state that a broker adopts, with the newest that it adopted before in its process.

    For a state that it ignores, because its own is newer, it prints no leader epoch of its own.
    """
    marked = _shown(lines).derive(own=_here(current_leader_epoch))
    taken = marked.where(either(~is_line(STATE_TAKEN), field("own", Flag)))
    took = taken.along(key, order, most=Column("greatest", "partition_epoch"))
    newest = took.derive(newer=either(~_here(field("most", Int())), field("most", Int()) < partition_epoch))
    newest = case_when(newest, newer=[(_here(field("newer", Bool)), field("newer", Bool)), (true, true)])
    names = ("partition_epoch", "file", "line", "clock")
    found = newest.along(key, order, **{f"before_{n}": Column("last", n, field("newer", Bool)) for n in names})
    same_file = _file.eq(field("before_file", Int(0)))
    later = field("before_clock", Int()) < _clock
    return found.derive(in_order=either(same_file, later))


def _successive(lines: Table, key: Names, order: Names) -> Table:
    """Return each partition epoch, on the first line that prints its leader and ISR, with those of the one before."""
    names = ("partition_epoch", "leader", "isr", "file", "line")
    whole = _shown(lines).present("leader", "isr")
    earlier = {f"before_{name}": Column("previous", name) for name in names}
    found = whole.along(key, order, **earlier, before_removing=Column("last", "removing"))
    next_one = found.where(partition_epoch.eq(was(partition_epoch) + 1))
    removed = was(leader).set().intersects(was(removing)) & removing.is_empty()
    return next_one.derive(leader_removed=removed)


def _as_they_are(lines: Table, *_: Names) -> Table:
    return _shown(lines).present("leader", "isr").derive(outside=~isr.subset_of(replicas))


_COLUMNS: dict[str, Sort] = {**HOSTED, **sorts(topic_id, id_printed)}
_BEFORE: dict[str, Sort] = {"before_file": Int(0), "before_line": Int(0)}
STATES_BY_VERSION = Observation(
    "states_by_version",
    made_from=HOSTED_LINES,
    lines=LINES,
    columns={**_COLUMNS, **_BEFORE, **_DIFFERS, **sorts(*map(was, _VALUES), was(id_printed))},
    make=_by_version,
    key=(*TOPIC, "partition_epoch"),
    order=_IN_FILES,
)
"""Lines that print a partition at a partition epoch, each with what another line printed for that epoch.

`*_differs` names the differences; where there is one, `before_id_printed` says whether the other prints its topic id
itself.
"""

LEADERS_BY_EPOCH = Observation(
    "leaders_by_epoch",
    made_from=HOSTED_LINES,
    lines=LINES,
    columns={**_COLUMNS, **_BEFORE, **sorts(before_broker, was(id_printed))},
    make=_leaders,
    key=(*TOPIC, "leader_epoch"),
    order=_IN_FILES,
)
"""Lines with which a broker begins to lead, each with the broker that printed so before in the same leader epoch."""

STATES_IN_TURN = Observation(
    "states_in_turn",
    made_from=HOSTED_LINES,
    lines=LINES,
    columns={**_COLUMNS, **_BEFORE, **sorts(was(partition_epoch), in_order)},
    make=_in_turn,
    key=("journal", "process", *NEAR, "topic_id"),
    order=MERGED,
)
"""States that a broker adopts, each with the newest one that it adopted before in its process."""

SUCCESSIVE_STATES = Observation(
    "successive_states",
    made_from=HOSTED_LINES,
    lines=LINES,
    columns={**_COLUMNS, **_BEFORE, **sorts(was(partition_epoch), was(leader), was(isr), leader_removed)},
    make=_successive,
    key=TOPIC,
    order=("partition_epoch", *_IN_FILES),
)
"""States of a partition, each with the one of the partition epoch just before, whoever printed it."""

KRAFT_STATES = Observation(
    "kraft_states",
    made_from=HOSTED_LINES,
    lines=LINES,
    columns={**_COLUMNS, **sorts(outside)},
    make=_as_they_are,
)
"""Lines that print a partition's leader and ISR; `outside`: they print replicas, and the ISR is not within them."""
