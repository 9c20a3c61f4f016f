"""Log content stays text: it makes no element, no attribute and no script, and the page loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.pages import Elements, chaos, page
from tests.recordings import CHAOS
from tests.reports import HOSTILE, made, poisoned

pytest.importorskip("jinja2")


def test_the_page_needs_nothing_else() -> None:
    elements = Elements(chaos())
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(elements.names)
    assert not [name for name, _ in elements.attributes if name in ("src", "srcset", "style") or name.startswith("on")]
    links = {value for name, value in elements.attributes if name == "href"}
    assert all(re.match(r"#|https://issues\.apache\.org/jira/browse/KAFKA-\d+$", link) for link in links)


def test_log_content_makes_no_element_and_no_attribute() -> None:
    sound, planted = Elements(chaos()), page(poisoned(made(CHAOS)))
    found = Elements(planted)
    assert "alert(1)" in planted
    assert set(found.names) <= set(sound.names)
    assert {name for name, _ in found.attributes} <= {name for name, _ in sound.attributes}
    assert found.names.count("script") == 2
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>\n<script>"?', planted, re.DOTALL)
    assert "alert(1)" in data
    assert not set("<>&") & set(data)
    assert "\x1b" not in planted


def test_the_policy_names_the_only_script_and_style() -> None:
    text = page(poisoned(made(CHAOS)))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    for kind, whole in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        (content,) = re.findall(whole, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy.replace("&#39;", "'").replace("&#43;", "+")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_script_makes_no_markup_of_text() -> None:
    script = (Path(__file__).parents[4] / "checker" / "audit" / "report" / "page" / "page.js").read_text()
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|fetch\(|XMLHttp", script
    )


def test_hostile_text_is_what_the_tests_above_take_it_for() -> None:
    assert "<script>" in HOSTILE
    assert json.loads(json.dumps(HOSTILE)) == HOSTILE
