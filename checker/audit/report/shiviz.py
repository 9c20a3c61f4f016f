"""Controllers' lines about partitions, with vector clocks, for ShiViz.

A host is a controller. An event comes after the same controller's previous event; the first event of a controller epoch
comes after the last of the previous epoch, whose controller's epoch it read; and an event that prints what another
controller wrote comes after that write. No machine's clock is used.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

from ....traces.timeline import TimelineRow
from .forms import AuditRun
from .model import Report, WordingStretch
from .shown import partition_name

PATTERN = r'(?<host>\S+) "(?<event>.*)" (?<clock>\{.*\})'
"""The regular expression that ShiViz needs."""
Clock = dict[str, int]


def write(run: AuditRun) -> str:
    """Return the expression, an empty line, and a line for each event."""
    lines = [line for number, (_, report) in enumerate(run.clusters) for line in _events(report, number, run.each)]
    return "\n".join([PATTERN, "", *lines]) + "\n"


def _events(report: Report, number: int, each: bool) -> Iterator[str]:
    spans = _Spans(report)
    placed = [(spans.of(row), row) for row in report.timeline or ()]
    found = [(span, row) for span, row in placed if span is not None]
    found.sort(key=lambda pair: (pair[0].life, pair[0].controller_epoch, pair[1].ts or 0, pair[1].place.order))
    clocks: dict[str, Clock] = defaultdict(dict)
    written: dict[tuple[int, str, int, int, int | None], Clock] = {}
    last: tuple[int, int, str] | None = None
    for span, row in found:
        host = f"controller-{span.controller}" + (f"@{number + 1}" if each else "")
        tenure = (span.life or 0, span.controller_epoch or 0, host)
        clock = clocks[host]
        if last is not None and last != tenure and last[0] == span.life:
            _join(clock, clocks[last[2]])
        state = (row.life, row.topic, row.partition, row.leader_epoch, row.controller_epoch)
        _join(clock, written.get(state, {}))
        clock[host] = clock.get(host, 0) + 1
        if row.controller_epoch == span.controller_epoch:
            written[state] = dict(clock)
        last = tenure
        yield f'{host} "{_event(row, span)}" {json.dumps(clock, sort_keys=True)}'


def _event(row: TimelineRow, span: WordingStretch) -> str:
    leader = "no leader" if row.leader < 0 else f"leader {row.leader}"
    isr = "" if row.isr is None else f", ISR {list(row.isr)}"
    name = partition_name(row.topic, row.partition).replace('"', "\\x22")
    epochs = f"leader epoch {row.leader_epoch}{isr}; {row.place!s}"
    return f"epoch {span.controller_epoch}: {name} {leader}, {epochs}".replace('"', "\\x22").replace("\n", " ")


def _join(clock: Clock, other: Clock) -> None:
    for host, count in other.items():
        clock[host] = max(clock.get(host, 0), count)


class _Spans:
    """An index of lines by the controller's tenure that they are in."""

    def __init__(self, report: Report) -> None:
        self.of_file: dict[str, list[WordingStretch]] = defaultdict(list)
        for span in report.releases:
            if span.controller is not None:
                self.of_file[span.file].append(span)
        for spans in self.of_file.values():
            spans.sort(key=lambda span: span.first_line)
        self.firsts = {file: [span.first_line for span in spans] for file, spans in self.of_file.items()}

    def of(self, row: TimelineRow) -> WordingStretch | None:
        file, line = row.place.file, row.place.line or 0
        index = bisect_right(self.firsts.get(file, []), line) - 1
        if index < 0:
            return None
        span = self.of_file[file][index]
        return span if line <= span.last_line else None
