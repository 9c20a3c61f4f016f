"""Speed of reading and judging generated metadata logs, in seconds of the processor; ratios, and the peak of memory.

With several clusters each has a log of that number of records, and all are audited in one call.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.traces.metadata.batches import Batches

from lab.metadata import generate

from ..audit.meter import measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--clusters", type=int, default=1)
    parser.add_argument("--engine", default="columns")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / f"cluster-{number}" for number in range(asked.clusters)]
        size = sum(generate(each / "__cluster_metadata-0", asked.records, seed) for seed, each in enumerate(folders))
        first = sorted((folders[0] / "__cluster_metadata-0").iterdir())
        began = time.process_time()
        count = sum(len(each.records) for path in first for each in Batches(str(path)))
        decoded = (time.process_time() - began) * asked.clusters
        count *= asked.clusters
        options = Options(engine=asked.engine, each=asked.clusters > 1)
        reports, cost = measured(lambda: audit([str(each) for each in folders], options))
    verdicts = ", ".join(sorted({report.verdict for report in reports}))
    print(f"{count} records, {size / 1e6:.0f} MB, {asked.clusters} clusters: decoding takes {decoded:.1f} s of CPU,")
    times, speed = cost.cpu / decoded, size / 1e6 / cost.wall
    print(f"the audit ({asked.engine}) {cost.cpu:.1f} s of CPU, {times:.1f} times that, and {cost.wall:.1f} s")
    print(f"({speed:.1f} MB a second), peak {cost.memory / 1e6:.0f} MB: {verdicts}")


if __name__ == "__main__":
    main()
