"""The ways in which logs come mangled, each with its severities; all are deterministic by their dice.

A way makes of the files of a recording those that somebody hands in. It never changes what a line says, unless its
name says so.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from . import handed, shipped
from .parts import (
    Entry,
    Files,
    Mangle,
    each_entry,
    each_file,
    entries,
    flat,
    key_of,
    plain_name,
    stretch,
    time_of,
)

_STATES = re.compile(r"\b(?:(?:Non|New|Online|Offline)[A-Za-z]*|ReplicaDeletion[A-Za-z]+)(?:Replica|Partition)?\b")


@dataclass(frozen=True)
class Way:
    """One way of mangling. `severities` are what its function understands; a larger one mangles more. `retimed`: it
    changes the times of lines; `reworded`: it changes their words."""

    name: str
    mangle: Mangle
    severities: tuple[float, ...] = (1,)
    retimed: bool = False
    reworded: bool = False


# ---- The same line more than once


def _twice(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return lines * int(severity)


def _chunk(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    a, b = stretch(len(found), dice, severity)
    return found[:b] + found[a:b] + found[b:]


def _chunk_later(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    a, b = stretch(len(found), dice, severity)
    to = dice.randint(b, len(found))
    return found[:to] + found[a:b] + found[to:]


def _overlap(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    a, b = stretch(len(found), dice, severity)
    return found[:b] + found[a:]


def _overlap_rotated(files: Files, dice: random.Random, severity: float) -> Files:
    made: Files = {}
    for path, lines in files.items():
        parts = entries(lines)
        a, b = stretch(len(parts), dice, severity)
        plain, gz = plain_name(path)
        made[f"{plain}.1{gz}"], made[path] = flat(parts[:b]), flat(parts[a:])
    return made


def _copy(files: Files, dice: random.Random, severity: float) -> Files:
    """1: under another name; 2: in another folder; 3: with a part of its lines only; 4: in the folder of another."""
    made = dict(files)
    for path, lines in files.items():
        folder, _, name = path.rpartition("/")
        if severity == 1:
            made[f"{folder}/copy-of-{name}"] = lines
        elif severity == 2:
            made[f"{folder}-backup/{name}"] = lines
        elif severity == 3:
            a, b = sorted(dice.randint(0, len(lines)) for _ in range(2))
            made[f"{folder}/old-{name}"] = lines[a:b]
        else:
            made[f"backup/{folder}-{name}"] = lines
    return made


def _gz_beside(files: Files, dice: random.Random, severity: float) -> Files:
    made = dict(files)
    for path, lines in files.items():
        plain, gz = plain_name(path)
        whole = severity == 1 or not lines
        made[plain if gz else f"{path}.gz"] = lines if whole else lines[: dice.randint(1, len(lines))]
    return made


def _doubled(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    return [each for entry in found for each in [entry] * (1 + (dice.random() < severity))]


def _doubled_lines(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return [each for line in lines for each in [line] * (1 + (dice.random() < severity))]


def _sent_again(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    """Some lines come once more, up to fifty lines later."""
    placed = [((i, 0), entry) for i, entry in enumerate(found)]
    placed += [((i + dice.randint(1, 50), 1), entry) for i, entry in enumerate(found) if dice.random() < severity]
    return [entry for _, entry in sorted(placed, key=lambda each: each[0])]


# ---- Another order


def _shuffled_ties(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    """Entries of one time, next to each other, in any order."""
    made: list[Entry] = []
    at = 0
    while at < len(found):
        end = at
        while end < len(found) and key_of(found[end]) == key_of(found[at]):
            end += 1
        tied = found[at:end]
        if dice.random() < severity:
            dice.shuffle(tied)
        made += tied
        at = end
    return made


def _sorted_text(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return sorted(set(lines)) if severity == 2 else sorted(lines)


def _sorted_time(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    """1: stable; 2: ties in any order."""
    ordered = sorted(found, key=key_of)
    return ordered if severity == 1 else _shuffled_ties(ordered, dice, 1)


def _newest_first(files: Files, dice: random.Random, severity: float) -> Files:
    """1: line by line; 2: traces stay below their line."""
    if severity == 1:
        return {path: lines[::-1] for path, lines in files.items()}
    return {path: flat(entries(lines)[::-1]) for path, lines in files.items()}


def _blocks_swapped(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    cuts = sorted(dice.randint(0, len(found)) for _ in range(int(severity)))
    parts = [found[a:b] for a, b in zip([0, *cuts], [*cuts, len(found)], strict=True)]
    dice.shuffle(parts)
    return [entry for part in parts for entry in part]


def _rotated_joined(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    """cat state-change.log*: the newest lines first, then the rest, from the newest to the oldest file."""
    cuts = sorted(dice.randint(0, len(found)) for _ in range(int(severity)))
    parts = [found[a:b] for a, b in zip([0, *cuts], [*cuts, len(found)], strict=True)]
    return [entry for part in reversed(parts) for entry in part]


# ---- Several in one


def _of_logs(files: Files) -> dict[str, list[str]]:
    """The paths of each log of all brokers, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(files):
        found[plain_name(path)[0].rpartition("/")[2]].append(path)
    return found


