"""Plants faults in all recordings and reports what the audit finds: `python -m lab.faults`.

A fault is in all lines that print it: a wrong request is received and cached so, too.

Each planted fault is of one of three sorts. Hidden: the log cannot show it, as the generator knows from Kafka's tables.
Forced: no log of these lines can be called illegal, because a legal cluster prints the same if lines were lost, or
written in another order; forced.py computes that. All others are decidable, and each of these is in one column: illegal
at its line; illegal in another line that names the fault's as the one that it contradicts (nothing shows which of the
two is wrong); suspicious; not found. `doubted`: those of the forced that are suspicious. Exit code 1 if less than 97 %
of the decidable are illegal, if one of them is not found, or if less than 95 % of the found that are not hidden name
the line that first shows the fault before any other in its file.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .. import RECORDED
from . import KINDS, load, some
from .forced import forced
from .injection import Injection, Outcome

LINES_RIGHT, ILLEGAL = 0.95, 0.97
_SORTS = ("hidden", "forced", "decidable")
_OUTCOMES = ("illegal at its line", "illegal beside it", "suspicious", "not found")
_COLUMNS = ("planted", *_SORTS, *_OUTCOMES, "doubted", "line right")


@dataclass(frozen=True)
class Judged:
    """The outcome of a fault in a recording. `forced`: the reason why it cannot be called illegal, if one is known."""

    recording: str
    outcome: Outcome
    forced: str | None

    @property
    def sort(self) -> str:
        if self.outcome.fault.hidden is not None:
            return "hidden"
        return "decidable" if self.forced is None else "forced"

    @property
    def verdict(self) -> str:
        """One of _OUTCOMES."""
        if self.outcome.illegal:
            return "illegal at its line"
        if self.outcome.illegal_beside:
            return "illegal beside it"
        return "suspicious" if self.outcome.found else "not found"


def judged(folders: Iterable[Path], each: int, seed: int, *, apart: bool) -> dict[str, list[Judged]]:
    """Return the outcomes of the faults, by kind."""
    found: dict[str, list[Judged]] = defaultdict(list)
    for folder in folders:
        recording = load(folder)
        injection, alone = Injection(recording, apart=apart), Injection(recording, apart=True)
        for kind in KINDS:
            for fault in some(recording, kind, each, seed):
                outcome = injection.outcome(fault)
                settled = fault.hidden is not None or outcome.illegal or outcome.illegal_beside
                why = None if settled else forced(recording, injection, alone, outcome)
                found[kind].append(Judged(recording.name, outcome, why))
        print(f"{recording.name}: {sum(map(len, found.values()))} faults so far", file=sys.stderr)
    return found


def table(found: dict[str, list[Judged]]) -> list[str]:
    lines = ["| kind | " + " | ".join(_COLUMNS) + " | forced by |", "|---" * (len(_COLUMNS) + 2) + "|"]
    lines += [_row(kind, found[kind]) for kind in KINDS]
    return [*lines, _row("all", [each for made in found.values() for each in made])]


def _counts(made: list[Judged]) -> Counter[str]:
    counts = Counter(each.sort for each in made)
    counts.update(each.verdict for each in made if each.sort == "decidable")
    counts["planted"] = len(made)
    counts["doubted"] = sum(each.outcome.found for each in made if each.sort == "forced")
    counts["line right"] = sum(each.outcome.line_right for each in made if each.sort != "hidden")
    return counts


def _row(name: str, made: list[Judged]) -> str:
    counts = _counts(made)
    why = Counter(each.forced.partition(":")[0] for each in made if each.forced is not None)
    by = ", ".join(f"{count} {cause}" for cause, count in why.most_common())
    return f"| {name} | " + " | ".join(str(counts[key]) for key in _COLUMNS) + f" | {by} |"


def explained(found: dict[str, list[Judged]]) -> list[str]:
    """Yield the hidden faults with reasons, the forced doubts, the missed faults, those with another line, and the
    excess doubts."""
    lines = []
    for kind, made in found.items():
        for sort, reasons in (("hidden", _hidden(made)), ("forced", _forced(made))):
            lines += [f"{kind}: {count} {sort}: {why}" for why, count in reasons.most_common()]
        anyway = sum(each.outcome.found for each in made if each.sort == "hidden")
        if anyway:
            lines.append(f"{kind}: {anyway} of the hidden found all the same")
        lines += [line for each in made if each.sort != "hidden" for line in _wanting(kind, each)]
    return lines


def _hidden(made: list[Judged]) -> Counter[str]:
    return Counter(each.outcome.fault.hidden for each in made if each.outcome.fault.hidden is not None)


def _forced(made: list[Judged]) -> Counter[str]:
    return Counter(each.forced for each in made if each.forced is not None)


def _wanting(kind: str, each: Judged) -> Iterable[str]:
    outcome, fault, first = each.outcome, each.outcome.fault, each.outcome.first
    where = f"{kind}: {each.recording} {fault.file}:{fault.line} {fault.what}"
    if first is None:
        yield f"MISSED{' (forced)' * (each.sort == 'forced')} {where}"
    elif not outcome.line_right:
        yield f"OTHER LINE {where}: {first.rule} {first.verdict} {first.file}:{first.line}"
    elif each.sort == "decidable" and each.verdict == "suspicious":
        yield f"TIMID {where}: {first.rule} {first.verdict}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=2, help="faults of each kind in each recording (default 2)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recorded", type=Path, default=RECORDED, help="the folder with the recordings")
    parser.add_argument("--apart", action="store_true", help="planted lines have milliseconds of their own")
    arguments = parser.parse_args()
    folders = sorted(path.parent for path in arguments.recorded.glob("*/manifest.json"))
    found = judged(folders, arguments.each, arguments.seed, apart=arguments.apart)
    print("\n".join([*table(found), "", *explained(found)]))
    total = _counts([each for made in found.values() for each in made])
    illegal = total["illegal at its line"] + total["illegal beside it"]
    named = total["decidable"] - total["not found"] + total["doubted"]
    good = illegal >= ILLEGAL * total["decidable"] > 0 and not total["not found"]
    return 0 if good and total["line right"] >= LINES_RIGHT * named else 1


if __name__ == "__main__":
    sys.exit(main())
