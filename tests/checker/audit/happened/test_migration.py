"""The migration from ZooKeeper to KRaft: its phases, and for whom it waits."""

from __future__ import annotations

from pathlib import Path

from isrproof.checker.audit.command import audit

DRIVER = "org.apache.kafka.metadata.migration.KRaftMigrationDriver"
RECORDED = Path(__file__).parents[4] / "traces" / "recorded-kraft" / "migration-3.9.1"


def line(second: int, text: str, level: str = "INFO", node: int = 11) -> str:
    time = f"[2025-03-04 09:00:{second:02},000]"
    return f"{time} {level} [KRaftMigrationDriver id={node}] {text} ({DRIVER})"


def happened(folder: Path, *lines: str) -> list[tuple[str, int | None, bool, str | None]]:
    (folder / "server.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [(each.what, each.node, each.trouble, each.reason) for each in audit([str(folder)])[0].happened]


def waits(second: int, ids: str) -> str:
    return line(second, f"Still waiting for ZK brokers [{ids}] to register with KRaft.")


def test_each_that_it_waits_for_is_one_entry_until_it_moves_on(tmp_path: Path) -> None:
    ready = (
        "Still waiting for all controller nodes ready to begin the migration. Not ready due to:No registration found "
    )
    found = happened(
        tmp_path,
        line(0, "11 transitioning from INACTIVE to WAIT_FOR_CONTROLLER_QUORUM state"),
        *(line(at, f"{ready}for controller 12", "WARN") for at in range(1, 5)),
        line(5, "11 transitioning from WAIT_FOR_CONTROLLER_QUORUM to WAIT_FOR_BROKERS state"),
        *(waits(at, "2, 3") for at in range(6, 20)),
        line(20, "11 transitioning from WAIT_FOR_BROKERS to BECOME_CONTROLLER state"),
    )
    assert found == [
        ("migration-phase", 11, False, "INACTIVE to WAIT_FOR_CONTROLLER_QUORUM"),
        ("migration-waiting", 11, False, "for controllers: No registration found for controller 12"),
        ("migration-phase", 11, False, "WAIT_FOR_CONTROLLER_QUORUM to WAIT_FOR_BROKERS"),
        ("migration-waiting", 11, False, "for brokers 2, 3 to register with KRaft"),
        ("migration-phase", 11, False, "WAIT_FOR_BROKERS to BECOME_CONTROLLER"),
    ]


def test_a_wait_to_the_end_of_the_log_is_trouble_and_one_that_has_just_begun_is_not(tmp_path: Path) -> None:
    reason = "for brokers 2 to register with KRaft"
    assert happened(tmp_path, *(waits(at, "2") for at in range(30))) == [("migration-waiting", 11, True, reason)]
    assert happened(tmp_path, *(waits(at, "2") for at in range(3))) == [("migration-waiting", 11, False, reason)]
    none = line(1, "No brokers are known to KRaft, waiting for brokers to register.")
    assert happened(tmp_path, none) == [
        ("migration-waiting", 11, False, "for brokers: none is registered with KRaft"),
    ]


def test_a_recorded_migration_goes_through_its_phases_once() -> None:
    (report,) = audit([str(path) for path in sorted(RECORDED.glob("node-*/*.log*"))])
    recorded = [each for each in report.happened if each.what == "migration-phase" and each.node is None]
    assert [(each.reason, each.count) for each in recorded] == [
        ("the metadata log moves from NONE to PRE_MIGRATION", 1),
        ("the metadata log moves from PRE_MIGRATION to MIGRATION", 1),
        ("the metadata log moves from MIGRATION to POST_MIGRATION", 1),
    ]
    waiting = [each for each in report.happened if each.what == "migration-waiting"]
    assert waiting
    assert not any(each.trouble for each in waiting)
