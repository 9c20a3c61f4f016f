"""The whole audit on one page: from a log to all that was found in it. Written once, whoever reads the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial

from .files.log import Log, Read
from .findings.audited import Audited, numbered_by_cluster
from .findings.judged import finding
from .findings.moves import moves
from .findings.places import in_files
from .findings.tally import tallies
from .findings.timeline import timeline
from .fit import fitted
from .history.contradicted import contradicted
from .history.spans import Span
from .judge import counted, failing, judge, judged
from .observe.catalogue import inputs_of
from .observe.controller.epoch_changes import CHANGES
from .observe.controller.views import PARTITION_VIEWS, states_shown
from .observe.duplicates import without_duplicates
from .observe.placed import placed
from .rules.catalogue import rules_on
from .rules.verdicts import PASSING
from .table.protocol import Row, Table
from .table.rows import PythonTable


def audited(log: Log, read: Read, release: int | None = None, *, with_timeline: bool = False) -> Audited:
    """Audit all clusters of a log: fit histories to what its lines claim, then look at each partition once.

    Args:
        read: what was read, with the rows of `claims`.
        release: mask of the releases that ran, if it is known; else each tenure's is taken from its wording.
    """
    histories, repeated = fitted(log, read, release)
    files = {file.index: file for file in read.files}
    changes = judged({CHANGES: PythonTable([asdict(change) for change in histories.epoch_changes])})
    looked = log.over_partitions(partial(_look, histories.spans, release, with_timeline))
    of = {what: [row for row in looked if row["what"] == what] for what in ("count", "failing", "state")}
    counts = [*counted(changes), *of["count"]]
    findings = [
        finding(rule, row | {"verdict": row[rule.code]}, files)
        for row in [*failing(changes), *of["failing"]]
        for rule in rules_on(row["observation"])
        if row[rule.code] not in PASSING
    ]
    findings.sort(key=lambda f: (f.cluster, f.life or 0, f.controller_epoch or 0, *f.place.order, f.rule))
    return numbered_by_cluster(
        Audited(
            in_files(replace(histories, notes=(*histories.notes, *contradicted(histories, release, files))), files),
            tuple(findings),
            tallies(counts),
            moves(counts),
            repeated,
            timeline(of["state"], files) if with_timeline else None,
        )
    )


def _look(spans: Sequence[Span], release: int | None, with_timeline: bool, events: Table) -> list[Row]:
    """What becomes of the lines of some partitions: counts of verdicts, rows that fail, and states shown."""
    inputs = inputs_of(without_duplicates(placed(events, spans, release)))
    counts, fails = judge(inputs)
    states = states_shown(inputs[PARTITION_VIEWS]).rows() if with_timeline else []
    rows = {"count": counts, "failing": fails, "state": states}
    return [row | {"what": what} for what, found in rows.items() for row in found]
