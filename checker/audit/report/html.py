"""The report as one self-contained page: no network, no other file. Log content in it stays text.

The template escapes log content, or passes it as data from which the script makes text nodes. A browser that enforces
the page's content security policy runs only the script whose hash it names, and requests nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from itertools import count, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ....specs.errors import IsrproofError
from ....specs.issues import address
from ...replacing import replacing_together
from . import page as package
from .forms import AuditRun
from .model import EXIT, VERDICTS
from .notes import in_short
from .page import palette
from .page.content import ClusterSection, begun, cluster, rule_page
from .page.given import below, names_below
from .shown import plain


def write(run: AuditRun) -> str:
    """Return the page; needs jinja2. States that do not fit are left out, and counted."""
    return _pages(run, None)[0]


def write_files(run: AuditRun, path: Path) -> tuple[Path, ...]:
    """Write the page, and a file beside it for each further part that does not fit; return their paths."""
    texts = _pages(run, path)
    written = tuple(path.with_name(name) for name in islice(_names(path), len(texts)))
    with replacing_together(written) as places:
        for place, text in zip(places, texts, strict=True):
            place.write_text(text, encoding="utf-8")
    return written


def _names(path: Path) -> Iterator[str]:
    """Yield page.html, page-2.html, page-3.html and so on."""
    yield path.name
    yield from (f"{path.stem}-{number}{path.suffix}" for number in count(2))


def _pages(run: AuditRun, path: Path | None) -> list[str]:
    """Return all pages, or only the first if there is no file to put others beside."""
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError as error:
        raise IsrproofError("--format html needs jinja2: pip install 'isrproof[reports]'.") from error
    next_faults = run.next_faults or [None] * len(run.reports)
    clusters = [
        cluster(number, name, report, run.context, below([title] if run.each else run.paths), next_fault)
        for number, ((title, report), name, next_fault) in enumerate(
            zip(run.clusters, names_below(run), next_faults, strict=True)
        )
    ]
    codes = sorted({each.rule for report in run.reports for each in report.findings})
    environment = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["begun"] = begun
    style, script = palette.style() + _part("page.css"), _part("page.js")
    template = environment.get_template("page.html")
    pages = 1 if path is None else max(len(each.pages) for each in clusters)
    names = [] if path is None else [*islice(_names(path), pages)]
    return [
        template.render(
            clusters=[each for each in clusters if number < len(each.pages)],
            number=number,
            names=[quote(name) for name in names],
            rules=[rule_page(code) for code in codes],
            drawn=_Part,
            verdicts=VERDICTS,
            exit=EXIT,
            address=address,
            notes=in_short,
            version=version("isrproof"),
            style=_Part(style),
            script=_Part(script),
            style_hash=_hash(style),
            script_hash=_hash(script),
            data=_Part(_inert({each.id: _data(each, number, names) for each in clusters})),
        )
        for number in range(pages)
    ]


def _data(cluster: ClusterSection, number: int, names: Sequence[str]) -> dict[str, Any]:
    """Return the script's data for a page, and the addresses of the other pages' partitions: (address, how many,
    which).
    """
    if number >= len(cluster.pages):
        return {}
    others = [
        (quote(name), page["partitions"], page["which"] if at else "those with findings, or offline for longest")
        for at, (name, page) in enumerate(zip(names, cluster.pages, strict=False))
        if at != number
    ]
    left_out = sum(page["partitions"] for page in cluster.pages[1:]) if not names else 0
    shown = {**cluster.brokers, "partitions": {**cluster.pages[number], "others": others, "leftOut": left_out}}
    # A mark links to its finding, which is on the first page.
    return {**shown, "marks": [], "trouble": []} if number else shown


class _Part(str):
    """Text that is not escaped: of this package, without characters that are special in HTML, or escaped already."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def _part(name: str) -> str:
    return (files(package) / name).read_text(encoding="utf-8")


def _printable(value: Any) -> Any:
    """Return a value as the template shows it; control characters of a log are made visible, not sent."""
    return plain(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _inert(data: Mapping[str, Any]) -> str:
    """Return JSON that neither ends nor begins an element."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