def _brokers(together: Callable[[list[list[Entry]], random.Random, float], list[Entry]]) -> Mangle:
    """Two brokers' logs of one name in one file; 2: those of all brokers."""

    def mangle(files: Files, dice: random.Random, severity: float) -> Files:
        made: Files = {}
        chosen: list[str] | None = None
        for name, paths in _of_logs(files).items():
            folders = sorted({path.rpartition("/")[0] for path in paths})
            if chosen is None:
                chosen = folders if severity == 2 else sorted(dice.sample(folders, min(2, len(folders))))
            inside = [path for path in paths if path.rpartition("/")[0] in chosen]
            made |= {path: files[path] for path in paths if path not in inside}
            if inside:
                made[f"all/{name}"] = flat(together([entries(files[path]) for path in inside], dice, severity))
        return made

    return mangle


def _one_after_the_other(logs: list[list[Entry]], dice: random.Random, severity: float) -> list[Entry]:
    dice.shuffle(logs)
    return [entry for log in logs for entry in log]


def _by_time(logs: list[list[Entry]], dice: random.Random, severity: float) -> list[Entry]:
    return sorted((entry for log in logs for entry in log), key=key_of)


def _as_they_come(logs: list[list[Entry]], dice: random.Random, severity: float) -> list[Entry]:
    """Each keeps its own order; whose line comes next is chance."""
    turns = [number for number, log in enumerate(logs) for _ in log]
    dice.shuffle(turns)
    left = [iter(log) for log in logs]
    return [next(left[number]) for number in turns]


def _one_file_per_broker(files: Files, dice: random.Random, severity: float) -> Files:
    """Return a container's console: all logs of a broker by time."""
    of_broker: dict[str, list[list[Entry]]] = defaultdict(list)
    for path in sorted(files):
        of_broker[path.rpartition("/")[0]].append(entries(files[path]))
    return {f"{folder}/kafka.log": flat(_by_time(logs, dice, severity)) for folder, logs in of_broker.items()}


# ---- Lines that are not whole


