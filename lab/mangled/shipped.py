"""Damage to logs by shippers, clocks and hasty copies."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from .parts import RECORDED, RECORDED_KRAFT, TIME, Entry, Files, Mangle, entries, flat, key_of, plain_name, read


def message(line: str) -> str:
    found = TIME.match(line)
    return line if found is None else line[found.end() :]


def same_dropped(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """Without lines whose message was there: 1: in the line before, and it is said how often; 2: in the last 100."""
    made: list[str] = []
    times: dict[str, int] = {}
    repeated = 0
    for i, line in enumerate(lines):
        text = message(line)
        again = i - times.get(text, -(10**9)) <= (1 if severity == 1 else 100)
        times[text] = i
        if again:
            repeated += 1
            continue
        if repeated and severity == 1:
            made.append(f"last message repeated {repeated} times")
        repeated = 0
        made.append(line)
    return made


def truncated(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return [line[: int(severity)] for line in lines]


def wrapped(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """As they are copied from a terminal of so many columns."""
    wide = int(severity)
    return [line[at : at + wide] for line in lines for at in range(0, max(1, len(line)), wide)]


def rate_limited(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    """A number of lines of each second; of the others the shipper says how many they are."""
    made: list[Entry] = []
    second, taken, lost = "", 0, 0
    for entry in found:
        if key_of(entry)[:19] != second:
            made += [[f"imuxsock lost {lost} messages from pid 4711 due to rate-limiting"]] if lost else []
            second, taken, lost = key_of(entry)[:19], 0, 0
        taken += 1
        lost += taken > severity
        made += [entry] if taken <= severity else []
    return made


_OTHERS = (
    "2026-11-21 20:24:36.120 [main] WARN  org.example.Main - retrying",
    "[2026-11-21 20:24:36,000] INFO Error: 1 (org.example.Other)",
    '10.0.0.1 - - [21/Nov/2026:20:24:36 +0000] "GET / HTTP/1.1" 200 5',
    "[GC (Allocation Failure) 262144K->15000K(1005056K), 0.01 secs]",
    '{"level": "info", "ts": "2026-11-21T20:24:36Z", "msg": "Changed partition"}',
    "Nov 21 20:24:36 host systemd[1]: Started Session 12.",
    "[2019-01-01 00:00:00,000] TRACE an old line (state.change.logger)",
    "-----",
    "",
)


def others_between(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """Lines of other programs."""
    return [each for line in lines for each in ([dice.choice(_OTHERS)] if dice.random() < severity else []) + [line]]


def seconds_between(one: str, other: str) -> float:
    """Return the difference to another time; 0 if one of them does not exist."""
    with suppress(ValueError):
        return (datetime.fromisoformat(other[:19]) - datetime.fromisoformat(one[:19])).total_seconds()
    return 0


def at_another_time(lines: list[str], seconds: float, since: str = "") -> list[str]:
    """Lines from a time on, so many seconds later. A time that does not exist, another way's work, stays as it is."""
    made: list[str] = []
    for line in lines:
        found = TIME.match(line)
        if found is not None and found[1] >= since:
            with suppress(ValueError):
                at = datetime.fromisoformat(found[1]) + timedelta(seconds=seconds)
                line = line[: found.start(1)] + at.strftime(f"%Y-%m-%d{found[1][10]}%H:%M:%S") + line[found.end(1) :]
        made.append(line)
    return made


ZONES = (-28_800, -3_600, 3_600, 7_200, 19_800)
"""Seconds."""


def zones(files: Files, dice: random.Random, severity: float) -> Files:
    """The times are those of other zones: 1: of one broker; 2: of one log of all brokers; 3: of each file."""
    if severity == 3:
        return {path: at_another_time(lines, dice.choice((0, *ZONES))) for path, lines in files.items()}
    by = 0 if severity == 1 else 2
    whose = dice.choice(sorted({plain_name(path)[0].rpartition("/")[by] for path in files}))
    seconds = dice.choice(ZONES)
    return {
        path: at_another_time(lines, seconds if plain_name(path)[0].rpartition("/")[by] == whose else 0)
        for path, lines in files.items()
    }


def clock_set(files: Files, dice: random.Random, severity: float) -> Files:
    """From a moment on all clocks are so many seconds later: at the end of summer time an hour comes twice."""
    times = sorted({found[1] for lines in files.values() for line in lines if (found := TIME.match(line))})
    at = dice.choice(times) if times else ""
    return {path: at_another_time(lines, severity, at) for path, lines in files.items()}


