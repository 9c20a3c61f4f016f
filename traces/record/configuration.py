"""The configuration files of ZooKeeper and of the brokers: small, quick, on loopback, with Kafka's own log layout.

Loggers that print the machine, or the whole configuration at each start, and nothing about replication are silenced
(`SILENT`); the rest goes to the three files of Kafka's own configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

LAYOUT = "[%d] %p %m (%c)%n"
"""The layout of every file appender in Kafka's config/log4j.properties."""

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
    # Otherwise a producer creates a deleted topic again.
    "auto.create.topics.enable": "false",
    # So that the files on disk have the high watermark of a killed broker, and a failed disk is noticed.
    "replica.high.watermark.checkpoint.interval.ms": "1000",
}

SILENT = ("kafka.server.KafkaConfig", "org.apache.zookeeper.ZooKeeper")
"""Loggers that print no INFO: the values of the configuration, the client's environment."""

ZOOKEEPER_SETTINGS: Mapping[str, str] = {
    "tickTime": "1000",
    "maxClientCnxns": "0",
    "admin.enableServer": "false",
    "clientPortAddress": "127.0.0.1",
}


def properties(settings: Mapping[str, object]) -> str:
    """Return the text of a Java properties file."""
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def zookeeper_file(folder: Path, port: int) -> str:
    return properties({**ZOOKEEPER_SETTINGS, "dataDir": folder / "data", "clientPort": port})


def broker_file(broker: int, disks: Sequence[Path], port: int, zookeeper: int, settings: Mapping[str, str]) -> str:
    return properties(
        {
            "broker.id": broker,
            "listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "log.dirs": ",".join(map(str, disks)),
            "zookeeper.connect": f"127.0.0.1:{zookeeper}",
            **BROKER_SETTINGS,
            **settings,
        }
    )


def log4j_file(logs: Path, state_change_level: str) -> str:
    """Return Kafka's config/log4j.properties without the hourly roll, and with SILENT loggers."""
    rows: dict[str, object] = {"log4j.rootLogger": "INFO, server"}
    for appender, file in (("server", "server.log"), ("state", "state-change.log"), ("controller", "controller.log")):
        rows[f"log4j.appender.{appender}"] = "org.apache.log4j.FileAppender"
        rows[f"log4j.appender.{appender}.File"] = logs / file
        rows[f"log4j.appender.{appender}.layout"] = "org.apache.log4j.PatternLayout"
        rows[f"log4j.appender.{appender}.layout.ConversionPattern"] = LAYOUT
    rows |= {f"log4j.logger.{logger}": "WARN" for logger in SILENT}
    rows["log4j.logger.state.change.logger"] = f"{state_change_level}, state"
    rows["log4j.additivity.state.change.logger"] = "false"
    rows["log4j.logger.kafka.controller"] = "TRACE, controller"
    rows["log4j.additivity.kafka.controller"] = "false"
    return properties(rows)
