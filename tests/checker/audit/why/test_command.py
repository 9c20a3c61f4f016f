"""`isrproof why` as a command: its text, its JSON, its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.why.asked import Asked, candidates, chosen
from isrproof.checker.audit.why.known import Known
from isrproof.checker.cli import main
from isrproof.specs.errors import IsrproofError

TRACES = Path(__file__).parents[4] / "traces"
DEMO, KRAFT = str(TRACES / "recorded" / "chaos-1.1.1-2"), str(TRACES / "recorded-kraft" / "failover-3.5.2")
KEYS = {"what", "node", "topic", "partition", "since", "until", "text", "places"}
SHORT = Happened("offline", since=100_000, until=101_000, longest=1_000, topic="a", partition=1)
LONG = Happened("offline", since=200_000, until=209_000, longest=9_000, topic="a", partition=1)
OTHER = Happened("under-replicated", since=300_000, lasts=True, topic="a", partition=2)
KNOWN = Known((SHORT, LONG, OTHER), {}, {}, {}, {}, {}, frozenset())


def ask(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["why", *arguments])
    return done.exit_code, done.output


def test_the_demo_says_why_a_partition_was_offline() -> None:
    code, text = ask(DEMO, "--partition", "a-1")
    assert code == 0
    assert "a-1 was offline for 11.377 s" in text
    assert "nobody could lead: the ISR was 2 since" in text
    assert "cause: 2026-11-21 21:06:13.440  node 2 lost its session" in text
    assert "not known: why node 2 went: no file has its server.log" in text
    assert "broker-3/controller.log:85" in text


def test_json_of_what_two_brokers_may_have_caused_has_no_cause() -> None:
    code, text = ask(DEMO, "--partition", "d-1", "--at", "2026-11-21 21:06:10", "--json")
    found = json.loads(text)
    assert (code, found["cause"]) == (3, None)
    assert [each["what"] for each in found["chain"]] == ["offline"]
    assert found["unknown"][0].startswith("which of nodes 1, 4 went last")


def test_json_has_the_chain_of_the_quorum_with_its_cause_last() -> None:
    code, text = ask(KRAFT, "--quorum", "--json")
    found = json.loads(text)
    assert code == 0
    assert all(set(each) == KEYS for each in found["chain"])
    assert found["chain"][0]["what"] == "quorum-without-leader"
    assert found["cause"] == found["chain"][-1]
    assert found["cause"]["what"] in ("process-lost", "process-stopped")


def test_the_longest_of_the_worst_kind_is_explained_unless_a_time_is_named() -> None:
    asked = Asked(partition=("a", 1))
    assert chosen(asked, candidates(asked, KNOWN)) == LONG
    at = Asked(partition=("a", 1), at=100_500)
    assert candidates(at, KNOWN) == [SHORT]


def test_misuse_names_what_is_near() -> None:
    with pytest.raises(IsrproofError, match=r"Nothing happened to a-1 at .*; nearest: offline from 1970"):
        candidates(Asked(partition=("a", 1), at=150_000), KNOWN)
    with pytest.raises(IsrproofError, match="things happened to a-1, a-2"):
        candidates(Asked(partition=("a", 17)), KNOWN)
    with pytest.raises(IsrproofError, match="Expected one of --partition, --node, --topic and --quorum, got none"):
        Asked()
    with pytest.raises(IsrproofError, match="got 2"):
        Asked(partition=("a", 1), quorum=True)


def test_misuse_ends_with_2() -> None:
    code, text = ask(DEMO)
    assert code == 2
    assert "Expected one of --partition" in text
