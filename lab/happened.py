"""Entries of what happened, by word of the vocabulary: `python -m lab.happened [--corpus INDEX.tsv]`.

It audits the recordings, and with `--corpus` each file that an INDEX.tsv names (in folders beside it) by itself, as the
page of the vocabulary (docs/happened.md) says nothing of how often a word occurs. Words without an entry are named.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.options import Options
from isrproof.specs.errors import IsrproofError
from isrproof.specs.happenings import happenings

from . import RECORDED, RECORDED_KRAFT

RECORDINGS = (RECORDED, RECORDED_KRAFT, RECORDED.with_name("recorded-whatif"))


def recorded() -> Iterator[Path]:
    for folder in RECORDINGS:
        yield from (manifest.parent for manifest in sorted(folder.glob("*/manifest.json")))


def collected(index: Path) -> Iterator[Path]:
    """Yield the files of a corpus."""
    with index.open(encoding="utf-8") as rows_of:
        for row in csv.DictReader(rows_of, delimiter="\t"):
            yield next(path for folder in sorted(index.parent.iterdir()) if (path := folder / row["file"]).exists())


def entries(inputs: Iterable[Path]) -> Iterator[Happened]:
    """Yield the entries of each input; one in which nothing can be read has none."""
    for path in inputs:
        try:
            reports = audit([str(path)], Options())
        except IsrproofError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            continue
        for report in reports:
            yield from report.happened


def counted(found: Iterable[Happened]) -> Mapping[str, Counter[str]]:
    """Return by word the numbers of entries, of those that are trouble, and of the times that it happened."""
    counts = {what: Counter[str]() for what in happenings()}
    for each in found:
        counts[each.what].update(entries=1, trouble=int(each.trouble), times=each.count)
    return counts


def table(of: Mapping[str, Mapping[str, Counter[str]]]) -> list[str]:
    """Return a table with columns for each source, and the words that none of them has."""
    columns = [f"{source}: {name}" for source in of for name in ("entries", "trouble", "times")]
    lines = [f"| what | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for what in happenings():
        numbers = [counts[what][name] for counts in of.values() for name in ("entries", "trouble", "times")]
        lines.append(f"| {what} | {' | '.join(map(str, numbers))} |")
    never = [what for what in happenings() if not any(counts[what]["entries"] for counts in of.values())]
    return [*lines, "", f"never: {', '.join(never) or 'none'}"]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, help="an INDEX.tsv of collected files")
    corpus = parser.parse_args(arguments).corpus
    sources = {"recordings": recorded(), **({"corpus": collected(corpus)} if corpus else {})}
    print("\n".join(table({source: counted(entries(inputs)) for source, inputs in sources.items()})))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
