"""The verdicts of all rules on the observations of some partitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...model.expr import Expr, either, field, ite
from .observe import tracks
from .rule import Rule, on_track
from .table.protocol import Column, Row, Table
from .vocabulary import HELD, SILENT, VERDICT

_FINDINGS_PER_RULE = 100_000
_MOVES = {"replica_moves": ("from_state", "to_state"), "partition_moves": ("from_state", "to_state")}
"""Tracks whose counts are told apart by the move, for diagrams."""


def judge(events: Table, incarnated: Table) -> tuple[list[Row], list[Row]]:
    """What the rules give of all the lines of some partitions: counts, and the rows of which one has something to say.

    Args:
        events: of tenures, in place, once each; `incarnated`: those of them that print leader and ISR.
    """
    counts = counted(_judged(events, incarnated))
    return counts, failing(_closer(events, counts))


def failing(judged: Mapping[str, Table]) -> list[Row]:
    """The rows of which some rule has something to say."""
    return [
        row | {"track": track}
        for track, table in judged.items()
        for row in table.where(either(*map(_fails, on_track(track)))).rows(_FINDINGS_PER_RULE * len(on_track(track)))
    ]


def _judged(events: Table, incarnated: Table) -> dict[str, Table]:
    """Every track, with the verdicts of its rules."""
    made = {
        "replica_moves": tracks.replica_moves(events),
        "partition_moves": tracks.partition_moves(events),
        "views": tracks.states_shown(incarnated),
        "chain": tracks.chain(incarnated),
        "elections": tracks.elections(incarnated),
        "elected": tracks.elected(incarnated),
        "same_epoch": tracks.same_epoch(incarnated),
        "requests": tracks.requests(incarnated),
        "writes": tracks.writes(incarnated),
        "metadata": tracks.told_metadata(incarnated),
        "repeated_elections": tracks.repeated_elections(incarnated),
        "refusals": tracks.refusals(events),
        "failed_starts": tracks.failed_starts(events),
    }
    return {track: verdicts(table, on_track(track)) for track, table in made.items()}


def verdicts(track: Table, its_rules: Sequence[Rule]) -> Table:
    """Every row with the verdict of each rule, in a column named by its code."""
    verdicts = {rule.code: ite(rule.applies, rule.verdict, SILENT) for rule in its_rules}
    judged = track.derive(**verdicts, silent=SILENT)
    for code in verdicts:
        judged = judged.filled(code, "silent")
    return judged


def _fails(rule: Rule) -> Expr:
    """Whether the rule has something to say of a row."""
    verdict = field(rule.code, VERDICT)
    return ~verdict.eq(HELD) & ~verdict.eq(SILENT)


def counted(judged: Mapping[str, Table]) -> list[Row]:
    """How often which verdicts came together, per track and cluster (and move); where one is a finding, per partition.

    One question a track: asked together, every task of an engine would be told of all tracks to work on one.
    """
    found: list[Row] = []
    for track, table in judged.items():
        key = (*_MOVES.get(track, ()), *(rule.code for rule in on_track(track)), "cluster", *tracks.NEAR)
        told = table.only_where(either(*map(_fails, on_track(track))), *tracks.NEAR)
        found += [row | {"track": track} for row in told.grouped(key, n=Column("count")).rows()]
    return found


def _closer(events: Table, counted: Sequence[Row]) -> dict[str, Table]:
    """The tracks of the partitions that findings are about: a track needs no other partition's lines.

    Looking at these again costs less than to carry all that a finding tells through every count.
    """
    key = ("cluster", *tracks.NEAR)
    concerned = {tuple(row[name] for name in key) for row in counted if row["topic"] is not None}
    if not concerned:
        return {}
    rows = [dict(zip(key, partition, strict=True)) for partition in sorted(concerned)]
    ours, of_none = events.joined(rows, key, {}), events.present("cluster").absent("topic")
    here = ours.plus(of_none).plus(events.absent("cluster")).near_by()  # throwables are in no cluster's tenure
    return _judged(here, tracks.incarnations(here))
