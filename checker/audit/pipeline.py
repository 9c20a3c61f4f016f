"""The whole audit on one page: from a log to everything found in it. Written once, for every engine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial

from .catalogue import Inputs
from .doubt.evidence import Evidence, numbers, raised_by
from .doubt.excused import corrections, excused
from .doubt.fit import fitted
from .doubt.in_words import in_words
from .doubt.sign import Partitions
from .doubt.signs import SIGNS
from .doubt.signs.late import late_tenures
from .doubt.signs.others import SIGN as OTHERS
from .doubt.signs.wordings import mixed_wordings
from .files.log import Log, Read
from .findings.audited import Audited, Repeated, numbered_by_cluster
from .findings.brokers import broker_timelines, live_brokers, tenures
from .findings.finding import in_report_order
from .findings.judged import findings
from .findings.metadata import Metadata
from .findings.moves import first_lines, moves
from .findings.places import in_files, repeated_in_files
from .findings.refusals import refusals
from .findings.replicas import replicas, replicas_shown
from .findings.scope import scopes
from .findings.state import Ends, conditions, states, stopped_moves
from .findings.tally import tallies
from .findings.timeline import timeline
from .happened.collected import collected
from .happened.leaders import led
from .happened.moments import moments
from .happened.producer_ids import given_out
from .happened.unread import members, unread
from .happened.vanished import witnesses
from .history.claims import claims
from .history.contradicted import contradicted
from .history.doubts import MIXED, raised
from .history.histories import Histories
from .history.journals import Journals
from .history.spans import Span
from .judge import (
    NO_FIT,
    Verdicts,
    counted,
    failing,
    first_failing,
    judged,
    of_concerned,
    verdicts,
    with_defects,
    with_findings,
)
from .lines import OF_NO_RULE
from .metadata import with_records
from .observe.broker.hosted import HOSTED_LINES
from .observe.controller.epoch_changes import EPOCH_CHANGES
from .observe.controller.stopped import STOPPED_MOVES
from .observe.controller.views import PARTITION_VIEWS, states_shown
from .observe.duplicates import repeated, without_duplicates
from .observe.narrow import EVERYTHING, Narrow, scope
from .observe.placed import EVENTS, of_controllers, placed
from .sources.nodes.observed import observed
from .sources.requests.handled import handled, requests
from .table.protocol import Row, Table, Tables
from .table.rows import PythonTable

Looked = Mapping[str, Sequence[Row]]
"""The rows of `_look`, by kind."""


def audited(
    log: Log,
    read: Read,
    metadata: Metadata,
    release: int | None = None,
    narrow: Narrow = EVERYTHING,
    newer: frozenset[int] = frozenset(),
    tables: Tables = PythonTable,
    *,
    with_timeline: bool = False,
) -> Audited:
    """Audit all clusters of a log: fit histories to its lines' claims, then look at each partition once.

    Where that look shows that lines are out of place, or that some are missing, histories are fitted to that and
    partitions looked at again.

    Args:
        read: the files that were read, with the rows of `first_look`.
        metadata: the results from the metadata logs; it gets the notes about lines that are compared with them.
        release: mask of the releases that ran, if known; otherwise each tenure's is taken from its wording.
        narrow: the rows that are counted and reported.
        newer: the clusters of which something is not known to this program, such as a newer release.
        tables: makes tables of few rows.
    """
    files = {file.index: file for file in read.files}
    nodes = observed(log, read, metadata.chronicles, mixed_wordings(read.rows, (), files))
    doubts, known = raised(MIXED, nodes.others, OTHERS.name), None
    while known is None or doubts.adds_to(known):
        known = doubts
        histories = fitted(log, read, release, known)
        of = _looked(log, histories, Ends.of(histories, read.files), release, narrow, with_timeline)
        twice = Repeated.by_file(of["repeated"])
        whole = requests(read.rows, histories.journals, twice)
        evidence = Evidence(SIGNS, files, histories.spans, read.rows, of, whole, log.over_partitions, known)
        doubts = known | raised_by(evidence)
    defects = [*metadata.defects, *of["defect"]]
    changes = {EPOCH_CHANGES.name: PythonTable([vars(change) for change in histories.epoch_changes])}
    lines = Verdicts([*of["count"]], [*of["failing"]])
    for shown, fit in ((changes, NO_FIT), (whole.tables(PythonTable), whole.fit), (nodes.tables(tables), nodes.fit)):
        lines += verdicts(shown, narrow, defects, fit)
    of_lines = lines.at_most_unknown(newer)
    metadata.notes += nodes.notes
    counts = [*of_lines.counts, *metadata.verdicts.counts]
    fails = first_failing([*of_lines.fails, *metadata.verdicts.fails])
    made = with_records([*findings(fails, {**files, **metadata.files}, defects)])
    reigns = broker_timelines(of["reign"], (), files)
    state = states(of["conditions"], of["condition"], of["stopped"], of["refused"], files)
    happened = collected(
        read.rows, nodes.printed, files, state, reigns, metadata.logs, of["led"], read.facts, narrow, made
    )
    found = numbered_by_cluster(
        Audited(
            in_files(replace(histories, notes=(*histories.notes, *contradicted(histories, release, files))), files),
            tuple(sorted(made, key=in_report_order)),
            tallies(counts),
            moves(of_lines.counts, of["moved"], files),
            repeated_in_files(twice, files),
            scopes(of["scope"]),
            state,
            timeline(of["state"], files) if with_timeline else None,
            replicas(of["replica"], files) if with_timeline else None,
            broker_timelines(of["tenure"], of["live"], files) if with_timeline else {},
            metadata,
            with_defects(defects),
            in_doubt=in_words(doubts, files),
            happened=happened,
            unread=unread(read.rows, nodes.printed, files, read.facts, state, metadata.logs, happened),
        )
    )
    if found.timeline is not None:
        found = replace(found, timeline=(*found.timeline, *metadata.timeline))
    return found


def first_look(events: Table) -> list[Row]:
    """Return what consecutive lines claim about controllers and processes, show of whole requests, and say to have
    happened; a look.
    """
    of_rules = events.without_lines(OF_NO_RULE)
    return [
        *claims(of_rules),
        *handled(of_rules),
        *moments(events),
        *witnesses(events),
        *members(events),
        *given_out(events),
    ]


def _looked(
    log: Log, histories: Histories, ends: Ends, release: int | None, narrow: Narrow, with_timeline: bool
) -> Looked:
    found: dict[str, list[Row]] = defaultdict(list)
    look = partial(_look, histories.spans, histories.journals, ends, release, narrow, with_timeline)
    for row in log.over_partitions(look):
        found[row["what"]].append(row)
    return found


def _look(
    spans: Sequence[Span],
    journals: Journals,
    ends: Ends,
    release: int | None,
    narrow: Narrow,
    with_timeline: bool,
    events: Table,
) -> list[Row]:
    """Return the results for the lines of some partitions: counts of verdicts, failing rows, conditions, states.

    Also what these lines show about how their files were collected, whatever is requested.
    """
    lines = placed(events, spans, release, journals)
    inputs = Inputs(without_duplicates(lines))
    controllers = of_controllers(inputs[EVENTS])
    defects: list[Row] = []
    found = judged(inputs, defects)
    counts = counted(found)
    events_concerned = of_concerned(inputs[EVENTS], counts)
    concerned = None if events_concerned is None else Inputs(events_concerned)
    fails = [] if concerned is None else _fails(concerned, with_findings(counts))
    shown = narrow.of(PythonTable(fails)).rows()
    asked = counts if narrow == EVERYTHING else counted({name: narrow.of(table) for name, table in found.items()})
    of_state, spells = conditions(events, controllers, inputs[PARTITION_VIEWS], ends, narrow)
    rows = {
        "count": [*asked, *corrections(shown)],
        "failing": shown,
        "sign": numbers(SIGNS, Partitions(counts, fails, inputs, concerned)),
        "repeated": repeated(lines),
        "late": late_tenures(controllers),
        "conditions": of_state,
        "condition": spells,
        "stopped": stopped_moves(narrow.of(inputs[STOPPED_MOVES])),
        "refused": refusals(narrow.of(inputs[HOSTED_LINES])),
        "state": narrow.of(states_shown(inputs[PARTITION_VIEWS])).rows() if with_timeline else [],
        "replica": narrow.of(replicas_shown(inputs[HOSTED_LINES])).rows() if with_timeline else [],
        "moved": first_lines({name: narrow.of(table) for name, table in found.items()}) if with_timeline else [],
        "tenure": tenures(controllers, narrow) if with_timeline else [],
        "reign": tenures(controllers, EVERYTHING),
        "led": led(narrow.about_partition(inputs[EVENTS])),
        "live": live_brokers(events, narrow) if with_timeline else [],
        "scope": scope(narrow.of(controllers), narrow.of(inputs[HOSTED_LINES])),
        "defect": defects,
    }
    return [row | {"what": what} for what, several in rows.items() for row in several]


def _fails(concerned: Inputs, observed: Container[str]) -> list[Row]:
    """Return the rows of some partitions that fail, unless an excuse explains them.

    Args:
        observed: names of the observations that have such rows.
    """
    return excused(failing(judged(concerned, [], observed)), concerned)
