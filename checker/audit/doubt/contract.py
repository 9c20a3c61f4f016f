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
        "A line that says again, to the millisecond, what one above says is read once.",
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
        "What is illegal contradicts lines that are there; for want of a line nothing is.",
    ),
    Damage(
        "envelopes, prefixes, line ends, lines wrapped or truncated by a shipper",
        "kept",
        "What carries a line is taken off. A line that is not whole is counted as unknown, and is no evidence.",
    ),
    Damage(
        "lines torn, cut, spliced, or mixed with those of other programs",
        "kept",
        "The same. A block of lines ends where one is broken.",
    ),
    Damage(
        "clocks that are wrong, set back, or of different time zones",
        "kept",
        "Brokers are joined by what they print of each other's epochs, never by their clocks.",
    ),
    Damage(
        "levels that differ or change",
        "kept",
        "A line is illegal only if no move that its level hides can lead to it. A level is known to be shown from its"
        " first line in a stream to its last. Stretches between in which less was logged are found by requests that are"
        " acted on and not received.",
    ),
    Damage(
        "lines missing here and there: sampling, rate limits, `grep`, shippers that lose lines",
        "doubted",
        "Lines that never stand without another, and states that nothing led to, show it. One such state alone stays"
        " illegal only if no single missing line explains it.",
    ),
    Damage(
        "lines in another order: sorted, shuffled within a second, blocks swapped",
        "doubted",
        "Times or request numbers that go back show it. What rests on the order within a millisecond is tried in other"
        " orders, and is suspicious if one of them explains it.",
    ),
    Damage(
        "lines of another cluster or broker among these, or under its name",
        "doubted",
        "Wordings of two releases, topic ids, epochs and cluster ids that take turns show it.",
    ),
    Damage(
        "names, addresses or numbers that were redacted, regrouped or pasted",
        "doubted",
        "Names that became alike show as two topics under one name. What is not understood is no evidence.",
    ),
    Damage(
        "words that were replaced by other words that Kafka prints",
        "not seen",
        "A line that is whole and worded as Kafka words it is taken as printed. Only contradictions show it.",
    ),
)
"""All kinds, those that change no verdict first."""
