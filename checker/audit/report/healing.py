"""Healing: whether and when a partition without a working leader got one again.

A finding in a metadata log, whose partition has a leader, is followed until its ISR has all replicas again. That is not
called healed: after an unclean election it happens when the last replica has been truncated to match the new leader.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....traces.place import Place
from ....traces.timeline import TimelineRow
from ..findings.finding import Finding
from ..findings.state import LASTS, OVER, Condition
from ..observe.controller.conditions import OFFLINE, UNDER_REPLICATED
from .causes import Cause
from .model import Report
from .shown import count, printed

HEALED, IN_SYNC = "Healed", "In sync again"
"""The first words about a cause if all of it healed, or has its replicas in the ISR again."""
_Partition = tuple[int | None, str | None, int | None]


@dataclass(frozen=True)
class Healing:
    """The end of a finding's time without a leader, or with replicas outside the ISR."""

    condition: str
    """The condition that the partition was in."""
    end: str
    """The kind of end (state.Condition)."""
    by: str | None
    """The event that ended the condition, if known."""
    until: int | None
    """The time of the end, in milliseconds."""
    took: int | None
    """The time from the finding to the end, in milliseconds."""
    place: Place | None
    """The line that shows the new leader, if the timeline has one."""


@dataclass(frozen=True)
class Healings:
    """The times in which partitions of a report were offline, and the lines of its timeline."""

    spells: Mapping[_Partition, Sequence[Condition]]
    """The conditions that lines of text show, by life and partition."""
    log_of: Mapping[str, int]
    """The number of the metadata log that a file belongs to."""
    of_logs: Mapping[tuple[int | None, str | None, int | None], Sequence[Condition]]
    """The conditions that each metadata log shows, by its number, topic and partition."""
    rows: Mapping[_Partition, Sequence[TimelineRow]]
    """The lines of the timeline, by life and partition."""

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
        log_of: dict[str, int] = {}
        of_logs: dict[tuple[int | None, str | None, int | None], list[Condition]] = defaultdict(list)
        for number, log in enumerate(report.metadata or ()):
            log_of |= dict.fromkeys(log.files, number)
            for each in log.conditions:
                of_logs[number, each.topic, each.partition].append(each)
        return Healings(spells, log_of, of_logs, rows)

    def healing(self, finding: Finding) -> Healing | None:
        """Return the healing of a finding, None if the log does not show its partition offline at that time."""
        if finding.place.offset is not None:
            return self._of_record(finding, finding.place.offset)
        partition = (finding.life, finding.entity.topic, finding.entity.partition)
        for spell in self.spells.get(partition, ()):
            if _covers(spell, finding.ts):
                return _healing(spell, finding, self._line_of(spell, partition))
        return None

    def _of_record(self, finding: Finding, offset: int) -> Healing | None:
        """Return the healing of a record, None if the partition had a leader and a full ISR once the record was
        applied.
        """
        log = self.log_of.get(finding.file)
        own = self.of_logs.get((log, finding.entity.topic, finding.entity.partition), ())
        for condition in (OFFLINE, UNDER_REPLICATED):
            begun = [each for each in own if each.condition == condition and (each.place.offset or 0) <= offset]
            spell = max(begun, key=lambda each: each.place.offset or 0, default=None)
            ended = spell is None or (spell.until is not None and (finding.ts is None or spell.until <= finding.ts))
            if spell is not None and not ended:
                return _healing(spell, finding, None)
        return None

    def _line_of(self, spell: Condition, partition: _Partition) -> Place | None:
        """Return the line of the timeline with which the partition has a leader again."""
        rows = self.rows.get(partition, ()) if spell.by == "elected" else ()
        return next((row.place for row in rows if row.ts == spell.until and row.leader >= 0), None)

    def of_cause(self, cause: Cause) -> str:
        """Return a sentence about all partitions of a cause, or one about each condition; empty if the log shows
        none.
        """
        found = [each for each in map(self.healing, cause.findings) if each is not None]
        of_conditions = ([each for each in found if each.condition == of] for of in (OFFLINE, UNDER_REPLICATED))
        return " ".join(_of_several(own) for own in of_conditions if own)


@dataclass(frozen=True)
class _Words:
    """The words for a condition: all were over, some, none, or none was seen to be; and how it lasted."""

    over: str
    not_all: str
    lasts: str
    unseen: str
    lasted: str


_WORDS = {
    OFFLINE: _Words(HEALED, "Not all healed", "Not healed", "Not seen to heal", "without a live leader"),
    UNDER_REPLICATED: _Words(
        IN_SYNC, "Not all in sync again", "Not in sync again", "Not seen in sync again", "with replicas outside the ISR"
    ),
}


def _of_several(found: Sequence[Healing]) -> str:
    words = _WORDS[found[0].condition]
    by_end = Counter(each.end for each in found)
    not_over = words.not_all if by_end[OVER] else words.lasts if by_end[LASTS] else words.unseen
    outcome = words.over if by_end[OVER] == len(found) else not_over
    if len(found) == 1:
        return f"{outcome}: {in_words(found[0])}."
    last = max((each.took or 0 for each in found if each.end == OVER), default=0) / 1000
    phrases = {
        OVER: f"{by_end[OVER]} of {count(len(found), 'finding')}, the last {last:.3f} s later",
        LASTS: f"{by_end[LASTS]} of {count(len(found), 'finding')} {words.lasted} until the end of the log",
    }
    parts = [text for end, text in phrases.items() if by_end[end]]
    rest = len(found) - by_end[OVER] - by_end[LASTS]
    return f"{outcome}: {'; '.join([*parts, *([f'of {rest} no line shows it'] if rest else [])])}."


def _healing(spell: Condition, finding: Finding, place: Place | None) -> Healing:
    took = None if spell.until is None or finding.ts is None else max(spell.until - finding.ts, 0)
    return Healing(spell.condition, spell.end, spell.by, spell.until, took, place)


def _covers(spell: Condition, ts: int | None) -> bool:
    if ts is None or spell.since is None:
        return False
    return spell.since <= ts and (spell.until is None or ts <= spell.until)


def in_words(found: Healing) -> str:
    """Return the healing as one sentence."""
    offline = found.condition == OFFLINE
    if found.end == OVER and found.until is not None:
        took = "" if found.took is None else f", {found.took / 1000:.3f} s later"
        by = {"deleted": "its topic was deleted", "taken over": "the next controller found it with a leader"}
        how = by.get(found.by or "", "it got a leader again" if offline else "its ISR had all replicas")
        where = "" if found.place is None else f": {found.place}"
        return f"{how} at {printed(found.until)}{took}{where}"
    if found.end == LASTS:
        lasted = "it had no live leader" if offline else "its ISR lacked replicas"
        return f"{lasted} until the end of the log"
    return f"no line shows that {'it got a live leader' if offline else 'its ISR had all replicas'}"
