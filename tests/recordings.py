"""The committed recordings, and which of those with traffic every test run looks at.

A scenario with traffic was recorded on seven releases and levels, which differ in wordings. Each release and each
scenario is in the default run; the rest takes a minute, and is slow.
"""

from __future__ import annotations

from pathlib import Path

import pytest

RECORDED = Path(__file__).parents[1] / "traces" / "recorded"
FAILOVER, CHAOS = RECORDED / "failover-on-leader-2.0.0-kill", RECORDED / "chaos-1.1.1-2"
"""One small recording with KAFKA-3143, and one with illegal, suspicious and refused findings."""
_WITH_TRAFFIC = ("isr-flap-", "log-dir-failure-", "stale-broker-", "traffic-", "unclean-")
_QUICK = frozenset(
    {
        "isr-flap-3.5.2",
        "log-dir-failure-2.8.2",
        "stale-broker-0.11.0.3",
        "stale-broker-2.8.2-trace",
        "traffic-2.4.1",
        "unclean-2.0.0",
        "unclean-3.9.1",
    }
)
ALL = sorted(folder.name for folder in RECORDED.iterdir() if folder.is_dir())
QUICK = [name for name in ALL if not name.startswith(_WITH_TRAFFIC) or name in _QUICK]
EACH = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in ALL]
"""For parametrize: every name, the rest marked."""
WITH_TRAFFIC = [each for each in EACH if str(each.values[0]).startswith(_WITH_TRAFFIC)]


def quick() -> list[Path]:
    return [RECORDED / name for name in QUICK]
