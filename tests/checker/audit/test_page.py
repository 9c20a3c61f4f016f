"""The page: what is in it, that log content in it stays text, and how it behaves in a real browser."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.audit.report.forms import AuditRun, write
from isrproof.checker.audit.report.html import write_files
from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.report.page.columns import differences, packed
from isrproof.checker.audit.report.page.partitions import partitions
from isrproof.traces.place import Place
from isrproof.traces.timeline import TimelineRow

from tests.recordings import CHAOS, FAILOVER, RECORDED
from tests.reports import CONTEXT, HOSTILE, made, poisoned

pytest.importorskip("jinja2")
SOUND = RECORDED / "failover-elsewhere-2.0.0-kill"
ELR = RECORDED.with_name("recorded-kraft") / "elr-4.0.0"


def page(report: Report) -> str:
    return write("html", AuditRun([str(CHAOS)], [report], context=CONTEXT))


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


# ---- What is in it


def test_the_page_says_what_happened_where_and_what_to_do() -> None:
    said = " ".join(" ".join(Elements(page(made(CHAOS))).words).split())
    for each in (
        "Controller 3 took over with epoch 4 and keeps broker 4 as leader, which is dead.",
        "Healed: 2 of 2 findings, the last 8.912 s later.",
        "fixed in 2.3.0",
        "Upgrade to 2.3.0 or later, in which KAFKA-3143 is fixed.",
        "replica 4 moved to OfflineReplica before the election, and the leader set to -1",
        "broker-3/state-change.log:222",
        "changes of an ISR by its leader: the controller prints them late, or not at all",
        "3,941 lines of 8 files",
    ):
        assert each in said, each


def test_what_did_not_heal_does_not_look_as_if_it_had() -> None:
    text = page(made(FAILOVER))
    assert '<span class="unhealed">Not healed: 2 of 2 findings' in text
    assert 'class="healed"' not in text
    assert '<span class="healed">Healed: 2 of 2 findings' in page(made(CHAOS))


def test_the_page_shows_the_lines_around_those_that_a_finding_names() -> None:
    text = page(made(CHAOS))
    assert '<div><span class="no">221</span><code>before</code></div>' in text
    assert '<div class="named"><span class="no">222</span><code>the line</code></div>' in text


def test_a_conforming_log_has_a_page_too() -> None:
    text = page(replace(made(SOUND), happened=(), health="ok"))
    assert "<h1>conforms</h1>" in text
    assert 'class="cause' not in text


def test_the_page_needs_nothing_else() -> None:
    elements = Elements(page(made(CHAOS)))
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(elements.names)
    assert not [name for name, _ in elements.attributes if name in ("src", "srcset", "style") or name.startswith("on")]
    links = {value for name, value in elements.attributes if name == "href"}
    assert all(re.match(r"#|https://issues\.apache\.org/jira/browse/KAFKA-\d+$", link) for link in links)


def test_what_records_show_offline_is_on_the_timeline() -> None:
    report = made(ELR)
    shown = json.loads(_data(page(report)))["c0"]
    assert report.metadata is not None
    spells = [(each, each.since, each.until) for each in report.metadata[0].conditions if each.condition == "offline"]
    assert spells
    times = {ts for _, since, until in spells for ts in (since, until) if ts is not None}
    assert [ts for ts, _ in shown["offline"]] == sorted(times)
    topic, number, _, _, _, offline = unpacked(shown["partitions"]["heads"], 6)
    names = [shown["partitions"]["topics"][each] for each in topic]
    lasted: Counter[tuple[str, int]] = Counter()
    for each, since, until in spells:
        if since is not None and until is not None:
            lasted[each.topic, each.partition] += until - since
    assert dict(zip(zip(names, number, strict=True), offline, strict=True)).items() >= lasted.items()


def test_links_into_the_page_lead_somewhere() -> None:
    elements = Elements(page(made(CHAOS)))
    ids = [value for name, value in elements.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {value[1:] for name, value in elements.attributes if name == "href" and value.startswith("#")}
    assert links <= set(ids)


def test_log_content_makes_no_element_and_no_attribute() -> None:
    sound, planted = Elements(page(made(CHAOS))), page(poisoned(made(CHAOS)))
    found = Elements(planted)
    assert "alert(1)" in planted
    assert set(found.names) == set(sound.names)
    assert {name for name, _ in found.attributes} == {name for name, _ in sound.attributes}
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
    script = (Path(__file__).parents[3] / "checker" / "audit" / "report" / "page" / "page.js").read_text()
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|fetch\(|XMLHttp", script
    )


# ---- Columns


def unpacked(text: str, columns: int) -> list[list[int]]:
    data = gzip.decompress(base64.b64decode(text))
    length = len(data) // columns // 4
    found = []
    for at in range(0, len(data), 4 * length):
        planes = [data[at + byte * length : at + (byte + 1) * length] for byte in range(4)]
        found.append([int.from_bytes(bytes(four), "little", signed=True) for four in zip(*planes, strict=True)])
    return found


def test_columns_come_back_as_they_were() -> None:
    columns = [[0, 1, -1, 2**31 - 1, -(2**31)], [7, 7, 7, 8, 8]]
    assert unpacked(packed(columns), 2) == columns
    assert differences([3, 5, 4]) == [3, 2, -1]


def test_every_state_of_every_partition_is_in_the_columns() -> None:
    report = made(CHAOS)
    (data,) = partitions(report)
    topic, number, _, length, findings, _ = unpacked(data["heads"], 6)
    seconds, millis, leader, isr, epoch, *_, file, line = unpacked(data["rows"], 9)
    rows = list(report.timeline or ())
    assert sum(length) == data["states"] == len(rows)
    assert sum(findings) == sum(each.entity.partition is not None for each in report.findings)
    names = [(data["topics"][t], n) for t, n, many in zip(topic, number, length, strict=True) for _ in range(many)]
    assert names == [(row.topic, row.partition) for row in rows]
    at, lines = 0, 0
    for index, row in enumerate(rows):
        at, lines = at + seconds[index], lines + line[index]
        assert (data["base"] + at) * 1000 + millis[index] == row.ts
        assert (leader[index], epoch[index]) == (row.leader, row.leader_epoch)
        assert data["isrs"][isr[index]] == ", ".join(map(str, row.isr or ()))
        assert f"{data['files'][file[index]]}:{lines}" == str(row.place)


def test_partitions_with_findings_are_first_where_there_is_no_room_for_all() -> None:
    first, *others = partitions(made(CHAOS), most=40)
    _, _, _, length, findings, _ = unpacked(first["heads"], 6)
    assert sum(length) <= 40
    assert max(findings) == 7
    assert others
    names = []
    for page in (first, *others):
        topic, number, _, length, _, _ = unpacked(page["heads"], 6)
        assert sum(length) <= 40 or len(length) == 1
        names += [(page["topics"][t], n) for t, n in zip(topic, number, strict=True)]
    assert sorted(names) == sorted({(row.topic, row.partition) for row in made(CHAOS).timeline or ()})


@pytest.fixture
def several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The pages of a report that does not fit one."""
    monkeypatch.setattr("isrproof.checker.audit.report.page.partitions.MOST", 40)
    write_files(AuditRun(["x"], [made(CHAOS)]), tmp_path / "my page.html")
    return sorted(tmp_path.iterdir(), key=lambda path: (len(path.name), path.name))


