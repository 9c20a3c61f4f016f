"""Brokers that go on without a heartbeat after a log directory has failed (KAFKA-15649)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.checker.audit.happened.test_nodes import at, found

VERSION = "INFO Kafka version: {} (org.apache.kafka.common.utils.AppInfoParser)"
FAILS = "WARN [ReplicaManager broker=1] Stopping serving replicas in dir /d1 (kafka.server.ReplicaManager)"
UNSENT = (
    "INFO [BrokerLifecycleManager id={}] Unable to send a heartbeat because the RPC got timed out before it could be "
    "sent. (kafka.server.BrokerLifecycleManager)"
)
LIKE = (
    "a log directory of it failed, and for {} s no heartbeat got through that says so: it goes on "
    "(looks like KAFKA-15649, fixed in 3.8.0)"
)


def bugs(folder: Path, unsent: Iterable[int], *, fails: int = 10, broker: int = 1, release: str = "3.7.2") -> list[str]:
    lines = [(0, VERSION.format(release)), (fails, FAILS), *((second, UNSENT.format(broker)) for second in unsent)]
    entries = found(folder, *(at(second, text) for second, text in sorted(lines)))
    return [each.reason or "" for each in entries if each.what == "known-bug"]


def test_a_broker_goes_on_though_no_heartbeat_gets_through(tmp_path: Path) -> None:
    assert bugs(tmp_path, range(12, 50, 5)) == [LIKE.format(37)]
    assert bugs(tmp_path, range(2, 50, 5)) == [LIKE.format(37)]  # it reached no controller before, either


@pytest.mark.parametrize("release", ["3.6.1", "3.8.0", "4.0.0"])
def test_other_releases_have_no_such_bug(release: str, tmp_path: Path) -> None:
    assert not bugs(tmp_path, range(12, 50, 5), release=release)


@pytest.mark.parametrize(
    ("unsent", "fails"),
    [
        (range(12, 40, 5), 10),
        ([*range(12, 25, 5), *range(40, 60, 5)], 10),
        (range(25, 80, 5), 10),
        (range(2, 50, 5), 60),
    ],
    ids=["too short", "one got through", "one got through before", "it fails later"],
)
def test_a_heartbeat_that_gets_through_says_so(unsent: Iterable[int], fails: int, tmp_path: Path) -> None:
    assert not bugs(tmp_path, unsent, fails=fails)


def test_the_heartbeats_of_another_broker_are_not_its_own(tmp_path: Path) -> None:
    assert not bugs(tmp_path, range(12, 50, 5), broker=2)
