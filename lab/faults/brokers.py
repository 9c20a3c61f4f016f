"""Plants faults in brokers' lines about their replicas: `python -m lab.faults.brokers`.

A fault is one line of a recording, changed so that it prints what no broker does, or one additional line. It is found
if the audit has a new finding that is illegal, suspicious or refused, found at its line if such a finding names that
line, and illegal if one of these is. It is decidable if the log goes on so that it shows: each kind names the line.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import sys
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options

from .. import RECORDED
from .broker_kind import TIME, Kind, Match
from .broker_lines import LINES
from .broker_states import STATES

GOAL = 0.95
_PROCESS = "INFO starting (kafka.server.KafkaServer)"
KINDS: tuple[Kind, ...] = (*STATES, *LINES)


@dataclass(frozen=True)
class Outcome:
    kind: str
    recording: str
    file: str
    line: int
    decidable: bool
    found: bool
    at_line: bool
    illegal: bool


def outcomes(recording: Path, each: int, seed: int) -> Iterator[Outcome]:
    """Return the audit's outcomes for `each` faults of each kind, planted one by one."""
    texts = _texts(recording)
    if not texts:
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in texts.items():
            _write(root / path.relative_to(recording), text)
        known = _findings(root)
        wrong = {place for _, _, places in known for place in places}
        for kind in KINDS:
            places = [
                each for each in _places(kind, texts) if (str(each[0].relative_to(recording)), each[1]) not in wrong
            ]
            chosen = random.Random(f"{seed} {kind.name}").sample(places, min(each, len(places)))
            for path, number, changed, decidable in chosen:
                name = path.relative_to(recording)
                lines = texts[path].split("\n")
                lines[number - 1] = changed
                _write(root / name, "\n".join(lines))
                fresh = _findings(root) - known
                here = {finding for finding in fresh if (str(name), number) in finding[2]}
                illegal = any(verdict == "illegal" for _, verdict, _ in here)
                shown = decidable, bool(fresh), bool(here), illegal
                yield Outcome(kind.name, recording.name, str(name), number, *shown)
                _write(root / name, texts[path])


def with_faults(recording: Path, seed: int) -> dict[Path, str]:
    """Return the texts of a recording with a fault of each kind in it, no two in one line."""
    texts = _texts(recording)
    lines = {path: text.split("\n") for path, text in texts.items()}
    taken: set[tuple[Path, int]] = set()
    for kind in KINDS:
        free = [(path, number, new) for path, number, new, _ in _places(kind, texts) if (path, number) not in taken]
        if free:
            path, number, changed = random.Random(f"{seed} {kind.name}").choice(free)
            lines[path][number - 1] = changed
            taken.add((path, number))
    return {path: "\n".join(own) for path, own in lines.items()}


def _texts(recording: Path) -> dict[Path, str]:
    """Return its logs by their paths; the path of a compressed one without its extension."""
    found = {path: path.read_text(encoding="utf-8") for path in recording.rglob("*.log")}
    packed = recording.rglob("*.log.gz")
    found |= {path.with_suffix(""): gzip.decompress(path.read_bytes()).decode() for path in packed}
    return dict(sorted(found.items()))


def _places(kind: Kind, texts: dict[Path, str]) -> Iterator[tuple[Path, int, str, bool]]:
    """Yield file, line, the changed line, and whether the log goes on so that it shows."""
    rest = {folder: _by_time(texts, {folder}) for folder in {path.parent for path in texts}}
    everyone = _by_time(texts, set(rest)) if kind.seen_before else []
    pattern, after = re.compile(kind.pattern), re.compile(kind.after)
    for path, text in texts.items():
        above: dict[str, Match] = {}
        for number, line in enumerate(text.split("\n"), start=1):
            match = pattern.search(line)
            changed, before_it = kind.change(match) if match and not kind.after else None, None
            if match and kind.after and match["tp"] in above:
                before_it = above[match["tp"]]
                changed = kind.change(match, before_it)
            if kind.after and (before := after.search(line)):
                above[before["tp"]] = before
            if match and changed is not None and changed != line:
                since = before_it.string[:TIME] if before_it else line[:TIME]
                yield path, number, changed, _shows(kind, match, since, rest[path.parent], everyone)


