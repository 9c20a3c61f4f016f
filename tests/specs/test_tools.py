"""Calls of Kafka's tools by release."""

from __future__ import annotations

import re

import pytest
from isrproof.specs.bugs import bugs
from isrproof.specs.happenings import happenings
from isrproof.specs.tools import calls, of_release

TOPICS = "kafka-topics.sh --bootstrap-server BROKER:9092 --list"
RUN = re.compile(r"\b(?:kafka-[a-z-]+|zookeeper-shell)\.sh\b")


@pytest.mark.parametrize(
    ("text", "tag", "expected"),
    [
        (TOPICS, "2.1.1", "kafka-topics.sh --zookeeper HOST:2181 --list"),
        (TOPICS, "2.2.0", TOPICS),
        (TOPICS, None, TOPICS),
        ("kafka-metadata-quorum.sh describe", "3.2.3", None),
        ("kafka-metadata-quorum.sh describe", "3.3.0", "kafka-metadata-quorum.sh describe"),
        ("zookeeper-shell.sh HOST:2181 ls /brokers/ids", "4.0.0", None),
        ("zookeeper-shell.sh HOST:2181 ls /brokers/ids", "3.9.0", "zookeeper-shell.sh HOST:2181 ls /brokers/ids"),
        ("server.log ends", "0.8.0", "server.log ends"),
    ],
)
def test_a_call_is_as_the_release_has_it(text: str, tag: str | None, expected: str | None) -> None:
    assert of_release(text, tag) == expected


@pytest.mark.parametrize(
    ("tag", "ends"),
    [("2.0.1", "delete /controller"), ("2.1.0", "enable=true"), ("2.4.0", "--partition N")],
)
def test_an_unclean_election_is_asked_for_as_the_release_does_it(tag: str, ends: str) -> None:
    last = happenings()["offline"].last_run
    assert last is not None
    shown = of_release(last, tag)
    assert shown is not None
    assert shown.endswith(ends)


def test_each_call_occurs() -> None:
    words = (text for each in happenings().values() for text in (each.run, each.check, each.last_run))
    texts = [*filter(None, words), *(bug.verify for bug in bugs().values())]
    texts += ["kafka-replica-verification.sh --broker-list BROKER:9092 --topics-include TOPIC"]  # of rules' remedies
    assert [call.now for call in calls() if not any(call.now in text for text in texts)] == []


def test_what_loses_data_says_so() -> None:
    losing = [each for each in happenings().values() if each.last_resort is not None]
    assert [each.what for each in losing] == ["offline"]
    assert all("loses" in (each.last_resort or "") and each.last_run for each in losing)
    rest = [text for each in happenings().values() for text in (each.run, each.check) if text]
    assert all("unclean" not in text or "enable=false" in text for text in rest)


def test_checks_begin_with_what_is_run() -> None:
    assert all(RUN.match(each.check) for each in happenings().values() if each.check)