def times_corrupted(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """A character of the time is another one."""

    def corrupted(found: re.Match[str]) -> str:
        at = dice.randrange(len(found[0]))
        return f"{found[0][:at]}{dice.choice('0189:x ')}{found[0][at + 1 :]}" if dice.random() < severity else found[0]

    return [TIME.sub(corrupted, line, count=1) if TIME.match(line) else line for line in lines]


def one_rotated_missing(files: Files, dice: random.Random, severity: float) -> Files:
    """Each log is in five files, numbered (1) or by date (2); one of the three in the middle is not there."""
    made: Files = {}
    for path, lines in files.items():
        parts = entries(lines)
        cuts = sorted(dice.randint(0, len(parts)) for _ in range(4))
        gone = dice.randint(1, 3)
        plain, gz = plain_name(path)
        for number, (a, b) in enumerate(zip([0, *cuts], [*cuts, len(parts)], strict=True)):
            older = f"{plain}.{4 - number}{gz}" if severity == 1 else f"{plain}.2026-11-1{number}{gz}"
            if number != gone:
                made[path if number == 4 else older] = flat(parts[a:b])
    return made


def copied_while_written(files: Files, dice: random.Random, severity: float) -> Files:
    """The copy ends within a line; 2: the rest is in a file that begins within an earlier one; 3: the log was truncated
    meanwhile: what came between is lost, and the new file begins with NULs."""
    made: Files = {}
    for path, lines in files.items():
        if not lines:  # another way left nothing
            made[path] = lines
            continue
        plain, gz = plain_name(path)
        at = dice.randrange(len(lines))
        copied = [*lines[:at], lines[at][: dice.randint(0, len(lines[at]))]]
        if severity == 1:
            made[path] = copied
            continue
        made[f"{plain}.1{gz}"] = copied
        if severity == 2:
            back = max(0, at - dice.randint(0, 200))
            made[path] = [lines[back][dice.randint(0, len(lines[back])) :], *lines[back + 1 :]]
        else:
            rest = lines[at + dice.randint(0, 5) :] or [""]
            made[path] = ["\0" * 5_000 + rest[0], *rest[1:]]
    return made


OTHER_CLUSTERS = tuple(
    RECORDED / name for name in ("lifecycle-2.8.2", "reassign-2.3.1", "traffic-2.4.1", "unclean-2.0.0")
)
OTHER_KRAFT_CLUSTERS = tuple(
    RECORDED_KRAFT / name for name in ("failover-3.5.2", "unclean-3.9.1", "elr-4.0.0", "reassign-3.9.1")
)
"""Recordings in whose text logs nothing is illegal."""


def one_of(clusters: Sequence[Path], files: Files, dice: random.Random) -> Files:
    """The logs of one of these clusters, which is not the one that the files are of."""
    chosen = dice.choice(clusters)
    other = read(chosen)
    own = {line for lines in files.values() for line in lines if key_of([line])}
    if any(line in own for lines in other.values() for line in lines):
        other = read(dice.choice([each for each in clusters if each != chosen]))
    return other


def another_cluster(clusters: Sequence[Path]) -> Mangle:
    """The logs of another cluster, of the same brokers and epochs: 1: in other folders; 2: below those of a name in one
    file; 3: as rotated files; 4: in one file by time, as if both had begun together."""

    def mangle(files: Files, dice: random.Random, severity: float) -> Files:
        made = dict(files)
        other = one_of(clusters, files, dice)
        if severity == 4:
            begun, began = _begun(files), _begun(other)
            if begun and began:
                later = seconds_between(began, begun)
                other = {path: at_another_time(lines, later) for path, lines in other.items()}
        for path, lines in other.items():
            own = files.get(path, [])
            if severity == 1:
                made[f"another/{path}"] = lines
            elif severity == 2:
                made[path] = own + lines
            elif severity == 3:
                made[f"{path}.1" if own else path] = lines
            else:
                made[path] = flat(sorted(entries(own) + entries(lines), key=key_of))
        return made

    return mangle


def _begun(files: Files) -> str:
    """The first time of any line; "" if none has one."""
    return min((key for lines in files.values() for each in entries(lines) if (key := key_of(each))), default="")
