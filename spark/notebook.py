"""Reports in a notebook: their page in a frame, whose style and script touch nothing around it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.util import find_spec

from ..checker.audit.report.forms import AuditRun, write
from ..checker.audit.report.model import Report

_HEIGHT = 600


def in_frame(reports: Mapping[str, Report]) -> str:
    """Return the page of the reports of clusters in a frame; without jinja2, which it needs, the short form as text."""
    run = AuditRun([*reports], [*reports.values()], each="" not in reports)
    if find_spec("jinja2") is None:
        return f"<pre>{escape(write('text', run))}</pre>"
    page = escape(write("html", run), quote=True)
    style = f"width: 100%; height: {_HEIGHT}px; border: 0"
    return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="{style}"></iframe>'
