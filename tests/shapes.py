"""A recording written in every shape in which logs arrive: layouts and envelopes, from the two tables of formats.

Writers are made of the tables' examples where these say all; they know nothing of how formats are read.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from isrproof.specs.formats import Envelope, LayoutRow, envelopes, layouts

_LINE = re.compile(r"\[([0-9-]+ [0-9:]+,[0-9]{3})\] ([A-Z]+) (.*) \(([^ ()]+)\)")
_ZONE = timedelta(hours=1)
"""The brokers' clocks are an hour east of UTC, which envelopes print."""


@dataclass(frozen=True)
class Said:
    """An event of a log: what its line says, and the lines that follow it without a time."""

    broker: str
    log: str
    time: datetime
    nanos: int
    level: str
    message: str
    logger: str
    rest: tuple[str, ...]

    @property
    def utc(self) -> datetime:
        return self.time - _ZONE

    @property
    def label(self) -> str:
        return f"{self.broker}-{self.log}"


def recorded(recording: Path) -> list[Said]:
    """The events of a recording, log by log."""
    found: list[Said] = []
    number = 0
    for path in sorted(recording.rglob("*.log*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in data.decode().splitlines():
            match = _LINE.fullmatch(line)
            if match is None:
                last = found[-1]
                found[-1] = Said(**{**vars(last), "rest": (*last.rest, line)})
                continue
            time = datetime.strptime(match[1] + "000", "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=timezone.utc)
            number += 1
            found.append(
                Said(path.parent.name, path.name.partition(".")[0], time, number % 1_000_000, *match.groups()[1:], ())  # type: ignore[arg-type]
            )
    return found


def in_layout(row: LayoutRow, said: Said) -> list[str]:
    """The lines that an event is in a layout."""
    if row.pattern:
        text = row.pattern.removesuffix("%n").replace(
            "%d{yyyy-MM-dd HH:mm:ss}", said.time.strftime("%Y-%m-%d %H:%M:%S")
        )
        text = text.replace("%d", said.time.strftime("%Y-%m-%d %H:%M:%S,%f")[:-3])
        text = text.replace("%-5p", f"{said.level:<5}").replace("%p", said.level).replace("%t", "main")
        text = text.replace("%c{1}", said.logger.rpartition(".")[2]).replace("%L", "66").replace("%c", said.logger)
        return [text.replace("%m", said.message), *said.rest]
    made = json.loads(row.example)
    shown = {value: word for word, value in row.parts.levels.items()}
    level = {hidden: shown for shown, hidden in row.parts.hides.items()}.get(said.level, said.level)
    _put(made, row.parts.time[0], _as(_got(made, row.parts.time[0]), said, utc=True))
    _put(made, row.parts.level[0], type(_got(made, row.parts.level[0]))(shown.get(level, level)))
    _put(made, row.parts.message[0], said.message)
    _put(made, row.parts.logger[0], said.logger)
    if row.label:
        _put(made, row.label[0], said.label)
    if said.rest:
        _put(made, row.parts.thrown[0], "\n".join(said.rest))
    return [json.dumps(made)]


def _got(made: Any, key: str) -> Any:
    if key in made:
        return made[key]
    head, _, tail = key.partition(".")
    inner = made[head]
    return _got(inner, tail) if tail else inner


def _put(made: dict[str, Any], key: str, value: Any) -> None:
    head, _, tail = key.partition(".")
    if key in made or not tail or not isinstance(made.get(head), dict):
        made[key] = value
    else:
        _put(made[head], tail, value)


def _as(example: Any, said: Said, *, utc: bool) -> Any:
    """The time of an event in the form of an example of one."""
    time = said.utc if utc else said.time
    seconds = int(time.timestamp())
    if isinstance(example, dict):
        return {"epochSecond": seconds, "nanoOfSecond": time.microsecond * 1000}
    if isinstance(example, float):
        return time.timestamp()
    if isinstance(example, int) or str(example).isdigit():
        digits = len(str(example))
        value = str(seconds * 10**9 + time.microsecond * 1000 + said.nanos)[:digits]
        return int(value) if isinstance(example, int) else value
    text = str(example)
    if "+01:00" in text:
        time = said.time
    shown = time.strftime(f"%Y-%m-%d{text[10]}%H:%M:%S")
    fraction = re.search(r"[.]([0-9]+)", text)
    if fraction:
        width = len(fraction[1])
        shown += "." + f"{time.microsecond * 1000 + (said.nanos if width > 6 else 0):09d}"[:width]
    return shown + re.split(r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]+)?", text, maxsplit=1)[1]


_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]+)?(?:Z|[+-][0-9:]{4,5}| UTC)?")
_LABEL = re.compile("kafka-1|Broker-1|b1/controller.log|b1(?= )")


