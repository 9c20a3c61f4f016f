"""Producers that write numbered records to a cluster, and the records acknowledged to them.

The client is confluent-kafka (librdkafka). One release of it works with every broker from 0.11 to 3.9, it comes as a
wheel for each Python that is tested here, and it reports the offset of each acknowledged record.
"""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from .clock import utc
from .errors import RecordError

OLDEST = (0, 11)
"""The first release whose logs have the batches that `replicas` reads."""
PAUSE_SECONDS = 0.04
"""Pause between two records of a partition."""
LOOK_SECONDS = 1.0
"""Pause between two requests for the high watermarks."""
FLUSH_SECONDS = 30.0

_CLIENT: Mapping[str, object] = {
    "socket.timeout.ms": 20_000,
    "reconnect.backoff.max.ms": 500,
    "topic.metadata.refresh.interval.ms": 2_000,
    # Brokers are stopped all the time.
    "log_level": 0,
}
_PRODUCER: Mapping[str, object] = {
    **_CLIENT,
    "enable.idempotence": False,
    # A record is sent once: its number is at one offset of a log, or at none.
    "retries": 0,
    "linger.ms": 20,
    "message.timeout.ms": 25_000,
    # Longer than an ISR takes to shrink: a record that is committed then is acknowledged.
    "request.timeout.ms": 20_000,
}


@dataclass(frozen=True)
class Acknowledged:
    """An acknowledgement of a record by its number and offset; `time` is in milliseconds since 1970."""

    topic: str
    partition: int
    acks: str
    offset: int
    number: int
    time: int


@dataclass(frozen=True)
class Watermark:
    """A leader's answer to a request for its high watermark, between two moments (ms since 1970)."""

    topic: str
    partition: int
    asked: int
    answered: int
    high_watermark: int


def check_installed() -> None:
    """Raise RecordError unless confluent-kafka is installed."""
    if importlib.util.find_spec("confluent_kafka") is None:
        raise RecordError("A scenario with traffic needs confluent-kafka: pip install 'isrproof[record]'.")


def value(number: int) -> bytes:
    """Return a record's value, which `replicas` finds again in a log."""
    return b"#%d;" % number


class Traffic:
    """Two producers (acks 1 and all) in a thread, which `produce` feeds and `silence` stops, and a client that requests
    high watermarks in another. Leaving the `with` block ends both."""

    def __init__(self, servers: str) -> None:
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient

        self._producers = {
            acks: Producer({**_PRODUCER, "bootstrap.servers": servers, "acks": acks}) for acks in ("1", "all")
        }
        self._admin = AdminClient({**_CLIENT, "bootstrap.servers": servers})
        self._to: dict[tuple[str, int], str] = {}
        self._next = 0
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._send, self._look)]
        self.acknowledged: list[Acknowledged] = []
        self.watermarks: list[Watermark] = []

    def __enter__(self) -> Traffic:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def produce(self, topic: str, partitions: Iterable[int], acks: str) -> None:
        """Write to these partitions from now on."""
        with self._lock:
            self._to.update(dict.fromkeys(((topic, number) for number in partitions), acks))

    def silence(self, *topics: str) -> None:
        """Stop writing to these topics; return when every record was acknowledged or given up."""
        with self._lock:
            self._to = {to: acks for to, acks in self._to.items() if to[0] not in topics}
        self._flush()

    def end(self) -> None:
        """Stop writing; return when every record was acknowledged or given up."""
        self._ending.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        self._flush()

    def _flush(self) -> None:
        for producer in self._producers.values():
            producer.flush(FLUSH_SECONDS)

    def _send(self) -> None:
        while not self._ending.wait(PAUSE_SECONDS):
            with self._lock:
                to = list(self._to.items())
            for (topic, partition), acks in to:
                self._produce(topic, partition, acks)
            for producer in self._producers.values():
                producer.poll(0)

    def _produce(self, topic: str, partition: int, acks: str) -> None:
        self._next += 1
        report_delivery = partial(self._delivered, acks, self._next)
        self._producers[acks].produce(topic, value(self._next), partition=partition, on_delivery=report_delivery)

    def _delivered(self, acks: str, number: int, error: object, message: Any) -> None:
        if error is None:
            now = time.time_ns() // 1_000_000
            self.acknowledged.append(
                Acknowledged(message.topic(), message.partition(), acks, message.offset(), number, now)
            )

    def _look(self) -> None:
        from confluent_kafka import TopicPartition
        from confluent_kafka.admin import OffsetSpec

        while not self._ending.wait(LOOK_SECONDS):
            with self._lock:
                to = list(self._to)
            if not to:
                continue
            asked = time.time_ns() // 1_000_000
            questions = {TopicPartition(topic, partition): OffsetSpec.latest() for topic, partition in to}
            for of, answer in self._admin.list_offsets(questions, request_timeout=2.0).items():
                # A leader that is not known yet counts as no error; the offset is then -1001.
                if answer.exception() is None and answer.result().offset >= 0:
                    now = time.time_ns() // 1_000_000
                    self.watermarks.append(Watermark(of.topic, of.partition, asked, now, answer.result().offset))


def in_order_sent(records: Iterable[Acknowledged]) -> list[Acknowledged]:
    """Sort key by partition, then by the order of sending: a lost offset comes twice, in the runs of two leaders."""
    return sorted(records, key=lambda record: (record.topic, record.partition, record.number))


def acknowledged_rows(records: Iterable[Acknowledged]) -> list[dict[str, Any]]:
    """Return rows of a manifest: consecutive offsets of a partition that were acknowledged within one second, `to`
    exclusive.

    `time` is that of the last of them.
    """
    rows: list[dict[str, Any]] = []
    begun = 0
    for record in in_order_sent(records):
        same = {"topic": record.topic, "partition": record.partition, "acks": record.acks}
        if rows and rows[-1]["to"] == record.offset and same.items() <= rows[-1].items() and record.time - begun < 1000:
            rows[-1]["to"] += 1
            rows[-1]["time"] = max(rows[-1]["time"], utc(record.time))
        else:
            begun = record.time
            rows.append({**same, "from": record.offset, "to": record.offset + 1, "time": utc(record.time)})
    return rows


def watermark_rows(found: Iterable[Watermark]) -> list[dict[str, Any]]:
    """Return rows of a manifest: leaders' answers, in the order of the requests."""
    return [
        {
            "topic": mark.topic,
            "partition": mark.partition,
            "asked": utc(mark.asked),
            "answered": utc(mark.answered),
            "high_watermark": mark.high_watermark,
        }
        for mark in found
    ]
