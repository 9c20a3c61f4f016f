"""Connections that failed again and again: each outage of a node once, however many lines and nodes say so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .in_words import listed
from .moments import MOMENT, saying
from .writers import Writers

BROKER, AWAITED = "broker-unreachable", "metadata-awaited"
OUTAGES = ("controller-unreachable", BROKER, "zookeeper-unreachable", AWAITED)
"""Entries of which each line is one sign: those that follow each other are one time."""
_QUICK = 10_000
"""The milliseconds within which a connection that fails at once is tried again: if no line follows, it got through."""
_SLOW = 40_000
"""The milliseconds within which a request that nobody answers fails once more (request.timeout.ms,
socket.connection.setup.timeout.max.ms, zookeeper.session.timeout.ms: 30 s at most, and then the next begins).
"""
_ATTEMPTS = 3
"""The failures, each so long after the one before, that show an outage: two may be apart by chance."""
_AT_ONCE = 100
"""The milliseconds in which all lines about one failure come; what fails at once is tried again after so long."""
_BEFORE = 1_000
"""The milliseconds by which others may miss a node before its own clock says that it shuts down."""
_AWAITED = 2_000
"""The milliseconds without a line after which a node that awaits metadata, and says so ten times a second, has it."""
_ENDS = 5_000
"""The milliseconds before the end of all lines within which the last failure leaves open whether it went on."""
_BRIEF = 3_000
"""The milliseconds up to which failed connections are no outage, even if the log ends then: a controller starts."""
_DENSE = 2_000
"""The milliseconds between lines of which only the number was kept, on average, that show one time."""
_START = 60_000
"""The milliseconds that a broker may take from its first line until it listens, where no line says when it does."""
_STOPPED, _STARTED = "process-stopped", "process-started"
_SERVES = ("process-ready", "unfenced")
"""Entries that show that a node answers: what fails later is another time."""
_ENDED = (*_SERVES, "process-failed")
"""Entries that end the time for which a node that was shut down in order is not missed."""
SHUT_DOWN = "it had been shut down in order"
"""The reason of an outage of a node that is down because somebody wanted it so."""


@dataclass(frozen=True)
class _Spell:
    """Failures that follow each other, as one or several nodes print them."""

    signs: tuple[Happened, ...]
    by: frozenset[int]
    """The nodes that print them."""

    @property
    def first(self) -> Happened:
        return self.signs[0]

    @property
    def since(self) -> int | None:
        return self.first.since

    @property
    def until(self) -> int | None:
        return max((ts for ts in map(_end, self.signs) if ts is not None), default=None)


def outages(
    entries: Sequence[Happened], rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers
) -> Iterator[Happened]:
    """Yield the outages of a cluster, each from the first to the last failure, once for all nodes that print it.

    Args:
        entries: all of the cluster: failures, and what shows that a node was shut down in order.
        rows: the rows of the first look.
    """
    speakers = {
        (row["file"], row["line"]): row["speaker"]
        for row in rows
        if row.get("kind") == MOMENT and saying()[row["row"]].happens in OUTAGES
    }
    own: dict[tuple[object, ...], list[Happened]] = defaultdict(list)
    for each in sorted((each for each in entries if each.what in OUTAGES), key=lambda each: each.order):
        by = None if each.at is None else speakers.get(each.at)
        own[each.what, each.node, by, None if by is not None or each.at is None else each.at[0]].append(each)
    served: dict[object, list[int]] = defaultdict(list)
    for each in entries:
        if each.what in _SERVES and each.node is not None and each.since is not None:
            served[each.node].append(each.since)
    spells: dict[tuple[object, ...], list[_Spell]] = defaultdict(list)
    for (what, node, by, _), signs in own.items():
        who = by if isinstance(by, int) else None if signs[0].at is None else writers.of(signs[0].at[0])
        named = frozenset(() if who is None else (who,))
        spells[what, node] += [_Spell(tuple(spell), named) for spell in _of_writer(signs, served[node])]
    youngest = max((file.youngest for file in files.values() if file.youngest is not None), default=None)
    off = _shut_down(entries)
    for (what, node), several in spells.items():
        for spell in _overlapping(several):
            ends = None if any(spell.until is not None and ts >= spell.until for ts in served[node]) else youngest
            yield _outage(spell, ends, off.get(node, ()) if what == BROKER and isinstance(node, int) else ())


def _of_writer(signs: Iterable[Happened], served: Sequence[int]) -> list[list[Happened]]:
    """Return what one node prints of another by spells: failures that come quickly, or slow ones, each of them short.

    What nobody answers fails by a timeout. Where failures come quickly and then none does, the connection was there.

    Args:
        served: the times at which a line shows that the other node answers.
    """

    def follows(before: Happened, after: Happened, most: int) -> bool:
        return between(before, after) <= most and not _any_between(served, _end(before), after.since)

    quick: list[list[Happened]] = []
    for each in _without_rest(signs):
        if quick and follows(quick[-1][-1], each, _AWAITED if each.what == AWAITED else _QUICK):
            quick[-1].append(each)
        else:
            quick.append([each])
    slow: list[list[list[Happened]]] = []
    for spell in quick:
        if slow and all(map(_is_attempt, (slow[-1][-1], spell))) and follows(slow[-1][-1][-1], spell[0], _SLOW):
            slow[-1].append(spell)
        else:
            slow.append([spell])
    found: list[list[Happened]] = []
    for chain in slow:
        found += [[each for spell in chain for each in spell]] if len(chain) >= _ATTEMPTS else chain
    return found


def _any_between(times: Iterable[int], first: int | None, last: int | None) -> bool:
    return first is not None and last is not None and any(first <= ts < last for ts in times)


def _is_attempt(spell: Sequence[Happened]) -> bool:
    """Return whether failures may be those of one request. A broker that looks for any controller tries quickly."""
    begin, end = spell[0].since, _end(spell[-1])
    if spell[0].what == AWAITED or spell[0].node is None or begin is None or end is None:
        return False
    return end - begin <= _AT_ONCE


def _without_rest(signs: Iterable[Happened]) -> Iterator[Happened]:
    """Yield failures; of those of which only the number was kept, the time too if they cannot be far apart."""
    for each in signs:
        if each.count > 1 and each.since is not None and each.until is not None:
            dense = each.until - each.since <= each.count * _DENSE
            yield each if dense else replace(each, until=None)
        else:
            yield each


def _overlapping(spells: Iterable[_Spell]) -> list[_Spell]:
    """Return spells that several nodes print at the same time as one."""
    found: list[_Spell] = []
    for each in sorted(spells, key=lambda spell: spell.first.order):
        last = found[-1] if found else None
        at_once = last is not None and last.by.isdisjoint(each.by) and _is_known(last, each)
        if last is not None and at_once and (each.since or 0) <= (last.until or 0) + _ENDS:
            signs = sorted((*last.signs, *each.signs), key=lambda sign: sign.order)
            found[-1] = _Spell(tuple(signs), last.by | each.by)
        else:
            found.append(each)
    return found


def _is_known(one: _Spell, other: _Spell) -> bool:
    return one.until is not None and other.since is not None


def _outage(spell: _Spell, youngest: int | None, off: Sequence[tuple[int, int | None]]) -> Happened:
    """Return a spell as an entry.

    Args:
        youngest: the last time of all lines of the cluster; None: the node answered after the spell.
        off: the times for which the node was shut down in order; None: to the end.
    """
    first, since, until = spell.first, spell.since, spell.until
    lasts = False
    said = [f"as {listed(sorted(spell.by))} print"] if len(spell.by) > 1 else []
    if since is not None and until is not None:
        lasts = youngest is not None and youngest - until <= _ENDS and until - since > _BRIEF
        if any(begin - _BEFORE <= since and (end is None or until <= end + _ENDS) for begin, end in off):
            said, lasts = [SHUT_DOWN, *said], False
    return replace(
        first,
        until=None if lasts else until,
        lasts=lasts,
        count=sum(each.count for each in spell.signs),
        reason="; ".join([*said, *([first.reason] if first.reason else [])]) or None,
    )


def _shut_down(entries: Iterable[Happened]) -> Mapping[int, list[tuple[int, int | None]]]:
    """Return the times for which each node was shut down in order, until it serves again."""
    of: dict[int, list[Happened]] = defaultdict(list)
    for each in sorted(entries, key=lambda each: each.order):
        if each.what in (_STOPPED, _STARTED, *_ENDED) and each.node is not None and each.since is not None:
            of[each.node].append(each)
    found: dict[int, list[tuple[int, int | None]]] = {}
    for node, own in of.items():
        found[node] = [
            (each.since or 0, _serves(own[at + 1 :])) for at, each in enumerate(own) if each.what == _STOPPED
        ]
    return found


def _serves(after: Sequence[Happened]) -> int | None:
    """Return the time from which a node that was shut down is expected to answer; None: it did not come back."""
    started = next((each.since for each in after if each.what == _STARTED), None)
    ended = next((each.since for each in after if each.what in _ENDED), None)
    return ended if ended is not None else None if started is None else started + _START


def _end(each: Happened) -> int | None:
    return each.since if each.until is None else each.until


def between(before: Happened, after: Happened) -> float:
    """Return the milliseconds from the end of one entry to the begin of the next; none where times are not known."""
    end = _end(before)
    return 0 if end is None or after.since is None else after.since - end
