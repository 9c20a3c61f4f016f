"""Truncations by a follower, beside the line with which its fetcher announces them."""

from __future__ import annotations

from .....model.expr import both, field
from .....model.sorts import Bool, Int
from ...fields import high_watermark, last_offset, offset, sorts
from ...lines import BELOW_HIGH_WATERMARK, LOG_TRUNCATED, NOTHING_TRUNCATED, TO_HIGH_WATERMARK, TO_LEADER, is_line
from ...table.encoding import Flag
from ...table.protocol import Table
from ..case_when import case_when
from ..compared import earlier, was
from ..observation import Names, Observation
from .hosted import HOSTED, HOSTED_LINES, KEPT, MERGED, copied

announced = field("announced", Int())
"""The offset that the line before announces."""
cut_unlike, cut_needed = field("cut_unlike", Flag), field("cut_needed", Flag)
_ANNOUNCED = (*TO_HIGH_WATERMARK, *TO_LEADER, *BELOW_HIGH_WATERMARK)
_CUTS = (*LOG_TRUNCATED, *NOTHING_TRUNCATED)


def _cuts(lines: Table, key: Names, order: Names) -> Table:
    """Return each truncation; one thread writes both lines to one log, one after the other."""
    own = case_when(
        lines.of_lines((*_ANNOUNCED, *_CUTS)).where(~copied),
        announced=[
            (is_line((*TO_LEADER, *BELOW_HIGH_WATERMARK)), offset),
            (is_line(TO_HIGH_WATERMARK), high_watermark),
        ],
    ).derive(announces=is_line(_ANNOUNCED))
    before = own.along(key, order, **earlier("announced", "announces", "file", "line")).of_lines(_CUTS)
    found = before.derive(
        announced=was(announced),
        cut_unlike=both(field("before_announces", Bool), ~offset.eq(was(announced))),
        cut_needed=both(is_line(NOTHING_TRUNCATED), offset <= last_offset),
    )
    return found.only_where(announced.eq(announced), "before_file", "before_line")


CUTS_ANNOUNCED = Observation(
    "cuts_announced",
    made_from=HOSTED_LINES,
    lines=(*_ANNOUNCED, *_CUTS),
    columns={**HOSTED, **sorts(announced, cut_unlike, cut_needed), "before_file": Int(0), "before_line": Int(0)},
    make=_cuts,
    key=KEPT,
    order=MERGED,
)
"""Logs that are truncated, or need no truncation.

`cut_unlike`: the line before announces another offset; `cut_needed`: the line says that there is nothing to truncate,
but prints a record at the offset or beyond it.
"""
