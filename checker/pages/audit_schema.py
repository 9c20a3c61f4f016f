"""docs/audit.schema.json: the JSON Schema of an audit's report."""

from __future__ import annotations

import json

from ..audit.report.schema import schema

PATH = "docs/audit.schema.json"


def write() -> str:
    return json.dumps(schema(), indent=1) + "\n"
