"""The configuration files of ZooKeeper and of the brokers: small, quick, on loopback, with Kafka's own log layout.

Only state.change.logger and kafka.controller are routed to the files that are kept. The rest of what a broker says goes
to server.log, which is read to explain a failed start and then thrown away: it prints folders and host names.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

LAYOUT = "[%d] %p %m (%c)%n"
"""Of every file appender of Kafka's config/log4j.properties."""

# Story-telling speed, not production values; the rest is each release's default.
BROKER_SETTINGS: Mapping[str, str] = {
    "zookeeper.session.timeout.ms": "6000",
    "zookeeper.connection.timeout.ms": "60000",
    "controlled.shutdown.retry.backoff.ms": "1000",
    "replica.lag.time.max.ms": "6000",
    "offsets.topic.replication.factor": "1",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "background.threads": "2",
    "log.cleaner.enable": "false",
    # The default from 1.0 on (KAFKA-5384); before, a deletion was dropped.
    "delete.topic.enable": "true",
}

ZOOKEEPER_SETTINGS: Mapping[str, str] = {
    "tickTime": "1000",
    "maxClientCnxns": "0",
    "admin.enableServer": "false",
    "clientPortAddress": "127.0.0.1",
}


def properties(settings: Mapping[str, object]) -> str:
    """A Java properties file."""
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def zookeeper_file(folder: Path, port: int) -> str:
    return properties({**ZOOKEEPER_SETTINGS, "dataDir": folder / "data", "clientPort": port})


def broker_file(broker: int, folder: Path, port: int, zookeeper: int, settings: Mapping[str, str]) -> str:
    return properties(
        {
            "broker.id": broker,
            "listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "log.dirs": folder / "data",
            "zookeeper.connect": f"127.0.0.1:{zookeeper}",
            **BROKER_SETTINGS,
            **settings,
        }
    )


def log4j_file(logs: Path, state_change_level: str) -> str:
    """Kafka's config/log4j.properties without the hourly roll and without the loggers that a recording leaves out."""
    rows: dict[str, object] = {"log4j.rootLogger": "INFO, server"}
    for appender, file in (("server", "server.log"), ("state", "state-change.log"), ("controller", "controller.log")):
        rows[f"log4j.appender.{appender}"] = "org.apache.log4j.FileAppender"
        rows[f"log4j.appender.{appender}.File"] = logs / file
        rows[f"log4j.appender.{appender}.layout"] = "org.apache.log4j.PatternLayout"
        rows[f"log4j.appender.{appender}.layout.ConversionPattern"] = LAYOUT
    rows["log4j.logger.state.change.logger"] = f"{state_change_level}, state"
    rows["log4j.additivity.state.change.logger"] = "false"
    rows["log4j.logger.kafka.controller"] = "TRACE, controller"
    rows["log4j.additivity.kafka.controller"] = "false"
    return properties(rows)
