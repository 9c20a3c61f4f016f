"""Mangles recordings in rounds (rounds.py) and audits them with two engines: `python -m lab.mangled OUT --rounds 40`.

OUT gets a JSON line for each case. Cases that it has already are not run again: a run that was stopped goes on. At the
end it shows the table of all that OUT has. Exit code 1 if an illegal finding was gained, or lost silently, or the
engines disagree.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterator
from dataclasses import asdict
from pathlib import Path

from .harness import Case, Identity, Outcome, in_process, outcomes, shown, table
from .parts import read, recorded
from .rounds import collected, of_round
from .ways import WAYS

SHARED = Path(__file__).parents[3] / "shared" / "corpus" / "real"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.mangled", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=0, help="so many from --first on; none: only the table")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--corpus", type=Path, default=SHARED, help="a folder of other people's logs")
    parser.add_argument("--way", action="append", choices=WAYS, help="the cases with one of these only")
    parser.add_argument("--recordings", default="", help="those only whose names begin so")
    arguments = parser.parse_args()
    found = list(_known(arguments.out))
    rounds = range(arguments.first, arguments.first + arguments.rounds)
    wanted = dict.fromkeys(arguments.way or WAYS)
    known = {outcome.case for outcome in found}
    for outcome in _run(rounds, arguments.corpus, wanted, arguments.recordings, known):
        found.append(outcome)
        with arguments.out.open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(outcome)) + "\n")
        if outcome.bad:
            print(f"{len(found)}: {outcome}", file=sys.stderr, flush=True)
    print(shown(table(found)))
    return 1 if any(outcome.bad for outcome in found) else 0


def _run(rounds: range, corpus: Path, ways: Collection[str], begin: str, known: set[Case]) -> Iterator[Outcome]:
    recordings = {name: path for name, path in recorded().items() if name.startswith(begin)}
    others = {} if begin else collected(corpus)
    cases = [case for number in rounds for case in of_round(number, tuple(recordings), tuple(others), ways)]
    new = [case for case in dict.fromkeys(cases) if case not in known]
    wanted = {case.recording for case in new}
    files = {name: read(path) for name, path in (recordings | others).items() if name in wanted}
    yield from outcomes(new, files, in_process("python"), in_process("columns"))


def _known(out: Path) -> Iterator[Outcome]:
    for line in out.read_text(encoding="utf-8").splitlines() if out.exists() else ():
        row = json.loads(line)
        recording, ways, seed = row.pop("case")
        case = Case(recording, tuple((name, severity) for name, severity in ways), seed)
        three = {name: tuple(Identity(*each) for each in row.pop(name)) for name in ("gained", "lost", "gone")}
        yield Outcome(case, **three, **row)


if __name__ == "__main__":
    sys.exit(main())
