"""Damage that logs come with, and what each kind does to verdicts: the contract of the audit.

`lab/mangled` damages recordings in these ways, and finds no illegal finding that the recording itself has not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Damage:
    """A kind of damage."""

    name: str
    verdicts: Literal["kept", "doubted", "not seen"]
    """Kept: lines that are whole are judged as if nothing had happened. Doubted: a sign lowers verdicts. Not seen: no
    sign of it may be there."""
    how: str
    """The measure taken against it, or the reason why it cannot be seen."""


CONTRACT = (
    Damage(
        "rotated, compressed or renamed files, joined in either order",
        "kept",
        "Files of one writer are put in order by their times. Nothing is compared across a joint that leaves a gap.",
    ),
    Damage(
        "copies, overlaps, two appenders on one file",
        "kept",
        "A line that repeats an earlier one, to the millisecond, is read once.",
    ),
    Damage(
        "gaps that show: a file, an hour, a head or a tail is missing, or a file was copied while it was written",
        "kept",
        "Hours in file names, epochs whose start is not there and lines that break off show the gap. Lines on both"
        " sides of it are not compared.",
    ),
    Damage(
        "a broker or a kind of file is missing",
        "kept",
        "An illegal finding contradicts lines that are there. A missing line alone never makes one.",
    ),
    Damage(
        "envelopes, prefixes, line ends, lines wrapped or truncated by a shipper",
        "kept",
        "The envelope is removed. A line that is incomplete counts as unknown, and is not evidence.",
    ),
    Damage(
        "lines torn, cut, spliced, or mixed with those of other programs",
        "kept",
        "The same. A block of lines ends at a broken line.",
    ),
    Damage(
        "clocks that are wrong, set back, or of different time zones",
        "kept",
        "Logs of several brokers are joined by the epochs that they print, never by their clocks.",
    ),
    Damage(
        "levels that differ or change",
        "kept",
        "A line is illegal only if no move that its level hides can lead to it. A level is known to be shown from its"
        " first line in a stream to its last. Requests that are acted on but never received show the stretches between"
        " in which less was logged.",
    ),
    Damage(
        "lines missing here and there: sampling, rate limits, `grep`, shippers that lose lines",
        "doubted",
        "Half of a pair that Kafka always prints together, and states that nothing led to, show it. One such state"
        " alone stays illegal only if no single missing line explains it.",
    ),
    Damage(
        "lines in another order: sorted, shuffled within a second, blocks swapped",
        "doubted",
        "Times or request numbers that go back show it. A finding that rests on the order of lines within a"
        " millisecond is judged again in other orders; it is suspicious if one of them explains it.",
    ),
    Damage(
        "lines of another cluster or broker among these, or under its name",
        "doubted",
        "Wordings of two releases, or topic ids, epochs or cluster ids that alternate, show it.",
    ),
    Damage(
        "names, addresses or numbers that were redacted, regrouped or pasted",
        "doubted",
        "Names that became equal show as two topics with one name. A line that is not understood is not evidence.",
    ),
    Damage(
        "words that were replaced by other words that Kafka prints",
        "not seen",
        "A complete line in Kafka's wording is taken as printed. Only contradictions can show the damage.",
    ),
)
"""All kinds, those that change no verdict first."""
