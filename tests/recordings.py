"""The committed recordings, and which of them a run looks at.

The default run looks at a few. Each scenario and each release is in the full run: it looks at those of SOME. The rest
is slow: a scenario was recorded on up to seven releases and levels, which differ in wordings. Where only their
manifests are read, a test looks at those of QUICK.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report

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
ALL = sorted(folder.parent.name for folder in RECORDED.glob("*/manifest.json"))
QUICK = [name for name in ALL if not name.startswith(_WITH_TRAFFIC) or name in _QUICK]
SOME = frozenset(
    {
        *("chaos-1.1.1-2", "deposed-2.0.0", "failover-elsewhere-0.10.2.2-kill", "failover-elsewhere-2.3.1-term"),
        *("failover-on-leader-2.0.0-kill", "failover-on-leader-2.2.2-kill", "isr-flap-3.5.2", "lifecycle-0.11.0.3"),
        *("lifecycle-1.0.2", "lifecycle-2.4.1", "lifecycle-2.8.2", "lifecycle-2.8.2-trace", "log-dir-failure-2.8.2"),
        *("reassign-2.3.1", "stale-broker-0.11.0.3", "traffic-2.4.1", "unclean-2.0.0", "unclean-3.9.1"),
        *("zombie-2.0.0",),
    }
)
FEW = ("deposed-2.0.0", "failover-on-leader-2.0.0-kill", "lifecycle-2.8.2", "unclean-3.9.1")


def each(part: int = 0, of: int = 1) -> list[Any]:
    """Return every name for parametrize, marked with its tier. Of several tests that make a log of each recording, one
    looks at one part of FEW and SOME by default and in the full run."""
    default, full = FEW[part::of], sorted(SOME.difference(FEW))[part::of]
    tiers = {name: () if name in default else (pytest.mark.full if name in full else pytest.mark.slow,) for name in ALL}
    return [pytest.param(name, marks=marks) for name, marks in tiers.items()]


EACH = each()
WITH_TRAFFIC = [name for name in EACH if str(name.values[0]).startswith(_WITH_TRAFFIC)]


@cache
def audited(name: str) -> Report:
    """The report of a recording by the reference engine, with its timeline, made once for all tests of a process."""
    (report,) = audit([str(RECORDED / name)], Options(engine="python", timeline=True))
    return report


def some() -> list[Path]:
    return [RECORDED / name for name in sorted(SOME)]
