"""Processes whose lines end without a word, while others see them go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ....traces.place import Place
from ..files.file import LogFile
from ..findings.happened import Happened
from ..findings.metadata import MetadataLog
from ..lines import LIVE_BROKERS
from ..table.protocol import Row, Table
from .processes import LOST, by_home
from .standing import place_of
from .writers import Writers

_FENCED_STATE = "Fenced"
"""The state of a registration (specs/machines/broker-registration.toml)."""
GONE = "gone"
"""The kind of a row of the look: a controller counts a broker out."""
_FENCED = ("broker-session-timed-out", "broker-registration-changed")
_IN_RECORD = "fenced=1"
_SOON = 60_000
"""The milliseconds within which others see a broker go: longer than its session lasts. What comes later may be about
lines that were not collected."""


def witnesses(events: Table) -> list[Row]:
    """Return the lines in which controllers count brokers out; a look at consecutive lines."""
    found = []
    for event in events.of_lines((*LIVE_BROKERS, *_FENCED)).rows():
        who = event.get("deleted_brokers") or ()
        if event["row"] in _FENCED and (event["row"] == _FENCED[0] or _IN_RECORD in (event.get("detail") or "")):
            who = (event.get("replica"),)
        if event["ts"] is not None:
            found += [
                {"kind": GONE, "broker": each} | {name: event[name] for name in ("file", "line", "ts")} for each in who
            ]
    return found


def vanished(
    rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers, logs: Iterable[MetadataLog]
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the processes that end with the last line of their node, as a controller or a record shows."""
    kept = [*rows]
    seen = _seen(kept, files, logs)
    for (cluster, _), own in by_home(kept, files, writers).items():
        last = own[-1]
        node = writers.of(last.rows[-1]["file"])
        end = _end(node, cluster, files, writers)
        if last.ended or node is None or end is None:
            continue
        for ts, place in sorted(seen[cluster, node], key=lambda each: each[0]):
            if end < ts <= end + _SOON:
                why = f"its lines end here, and {(ts - end) / 1000:.1f} s later the cluster counts it out"
                yield cluster, Happened(LOST, since=end, node=node, reason=why, places=(place,))
                break


def _seen(
    rows: Iterable[Row], files: Mapping[int, LogFile], logs: Iterable[MetadataLog]
) -> Mapping[tuple[int, int], list[tuple[int, Place]]]:
    """Return when brokers were counted out, and the lines and records that say so, by cluster and broker."""
    seen: dict[tuple[int, int], list[tuple[int, Place]]] = defaultdict(list)
    for row in rows:
        if row.get("kind") == GONE and row["file"] in files:
            file = files[row["file"]]
            seen[file.cluster, row["broker"]].append((row["ts"], file.place(row["line"])))
    for log in logs:
        for change in log.brokers:
            if change.ts is not None and change.state == _FENCED_STATE:
                seen[log.cluster, change.broker].append((change.ts, place_of(log, change.offset)))
    return seen


def _end(node: int | None, cluster: int, files: Mapping[int, LogFile], writers: Writers) -> int | None:
    """Return the time of a node's last line; None if lines may be missing there."""
    own = [each for index, each in files.items() if each.cluster == cluster and writers.of(index) == node]
    last = max(own, key=lambda each: each.youngest or 0, default=None)
    return None if node is None or last is None or last.lossy else last.youngest
