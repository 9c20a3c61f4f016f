"""The lanes of the page's timeline: of brokers and controllers of ZooKeeper, of a metadata log, and of a migration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from isrproof.checker.audit.report.model import Report
from isrproof.checker.audit.report.page.lanes import DOWN, KINDS, LEAVING, UP, Lane, active_controllers, lanes

from tests.recordings import FAILOVER, RECORDED
from tests.reports import made

CHAOS, ELR, MIGRATION = (
    RECORDED.with_name("recorded-kraft") / name for name in ("chaos-4.2.0", "elr-4.0.0", "migration-3.9.1")
)


def of_records(path: Path) -> Report:
    """A report without what happened, which has lanes of its own."""
    return replace(made(path), happened=())


def by_name(report: Report) -> dict[str, Lane]:
    return {lane.name: lane for lane in lanes(report)}


def test_a_broker_of_zookeeper_is_alive_as_controllers_print_it() -> None:
    report = made(FAILOVER)
    assert report.brokers is not None
    shown = by_name(report)
    assert list(shown) == ["broker 1", "broker 2", "broker 3", "broker 4"]
    for name, lane in shown.items():
        broker = int(name.split()[1])
        for live in report.brokers.live:
            at = [each for each in lane.spells if (each.first or 0) <= live.ts and live.ts < (each.last or live.ts + 1)]
            assert [each.kind for each in at] == [UP if broker in live.brokers else DOWN]
    terms = [(each.lane, each.epoch, each.fails_over) for each in active_controllers(report)]
    assert terms == [("broker 2", 1, False), ("broker 4", 2, True)]


def test_a_broker_of_a_metadata_log_is_what_its_registration_is() -> None:
    report = of_records(CHAOS)
    (log,) = report.metadata or ()
    shown = by_name(report)
    assert list(shown) == ["broker 1", "broker 2", "broker 3"]
    for name, lane in shown.items():
        own = [each for each in log.brokers if f"broker {each.broker}" == name]
        assert [(each.first, each.kind) for each in lane.spells] == [(each.ts, KINDS[each.state]) for each in own]
        assert [each.last for each in lane.spells] == [*(each.ts for each in own[1:]), None]
    assert {each.kind for lane in shown.values() for each in lane.spells} == {UP, LEAVING, DOWN}
    terms = [(each.lane, each.epoch, each.first, each.fails_over) for each in active_controllers(report)]
    assert terms == [(f"broker {each.leader}", each.epoch, each.first, each.epoch > 2) for each in log.reigns]


def test_what_is_not_registered_or_not_known_has_no_spell() -> None:
    report = of_records(CHAOS)
    (log,) = report.metadata or ()
    changes = [replace(each, state="Unknown" if each.state == "Fenced" else each.state) for each in log.brokers]
    shown = lanes(replace(report, metadata=(replace(log, brokers=tuple(changes)),)))
    assert sum(len(lane.spells) for lane in shown) == sum(each.state != "Fenced" for each in log.brokers)
    assert "Fenced" not in {each.text.partition(",")[0] for lane in shown for each in lane.spells}


def test_a_controller_that_is_no_broker_has_a_lane_of_its_own() -> None:
    shown = by_name(of_records(ELR))
    assert list(shown) == ["broker 1", "broker 2", "broker 3", "node 13"]
    assert shown["node 13"].spells == ()


def test_a_second_log_has_lanes_of_its_own() -> None:
    report = of_records(ELR)
    assert report.metadata is not None
    shown = by_name(replace(report, metadata=report.metadata * 2))
    assert list(shown)[4:] == ["broker 1, log 2", "broker 2, log 2", "broker 3, log 2", "node 13, log 2"]
    terms = list(active_controllers(replace(report, metadata=report.metadata * 2)))
    assert [(each.lane, each.fails_over) for each in terms] == [("node 13", False), ("node 13, log 2", False)]


def test_in_a_migration_registrations_go_on_where_zookeeper_s_brokers_end() -> None:
    report = of_records(MIGRATION)
    assert report.brokers is not None
    assert report.metadata is not None
    for lane in lanes(report):
        assert [each.last for each in lane.spells[:-1]].count(None) == 0
        times = [ts for each in lane.spells for ts in (each.first, each.last) if ts is not None]
        assert times == sorted(times)
    kinds = [each.text.partition(",")[0].split()[0] for each in active_controllers(report)]
    assert kinds == ["controller"] * len(report.brokers.tenures) + ["raft"] * len(report.metadata[0].reigns)


def test_the_quorum_and_nodes_that_no_controller_names_have_lanes() -> None:
    shown = by_name(made(ELR))
    assert [*shown][-1] == "quorum"
    led = [each.text for each in shown["quorum"].spells if each.kind == UP]
    assert led[-1].startswith("led by 13 in epoch")
    assert shown["node 11"].spells[0].kind == UP
    for lane in lanes(made(MIGRATION)):
        assert None not in [each.last for each in lane.spells[:-1]], lane.name
