"""The files that configure a cluster."""

from __future__ import annotations

from pathlib import Path

from isrproof.traces.record import configuration


def parsed(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines())


def test_log_files_and_levels() -> None:
    rows = parsed(configuration.log4j_file(Path("logs"), "INFO"))
    assert rows["log4j.logger.state.change.logger"] == "INFO, state"
    assert rows["log4j.logger.kafka.controller"] == "TRACE, controller"
    assert rows["log4j.appender.state.File"] == "logs/state-change.log"
    assert {rows[f"log4j.logger.{logger}"] for logger in configuration.SILENT} == {"WARN"}
    layouts = {value for key, value in rows.items() if key.endswith("ConversionPattern")}
    assert layouts == {"[%d] %p %m (%c)%n"}


def test_everything_is_on_loopback_and_settings_win() -> None:
    rows = parsed(
        configuration.broker_file(2, [Path("b/1"), Path("b/2")], 21000, 22000, {"replica.lag.time.max.ms": "1"})
    )
    assert rows["listeners"] == "PLAINTEXT://127.0.0.1:21000"
    assert rows["zookeeper.connect"] == "127.0.0.1:22000"
    assert rows["replica.lag.time.max.ms"] == "1"
    assert rows["log.dirs"] == "b/1,b/2"
    assert parsed(configuration.zookeeper_file(Path("z"), 22000))["clientPortAddress"] == "127.0.0.1"
