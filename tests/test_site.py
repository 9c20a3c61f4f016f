"""The documentation builds without a warning, links every page of docs/, and asks for nothing over a network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import ROOT

pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    pytest.importorskip("zensical", reason="the site needs zensical")
    there = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", there / "docs")
    shutil.copy(ROOT / "mkdocs.yml", there)
    builder = Path(sys.executable).with_name("zensical")
    run = subprocess.run([builder, "build", "--strict"], cwd=there, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return there / "site"


def test_every_page_is_linked(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").glob("*.md")):
        if page.stem != "index":
            assert (site / page.stem / "index.html").is_file()
            assert f'href="./{page.stem}/"' in start, page.stem


def test_nothing_is_asked_for_over_a_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        asked = re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(https?:[^"]*)', page.read_text("utf-8"))
        assert not [address for address in asked if "canonical" not in address], page


def test_anchors_are_there(site: Path) -> None:
    page = (site / "rules" / "index.html").read_text(encoding="utf-8")
    anchors = set(re.findall(r'id="([^"]+)"', page))
    wanted = set(re.findall(r'href="#(kr[^"]+)"', page))
    assert len(wanted) > 40
    assert wanted <= anchors
