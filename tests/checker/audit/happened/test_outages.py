"""Outages in `happened`: connections that fail again and again, and those that fail because somebody wanted it so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.happened import Happened

from .test_nodes import at, found

FETCH = (
    "[ReplicaFetcher replicaId={}, leaderId={}, fetcherId=0] Error in response for fetch request (type=FetchRequest)"
)
LOGGER = "(kafka.server.ReplicaFetcherThread)"
STOPS = "INFO [KafkaServer id=2] shutting down (kafka.server.KafkaServer)"
STARTS = "INFO starting (kafka.server.KafkaServer)"
READY = "INFO [KafkaServer id={}] started (kafka.server.KafkaServer)"
AWAITS = (
    "INFO [MetadataLoader id=4] initializeNewPublishers: the loader is still catching up because we still don't know "
    "the high water mark yet. (org.apache.kafka.image.loader.MetadataLoader)"
)
END = 900


def fails(seconds: Iterable[int], leader: int = 2, follower: int = 1) -> list[str]:
    return [at(second, f"WARN {FETCH.format(follower, leader)} {LOGGER}") for second in seconds]


def outages(
    entries: Iterable[Happened], what: str = "broker-unreachable"
) -> list[tuple[int | None, int, int | None, bool]]:
    return [(each.node, each.count, each.longest, each.trouble) for each in entries if each.what == what]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    {
        "a broker that is killed twice": ((*range(10), *range(34, 44)), (20, 9_000, False)),
        "a broker that is gone for a minute": (range(60), (60, 59_000, True)),
        "a broker that nothing reaches, so that each request times out": ((0, 31, 62, 93), (4, 93_000, True)),
        "two requests that time out": ((0, 31), (2, 0, False)),
        "a broker that starts four times": ((0, 0, 1, 30, 30, 31, 60, 60, 61, 90, 90, 91), (12, 1_000, False)),
        "requests that fail now and then": ((0, 50, 100, 150, 200), (5, 0, False)),
    }.values(),
)
def test_a_silence_ends_an_outage_unless_requests_time_out(
    seconds: Iterable[int], expected: tuple[int, int, bool], tmp_path: Path
) -> None:
    entries = found(tmp_path, *fails(seconds), at(END, READY.format(1)))
    assert outages(entries) == [(2, *expected)]


def of_nodes(folder: Path, **lines: Sequence[str]) -> list[Happened]:
    for node, own in lines.items():
        (folder / node).mkdir()
        (folder / node / "server.log").write_text("".join(f"{line}\n" for line in own), encoding="utf-8")
    (report,) = audit([str(folder)])
    return list(report.happened)


def test_an_outage_that_two_nodes_print_is_one(tmp_path: Path) -> None:
    entries = of_nodes(
        tmp_path,
        node1=[*fails(range(20), follower=1), at(END, READY.format(1))],
        node3=[*fails(range(10, 40), follower=3), at(END, READY.format(3))],
    )
    assert outages(entries) == [(2, 50, 39_000, True)]
    (only,) = [each for each in entries if each.what == "broker-unreachable"]
    assert (only.reason or "").startswith("as 1, 3 print; a fetch from it failed")


@pytest.mark.parametrize("stopped", [True, False], ids=["in order", "killed"])
def test_a_broker_that_was_shut_down_in_order_is_not_missed_until_it_serves(stopped: bool, tmp_path: Path) -> None:
    entries = of_nodes(
        tmp_path,
        node1=[at(0, READY.format(1)), *fails(range(100, 200)), at(END, READY.format(1))],
        node2=[at(0, READY.format(2)), *[at(100, STOPS)] * stopped, at(190, STARTS), at(201, READY.format(2))],
    )
    assert outages(entries) == [(2, 100, 99_000, not stopped)]


def test_a_broker_that_serves_again_is_missed_from_then_on(tmp_path: Path) -> None:
    entries = of_nodes(
        tmp_path,
        node1=[at(0, READY.format(1)), *fails(range(100, 200)), at(END, READY.format(1))],
        node2=[at(0, READY.format(2)), at(100, STOPS), at(110, STARTS), at(121, READY.format(2))],
    )
    assert outages(entries) == [(2, 22, 21_000, False), (2, 78, 77_000, True)]


def test_what_fails_after_a_broker_has_served_is_another_outage(tmp_path: Path) -> None:
    entries = of_nodes(
        tmp_path,
        node1=[at(0, READY.format(1)), *fails((*range(100, 120), *range(125, 145))), at(END, READY.format(1))],
        node2=[at(110, STARTS), at(122, READY.format(2))],
    )
    assert outages(entries) == [(2, 40, 19_000, False)]


def test_an_outage_that_a_node_ends_as_it_serves_does_not_last(tmp_path: Path) -> None:
    entries = of_nodes(tmp_path, node1=fails(range(100, 120)), node2=[at(110, STARTS), at(121, READY.format(2))])
    assert outages(entries) == [(2, 20, 19_000, False)]


def test_an_outage_lasts_only_if_no_line_of_the_cluster_is_later(tmp_path: Path) -> None:
    (lasting,) = [each for each in found(tmp_path, *fails(range(20))) if each.what == "broker-unreachable"]
    assert (lasting.lasts, lasting.trouble) == (True, True)
    (tmp_path / "cluster").mkdir()
    entries = of_nodes(tmp_path / "cluster", node1=fails(range(20)), node3=[at(60, READY.format(3))])
    (over,) = [each for each in entries if each.what == "broker-unreachable"]
    assert (over.lasts, over.trouble) == (False, False)


@pytest.mark.parametrize(("seconds", "trouble"), [(20, False), (50, True)])
def test_each_start_awaits_metadata_by_itself(seconds: int, trouble: bool, tmp_path: Path) -> None:
    awaits = [at(second, AWAITS) for start in (0, 100, 200) for second in range(start, start + seconds)]
    entries = found(tmp_path, *awaits, at(END, READY.format(4)))
    assert outages(entries, "metadata-awaited") == [(4, 3 * seconds, (seconds - 1) * 1000, trouble)]
