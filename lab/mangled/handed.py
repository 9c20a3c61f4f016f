"""Damage done to logs by hand before they are handed in: with grep, awk and sort, by copying and by pasting."""

from __future__ import annotations

import html
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from .parts import TIME, Entry, Files, Mangle, entries, flat, key_of, plain_name, stretch
from .shipped import ZONES, at_another_time, message, one_of, seconds_between

_TOPIC = re.compile(r"partition \[?([A-Za-z][\w.]*)[-,]\d")
_WORDS = ("Received", "Sending", "Changed", "response", "Handling", "Cached", "from controller", "to OnlinePartition")


def _moment(files: Files, dice: random.Random) -> str:
    times = sorted({found[1] for lines in files.values() for line in lines if (found := TIME.match(line))})
    return dice.choice(times) if times else ""


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _by_folder(files: Files) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(files):
        found[_folder(path)].append(path)
    return found


# ---- The same line more than once


def seen_once(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """awk '!seen[$0]++': 1: by the line; 2: by what follows its time."""
    seen: dict[str, None] = {}
    return [
        line
        for line in lines
        if (key := line if severity == 1 else message(line)) not in seen and seen.setdefault(key) is None
    ]


def restarted(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """The last so many lines come again, as a shipper sends them that was restarted without its position; thrice."""
    made = list(lines)
    for at in sorted((dice.randint(0, len(lines)) for _ in range(3)), reverse=True):
        made[at:at] = lines[max(0, at - int(severity)) : at]
    return made


def additive(files: Files, dice: random.Random, severity: float) -> Files:
    """Loggers are additive: server.log has the lines of a broker's other logs too; 2: it is written to twice."""
    made = dict(files)
    for folder, paths in _by_folder(files).items():
        server = next((path for path in paths if _name(path).startswith("server")), f"{folder}/server.log")
        together = [entry for path in paths for entry in entries(files[path])]
        together += together if severity == 2 else []
        made[server] = flat(sorted(together, key=key_of))
    return made


# ---- Another order


def hour_again_sorted(files: Files, dice: random.Random, severity: float) -> Files:
    """At the end of summer time an hour comes twice, and the lines are sorted by time afterwards; 2: two seconds do."""
    at, seconds = _moment(files, dice), -3600 if severity == 1 else -2
    return {
        path: flat(sorted(entries(at_another_time(lines, seconds, at)), key=key_of)) for path, lines in files.items()
    }


def stretch_after(files: Files, dice: random.Random, severity: float) -> Files:
    """A stretch of one broker's logs stands at the end of them; 2: in files of their own."""
    made = dict(files)
    paths = _by_folder(files)
    for path in paths[dice.choice(sorted(paths))]:
        found = entries(files[path])
        a, b = stretch(len(found), dice, 0.2)
        plain, gz = plain_name(path)
        if severity == 1:
            made[path] = flat([*found[:a], *found[b:], *found[a:b]])
        else:
            made[path], made[f"{plain}.new{gz}"] = flat([*found[:a], *found[b:]]), flat(found[a:b])
    return made


def by_second(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    """Lines of one second in any order; 2: nothing shows their milliseconds."""
    second: dict[str, float] = {}
    for entry in found:
        second.setdefault(key_of(entry)[:19], len(second))
    ordered = sorted(found, key=lambda entry: (second[key_of(entry)[:19]], dice.random()))
    return ordered if severity == 1 else [[TIME.sub(_whole_second, entry[0], 1), *entry[1:]] for entry in ordered]


def _whole_second(found: re.Match[str]) -> str:
    return found[0].removesuffix(found[2] or "")


def batches(found: list[Entry], dice: random.Random, severity: float) -> list[Entry]:
    """Batches of fifty lines; some come after the next one."""
    parts = [found[at : at + 50] for at in range(0, len(found), 50)]
    for i in range(len(parts) - 1):
        if dice.random() < severity:
            parts[i], parts[i + 1] = parts[i + 1], parts[i]
    return [entry for part in parts for entry in part]


# ---- Where files are


def downloaded(files: Files, dice: random.Random, severity: float) -> Files:
    """All in one folder: 1: named as a browser does; 2: by broker; 3: as if the brokers' logs were rotated ones."""
    made: Files = {}
    count: dict[str, int] = defaultdict(int)
    for path in sorted(files):
        plain, gz = plain_name(_name(path))
        stem, dot, suffix = plain.partition(".")
        n = count[plain]
        count[plain] += 1
        if severity == 1:
            name = f"{stem} ({n}){dot}{suffix}" if n else plain
        elif severity == 2:
            name = f"{_folder(path).replace('/', '-')}_{plain}"
        else:
            name = f"{plain}.{n}" if n else plain
        made[f"downloads/{name}{gz}"] = files[path]
    return made


def mislabelled(files: Files, dice: random.Random, severity: float) -> Files:
    """Two brokers' logs of one name are in each other's folder; 2: two of all names; 3: one's in another's, beside."""
    folders = sorted(_by_folder(files))
    if len(folders) < 2:
        return files
    a, b = dice.sample(folders, 2)
    names = sorted({_name(path) for path in files if _folder(path) in (a, b)})
    swapped = set(names) if severity == 2 else {dice.choice(names)}
    other = {a: b, b: a} if severity != 3 else {a: b}
    made: Files = {}
    for path in sorted(files):
        folder, name = _folder(path), _name(path)
        here = other.get(folder, folder) if name in swapped else folder
        made[f"{here}/{name}" if f"{here}/{name}" not in made else f"{here}/other-{name}"] = files[path]
    return made


def two_machines(files: Files, dice: random.Random, severity: float) -> Files:
    """From a moment on a broker's logs are on another machine; 2: all brokers'; 3: nothing shows the broker."""
    folders = sorted(_by_folder(files))
    moved = {dice.choice(folders)} if severity != 2 else set(folders)
    at = _moment(files, dice)
    made: Files = {}
    for path, lines in files.items():
        if _folder(path) not in moved:
            made[path] = lines
            continue
        found = entries(lines)
        cut = next((i for i, entry in enumerate(found) if key_of(entry) >= at), len(found))
        made[path] = flat(found[:cut])
        made[f"{'host-b' if severity == 3 else _folder(path) + '-new'}/{_name(path)}"] = flat(found[cut:])
    return made


# ---- Lines that are not there


def level_changed(files: Files, dice: random.Random, severity: float) -> Files:
    """Without TRACE and DEBUG: 1: from a moment on; 2: between two; 3: before one; 4: of one broker from one on;
    5: from a moment on only warnings and errors."""
    since, until = sorted((_moment(files, dice), _moment(files, dice)))
    whose = dice.choice(sorted(_by_folder(files)))
    fine = re.compile(r" (TRACE|DEBUG|INFO) " if severity == 5 else r" (TRACE|DEBUG) ")

    def quiet(path: str, at: str) -> bool:
        if severity == 4 and _folder(path) != whose:
            return False
        return at < since if severity == 3 else since <= at and (severity != 2 or at < until)

    return {
        path: flat(
            entry for entry in entries(lines) if not (fine.search(entry[0][:60]) and quiet(path, key_of(entry)[:19]))
        )
        for path, lines in files.items()
    }


def broker_left_out(files: Files, dice: random.Random, severity: float) -> Files:
    """grep -v of a broker: 1: of lines that name it; 2: of lines that it speaks; 3: all its files."""
    ids = sorted({found for lines in files.values() for line in lines for found in re.findall(r"broker (\d+)\b", line)})
    if severity == 3 or not ids:
        kept = sorted(_by_folder(files))
        if len(kept) > 1:
            kept.remove(dice.choice(kept))
        return {path: lines for path, lines in files.items() if _folder(path) in kept}
    one = dice.choice(ids)
    named = re.compile(
        rf"\b(?:broker|id[:=]) ?{one}\b" if severity == 1 else rf"\[(?:Broker|Controller) (?:id=)?{one}\b"
    )
    return {path: [line for line in lines if not named.search(line)] for path, lines in files.items()}


def without(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """grep -v: 1: of a topic; 2: of a word."""
    topics = sorted({word for line in lines for word in _TOPIC.findall(line)})
    word = dice.choice(topics) if severity == 1 and topics else dice.choice(_WORDS)
    return [line for line in lines if word not in line]


def levels(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """1: warnings and errors; 2: TRACE only; 3: without INFO."""
    wanted = {1: r" (WARN|ERROR|FATAL) ", 2: r" TRACE ", 3: r" (?!INFO )[A-Z]{4,5} "}[int(severity)]
    return [line for line in lines if re.search(wanted, line[:40])]


def sampled(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """Each so many-th line."""
    return lines[dice.randrange(int(severity)) :: int(severity)]


# ---- Several in one


def zgrep(files: Files, dice: random.Random, severity: float) -> Files:
    """Lines of all brokers with a word, in one file: 1: grep -h; 2: with the file before each; 3: with its number;
    4: with three lines around; 5: sorted, which begins with the time."""
    word = dice.choice(("partition", "Changed", "epoch", "roller"))
    made: list[str] = []
    for path, lines in sorted(files.items()):
        hits = [i for i, line in enumerate(lines) if word in line]
        if severity == 4:
            near = sorted({j for i in hits for j in range(max(0, i - 3), min(len(lines), i + 4))})
            for last, i in zip([None, *near], near, strict=False):
                made += ["--"] if last is not None and i > last + 1 else []
                made.append(lines[i])
        else:
            before = {2: path + ":{line}", 3: "{number}:{line}"}.get(int(severity), "{line}")
            made += [before.format(number=i + 1, line=lines[i]) for i in hits]
    return {"found.log": sorted(made) if severity == 5 else made}


def another_inside(clusters: Sequence[Path]) -> Mangle:
    """A stretch of another cluster's logs stands within, once: 1: as it is; 2: at the time of that place."""

    def mangle(files: Files, dice: random.Random, severity: float) -> Files:
        other = one_of(clusters, files, dice)
        made = dict(files)
        for path, lines in other.items():
            own, theirs = entries(files.get(path, [])), entries(lines)
            at = dice.randint(0, len(own))
            a, b = stretch(len(theirs), dice, dice.choice((0.1, 0.5)))
            inside = theirs[a:b]
            here, there = (key_of(each[0]) if each else "" for each in (own[at:], inside))
            if severity == 2 and here and there:
                inside = entries(at_another_time(flat(inside), seconds_between(there, here)))
            made[path] = flat([*own[:at], *inside, *own[at:]])
        return made

    return mangle


# ---- Lines that are not what they were


def one_zone_later(files: Files, dice: random.Random, severity: float) -> Files:
    """From a moment on the times of one broker (2: of one of its files) are those of another zone."""
    path = dice.choice(sorted(files))
    at, seconds = _moment(files, dice), dice.choice(ZONES)
    return {
        each: at_another_time(lines, seconds, at)
        if (_folder(each) == _folder(path) if severity == 1 else each == path)
        else lines
        for each, lines in files.items()
    }


def line_ends(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """1: CR LF; 2: CR CR LF; 3: NULs here and there; 4: an empty line after each; 5: CR LF from somewhere on."""
    if severity == 3:
        return [
            f"{line[: (at := dice.randint(0, len(line)))]}\0{line[at:]}" if dice.random() < 0.1 else line
            for line in lines
        ]
    if severity == 4:
        return [each for line in lines for each in (line, "")]
    since = dice.randint(0, len(lines)) if severity == 5 else 0
    return [line if i < since else line + "\r" * (2 if severity == 2 else 1) for i, line in enumerate(lines)]


def torn(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """Two processes write to one file: the end of a line stands after the next line."""
    made: list[str] = []
    pending = ""
    for line in lines:
        if pending:
            made += [line + pending[len(pending) // 2 :]] if dice.random() < 0.5 else [line, pending]
            pending = ""
        elif line and dice.random() < severity:
            at = dice.randint(0, len(line))
            pending = line[at:]
            made.append(line[:at])
        else:
            made.append(line)
    return [*made, pending] if pending else made


def redacted(files: Files, dice: random.Random, severity: float) -> Files:
    """1: all topics have one name; 2: hosts and ports are X; 3: brokers' numbers are X; 4: correlation ids are 0."""
    topics = {word for lines in files.values() for line in lines for word in _TOPIC.findall(line)}
    patterns: dict[int, tuple[str, str]] = {
        1: (rf"\b(?:{'|'.join(sorted(map(re.escape, topics), key=len, reverse=True)) or 'x^'})(?=[-,]\d)", "REDACTED"),
        2: (r"\b(?:localhost|\d+\.\d+\.\d+\.\d+):\d+", "XXX"),
        3: (r"\b((?:[Bb]roker|replica|leader)[ =:]?)\d+", r"\1X"),
        4: (r"(correlation ?[iI]d:? ?)\d+", r"\g<1>0"),
    }
    pattern, by = patterns[int(severity)]
    return {path: [re.sub(pattern, by, line) for line in lines] for path, lines in files.items()}


def pasted(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """1: quoted in a mail; 2: indented; 3: cat -n; 4: escaped for HTML; 5: with a word processor's quotes and dashes;
    6: blanks at the ends; 7: as a diff adds them."""
    ways: Sequence[Callable[[int, str], str]] = (
        lambda _, line: f"> {line}",
        lambda _, line: f"    {line}",
        lambda i, line: f"{i + 1:6}\t{line}",
        lambda _, line: html.escape(line),
        lambda _, line: line.replace("'", "\u2019").replace("->", "\u2192").replace("-", "\u2013"),
        lambda _, line: f"{line}  ",
        lambda _, line: f"+{line}",
    )
    return [ways[int(severity) - 1](i, line) for i, line in enumerate(lines)]


def other_case(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    return [line.lower() if severity == 1 else line.upper() for line in lines]


def numbers_grouped(lines: list[str], dice: random.Random, severity: float) -> list[str]:
    """As a spreadsheet shows them: 1: four digits of a thousand and more have a comma; 2: without leading zeros."""
    if severity == 1:
        return [re.sub(r"(?<=[ =])(\d{1,3})(\d{3})\b(?![:-])", r"\1,\2", line) for line in lines]
    return [re.sub(r"(?<=[=( ])0+(?=\d)", "", line) for line in lines]
