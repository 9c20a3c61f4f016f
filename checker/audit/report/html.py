"""The report as one page that needs nothing else: no network, no file beside it. Log content in it stays text.

What comes from a log is escaped by the template, or is data that the script makes text nodes of. A browser that heeds
the page's content security policy runs no other script than the one whose hash it names, and asks for nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from ....specs.errors import IsrproofError
from ....specs.issues import address
from . import page as package
from .forms import Run
from .model import EXIT, VERDICTS
from .page.content import cluster, rule_page
from .shown import plain


def write(run: Run) -> str:
    """The page; needs jinja2."""
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError as error:
        raise IsrproofError("--format html needs jinja2: pip install 'isrproof[reports]'.") from error
    clusters = [cluster(number, title, report, run.context) for number, (title, report) in enumerate(run.clusters)]
    codes = sorted({each.rule for report in run.reports for each in report.findings})
    environment = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = _part("page.css"), _part("page.js")
    return environment.get_template("page.html").render(
        clusters=clusters,
        rules=[rule_page(code) for code in codes],
        verdicts=VERDICTS,
        exit=EXIT,
        address=address,
        version=version("isrproof"),
        style=_Part(style),
        script=_Part(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=_Part(_inert({each.id: each.data for each in clusters})),
    )


class _Part(str):
    """Text of this package, or without any character that means something in HTML: it is shown as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def _part(name: str) -> str:
    return (files(package) / name).read_text(encoding="utf-8")


def _printable(value: Any) -> Any:
    """What the template shows; control characters of a log are shown, not sent."""
    return plain(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _inert(data: Mapping[str, Any]) -> str:
    """JSON that ends no element and begins none."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