def _by_time(texts: dict[Path, str], folders: set[Path]) -> list[str]:
    """Return the dated lines of brokers, by their times."""
    own = [line for path, text in texts.items() if path.parent in folders for line in text.split("\n")]
    return sorted((line for line in own if line.startswith("[2")), key=_time)


def _time(line: str) -> str:
    return line[:TIME]


def _shows(kind: Kind, match: Match, since: str, lines: list[str], everyone: list[str]) -> bool:
    """Return True if the process has gone on since a time, and it and others write the lines that the kind requires.

    `lines` are those of the broker, `everyone` those of all brokers.
    """
    at = _time(match.string)
    starts = [_time(line) for line in lines if _PROCESS in line] if kind.process else []
    if kind.process and (not starts or any(since <= start <= at for start in starts)):
        return False
    before = [*takewhile(_goes_on, reversed(lines[: bisect_left(lines, at, key=_time)]))]
    after = lines[bisect_right(lines, at, key=_time) :]
    asked = (
        (kind.earlier, True, before),
        (kind.not_seen_before, False, before),
        (kind.seen_before, True, everyone[: bisect_left(everyone, at, key=_time)]),
        (kind.later, True, takewhile(_goes_on, after)),
        (kind.never, False, takewhile(_goes_on, after)),
    )
    return all(_comes(pattern, match, within) == wanted for pattern, wanted, within in asked if pattern)


def _goes_on(line: str) -> bool:
    return _PROCESS not in line


def _comes(pattern: str, match: Match, lines: Iterable[str]) -> bool:
    """Return True if one of the lines matches, for the same partition."""
    wanted = re.compile(pattern.format_map(match.groupdict()))
    return any(found["tp"] == match["tp"] for line in lines for found in wanted.finditer(line))


_Finding = tuple[str, str, frozenset[tuple[str, int]]]


def _findings(root: Path) -> set[_Finding]:
    """Return rule, verdict and lines of findings that are illegal, suspicious or refused."""
    (report,) = audit([str(root)], Options(engine="python"))
    return {
        (
            finding.rule,
            finding.verdict,
            frozenset((str(Path(e.place.file).relative_to(root)), e.place.line or 0) for e in finding.evidence),
        )
        for finding in report.findings
        if finding.verdict in ("illegal", "suspicious", "refused")
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def table(made: Sequence[Outcome]) -> list[str]:
    lines = ["| kind | planted | decidable | found | at its line | illegal |", "|---|---|---|---|---|---|"]
    for name in [*(kind.name for kind in KINDS), "all"]:
        own = [one for one in made if name in (one.kind, "all")]
        shown = [one for one in own if one.decidable]
        counts = [sum(getattr(one, what) for one in shown) for what in ("decidable", "found", "at_line", "illegal")]
        counts.insert(0, len(own))
        lines.append(f"| {name} | " + " | ".join(map(str, counts)) + " |")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", nargs="*", help="names of recordings; all, if none is named")
    parser.add_argument("--each", type=int, default=1, help="faults of a kind in a recording")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="list what was not found at its line")
    options = parser.parse_args()
    names = options.recordings or sorted(path.name for path in RECORDED.iterdir() if path.is_dir())
    made = [one for name in names for one in outcomes(RECORDED / name, options.each, options.seed)]
    print("\n".join(table(made)))
    if options.missed:
        print("\n".join(str(one) for one in made if one.decidable and not one.at_line))
    decidable = [one for one in made if one.decidable]
    found = [one for one in decidable if one.found]
    good = len(found) >= GOAL * len(decidable) and sum(one.at_line for one in found) >= GOAL * len(found)
    return 0 if good and found else 1


if __name__ == "__main__":
    sys.exit(main())
