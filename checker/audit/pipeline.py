"""The whole audit on one page: from a log to all that was found in it. Written once, whoever reads the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial

from .doubt import doubts, signs
from .files.log import Log, Read
from .findings.audited import Audited, Repeated, numbered_by_cluster
from .findings.judged import finding
from .findings.moves import moves
from .findings.scope import scopes
from .findings.state import Ends, conditions, states, stopped_moves
from .findings.tally import tallies
from .findings.timeline import timeline
from .fit import fitted
from .history.contradicted import contradicted
from .history.doubts import NO_DOUBT
from .history.spans import Span
from .judge import counted, failing, first_failing, judge, judged
from .observe.catalogue import inputs_of
from .observe.controller.epoch_changes import CHANGES
from .observe.controller.stopped import STOPPED_MOVES
from .observe.controller.views import PARTITION_VIEWS, states_shown
from .observe.duplicates import repeated, without_duplicates
from .observe.late import late_tenures
from .observe.narrow import EVERYTHING, Narrow, scope
from .observe.observation import Input
from .observe.placed import EVENTS, placed
from .rules.catalogue import rules
from .table.protocol import Row, Table
from .table.rows import PythonTable
from .ties import settled


def audited(
    log: Log, read: Read, release: int | None = None, narrow: Narrow = EVERYTHING, *, with_timeline: bool = False
) -> Audited:
    """Audit all clusters of a log: fit histories to what its lines claim, then look at each partition once.

    Where that look shows that lines are not where they were written, or that some are missing, histories are fitted to
    that and partitions looked at again.

    Args:
        read: what was read, with the rows of `claims`.
        release: mask of the releases that ran, if it is known; else each tenure's is taken from its wording.
        narrow: what to count and to tell of.
    """
    files = {file.index: file for file in read.files}
    doubted, known = NO_DOUBT, None
    while doubted != known:
        known = doubted
        histories = fitted(log, read, release, known)
        ends = Ends.of(histories, read.files)
        of = _by_what(log.over_partitions(partial(_look, histories.spans, ends, release, narrow, with_timeline)))
        doubted = known | doubts(of, files, log.over_lines)
    changes = judged({CHANGES: PythonTable([asdict(change) for change in histories.epoch_changes])}, narrow)
    counts = [*counted(changes), *of["count"]]
    findings = [finding(rules()[row["rule"]], row, files) for row in first_failing([*failing(changes), *of["failing"]])]
    findings.sort(key=lambda f: (f.cluster, f.life or 0, f.controller_epoch or 0, *f.place.order, f.rule))
    return numbered_by_cluster(
        Audited(
            replace(histories, notes=(*histories.notes, *contradicted(histories, release, files))),
            tuple(findings),
            tallies(counts),
            moves(counts),
            Repeated.by_file(of["repeated"]),
            scopes(of["scope"]),
            states(of["conditions"], of["condition"], of["stopped"], files),
            timeline(of["state"], files) if with_timeline else None,
        )
    )


def _by_what(rows: Sequence[Row]) -> Mapping[str, Sequence[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["what"]].append(row)
    return found


def _look(
    spans: Sequence[Span], ends: Ends, release: int | None, narrow: Narrow, with_timeline: bool, events: Table
) -> list[Row]:
    """What becomes of the lines of some partitions: counts of verdicts, rows that fail, conditions, states shown.

    And signs of how files were collected: what is there more than once, what is late, what contradicts.
    """
    lines = placed(events, spans, release)
    inputs = inputs_of(without_duplicates(lines))
    counts, fails = _judged(inputs, narrow)
    numbers, told = conditions(events, inputs[EVENTS], inputs[PARTITION_VIEWS], ends, narrow)
    rows = {
        "count": counts,
        "failing": fails,
        "conditions": numbers,
        "condition": told,
        "stopped": stopped_moves(narrow.of(inputs[STOPPED_MOVES])),
        "state": narrow.of(states_shown(inputs[PARTITION_VIEWS])).rows() if with_timeline else [],
        "scope": scope(narrow.of(inputs[EVENTS])),
        "repeated": repeated(lines),
        "late": late_tenures(inputs[EVENTS]),
        # What is not asked for may still show that lines are missing.
        "sign": signs(*((counts, fails) if narrow == EVERYTHING else _judged(inputs, EVERYTHING))),
    }
    return [row | {"what": what} for what, found in rows.items() for row in found]


def _judged(inputs: Mapping[Input, Table], narrow: Narrow) -> tuple[list[Row], list[Row]]:
    """Counts of verdicts, and the rows that fail."""
    counts, concerned = judge(inputs, narrow)
    if concerned is None:
        return counts, []
    return counts, settled(concerned, failing(judged(inputs_of(concerned), narrow)))
