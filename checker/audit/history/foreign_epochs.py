"""Epochs of other controllers that are reported in the middle of a controller's run.

A broker that is controller reports another's epoch while it claims its own before and after. Either it was replaced and
did not know it yet; or the cluster was wiped, and the broker has reached the same epoch again. Epochs alone cannot
decide which, so such a line ends what is known of the tenure (completeness.py) and a span (spans.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..files.file import LogFile
from .statements import BrokerReport, Run, RunKey, Statement


@dataclass(frozen=True)
class ForeignEpoch:
    """A line in which a broker reports another `epoch` than its own, which it claims before and after."""

    file: int
    line: int
    epoch: int
    since: int | None
    """The time at which it first reports it."""

    def before_creation(self, run: Run, repeated: Collection[int]) -> bool:
        """Return whether it is later than the run's epoch and the run creates partitions after it.

        Then a wipe may lie between. In files with repeated lines (`repeated`) earlier lines may stand below: there the
        times also count.
        """
        before = self.line < run.last_created if self.file == run.file else run.created > 0
        return self.epoch > run.epoch and before and not (run.file in repeated and self._is_younger(run))

    def _is_younger(self, run: Run) -> bool:
        """Return whether it was written after the run had created everything that it creates."""
        return self.since is not None and run.created_until is not None and run.created_until < self.since


class _StreamLine(NamedTuple):
    """A line of a stream: the index of its file in the stream, and its number in the file."""

    file: int
    line: int


def foreign_epochs(
    stream: Sequence[LogFile], statements: Mapping[int, Sequence[Statement]], repeated: Collection[int] = ()
) -> dict[RunKey, list[ForeignEpoch]]:
    """Return the foreign epochs within each run of a stream, and since the controller's previous run if it has the same
    epoch.

    Args:
        statements: by the index of a file.
        repeated: files with repeated lines. Their lines within a run may be copies of reports before or after it: there
            the times decide.
    """
    reports = [[each for each in statements[file.index] if isinstance(each, BrokerReport)] for file in stream]
    found: dict[RunKey, list[ForeignEpoch]] = {}
    claimed: dict[int, Run] = {}
    begun: dict[int, _StreamLine] = {}
    for i, run in _runs(stream, statements):
        same = run.controller in claimed and claimed[run.controller].epoch == run.epoch
        here = _StreamLine(i, run.first)
        since = begun[run.controller] if same else here
        first_ts = claimed[run.controller].first_ts if same else run.first_ts
        within = [
            [each for each in own if each.file not in repeated or _overlap(each, run, first_ts)]
            for own in reports[since.file : i + 1]
        ]
        found[run.key] = _between(run, since, _StreamLine(i, run.last), within)
        claimed[run.controller], begun[run.controller] = run, here
    return found


def _overlap(report: BrokerReport, run: Run, first_ts: int | None) -> bool:
    """Return whether another epoch was reported from `first_ts` to the end of a run, as far as times show."""
    if report.epoch < run.epoch:
        return report.last_ts is None or first_ts is None or first_ts <= report.last_ts
    return report.first_ts is None or run.last_ts is None or report.first_ts <= run.last_ts


def _runs(stream: Sequence[LogFile], statements: Mapping[int, Sequence[Statement]]) -> Iterator[tuple[int, Run]]:
    """Yield the runs of a stream in the order of their first lines, each with the index of its file in the stream."""
    for i, file in enumerate(stream):
        runs = [each for each in statements[file.index] if isinstance(each, Run)]
        for run in sorted(runs, key=lambda run: run.first):
            yield i, run


def _between(
    run: Run, since: _StreamLine, until: _StreamLine, reports: Sequence[Sequence[BrokerReport]]
) -> list[ForeignEpoch]:
    """Return the foreign epochs of a run between two lines, both excluded; `reports` are those of each file from that
    of the first line to that of the last.
    """
    return [
        foreign
        for i, own in enumerate(reports, start=since.file)
        for foreign in _foreign_to(run, own)
        if since < (i, foreign.line) < until
    ]


def _foreign_to(run: Run, reports: Sequence[BrokerReport]) -> list[ForeignEpoch]:
    """Return the epochs foreign to a run: of a later epoch the first line counts, of an earlier one the last."""
    return [
        ForeignEpoch(each.file, each.first if each.epoch > run.epoch else each.last, each.epoch, each.first_ts)
        for each in reports
        if each.epoch != run.epoch
    ]
