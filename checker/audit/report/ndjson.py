"""The states of one partition that the log shows, one JSON object per line, for a trace checker."""

from __future__ import annotations

import json

from .forms import AuditRun
from .json import row_object


def write(run: AuditRun) -> str:
    """Return the lines in the order of the partition's history; an object is an element of the JSON report's
    `timeline`.
    """
    rows = [
        {"path": title, **row_object(row)} if run.each else row_object(row)
        for title, report in run.clusters
        for row in report.timeline or ()
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
