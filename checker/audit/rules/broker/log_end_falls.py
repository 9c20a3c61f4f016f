"""A broker's log ends before a previous end, without a truncation.

Why it matters
    A log only grows, except when a follower truncates it to match its leader's. Records that disappear without that are
    lost on this replica, whether or not they were committed.

How it is seen
    In the lines of one broker about one log, from its creation to its deletion. Lines with which the broker begins to
    lead or follow print where the log ends, and so do lines that an ISR shrinks, that a log is not truncated because it
    ends earlier, or that a follower's fetch is out of range. The offset from which a follower is to fetch is not beyond
    that end, nor is the high watermark with which a log is loaded. Only a line about a truncation explains a smaller
    end. Across a restart the finding is suspicious at most: a machine that lost power can have lost what was not on its
    disk.

What would make it certain
    Two ends that a leader prints in one leader epoch of one process: a leader does not truncate its log, so no missing
    line about a truncation explains the second. For a follower nothing does: one missing line explains any smaller end,
    and the log's files do not show where it ended before.

Releases
    All that print offsets: leaders since 0.11, followers since 2.6, fetchers and loaded logs of all. The log must
    include server.log, which has the truncations.
"""

from __future__ import annotations

from ...fields import server_log
from ...lines import FETCHERS_ADDED, LOG_LOADED
from ...observe.broker.offsets import end
from ...observe.compared import was
from ...table.protocol import Row
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where


def _reached(row: Row) -> str:
    before = row["before_end"]
    if row["before_row"] in FETCHERS_ADDED:
        return f"after its fetcher was to begin at {before}"
    return f"after it was loaded up to {before}" if row["before_row"] in LOG_LOADED else f"after {before}"


RULE = Rule(
    code="KR614",
    name="log-end-falls",
    observation="log_ends",
    kind="replica",
    applies=server_log,
    verdict=suspicious_unless(was(end) <= end),
    message=lambda row: f"the log of {where(row)} ends at {row['end']} {_reached(row)}, without a cut",
    expected=lambda row: f"an end of at least {row['before_end']}, or a line about a truncation",
    got=lambda row: f"an end of {row['end']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
