"""Leaders of the metadata quorum that are cut off from the majority, and stay leader (KAFKA-15489).

Clocks of nodes differ. A leader's clock is taken for that of another node where both print the begin of an epoch at
about the same time; then the end of it is at about the same time, too, unless one of them does not know of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import MOMENT, saying
from .processes import FAILED, STARTED, STOPPED
from .views import Seen, View, Views
from .writers import Writers

_BUG = "known-bug"
_REASON = "it is cut off, and leads epoch {} for {} s or more after node {} leads epoch {}"
_ALIKE = 10_000
"""The milliseconds by which two nodes may print the begin of one epoch apart if their clocks are alike."""
_OTHER_PROCESS = (STARTED, STOPPED, FAILED)
_LONG = 30_000
"""The milliseconds that a leader lasts beyond another one if that is no matter of clocks, or of a slow answer.

Since 3.7 a leader resigns 1.5 times controller.quorum.fetch.timeout.ms, 2 s at its default, after the last fetch of a
majority.
"""


def stays_leader(
    by_cluster: Mapping[int, Sequence[Views]], rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the leaders that print something long after another node has a later leader.

    A leader that was paused prints nothing meanwhile.

    Args:
        rows: the rows of the first look.
    """
    lines = _by_writer(rows, files, writers)
    for cluster, lives in sorted(by_cluster.items()):
        for known in lives:
            for view in known.of.values():
                for own, end in _led(view):
                    later = _deposed(known, own)
                    last = None if later is None else _last(lines[cluster, view.node], own, end)
                    if later is not None and last is not None and last["ts"] - later.ts >= _LONG:
                        yield cluster, _entry(own, later, last, files)


def _by_writer(
    rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers
) -> Mapping[tuple[int, int], Sequence[Row]]:
    """Return the lines that each node writes, in the order of time."""
    found: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") == MOMENT and row["ts"] is not None and row["file"] in files:
            who = writers.of(row["file"])
            if who is not None:
                found[files[row["file"]].cluster, who].append(row)
    for own in found.values():
        own.sort(key=lambda row: (row["ts"], row["file"], row["line"]))
    return found


def _led(view: View) -> Iterator[tuple[Seen, int | None]]:
    """Yield the first line of each epoch in which a node leads, and the time at which it knows better."""
    for at, each in enumerate(view.seen):
        before = view.seen[at - 1] if at else None
        begins = before is None or (before.epoch, before.leader) != (each.epoch, view.node)
        if each.leader == view.node and each.epoch is not None and begins:
            ends = (other.ts for other in view.seen[at + 1 :] if other.leader != view.node or other.epoch != each.epoch)
            yield each, min((*ends, *(stop for stop in view.stops if stop >= each.ts)), default=None)


def _deposed(known: Views, own: Seen) -> Seen | None:
    """Return the first line in which a node that followed a leader has a later one, if their clocks are alike."""
    found = []
    for node, view in known.of.items():
        followed = next((each for each in view.seen if (each.epoch, each.leader) == (own.epoch, own.node)), None)
        if node != own.node and followed is not None and abs(followed.ts - own.ts) <= _ALIKE:
            found += [each for each in view.seen if _is_later(each, own) and each.ts > own.ts][:1]
    return min(found, key=lambda each: (each.ts, each.at), default=None)


def _is_later(each: Seen, own: Seen) -> bool:
    later = each.epoch is not None and own.epoch is not None and each.epoch > own.epoch
    return later and each.leader not in (None, own.node)


def _last(lines: Sequence[Row], own: Seen, end: int | None) -> Row | None:
    """Return the last line that a leader writes before it knows better, or its process ends."""
    last = None
    for row in lines:
        if row["ts"] > own.ts and (
            (end is not None and row["ts"] >= end) or saying()[row["row"]].happens in _OTHER_PROCESS
        ):
            break
        last = row
    return last


def _entry(own: Seen, later: Seen, last: Row, files: Mapping[int, LogFile]) -> Happened:
    reason = _REASON.format(own.epoch, (last["ts"] - later.ts) // 1000, later.leader, later.epoch)
    places = tuple(files[row["file"]].place(row["line"]) for row in (last, later.row))
    return Happened(
        _BUG, since=later.ts, until=last["ts"], node=own.node, epoch=own.epoch, reason=reason, places=places
    )
