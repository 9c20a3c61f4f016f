"""Lines in which a leader changes its ISR, or has changed it."""

from __future__ import annotations

from .....model.expr import both, field, some
from .....model.sorts import Bool
from ...fields import broker, leader, of_zookeeper, sorts, takes_shown
from ...lines import ISR_CHANGES, ISR_WRITTEN
from ...table.protocol import Table
from ..absent import false_where_absent
from ..observation import Names, Observation
from .hosted import AGAINST, HOSTED, HOSTED_LINES, KEPT, MERGED, against
from .taken import known_epoch, version_known_in

version_certain = field("version_certain", Bool)
"""Whether the version before is known, and nobody else writes one in the same leader epoch."""


def _as_they_are(lines: Table, *_: Names) -> Table:
    return lines.of_lines(ISR_CHANGES + ISR_WRITTEN).derive(leader=some(broker))


def _by_role(lines: Table, *_: Names) -> Table:
    return against(lines.of_lines(ISR_CHANGES + ISR_WRITTEN), "known").derive(leader=some(broker))


def _by_isr(lines: Table, *_: Names) -> Table:
    found = against(lines.of_lines(ISR_CHANGES + ISR_WRITTEN), "isr")
    certain = both(takes_shown, of_zookeeper, version_known_in.eq(known_epoch))
    return false_where_absent(found.derive(version_certain=certain), "version_certain")


ISR_BY_ROLE = Observation(
    "isr_by_role",
    made_from=HOSTED_LINES,
    lines=ISR_CHANGES + ISR_WRITTEN,
    columns={**AGAINST, leader.data: leader.sort},
    make=_by_role,
    key=KEPT,
    order=MERGED,
)
"""Changes of an ISR, each with the line that tells the broker's role; `leader` is the broker itself."""

ISR_LINES = Observation(
    "isr_lines",
    made_from=HOSTED_LINES,
    lines=ISR_CHANGES + ISR_WRITTEN,
    columns={**HOSTED, leader.data: leader.sort},
    make=_as_they_are,
)
"""Changes of an ISR; `leader` is the broker itself."""

ISR_BY_ISR = Observation(
    "isr_by_isr",
    made_from=HOSTED_LINES,
    lines=ISR_CHANGES + ISR_WRITTEN,
    columns={**AGAINST, **sorts(version_certain)},
    make=_by_isr,
    key=KEPT,
    order=MERGED,
)
"""Changes of an ISR, each with the line that tells the ISR before."""
