"""The whole audit on one page: from a log to all that was found in it. Written once, whoever reads the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial

from .files.log import Log, Read
from .findings.audited import Audited, numbered_by_cluster
from .findings.judged import finding
from .findings.moves import moves
from .findings.scope import scopes
from .findings.state import Ends, conditions, states, stopped_moves
from .findings.tally import tallies
from .findings.timeline import timeline
from .fit import fitted
from .history.contradicted import contradicted
from .history.spans import Span
from .judge import counted, failing, first_failing, judge, judged
from .observe.catalogue import inputs_of
from .observe.controller.epoch_changes import CHANGES
from .observe.controller.stopped import STOPPED_MOVES
from .observe.controller.views import PARTITION_VIEWS, states_shown
from .observe.duplicates import without_duplicates
from .observe.narrow import EVERYTHING, Narrow, scope
from .observe.placed import EVENTS, placed
from .rules.catalogue import rules
from .table.protocol import Row, Table
from .table.rows import PythonTable


def audited(
    log: Log, read: Read, release: int | None = None, narrow: Narrow = EVERYTHING, *, with_timeline: bool = False
) -> Audited:
    """Audit all clusters of a log: fit histories to what its lines claim, then look at each partition once.

    Args:
        read: what was read, with the rows of `claims`.
        release: mask of the releases that ran, if it is known; else each tenure's is taken from its wording.
        narrow: what to count and to tell of.
    """
    histories, repeated = fitted(log, read, release)
    files = {file.index: file for file in read.files}
    changes = judged({CHANGES: PythonTable([asdict(change) for change in histories.epoch_changes])}, narrow)
    ends = Ends.of(histories, read.files)
    looked = log.over_partitions(partial(_look, histories.spans, ends, release, narrow, with_timeline))
    of: dict[str, list[Row]] = defaultdict(list)
    for row in looked:
        of[row["what"]].append(row)
    counts = [*counted(changes), *of["count"]]
    findings = [finding(rules()[row["rule"]], row, files) for row in first_failing([*failing(changes), *of["failing"]])]
    findings.sort(key=lambda f: (f.cluster, f.life or 0, f.controller_epoch or 0, *f.place.order, f.rule))
    return numbered_by_cluster(
        Audited(
            replace(histories, notes=(*histories.notes, *contradicted(histories, release, files))),
            tuple(findings),
            tallies(counts),
            moves(counts),
            repeated,
            scopes(of["scope"]),
            states(of["conditions"], of["condition"], of["stopped"], files),
            timeline(of["state"], files) if with_timeline else None,
        )
    )


def _look(
    spans: Sequence[Span], ends: Ends, release: int | None, narrow: Narrow, with_timeline: bool, events: Table
) -> list[Row]:
    """What becomes of the lines of some partitions: counts of verdicts, rows that fail, conditions, states shown."""
    inputs = inputs_of(without_duplicates(placed(events, spans, release)))
    counts, fails = judge(inputs, narrow)
    numbers, told = conditions(events, inputs[EVENTS], inputs[PARTITION_VIEWS], ends, narrow)
    rows = {
        "count": counts,
        "failing": fails,
        "conditions": numbers,
        "condition": told,
        "stopped": stopped_moves(narrow.of(inputs[STOPPED_MOVES])),
        "state": narrow.of(states_shown(inputs[PARTITION_VIEWS])).rows() if with_timeline else [],
        "scope": scope(narrow.of(inputs[EVENTS])),
    }
    return [row | {"what": what} for what, found in rows.items() for row in found]
