"""A run with a hostile report, for each form."""

from __future__ import annotations

import pytest
from isrproof.checker.audit.report.forms import AuditRun

from tests.recordings import CHAOS
from tests.reports import CONTEXT, HOSTILE, made, poisoned


@pytest.fixture(scope="session")
def hostile() -> AuditRun:
    return AuditRun(["logs" + HOSTILE], [poisoned(made(CHAOS))], context=poisoned(CONTEXT))
