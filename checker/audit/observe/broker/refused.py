"""Lines in which a broker says that it cannot do something: write an ISR, stop a replica, truncate a log."""

from __future__ import annotations

from .....model.expr import field
from .....model.sorts import Int
from ...fields import sorts
from ...lines import EXITS_FOR_TRUNCATION, ISR_WRITE_FAILED, SAME_LEADER, STOP_REFUSED, TOPIC_ID_REFUSED
from ...table.protocol import Column, Table
from ..compared import LINE, LINE_BEFORE, earlier
from ..observation import Names, Observation
from .hosted import AGAINST, HOSTED, HOSTED_LINES, KEPT, MERGED, against

failures = field("failures", Int(0))
"""The number of times that a leader already failed to write its ISR, with the same version, since it adopted the
state.
"""


def _failures(lines: Table, key: Names, order: Names) -> Table:
    own = lines.of_lines(ISR_WRITE_FAILED).present("partition_epoch")
    return own.along(key, order, failures=Column("so_far"), **earlier(*LINE))


def _not_stopped(lines: Table, *_: Names) -> Table:
    """Return stops refused for an equal leader epoch: where it is smaller, the line prints the broker's own as well."""
    return lines.of_lines(STOP_REFUSED).present("leader_epoch").absent("current_leader_epoch")


def _other_topic(lines: Table, *_: Names) -> Table:
    return lines.of_lines(TOPIC_ID_REFUSED)


def _exits(lines: Table, *_: Names) -> Table:
    return lines.of_lines(EXITS_FOR_TRUNCATION)


def _kept_leader(lines: Table, *_: Names) -> Table:
    return against(lines.of_lines(SAME_LEADER), "had")


ISR_WRITE_FAILURES = Observation(
    "isr_write_failures",
    made_from=HOSTED_LINES,
    lines=ISR_WRITE_FAILED,
    columns={**HOSTED, **LINE_BEFORE, **sorts(failures)},
    make=_failures,
    key=(*KEPT, "partition_epoch", "known_file", "known_line"),
    order=MERGED,
)
"""Lines in which a leader could not write its ISR, each with the previous failure with the same version."""

NOT_STOPPED = Observation("not_stopped", HOSTED_LINES, STOP_REFUSED, HOSTED, _not_stopped)
"""Lines in which a broker does not stop a replica because the request has the broker's own leader epoch."""

TOPIC_IDS_REFUSED = Observation("topic_ids_refused", HOSTED_LINES, TOPIC_ID_REFUSED, HOSTED, _other_topic)
"""Lines in which a broker refuses a request about a partition because its log has another topic id."""

EXITS = Observation("exits", HOSTED_LINES, EXITS_FOR_TRUNCATION, HOSTED, _exits)
"""Lines in which a broker exits because its log must not be truncated."""

SAME_LEADER_KEPT = Observation(
    "same_leader_kept",
    made_from=HOSTED_LINES,
    lines=SAME_LEADER,
    columns=AGAINST,
    make=_kept_leader,
    key=KEPT,
    order=MERGED,
)
"""Lines in which a broker keeps its role because the leader is the same, each with the line of its previous epoch."""