def test_what_does_not_fit_a_page_is_on_others_beside_it(several: list[Path]) -> None:
    more = [f"my page-{n}.html" for n in range(2, len(several) + 1)]
    assert [path.name for path in several] == ["my page.html", *more]
    assert more
    texts = [path.read_text(encoding="utf-8") for path in several]
    assert "KAFKA-3143" in texts[0]
    assert all("KAFKA-3143" not in text and 'href="my%20page.html"' in text for text in texts[1:])
    shown = [json.loads(_data(text))["c0"]["partitions"] for text in texts]
    assert [len(each["others"]) for each in shown] == [len(several) - 1] * len(several)
    assert sum(each["states"] for each in shown) == len(made(CHAOS).timeline or ())


def test_a_page_that_stands_alone_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.checker.audit.report.page.partitions.MOST", 40)
    shown = json.loads(_data(page(made(CHAOS))))["c0"]["partitions"]
    assert (
        shown["leftOut"]
        == len({(row.topic, row.partition) for row in made(CHAOS).timeline or ()}) - shown["partitions"]
    )
    assert shown["leftOut"] > 0


def _data(text: str) -> str:
    return text.partition('id="data">')[2].partition("</script>")[0]


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


# ---- In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no Chromium on this machine: install Debian's package chromium")
    with api.sync_playwright() as driver:
        try:
            started = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-dev-shm-usage"])
        except api.Error as error:
            pytest.skip(f"{found} does not start: {error}")
        yield started
        started.close()


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
    assert tab.locator(".timeline svg rect.tenure").count() > 0
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
    path.write_text(page(made(CHAOS)).replace("</main>", planted), encoding="utf-8")
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


def test_hostile_text_is_what_the_tests_above_take_it_for() -> None:
    assert "<script>" in HOSTILE
    assert json.loads(json.dumps(HOSTILE)) == HOSTILE
