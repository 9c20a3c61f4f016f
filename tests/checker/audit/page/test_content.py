"""The page: what is in it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from isrproof.checker.audit.findings.finding import Evidence
from isrproof.checker.audit.report.forms import AuditRun, write
from isrproof.checker.audit.report.model import VERDICTS
from isrproof.checker.audit.report.page.content import begun
from isrproof.checker.audit.report.page.given import below
from isrproof.traces.place import Place

from tests.pages import SOUND, Elements, chaos, page
from tests.recordings import CHAOS, FAILOVER, RECORDED
from tests.reports import CONTEXT, made

pytest.importorskip("jinja2")


def test_the_page_says_what_happened_where_and_what_to_do() -> None:
    said = " ".join(" ".join(Elements(chaos()).words).split())
    for each in (
        "Controller 3 took over with epoch 4 and keeps broker 4 as leader, which is dead.",
        "Healed: 2 of 2 findings, the last 8.912 s later.",
        "fixed in 2.3.0",
        "Upgrade to 2.3.0 or later, in which KAFKA-3143 is fixed.",
        "Replica 4 moved to OfflineReplica before the election, and the leader set to -1",
        "broker-3/state-change.log:222",
        "What nodes 1, 2, 3, 4 went through, and how they changed ISRs: the server.log of each would show it",
        "3,941 lines of 8 files",
    ):
        assert each in said, each


def test_the_first_screen_has_the_verdict_what_happened_and_the_timeline() -> None:
    ids = [value for name, value in Elements(chaos()).attributes if name == "id" and value.startswith("c0")]
    own = [each.removeprefix("c0-") for each in ids if not re.search("-(cause|happened|move)-", each)]
    assert own == [
        "c0",
        *("happened", "summary", "timeline", "now", "causes", "partitions", "story", "machines", "coverage"),
    ]


def test_a_sentence_begins_with_a_capital_and_a_name_keeps_its_case() -> None:
    assert begun("a request about a-1") == "A request about a-1"
    assert begun("offline, twice") == "Offline, twice"
    assert begun("a-1 has no leader") == "a-1 has no leader"
    assert begun("logs/broker-1: read") == "logs/broker-1: read"
    assert begun("") == ""


def test_what_did_not_heal_does_not_look_as_if_it_had() -> None:
    text = page(made(FAILOVER))
    assert '<span class="unhealed">Not healed: 2 of 2 findings' in text
    assert 'class="healed"' not in text
    assert '<span class="healed">Healed: 2 of 2 findings' in chaos()


def test_the_page_shows_the_lines_around_those_that_a_finding_names() -> None:
    text = chaos()
    assert '<div class="neighbour"><span class="no">221</span><code>before</code></div>' in text
    assert '<div class="named"><span class="no">222</span><code>the line</code></div>' in text


def test_a_record_that_is_contradicted_is_shown() -> None:
    report = made(CHAOS)
    first = report.findings[0]
    other = Evidence("contradicts", Place("node-1/00000000000000000000.log", offset=41))
    found = replace(report, findings=(replace(first, evidence=(*first.evidence, other)), *report.findings[1:]))
    record = 'PARTITION_CHANGE_RECORD {"leader": 2}'
    text = write("html", AuditRun(["x"], [found], context={other.place.file: {41: record}}))
    said = " ".join(Elements(text).words)
    assert re.search(r"contradicts +node-1/0+\.log@41\s+41 PARTITION_CHANGE_RECORD", said)


def test_the_states_before_and_after_stand_beside_a_finding() -> None:
    text = chaos()
    (first,) = re.findall(r'<table class="states">.*?</table>', text, re.DOTALL)[:1]
    assert re.findall(r'<th scope="row">(\w+)</th><td>([^<]*)</td><td[^>]*>([^<]*)</td>', first) == [
        ("before", "2026-11-21 21:06:00.265", "4"),
        ("after", "2026-11-21 21:06:17.021", "1"),
    ]


def test_a_conforming_log_has_a_page_too() -> None:
    text = page(replace(made(SOUND), happened=(), health="ok"))
    assert "<h1>conforms</h1>" in text
    assert 'class="cause' not in text


def test_paths_are_shown_below_what_was_given() -> None:
    text = chaos()
    assert str(RECORDED) not in text
    assert "broker-3/state-change.log:222" in text
    assert "broker-1/state-change.log.gz:1300" in text
    (cut, other) = below(["/logs/a"]), below(["/logs/a/server.log", "/logs/b/server.log"])
    assert cut("/logs/a/broker-1/x.log") == "broker-1/x.log"
    assert cut("/logs/ab/x.log") is None
    assert other("/logs/b/server.log") == "b/server.log"
    assert below(["a", "/b"])("a/x.log") is None


def test_several_clusters_have_an_overview() -> None:
    run = AuditRun([str(CHAOS), str(SOUND)], [made(CHAOS), made(SOUND)], each=True, context=CONTEXT)
    text = write("html", run)
    elements = Elements(text)
    (overview,) = re.findall(r'<section class="panel scroll" id="overview">.*?</section>', text, re.DOTALL)
    said = " ".join(" ".join(Elements(overview).words).split())
    assert f"2 clusters cluster verdict {' '.join(VERDICTS)}" in said
    assert f"{CHAOS.name} illegal, troubled 3 11 10 Controller 3 took over" in said
    assert f"{SOUND.name} conforms" in said
    ids = [value for name, value in elements.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {value[1:] for name, value in elements.attributes if name == "href" and value[0] == "#"} <= set(ids)
    assert 'id="overview"' not in chaos()


def test_links_into_the_page_lead_somewhere() -> None:
    elements = Elements(chaos())
    ids = [value for name, value in elements.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {value[1:] for name, value in elements.attributes if name == "href" and value.startswith("#")}
    assert links <= set(ids)