def _cut(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return [line[: dice.randint(0, len(line))] if dice.random() < severity else line for line in lines]


def _head_cut(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return [line[dice.randint(0, len(line)) :] if dice.random() < severity else line for line in lines]


def _spliced(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """A line is cut, and the next one follows in the same line."""
    made: list[str] = []
    pending = ""
    for line in lines:
        if dice.random() < severity:
            pending += line[: dice.randint(0, len(line))]
        else:
            made.append(pending + line)
            pending = ""
    return [*made, pending] if pending else made


def _cut_words(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """A letter of a state's name is another one."""

    def corrupted(found: re.Match[str]) -> str:
        if dice.random() >= severity:
            return found[0]
        at = dice.randrange(len(found[0]))
        return f"{found[0][:at]}{dice.choice('aqxz#')}{found[0][at + 1 :]}"

    return [_STATES.sub(corrupted, line) for line in lines]


def _milliseconds_cut(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return [re.sub(r"^(\[?[12]\d{3}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)[,.]\d+", r"\1", line) for line in lines]


# ---- Lines that are not there


def _missing_entries(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    return [entry for entry in found if dice.random() >= severity]


def _missing_lines(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return [line for line in lines if dice.random() >= severity]


def _one_missing_of_all(files: Files, dice: random.Random, severity: float) -> Files:
    """A hole of so many lines in one of the files."""
    path = dice.choice(sorted(files))
    parts = entries(files[path])
    at = dice.randrange(max(1, len(parts)))
    return files | {path: flat(parts[:at] + parts[at + int(severity) :])}


def _stretch_missing(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    a, b = stretch(len(found), dice, severity)
    return found[:a] + found[b:]


def _hour_missing(files: Files, dice: random.Random, severity: float) -> Files:
    """The same stretch of time is missing in all files."""
    times = sorted(key_of(entry) for lines in files.values() for entry in entries(lines))
    a, b = stretch(len(times), dice, severity) if times else (0, 0)
    gone = set(times[a:b])
    return {path: flat(entry for entry in entries(lines) if key_of(entry) not in gone) for path, lines in files.items()}


def _head_missing(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    return found[round(len(found) * dice.uniform(0, severity)) :]


def _tail_missing(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    return found[: len(found) - round(len(found) * dice.uniform(0, severity))]


def _traces_dropped(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return [line for line in lines if time_of(line) is not None]


def _uniq(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """uniq: what stands there twice in a row comes once."""
    return [line for i, line in enumerate(lines) if not i or line != lines[i - 1]]


def _file_missing(files: Files, dice: random.Random, severity: float) -> Files:
    kept = sorted(files)
    for _ in range(min(int(severity), len(kept) - 1)):
        kept.remove(dice.choice(kept))
    return {path: files[path] for path in kept}


def _searched(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """grep: 1 for a level, 2 for what is no TRACE, 3 for a topic, 4 without what brokers say."""
    if severity == 1:
        return [line for line in lines if " INFO " in line or " ERROR " in line or " WARN " in line]
    if severity == 2:
        return [line for line in lines if " TRACE " not in line]
    if severity == 3:
        topics = sorted({word for line in lines for word in re.findall(r"partition \[?([A-Za-z][\w.]*)[-,]\d", line)})
        word = dice.choice(topics) if topics else "t"
        return [line for line in lines if word in line]
    return [line for line in lines if "[Broker id=" not in line and not line.startswith("\t")]


WAYS: Mapping[str, Way] = {
    way.name: way
    for way in (
        Way("file twice in one", each_file(_twice), (2, 3)),
        Way("chunk repeated", each_entry(_chunk), (0.02, 0.2)),
        Way("chunk repeated later", each_entry(_chunk_later), (0.02, 0.2)),
        Way("overlap inside", each_entry(_overlap), (0.05, 0.4)),
        Way("overlap of rotated files", _overlap_rotated, (0.05, 0.4)),
        Way("copy beside", _copy, (1, 2, 3, 4)),
        Way("gz beside", _gz_beside, (1, 2)),
        Way("lines doubled", each_entry(_doubled), (0.01, 0.1, 0.6)),
        Way("physical lines doubled", each_file(_doubled_lines), (0.01, 0.1)),
        Way("lines sent again", each_entry(_sent_again), (0.01, 0.1)),
        Way("milliseconds shuffled", each_entry(_shuffled_ties), (0.3, 1)),
        Way("sorted as text", each_file(_sorted_text), (1, 2)),
        Way("sorted by time", each_entry(_sorted_time), (1, 2)),
        Way("newest first", _newest_first, (1, 2)),
        Way("blocks swapped", each_entry(_blocks_swapped), (1, 4)),
        Way("rotated files joined", each_entry(_rotated_joined), (1, 3)),
        Way("brokers concatenated", _brokers(_one_after_the_other), (1, 2)),
        Way("brokers by time", _brokers(_by_time), (1, 2)),
        Way("brokers interleaved", _brokers(_as_they_come), (1, 2)),
        Way("one file per broker", _one_file_per_broker),
        Way("lines cut", each_file(_cut), (0.01, 0.1)),
        Way("heads of lines cut", each_file(_head_cut), (0.01, 0.1)),
        Way("lines spliced", each_file(_spliced), (0.01, 0.1)),
        Way("states corrupted", each_file(_cut_words), (0.01, 0.1)),
        Way("milliseconds cut off", each_file(_milliseconds_cut)),
        Way("lines missing", each_entry(_missing_entries), (0.002, 0.01, 0.1)),
        Way("physical lines missing", each_file(_missing_lines), (0.01, 0.1)),
        Way("hole", _one_missing_of_all, (1, 3, 20)),
        Way("stretch missing", each_entry(_stretch_missing), (0.05, 0.3)),
        Way("hour missing", _hour_missing, (0.05, 0.3)),
        Way("head missing", each_entry(_head_missing), (0.1, 0.9)),
        Way("tail missing", each_entry(_tail_missing), (0.1, 0.9)),
        Way("traces dropped", each_file(_traces_dropped)),
        Way("uniq", each_file(_uniq)),
        Way("file missing", _file_missing, (1, 2)),
        Way("searched", each_file(_searched), (1, 2, 3, 4)),
        Way("same message dropped", each_file(shipped.same_dropped), (1, 2)),
        Way("lines truncated", each_file(shipped.truncated), (120, 256, 1024)),
        Way("lines wrapped", each_file(shipped.wrapped), (80, 200)),
        Way("rate limited", each_entry(shipped.rate_limited), (5, 50)),
        Way("other programs between", each_file(shipped.others_between), (0.05,)),
        Way("zones", shipped.zones, (1, 2, 3), retimed=True),
        Way("clock set", shipped.clock_set, (-3600, -2, 3600), retimed=True),
        Way("times corrupted", each_file(shipped.times_corrupted), (0.01, 0.1, 1), retimed=True),
        Way("one rotated file missing", shipped.one_rotated_missing, (1, 2)),
        Way("copied while written", shipped.copied_while_written, (1, 2, 3)),
        Way("another cluster beside", shipped.another_cluster(shipped.OTHER_CLUSTERS), (1, 2, 3, 4), retimed=True),
        Way("seen once", each_file(handed.seen_once), (1, 2)),
        Way("shipper restarted", each_file(handed.restarted), (10, 200)),
        Way("additive loggers", handed.additive, (1, 2)),
        Way("hour again, sorted", handed.hour_again_sorted, (1, 2), retimed=True),
        Way("stretch of a broker after", handed.stretch_after, (1, 2)),
        Way("seconds shuffled", each_entry(handed.by_second), (1, 2)),
        Way("batches swapped", each_entry(handed.batches), (0.1, 0.5)),
        Way("downloaded", handed.downloaded, (1, 2, 3)),
        Way("mislabelled", handed.mislabelled, (1, 2, 3)),
        Way("two machines", handed.two_machines, (1, 2, 3)),
        Way("level changed", handed.level_changed, (1, 2, 3, 4, 5)),
        Way("broker left out", handed.broker_left_out, (1, 2, 3)),
        Way("grep -v", each_file(handed.without), (1, 2)),
        Way("levels", each_file(handed.levels), (1, 2, 3)),
        Way("sampled", each_file(handed.sampled), (2, 10)),
        Way("zgrep", handed.zgrep, (1, 2, 3, 4, 5)),
        Way("another cluster inside", handed.another_inside(shipped.OTHER_CLUSTERS), (1, 2), retimed=True),
        Way("one zone later", handed.one_zone_later, (1, 2), retimed=True),
        Way("line ends", each_file(handed.line_ends), (1, 2, 3, 4, 5)),
        Way("lines torn", each_file(handed.torn), (0.01, 0.1)),
        Way("redacted", handed.redacted, (1, 2, 3, 4), reworded=True),
        Way("pasted", each_file(handed.pasted), (1, 2, 3, 4, 5, 6, 7), reworded=True),
        Way("other case", each_file(handed.other_case), (1, 2), reworded=True),
        Way("numbers grouped", each_file(handed.numbers_grouped), (1, 2), reworded=True),
        Way(
            "another KRaft cluster beside",
            shipped.another_cluster(shipped.OTHER_KRAFT_CLUSTERS),
            (1, 2, 3, 4),
            retimed=True,
        ),
        Way("another KRaft cluster inside", handed.another_inside(shipped.OTHER_KRAFT_CLUSTERS), (1, 2), retimed=True),
    )
}


def mangled(files: Files, ways: Sequence[tuple[str, float]], seed: object) -> Files:
    """Return a recording after these ways, one after the other."""
    for name, severity in ways:
        files = WAYS[name].mangle(files, random.Random(f"{seed} {name} {severity}"), severity)
    return {path: lines for path, lines in files.items() if lines}
