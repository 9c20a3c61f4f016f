"""The laboratory: clusters that are simulated, faults that are planted, and damage that is done to recordings.

Tests and benchmarks import it. Real clusters are recorded by `isrproof record` (traces/record).
"""

from __future__ import annotations

from pathlib import Path

RECORDED = Path(__file__).parents[1] / "traces" / "recorded"
RECORDED_KRAFT = RECORDED.with_name("recorded-kraft")
