"""Pages of reports, as text and opened in a browser: what tests of the page are made of."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from isrproof.checker.audit.report.forms import AuditRun, write
from isrproof.checker.audit.report.model import Report

from tests.recordings import CHAOS, RECORDED
from tests.reports import CONTEXT, made

SOUND = RECORDED / "failover-elsewhere-2.0.0-kill"
ELR = RECORDED.with_name("recorded-kraft") / "elr-4.0.0"


def page(report: Report) -> str:
    return write("html", AuditRun([str(CHAOS)], [report], context=CONTEXT))


@cache
def chaos() -> str:
    """The page of CHAOS."""
    return page(made(CHAOS))


class Elements(HTMLParser):
    """The names of elements and attributes, and all text outside of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        if self.names[-1:] not in (["script"], ["style"]):
            self.words.append(data)


def data_of(text: str) -> str:
    """The data that the script of a page draws from."""
    return text.partition('id="data">')[2].partition("</script>")[0]


class Opened:
    """A page in a browser, and what it printed and asked for."""

    def __init__(self, browser: Any, path: Path, **context: Any) -> None:
        self.tab = browser.new_context(viewport={"width": 1200, "height": 800}, **context).new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("dialog", lambda dialog: (self.said.append("dialog"), dialog.dismiss()))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.goto(path.as_uri())
        self.own = path.as_uri()

    def loaded(self) -> Any:
        self.tab.evaluate("document.querySelector('[data-partitions]').scrollIntoView()")
        self.tab.wait_for_selector("[data-partitions][data-loaded]")
        return self.tab

    def check(self) -> None:
        assert self.said == []
        assert self.asked == [self.own]


def opened(browser: Any, folder: Path, report: Report, **context: Any) -> Opened:
    path = folder / "page.html"
    path.write_text(page(report), encoding="utf-8")
    return Opened(browser, path, **context)
