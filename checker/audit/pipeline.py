"""The whole audit on one page: from a log to all that was found in it. Written once, whoever reads the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial

from .doubt import doubts
from .files.log import Log, Read
from .findings.audited import Audited, Repeated
from .findings.judged import finding
from .findings.moves import moves
from .findings.tally import tallies
from .findings.timeline import timeline
from .fit import fitted
from .history.doubts import NO_DOUBT
from .history.histories import Histories
from .history.spans import Span
from .judge import counted, failing, judge, judged
from .observe.catalogue import inputs_of
from .observe.controller.epoch_changes import CHANGES
from .observe.controller.views import PARTITION_VIEWS, states_shown
from .observe.duplicates import repeated, without_duplicates
from .observe.late import late_tenures
from .observe.placed import EVENTS, placed
from .rules.catalogue import rules_on
from .rules.verdicts import PASSING
from .table.protocol import Row, Table
from .table.rows import PythonTable
from .ties import settled

Looked = Mapping[str, Sequence[Row]]


def audited(log: Log, read: Read, release: int | None = None, *, with_timeline: bool = False) -> Audited:
    """Audit all clusters of a log: fit histories to what its lines claim, then look at each partition once.

    Where that look shows that lines are not where they were written, or that some are missing, histories are fitted to
    that and partitions looked at again.

    Args:
        read: what was read, with the rows of `claims`.
        release: mask of the releases that ran, if it is known; else each tenure's is taken from its wording.
    """
    files = {file.index: file for file in read.files}
    doubted, known = NO_DOUBT, None
    while doubted != known:
        known = doubted
        histories = fitted(log, read, release, known)
        of = _looked(log, histories, release, with_timeline)
        doubted = known | doubts(of, files, log.over_lines)
    changes = judged({CHANGES: PythonTable([asdict(change) for change in histories.epoch_changes])})
    counts = [*counted(changes), *of["count"]]
    findings = [
        finding(rule, row | {"verdict": row[rule.code]}, files)
        for row in [*failing(changes), *of["failing"]]
        for rule in rules_on(row["observation"])
        if row[rule.code] not in PASSING
    ]
    findings.sort(key=lambda f: (f.cluster, f.life or 0, f.controller_epoch or 0, *f.place.order, f.rule))
    return Audited(
        histories,
        tuple(findings),
        tallies(counts),
        moves(counts),
        Repeated.by_file(of["repeated"]),
        timeline(of["state"], files) if with_timeline else None,
    )


def _looked(log: Log, histories: Histories, release: int | None, with_timeline: bool) -> Looked:
    """The rows of `_look`, over all partitions, by what they are."""
    found: dict[str, list[Row]] = {what: [] for what in ("count", "failing", "state", "repeated", "late")}
    for row in log.over_partitions(partial(_look, histories.spans, release, with_timeline)):
        found[row["what"]].append(row)
    return found


def _look(spans: Sequence[Span], release: int | None, with_timeline: bool, events: Table) -> list[Row]:
    """What becomes of the lines of some partitions: counts of verdicts, rows that fail, and states shown.

    And by file what is there more than once, and which tenures have lines that are late.
    """
    lines = placed(events, spans, release)
    inputs = inputs_of(without_duplicates(lines))
    counts, concerned = judge(inputs)
    fails = settled(concerned, failing(judged(inputs_of(concerned)))) if concerned is not None else []
    states = states_shown(inputs[PARTITION_VIEWS]).rows() if with_timeline else []
    rows = {
        "count": counts,
        "failing": fails,
        "state": states,
        "repeated": repeated(lines),
        "late": late_tenures(inputs[EVENTS]),
    }
    return [row | {"what": what} for what, found in rows.items() for row in found]
