"""How fast a generated metadata log is read and judged, in seconds of the processor; ratios, and the peak of memory."""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.traces.metadata.batches import Batches

from .generate import generate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--engine", default="columns")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "__cluster_metadata-0"
        size = generate(folder, asked.records)
        began = time.process_time()
        count = sum(len(each.records) for path in sorted(folder.iterdir()) for each in Batches(str(path)))
        decoded = time.process_time() - began
        began = time.process_time()
        (report,) = audit([name], Options(engine=asked.engine))
        judged = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{count} records, {size / 1e6:.0f} MB: decoded in {decoded:.1f} s ({count / decoded:,.0f} a second),")
    print(
        f"audited in {judged:.1f} s ({judged / decoded:.1f} times the decoding), peak {peak:.0f} MB: {report.verdict}"
    )


if __name__ == "__main__":
    main()
