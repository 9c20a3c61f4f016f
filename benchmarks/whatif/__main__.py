"""Speed of answering plans for a generated cluster, in seconds of the processor, and the peak of memory.

Reading is measured apart: it is the same for all plans.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from isrproof.checker.conformance.metadata.contexts import Choices
from isrproof.checker.whatif.answer import answer
from isrproof.checker.whatif.now import now
from isrproof.checker.whatif.plan import Question, plan

from ..audit.meter import measured
from .generate import generate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=200_000)
    parser.add_argument("--brokers", type=int, default=60)
    parser.add_argument("--fail", action="append", default=[])
    parser.add_argument("--restart")
    asked = parser.parse_args()
    fail = asked.fail or ([] if asked.restart else ["2"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "__cluster_metadata-0"
        size = generate(folder, asked.partitions, asked.brokers)
        there, reading = measured(lambda: now([str(folder)]))
        planned = plan(there.state, Question(fail, asked.restart))
        found, cost = measured(lambda: answer(there, planned, Choices()))
    print(f"{asked.partitions:,} partitions, {asked.brokers} brokers, {size / 1e6:.0f} MB: {planned}")
    print(f"reading {reading.cpu:.1f} s of CPU, peak {reading.memory / 1e6:.0f} MB")
    print(f"answering {cost.cpu:.1f} s of CPU, {cost.wall:.1f} s, peak {cost.memory / 1e6:.0f} MB")
    counts = ", ".join(f"{len(keys):,} {kind}" for kind, keys in found.found.items())
    print(f"{found.verdict}: {found.shapes} shapes, {found.states:,} states; {counts}")


if __name__ == "__main__":
    main()
