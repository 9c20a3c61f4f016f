"""The page in a real browser."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.audit.report.model import Report
from isrproof.traces.place import Place
from isrproof.traces.timeline import TimelineRow

from tests.pages import Opened, chaos, opened
from tests.recordings import CHAOS
from tests.reports import made, poisoned

pytest.importorskip("jinja2")


def large(partitions: int, terms: int) -> Report:
    """A report of many partitions, each of which changed its leader so often: by dice, so that little is alike."""
    dice = random.Random(17)
    rows = []
    for number in range(partitions):
        replicas = dice.sample(range(1, 61), 3)
        epoch, version, ts = 0, 0, 1_795_295_000_000 + dice.randrange(3_600_000)
        for term in range(terms):
            rows.append(
                TimelineRow(
                    topic=f"topic-{number // 50:05d}",
                    partition=number % 50,
                    leader=dice.choice(replicas),
                    isr=tuple(sorted(dice.sample(replicas, dice.randint(1, 3)))),
                    leader_epoch=epoch,
                    controller_epoch=1 + term,
                    partition_epoch=version,
                    life=1,
                    place=Place(f"logs/broker-{term % 3}/state-change.log", dice.randrange(1, 3_000_000)),
                    ts=ts,
                )
            )
            epoch, version = epoch + dice.randint(1, 2), version + dice.randint(1, 3)
            ts += dice.randrange(1_000, 86_400_000)
    return replace(made(CHAOS), timeline=tuple(rows))


@pytest.mark.full(every=2)
@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_opens_searches_and_zooms(browser: Any, tmp_path: Path, scheme: str) -> None:
    it = opened(browser, tmp_path, made(CHAOS), color_scheme=scheme)
    tab = it.loaded()
    assert tab.locator(".list .row").count() == 10
    tab.keyboard.press("/")
    tab.keyboard.type("d-")
    assert tab.locator(".list .row").count() == 2
    tab.keyboard.press("ArrowDown")
    assert tab.locator(".detail h3").inner_text().startswith("d-")
    assert "state-change.log" in tab.locator(".detail tbody tr").first.inner_text()
    before = tab.locator(".timeline .tools span").inner_text()
    tab.get_by_role("button", name="Zoom in").click()
    after = tab.locator(".timeline .tools span").inner_text()
    assert before != after
    tab.get_by_role("button", name="All of it").click()
    assert tab.locator(".timeline .tools span").inner_text() == before
    tab.locator(".timeline svg").press("+")
    assert tab.locator(".timeline .tools span").inner_text() != before
    assert tab.locator(".timeline svg rect.controller").count() > 0
    it.check()


@pytest.mark.full
@pytest.mark.browser
def test_one_page_leads_to_the_others(browser: Any, several: list[Path]) -> None:
    it = Opened(browser, several[0])
    it.loaded().locator(".partitions .others a").first.click()
    tab = it.loaded()
    assert tab.url == several[1].as_uri()
    tab.locator(".list .row").first.click()
    assert tab.locator(".detail tbody tr").count() > 1
    tab.get_by_text("The first page").click()
    tab.wait_for_url(several[0].as_uri())
    assert it.said == []


@pytest.mark.browser
def test_a_finding_leads_to_the_lanes_of_its_partition(browser: Any, tmp_path: Path) -> None:
    it = opened(browser, tmp_path, made(CHAOS))
    it.tab.locator(".finding button[data-partition='1 d-0']").first.click()
    it.tab.wait_for_selector(".detail svg rect")
    assert it.tab.locator(".detail h3").inner_text() == "d-0"
    it.check()


@pytest.mark.full
@pytest.mark.browser
def test_a_mark_leads_to_its_finding(browser: Any, tmp_path: Path) -> None:
    it = opened(browser, tmp_path, made(CHAOS))
    tab = it.loaded()
    tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = false; })")
    tab.locator(".timeline .mark[data-mark=KR401]").first.dispatch_event("click")
    assert tab.locator("details.cause[open]").count() == 1
    it.check()


@pytest.mark.browser
def test_findings_can_be_filtered_and_searched(browser: Any, tmp_path: Path) -> None:
    it = opened(browser, tmp_path, made(CHAOS))
    tab, every = it.tab, len(made(CHAOS).findings)
    said = tab.locator("[data-findings] span")
    assert said.inner_text() == f"{every} of {every} findings"
    for name, value, of in (
        ("severity", "illegal", lambda each: each.verdict == "illegal"),
        ("topic", "d", lambda each: each.entity.topic == "d"),
        ("cause", "KR401 dead-leader-after-failover", lambda each: each.rule == "KR401"),
    ):
        tab.get_by_label(f"Filter by {name}").select_option(value)
        assert said.inner_text() == f"{sum(map(of, made(CHAOS).findings))} of {every} findings"
        tab.locator("[data-findings] button").click()
    tab.get_by_label("Filter by broker").select_option("4")
    shown = tab.locator("[data-finding]:not([hidden])")
    assert 0 < shown.count() < every
    assert all("4" in each.get_attribute("data-brokers").split() for each in shown.all())
    tab.locator("[data-findings] button").click()
    tab.get_by_label("Search findings").fill("ReplicaDeletionIneligible")
    assert 0 < shown.count() < every
    assert tab.locator("details.cause:not([hidden])").count() == 1
    it.check()


@pytest.mark.full
@pytest.mark.browser
def test_an_address_leads_to_a_finding_or_a_partition_and_stays_while_one_walks(browser: Any, tmp_path: Path) -> None:
    last = made(CHAOS).findings[-1]
    it = opened(browser, tmp_path, made(CHAOS))
    tab = it.tab
    tab.goto(f"{it.own}#finding-{last.fingerprint}")
    assert tab.locator(f"#finding-{last.fingerprint} h3").is_visible()
    before = tab.url
    tab.keyboard.press("k")
    assert re.fullmatch(r".*#finding-[0-9a-f]{32}(-\d+)?", tab.url)
    assert tab.url != before
    tab.keyboard.press("j")
    assert tab.url == before
    tab.goto(f"{it.own}#c0-partition-1-d-0")
    tab.wait_for_selector(".detail h3")
    assert tab.locator(".detail h3").inner_text() == "d-0"
    tab.locator(".list").press("ArrowDown")
    name = tab.locator(".detail h3").inner_text()
    assert name != "d-0"
    assert tab.url == f"{it.own}#c0-partition-1-{name}"


@pytest.mark.full
@pytest.mark.browser
def test_one_cursor_goes_over_all_lanes(browser: Any, tmp_path: Path) -> None:
    it = opened(browser, tmp_path, made(CHAOS))
    tab = it.loaded()
    assert tab.locator("line.cursor").count() == 0
    tab.locator(".finding button[data-partition='1 d-0']").first.click()
    assert tab.locator(".timeline line.cursor").count() == tab.locator(".detail line.cursor").count() == 1
    box = tab.locator(".timeline svg").bounding_box()
    tab.locator(".timeline svg").click(position={"x": box["width"] / 2, "y": 60})
    then = [tab.locator(f"{where} .then").inner_text() for where in (".timeline", ".detail")]
    assert re.match(r"(2026-11-21 21:0\d:\d\d\.\d{3}): broker .* alive; .*controller .* offline", then[0])
    assert then[1].startswith(then[0][:23])
    assert "leader" in then[1]
    it.check()


@pytest.mark.full
@pytest.mark.browser
def test_a_line_and_a_command_can_be_copied(browser: Any, tmp_path: Path) -> None:
    it = opened(browser, tmp_path, made(CHAOS), permissions=["clipboard-read", "clipboard-write"])
    tab = it.tab
    for name, text in (("the command", "zookeeper-shell.sh HOST:2181"), ("the line", "the line")):
        tab.get_by_role("button", name=f"Copy {name}").first.click()
        assert tab.evaluate("navigator.clipboard.readText()").startswith(text)
    it.check()


@pytest.mark.full
@pytest.mark.browser
def test_a_search_leaves_no_other_partition_s_lanes(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, tmp_path, made(CHAOS)).loaded()
    tab.locator(".partitions input").fill("d-1")
    assert tab.locator(".detail h3").inner_text() == "d-1"
    tab.locator(".partitions input").fill("nobody")
    assert "No partition" in tab.locator(".detail").inner_text()
    assert tab.locator(".detail svg").count() == 0


@pytest.mark.full
@pytest.mark.browser
def test_a_small_log_prints_on_six_sheets_and_fits_a_phone(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, tmp_path, made(CHAOS)).loaded()
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", tab.pdf(format="A4"))) <= 6
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.full
@pytest.mark.browser
def test_a_closed_cause_is_printed_and_closed_again(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, tmp_path, made(CHAOS)).loaded()
    tab.emulate_media(media="print")
    closed = tab.locator("details.cause:not([open])").count()
    assert closed
    last = tab.locator("details.cause").last
    assert not last.locator("dl").first.is_visible()
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert last.locator("dl").first.is_visible()
    assert last.locator("figure").count() > 0
    assert not any(each.is_visible() for each in last.locator("figure").all())
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator("details.cause:not([open])").count() == closed


@pytest.mark.full
@pytest.mark.browser
def test_a_click_on_a_drawn_move_shows_its_lines(browser: Any, tmp_path: Path) -> None:
    pytest.importorskip("pygraphviz")
    it = opened(browser, tmp_path, made(CHAOS))
    tab = it.loaded()
    ends = '[data-from="OfflinePartition"][data-to="OnlinePartition"]'
    assert not tab.locator(f"[data-move]{ends}").is_visible()
    tab.locator(f".machine .move{ends} text").first.click()
    assert tab.locator(f"[data-move]{ends}").is_visible()
    assert tab.evaluate("location.hash").startswith("#c0-partition-move-")
    assert tab.locator(".machine .move:not(.seen):not(.illegal).leads").count() == 0
    assert it.said == []


@pytest.mark.full
@pytest.mark.browser
def test_log_content_runs_nothing_in_a_browser(browser: Any, tmp_path: Path) -> None:
    it = opened(browser, tmp_path, poisoned(made(CHAOS)))
    tab = it.loaded()
    assert "<script>alert(1)</script>" in tab.locator(".list .row").first.inner_text()
    assert tab.locator("img").count() == 0
    it.check()


@pytest.mark.full
@pytest.mark.browser
def test_the_longest_names_do_not_make_the_page_wider_than_its_window(browser: Any, tmp_path: Path) -> None:
    report = made(CHAOS)
    named = tuple(replace(each, message=f"the leader of {'t' * 249}-0 is dead") for each in report.findings)
    tab = opened(browser, tmp_path, replace(report, findings=named)).loaded()
    assert "ttt" in tab.locator(".finding").first.inner_text()
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.full
@pytest.mark.browser
def test_a_script_that_got_in_all_the_same_would_not_run(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    planted = '<script>document.title = "ran"</script><img src="x" onerror="document.title = \'ran\'"></main>'
    path.write_text(chaos().replace("</main>", planted), encoding="utf-8")
    it = Opened(browser, path)
    it.loaded()
    assert it.tab.title() == "isrproof audit: illegal"
    assert any("Content Security Policy" in each for each in it.said)


@pytest.mark.full
@pytest.mark.browser
def test_the_page_can_be_read_without_a_script(browser: Any, tmp_path: Path) -> None:
    it = opened(browser, tmp_path, made(CHAOS), java_script_enabled=False)
    assert it.tab.locator("h1").inner_text() == "illegal; troubled"
    assert "need JavaScript" in it.tab.locator(".timeline").inner_text()
    assert it.tab.locator(".finding").count() > 0


@pytest.mark.browser
@pytest.mark.slow
def test_a_hundred_thousand_partitions_are_ten_megabytes_and_usable(browser: Any, tmp_path: Path) -> None:
    it = opened(browser, tmp_path, large(100_000, 5))
    assert (tmp_path / "page.html").stat().st_size <= 10_000_000
    tab = it.loaded()
    assert "100,000 of 100,000 partitions" in tab.locator(".partitions .tools").inner_text()
    tab.locator(".partitions input").fill("topic-01234-7")
    assert tab.locator(".list .row").count() == 1
    tab.locator(".list .row").first.click()
    assert tab.locator(".detail tbody tr").count() == 5
    it.check()
