"""The documentation builds without a warning, links every page, draws every picture, and needs no network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.imports import ROOT

pytestmark = [pytest.mark.site, pytest.mark.full]
BUILDER = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]


def built(there: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(BUILDER, cwd=there, capture_output=True, text=True, check=False)


def sources(there: Path) -> Path:
    """Return a folder with what a site is built from."""
    pytest.importorskip("zensical", reason="the site needs zensical")
    pytest.importorskip("pygraphviz", reason="the site's pictures need pygraphviz")
    there.mkdir(exist_ok=True)
    shutil.copytree(ROOT / "docs", there / "docs")
    shutil.copy(ROOT / "mkdocs.yml", there)
    return there


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    there = sources(tmp_path_factory.mktemp("site"))
    run = built(there)
    assert run.returncode == 0, run.stdout + run.stderr
    return there / "site"


def pages(site: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each page of docs/, without the navigation around it."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        built_page = site / ("index.html" if name == "index" else f"{name}/index.html")
        (content,) = re.findall(r"<article.*?</article>", built_page.read_text(encoding="utf-8"), re.DOTALL)
        yield name, content


def test_every_page_is_linked(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    index = (site / "rules" / "index.html").read_text(encoding="utf-8")
    for name, _ in pages(site):
        assert name == "index" or f'/{name}/"' in (index if name.startswith("rules/") else start), name


def test_every_page_ends_with_the_next_step(site: Path) -> None:
    for name, content in pages(site):
        assert re.search(r'<strong>Next:</strong> <a href="[^"]+">', content[-1500:]), name


def test_every_mermaid_block_is_a_picture(site: Path) -> None:
    drawn = {}
    for name, content in pages(site):
        assert not re.search(r"flowchart TB|sequenceDiagram|class=\"[^\"]*mermaid", content), name
        drawn[name] = len(re.findall(r'<figure class="drawn"><svg [^>]*class="(?:machine|sequence)"', content))
    assert {name: count for name, count in drawn.items() if count} == {"machines": 38, "models": 3, "story": 2}


def test_a_block_that_nothing_draws_and_a_link_to_nowhere_end_the_build(tmp_path: Path) -> None:
    there = sources(tmp_path / "site")
    page = there / "docs" / "story.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(f"{text}\n[nowhere](nowhere.md)\n", encoding="utf-8")
    assert built(there).returncode
    page.write_text(f"{text}\n```mermaid\nflowchart TB\n```\n", encoding="utf-8")
    assert built(there).returncode


def test_nothing_is_asked_for_over_a_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        asked = re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(https?:[^"]*)', page.read_text("utf-8"))
        assert not [address for address in asked if "canonical" not in address], page


def test_links_of_older_reports_lead_to_a_rule_in_the_index(site: Path) -> None:
    page = (site / "rules" / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<a id="kr401-dead-leader-after-failover"></a><a href="[^"]*/rules/KR401/">', page)


# ---- In a browser


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of the site, served here."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        """Print nothing for a request."""


@pytest.mark.browser
def test_no_page_is_wider_than_a_phone_or_asks_another_host(site: Path, address: str, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    tab = context.new_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    names = [name for name, _ in pages(site)]
    for name in [name for name in names if "/" not in name] + ["rules/KR101"]:
        tab.goto(f"{address}/{'' if name == 'index' else name + '/'}")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390, name
    assert not [each for each in asked if not each.startswith((address, "data:", "blob:"))]
    context.close()


@pytest.mark.browser
def test_the_index_of_rules_filters(address: str, browser: Any) -> None:
    tab = browser.new_page()
    tab.goto(f"{address}/rules/")
    shown = tab.locator("article table").first.locator("tbody tr:visible")
    whole = shown.count()
    tab.get_by_role("searchbox").first.fill("KAFKA-3143 dead")
    assert shown.all_inner_texts()[0].startswith("KR401 dead-leader-after-failover")
    assert (shown.count(), tab.locator(".filter output").first.inner_text()) == (1, f"1 of {whole}")
    tab.get_by_role("searchbox").first.fill("no rule has these words")
    assert shown.count() == 0
    tab.get_by_role("searchbox").first.fill("")
    assert shown.count() == whole > 100
    tab.close()


@pytest.mark.browser
def test_a_page_of_many_sections_filters_them(address: str, browser: Any) -> None:
    tab = browser.new_page()
    tab.goto(f"{address}/lines/")
    shown = tab.locator("article > h2:visible")
    whole = shown.count()
    tab.get_by_placeholder(f"Filter these {whole} sections").fill("leader-and-isr-received")
    assert 0 < shown.count() < whole
    assert all("leader-and-isr-received" in text for text in tab.locator("article > h2:visible").all_inner_texts()[:1])
    tab.goto(f"{address}/story/")
    assert tab.locator(".filter").count() == 0
    tab.close()


@pytest.mark.browser
def test_the_theme_button_changes_the_colours_of_pictures(address: str, browser: Any) -> None:
    context = browser.new_context(color_scheme="light")
    tab = context.new_page()
    tab.goto(f"{address}/story/")
    fill = "getComputedStyle(document.querySelector('.drawn .plain')).fill"
    light = tab.evaluate(fill)
    for _ in range(2):  # from the system's to light to dark
        tab.locator("label.md-header__button:visible[title]").click()
    assert tab.evaluate("document.body.dataset.mdColorScheme") == "slate"
    assert tab.evaluate(fill) != light
    context.close()


@pytest.mark.browser
def test_the_two_diagrams_of_the_story_stand_side_by_side(address: str, browser: Any) -> None:
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(f"{address}/story/")
    left, right = (box for box in (each.bounding_box() for each in tab.locator(".drawn svg").all()) if box)
    assert left["x"] + left["width"] <= right["x"]
    assert right["x"] + right["width"] <= 1280
    assert abs(left["y"] - right["y"]) < 2
    tab.close()


@pytest.mark.browser
def test_search_finds_a_rule(address: str, browser: Any) -> None:
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(f"{address}/")
    field = tab.get_by_role("combobox", include_hidden=True)
    field.wait_for(state="attached")  # nothing listens to keys before
    tab.keyboard.press("Control+k")
    field.fill("dead-leader-after-failover")
    tab.locator("a[href*='rules/KR401']").first.wait_for()
    tab.close()
