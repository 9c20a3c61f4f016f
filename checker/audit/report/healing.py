"""Whether a partition without a working leader got one again, and how long it took."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....traces.place import Place
from ....traces.timeline import TimelineRow
from ..findings.finding import Finding
from ..findings.state import LASTS, OVER, Condition
from ..observe.controller.conditions import OFFLINE
from .causes import Cause
from .model import Report
from .shown import count, printed

HEALED = "Healed"
"""What is said of a cause begins so if all of it healed."""
_Partition = tuple[int | None, str | None, int | None]


@dataclass(frozen=True)
class Healing:
    """The end of the time without a leader in which a finding is.

    `end` and `by` are those of the condition; `until` and `took` are milliseconds; `place` is the line that shows the
    new leader, if the timeline has one.
    """

    end: str
    by: str | None
    until: int | None
    took: int | None
    place: Place | None


@dataclass(frozen=True)
class Healings:
    """When partitions of a report were offline, and the lines of its timeline, by life and partition."""

    spells: Mapping[_Partition, Sequence[Condition]]
    rows: Mapping[_Partition, Sequence[TimelineRow]]

    @staticmethod
    def of(report: Report) -> Healings:
        spells: dict[_Partition, list[Condition]] = defaultdict(list)
        for each in report.state.conditions:
            if each.condition == OFFLINE:
                spells[each.life, each.topic, each.partition].append(each)
        rows: dict[_Partition, list[TimelineRow]] = defaultdict(list)
        for row in report.timeline or ():
            if (row.life, row.topic, row.partition) in spells:
                rows[row.life, row.topic, row.partition].append(row)
        return Healings(spells, rows)

    def healing(self, finding: Finding) -> Healing | None:
        """None if the log does not show the finding's partition offline at that time."""
        partition = (finding.life, finding.entity.topic, finding.entity.partition)
        for spell in self.spells.get(partition, ()):
            if _covers(spell, finding.ts):
                took = None if spell.until is None or finding.ts is None else max(spell.until - finding.ts, 0)
                return Healing(spell.end, spell.by, spell.until, took, self._line_of(spell, partition))
        return None

    def _line_of(self, spell: Condition, partition: _Partition) -> Place | None:
        """The line of the timeline with which the partition has a leader again."""
        rows = self.rows.get(partition, ()) if spell.by == "elected" else ()
        return next((row.place for row in rows if row.ts == spell.until and row.leader >= 0), None)

    def of_cause(self, cause: Cause) -> str:
        """One sentence about all partitions of a cause; empty if the log shows none of them offline."""
        found = [each for each in map(self.healing, cause.findings) if each is not None]
        by_end = Counter(each.end for each in found)
        if not found:
            return ""
        not_healed = "Not all healed" if by_end[OVER] else "Not healed" if by_end[LASTS] else "Not seen to heal"
        outcome = HEALED if by_end[OVER] == len(found) else not_healed
        if len(found) == 1:
            return f"{outcome}: {in_words(found[0])}."
        last = max((each.took or 0 for each in found if each.end == OVER), default=0) / 1000
        words = {
            OVER: f"{by_end[OVER]} of {count(len(found), 'finding')}, the last {last:.3f} s later",
            LASTS: f"{by_end[LASTS]} of {count(len(found), 'finding')} without a live leader until the end of the log",
        }
        parts = [text for end, text in words.items() if by_end[end]]
        rest = len(found) - by_end[OVER] - by_end[LASTS]
        return f"{outcome}: {'; '.join([*parts, *([f'of {rest} no line shows it'] if rest else [])])}."


def _covers(spell: Condition, ts: int | None) -> bool:
    if ts is None or spell.since is None:
        return False
    return spell.since <= ts and (spell.until is None or ts <= spell.until)


def in_words(found: Healing) -> str:
    """One sentence."""
    if found.end == OVER and found.until is not None:
        took = "" if found.took is None else f", {found.took / 1000:.3f} s later"
        by = {"deleted": "its topic was deleted", "taken over": "the next controller found it with a leader"}
        how = by.get(found.by or "", "it got a leader again")
        where = "" if found.place is None else f": {found.place}"
        return f"{how} at {printed(found.until)}{took}{where}"
    return (
        "it had no live leader until the end of the log"
        if found.end == LASTS
        else "no line shows that it got a live leader"
    )
