"""Plants faults in all recordings and tells what the audit found of them: `python -m benchmarks.faults`.

A fault is in all lines that print it: what is sent wrongly is received and cached so.

For each kind: planted; decidable (the log shows enough: what it cannot show is told below the table); found (of the
decidable, a new finding that is illegal or suspicious); line right (of the found, the first new finding in its file
names the line that first shows the fault); illegal (of the found, a new finding at that line is); forced (of the others
that are found, the doubt is inevitable: forced.py computes why, and it is told below the table).
Exit code 1 if less than 95 % are found, or have the right line, or if less than 97 % are illegal or forced.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from . import KINDS, load, some
from .forced import forced
from .injection import Injection, Outcome

RECORDED = Path(__file__).parents[2] / "traces" / "recorded"
GOAL, GOAL_OF_VERDICTS = 0.95, 0.97
_COLUMNS = ("planted", "decidable", "found", "right", "illegal", "forced")


@dataclass(frozen=True)
class Judged:
    """What came of a fault in a recording. `forced`: why it is found and cannot be illegal, if that is known."""

    recording: str
    outcome: Outcome
    forced: str | None


def outcomes(folders: list[Path], each: int, seed: int, *, apart: bool) -> dict[str, list[Judged]]:
    """By kind, what came of the faults."""
    found: dict[str, list[Judged]] = defaultdict(list)
    for folder in folders:
        recording = load(folder)
        injection, alone = Injection(recording, apart=apart), Injection(recording, apart=True)
        for kind in KINDS:
            for fault in some(recording, kind, each, seed):
                outcome = injection.outcome(fault)
                doubted = outcome.found and fault.hidden is None and not outcome.illegal
                why = forced(recording, injection, alone, outcome) if doubted else None
                found[kind].append(Judged(recording.name, outcome, why))
        print(f"{recording.name}: {sum(map(len, found.values()))} faults so far", file=sys.stderr)
    return found


def table(found: dict[str, list[Judged]]) -> list[str]:
    lines = ["| kind | planted | decidable | found | line right | illegal | forced |", "|---|---|---|---|---|---|---|"]
    total: Counter[str] = Counter()
    for kind in KINDS:
        counts = _counts(found[kind])
        total += counts
        lines.append(_row(kind, counts))
    return [*lines, _row("all", total)]


def _counts(made: list[Judged]) -> Counter[str]:
    decidable = [each.outcome for each in made if each.outcome.fault.hidden is None]
    return Counter(
        planted=len(made),
        decidable=len(decidable),
        found=sum(outcome.found for outcome in decidable),
        right=sum(outcome.line_right for outcome in decidable),
        illegal=sum(outcome.illegal for outcome in decidable),
        forced=sum(each.forced is not None for each in made),
    )


def _row(name: str, counts: Counter[str]) -> str:
    return f"| {name} | " + " | ".join(str(counts[key]) for key in _COLUMNS) + " |"


def explained(found: dict[str, list[Judged]]) -> list[str]:
    """What is hidden and why; what forces a doubt; what was missed; what names another line, or is doubted too much."""
    lines = []
    for kind, made in found.items():
        hidden = Counter(each.outcome.fault.hidden for each in made if each.outcome.fault.hidden is not None)
        anyway = sum(each.outcome.found for each in made if each.outcome.fault.hidden is not None)
        for why, count in hidden.most_common():
            lines.append(f"{kind}: {count} not decidable: {why}")
        if anyway:
            lines.append(f"{kind}: {anyway} of the not decidable found all the same")
        for why, count in Counter(each.forced for each in made if each.forced is not None).most_common():
            lines.append(f"{kind}: {count} in doubt, for {why}")
        for each in made:
            outcome, fault, first = each.outcome, each.outcome.fault, each.outcome.first
            where = f"{kind}: {each.recording} {fault.file}:{fault.line} {fault.what}"
            if fault.hidden is None and first is None:
                lines.append(f"MISSED {where}")
            elif fault.hidden is None and first is not None and not outcome.line_right:
                lines.append(f"OTHER LINE {where}: {first.rule} {first.verdict} {first.file}:{first.line}")
            elif fault.hidden is None and first is not None and not outcome.illegal and each.forced is None:
                lines.append(f"TIMID {where}: {first.rule} {first.verdict}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=2, help="faults of each kind in each recording (default 2)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recorded", type=Path, default=RECORDED, help="the folder with the recordings")
    parser.add_argument("--apart", action="store_true", help="planted lines have milliseconds of their own")
    arguments = parser.parse_args()
    folders = sorted(path.parent for path in arguments.recorded.glob("*/manifest.json"))
    found = outcomes(folders, arguments.each, arguments.seed, apart=arguments.apart)
    print("\n".join([*table(found), "", *explained(found)]))
    total = _counts([each for made in found.values() for each in made])
    good = total["found"] >= GOAL * total["decidable"] and total["right"] >= GOAL * total["found"]
    good = good and total["illegal"] + total["forced"] >= GOAL_OF_VERDICTS * total["decidable"]
    return 0 if good and total["planted"] else 1


if __name__ == "__main__":
    sys.exit(main())