def enveloped(row: Envelope, said: Said, lines: Iterable[str]) -> list[str]:
    """The lines of an event in an envelope; some hold an event's lines together."""
    lines = list(lines)
    if row.heads:
        return [f"==> {said.broker}/{said.log}.log <==", *lines, ""]
    if row.line:
        return [_in_text(row, said, line) for line in lines]
    if row.columns:
        out = io.StringIO()
        csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="").writerow(
            [said.label, _as("2026-03-14 09:26:53.589", said, utc=True), "\n".join(lines)]
        )
        return out.getvalue().split("\n")
    each_line = row.id in ("docker", "fluent-bit", "journal-json")
    return [json.dumps(_in_object(row, said, text)) for text in (lines if each_line else ["\n".join(lines)])]


def _in_text(row: Envelope, said: Said, line: str) -> str:
    if row.quoted:
        return json.dumps(line)
    head = row.example.removesuffix("LINE")
    label = f"{said.broker}/{said.log}.log" if row.path else said.label
    head = _TIME.sub(lambda found: _as(found[0], said, utc=True), head, count=1)
    return _LABEL.sub(label, head, count=1) + line


def _in_object(row: Envelope, said: Said, text: str) -> Any:
    made = json.loads(row.example)
    inner = made
    for key in row.each:
        if key in inner:
            outer, inner = inner, inner[key][0] if isinstance(inner[key], list) else inner[key]
    if isinstance(inner, list):  # Loki's pairs
        inner[:] = [_as(inner[0], said, utc=True), text]
        outer["stream"]["pod"] = said.label
        return made
    if row.parts:
        found = re.fullmatch(r"\[([^\]]*)\][:,]? (.*)", said.message)
        _put(inner, "message", found[2] if found else said.message)
        _put(inner, "log.level", said.level)
        _put(inner, "kafka.log.component", found[1] if found else "unknown")
        _put(inner, "kafka.log.class", said.logger)
        if said.rest:
            _put(inner, "kafka.log.trace.full", "\n".join(said.rest))
        inner["host"] = {"name": said.label}
        inner["@timestamp"] = _as(inner["@timestamp"], Said(**{**vars(said), "time": said.time + _ZONE}), utc=True)
        return made
    text += "\n" if row.newline else ""
    key = next(key for key in row.text if _there(inner, key))
    _put(inner, key, text)
    for key in [key for key in row.time if _there(inner, key)][:1]:
        _put(inner, key, _as(_got(inner, key), said, utc=True))
    labels = [key for key in row.label if _there(inner, key)]
    for key in labels:
        _put(inner, key, said.label)
    if row.id == "otlp":  # Its example names no resource.
        made["resourceLogs"][0]["resource"] = {
            "attributes": [{"key": "host.name", "value": {"stringValue": said.label}}]
        }
    return made


def _there(made: Any, key: str) -> bool:
    try:
        _got(made, key)
    except (KeyError, TypeError, AttributeError):
        return False
    return True


def write(folder: Path, said: Iterable[Said], envelope: str | None, layout: str, *, newest_first: bool = False) -> None:
    """Write events as files of an envelope and a layout: one file where it names who writes, else a file a log."""
    wrap = None if envelope is None else envelopes()[envelope]
    row = layouts()[layout]

    def shown(events: list[Said]) -> Iterator[str]:
        if wrap is not None and wrap.columns:
            yield '"host","@timestamp","@message"'
        for each in reversed(events) if newest_first else events:
            lines = in_layout(row, each)
            yield from lines if wrap is None else enveloped(wrap, each, lines)

    events = list(said)
    folder.mkdir(parents=True, exist_ok=True)
    if wrap is not None and wrap.names_writer:
        ending = {"csv": "csv", "json": "ndjson", "text": "log"}[wrap.kind]
        ordered = sorted(events, key=lambda each: each.time)
        (folder / f"all.{ending}").write_text("".join(f"{line}\n" for line in shown(ordered)), encoding="utf-8")
        return
    of_log: dict[tuple[str, str], list[Said]] = {}
    for each in events:
        of_log.setdefault((each.broker, each.log), []).append(each)
    for (broker, log), own in of_log.items():
        (folder / broker).mkdir(exist_ok=True)
        (folder / broker / f"{log}.log").write_text("".join(f"{line}\n" for line in shown(own)), encoding="utf-8")
