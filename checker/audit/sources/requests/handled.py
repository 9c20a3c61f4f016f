"""Whole requests as brokers handle them: the number of partitions in them, and their order.

A look finds what consecutive lines show of each request; where a file is cut into pieces, and where a journal continues
in another file, the ends of pieces are joined here. Requests of one broker are in the order of its journal.

* *answered*: a LeaderAndIsr request, from where the broker begins to handle it to where it has finished, with the
  partitions that lines in between are about. A broker handles one request at a time.
* *numbered*: a line that names the correlation id of a request, and its controller. Ids grow along the requests of one
  controller in one epoch, from 0 when it begins to send to the broker. A line that is not later than the one above it
  may be a copy of another.
* *refused*: a line with which a whole request is refused because its controller's epoch is old.
* *heard*: a line about a whole UpdateMetadata request that was accepted, with the epoch of its controller.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any

from .....model.expr import const, either, ite
from .....model.expr import field as column
from .....model.sorts import Int
from ...fields import controller_epoch, correlation_id, known_controller_epoch, ts
from ...history.journals import JournalPart, Journals, Process
from ...lines import (
    ANSWERED,
    CONTROLLER_REFUSED,
    LEADER_AND_ISR_BEGUN,
    LEADER_AND_ISR_ENDED,
    LEADER_AND_ISR_RECEIVED,
    LEADER_AND_ISR_VOID,
    METADATA_TAKEN,
    STOP_BEGUN,
    STOP_RECEIVED,
    is_line,
)
from ...table.encoding import Flag
from ...table.protocol import Column, Row, Table
from ..source import Source
from .columns import METADATA_RECEIVED, REQUESTS_ANSWERED, REQUESTS_IN_TURN, REQUESTS_REFUSED

FIRST_IDS = 2
"""The greatest id that a first request may print: a controller that regains a broker counts from 0 again, and its first
requests may print no line.
"""
_LEADER_AND_ISR = (*LEADER_AND_ISR_BEGUN, *LEADER_AND_ISR_RECEIVED)
_STOP = (*STOP_BEGUN, *STOP_RECEIVED)
_NUMBERED = (*_LEADER_AND_ISR, *_STOP, *METADATA_TAKEN)
_BOUNDS = (*LEADER_AND_ISR_BEGUN, *LEADER_AND_ISR_ENDED)
_BY = ("file", "speaker")
_REQUEST = (*_BY, "request")
_SHOWN = ("file", "line", "ts", "speaker", "controller", "correlation_id", "count")
_OF_ANSWERS = ("answered", "answered-fit", "answered-open", "answered-close", "answer", "answered-on")
"""Kinds of rows about the lines between two others."""
_zero = const(0, Int(0))
UNKNOWN_EPOCH = -1
"""A placeholder for a line that prints no controller epoch."""
_unknown = const(UNKNOWN_EPOCH, Int())
_begins, _line = is_line(LEADER_AND_ISR_BEGUN), column("line", Int(0))
_request, _ended = column("request", Int(0)), column("ended", Int(0))
_before_id, _of, _before_of = column("before_id", Int()), column("of", Int(0)), column("before_of", Int(0))
_before_epoch, _before_ts = column("before_epoch", Int()), column("before_ts", Int())
_epoch = column("epoch", Int())
_same = correlation_id.eq(column("begun_correlation_id", Int())) & column("controller", Int()).eq(
    column("begun_controller", Int())
)
"""True if the line with which a broker finishes a request, and the last one with which it begins, belong together."""


def handled(events: Table) -> list[Row]:
    """Return what consecutive lines show of requests, as rows of the kinds below; a look."""
    own = events.present("speaker")
    tables = (*_answered(own), *_numbered(own), *_epoch_taken(own), *_refused(own))
    found = [{"kind": kind} | row for kind, table in tables for row in table.rows()]
    return [*(row for row in found if row["kind"] != "answered-on"), *_by_topic(found)]


def _by_topic(found: Iterable[Row]) -> list[Row]:
    """Return the rows answered-on, one for all partitions of a topic: there may be many."""
    of: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in found:
        if row["kind"] == "answered-on":
            of[row["file"], row["speaker"], row["topic"]].append(row)
    return [
        {name: own[0][name] for name in ("kind", *_BY, "topic")}
        | {"line": min(row["line"] for row in own), "partitions": tuple(sorted(row["partition"] for row in own))}
        for own in of.values()
    ]


def _answered(events: Table) -> Iterator[tuple[str, Table]]:
    """Yield rows about answers.

    answered-fit: requests with as many answers as partitions. answered: a request without, from line `first` to `line`;
    one that is refused whole, if it ends with another number. answered-open, answered-close: a request that begins
    here, or ends, with each partition that it was answered for (answer). answered-on: the partitions that lines are
    about, where none begins or ends.
    """
    lines = events.of_lines((*_BOUNDS, *LEADER_AND_ISR_VOID, *ANSWERED)).along(
        _BY,
        ("line",),
        request=Column("so_far", where=_begins),
        ended=Column("so_far", where=is_line(LEADER_AND_ISR_ENDED)),
        first=Column("last", "line", _begins),
        **{f"begun_{name}": Column("last", name, _begins) for name in ("controller", "correlation_id", "count")},
    )
    by_partition = (
        lines.of_lines(ANSWERED)
        .present("topic")
        .grouped((*_REQUEST, "ended", "topic", "partition"), line=Column("min", "line"))
    )
    answers = by_partition.grouped((*_REQUEST, "ended"), answered=Column("count"))
    void = lines.of_lines(LEADER_AND_ISR_VOID).grouped(_REQUEST, void=Column("count"))
    announced_of = (
        lines.of_lines(LEADER_AND_ISR_ENDED)
        .along(_REQUEST, ("line",), again=Column("so_far"))
        .where(column("again", Int(0)).eq(0))
        .attached(void, _REQUEST, ("void",))
    )
    none = announced_of.absent("void").derive(none=_zero)
    ends = none.attached(answers, (*_REQUEST, "ended"), ("answered",)).filled("answered", "none")
    whole = ends.where(_same)
    announced, begun, answered = column("count", Int()), column("begun_count", Int()), column("answered", Int(0))
    fits = announced.eq(begun) & announced.eq(answered)
    yield "answered-fit", whole.where(fits).grouped(_BY, n=Column("count"))
    yield "answered", whole.where(~fits).select(*_SHOWN, "first", "answered")
    refused = announced_of.present("void").where(_same & ~announced.eq(begun)).derive(answered=begun)
    yield "answered", refused.select(*_SHOWN, "first", "answered")

    begins = lines.of_lines(LEADER_AND_ISR_BEGUN)
    last = begins.grouped(_BY, first=Column("max", "line"), requests=Column("count"))
    open_ones = (
        begins.derive(first=_line, request=_request + 1)
        .matching(last, (*_BY, "first"))
        .attached(ends.present("first").grouped((*_BY, "first"), n=Column("count")), (*_BY, "first"), ("n",))
        .absent("n")
        .attached(void, _REQUEST, ("void",))
        .absent("void")
    )
    closing = ends.absent("first")
    yield "answered-open", open_ones.select(*_SHOWN)
    yield "answered-close", closing.select(*_SHOWN)
    yield "answer", by_partition.matching(open_ones, _REQUEST).select(*_BY, "line", "topic", "partition")
    first = by_partition.where(_request.eq(0) & _ended.eq(0))
    yield "answer", first.matching(closing, _BY).select(*_BY, "line", "topic", "partition")
    bounds = lines.of_lines(_BOUNDS).grouped(_BY, n=Column("count"))
    on = by_partition.attached(bounds, _BY, ("n",)).absent("n")
    yield "answered-on", on.select(*_BY, "line", "topic", "partition")


def _numbered(events: Table) -> Iterator[tuple[str, Table]]:
    """Yield rows about ids.

    numbered-fit: requests whose id is above the one before. numbered: a request whose id is not. numbered-end: the
    first and the last line of the piece.
    """
    key = (*_BY, "controller")
    request = ite(is_line(_LEADER_AND_ISR), _zero, ite(is_line(_STOP), const(1, Int(0)), const(2, Int(0))))
    numbered = events.of_lines(_NUMBERED).present("controller", "correlation_id")
    lines = numbered.derive(of=request, unknown=_unknown, epoch=controller_epoch).filled("epoch", "unknown")
    turns = lines.along(
        key,
        ("line",),
        before_id=Column("previous", "correlation_id"),
        before_of=Column("previous", "of"),
        before_epoch=Column("previous", "epoch"),
        before_ts=Column("previous", "ts"),
        first=Column("previous", "line"),
    ).derive(later=_before_ts < ts)
    known = ~_epoch.eq(_unknown) & ~_before_epoch.eq(_unknown)
    one_count = ~(known & ~_epoch.eq(_before_epoch))
    again = one_count & correlation_id.eq(_before_id)
    falls = (correlation_id < _before_id) & (correlation_id > FIRST_IDS) & column("later", Flag)
    wrong = one_count & either(correlation_id.eq(_before_id) & ~_of.eq(_before_of), falls)
    yield "numbered", turns.where(wrong).select(*_SHOWN, "first", "of", "before_id", "before_of")
    yield "numbered-fit", turns.where(~wrong & ~again).grouped(key, n=Column("count"))
    yield "numbered-end", turns.absent("first").select(*_SHOWN, "of", "epoch")
    ends = lines.grouped(key, line=Column("max", "line"))
    yield "numbered-end", lines.matching(ends, (*key, "line")).select(*_SHOWN, "of", "epoch")


def _epoch_taken(events: Table) -> Iterator[tuple[str, Table]]:
    """Yield heard: a line with another epoch than the one before it, and that one; the first and the last of the
    piece.
    """
    lines = events.of_lines(METADATA_TAKEN).absent("topic").present("controller_epoch")
    turns = lines.along(
        _BY, ("line",), before_epoch=Column("previous", "controller_epoch"), first=Column("previous", "line")
    )
    changes = turns.where(~controller_epoch.eq(_before_epoch))
    ends = lines.grouped(_BY, line=Column("max", "line"))
    shown = (*_SHOWN, "controller_epoch")
    yield "epochs_taken", changes.plus(turns.absent("first")).select(*shown)
    yield "epochs_taken", lines.matching(ends, (*_BY, "line")).select(*shown)
    yield (
        "epochs_taken",
        lines.matching(changes.select("file", "speaker", "first").renamed(first="line"), (*_BY, "line")).select(*shown),
    )


def _refused(events: Table) -> Iterator[tuple[str, Table]]:
    """Yield refused-fit: requests of an epoch below the one that the broker knows. refused: a request that is not."""
    lines = events.of_lines(CONTROLLER_REFUSED).present("controller_epoch", "known_controller_epoch")
    fits = controller_epoch < known_controller_epoch
    yield "refused-fit", lines.where(fits).grouped(_BY, n=Column("count"))
    yield "refused", lines.where(~fits).select(*_SHOWN, "controller_epoch", "known_controller_epoch")


# ---- Joined


_Place = tuple[int, int]
"""A journal, and a place in it."""


def out_of_turn(found: Source) -> frozenset[int]:
    """Return the files in which a request's number is below that of the same controller's previous one."""
    rows = found.rows[REQUESTS_IN_TURN.name]
    return frozenset(row["file"] for row in rows if row["correlation_id"] < row["before_id"])


def requests(rows: Sequence[Row], journals: Journals, repeated: Collection[int] = ()) -> Source:
    """Return the requests of all complete journals, from the rows of `handled` for all pieces.

    Args:
        repeated: files with repeated lines about partitions: any may stand among the answers to a request.
    """
    placed = _Placed(journals)
    of: dict[str, list[tuple[JournalPart, Row]]] = defaultdict(list)
    for row in rows:
        if row["kind"] in _OF_ANSWERS and row["file"] in repeated:
            continue
        part = placed.part(row)
        if part is not None and not part.lossy:
            of[row["kind"]].append((part, row))
    found = Source()
    for part, row in of["answered-fit"]:
        found.fit[part.cluster, REQUESTS_ANSWERED.name] += row["n"]
    for part, row in of["numbered-fit"]:
        found.fit[part.cluster, REQUESTS_IN_TURN.name] += row["n"]
    for part, row in of["refused-fit"]:
        found.fit[part.cluster, REQUESTS_REFUSED.name] += row["n"]
    found.add(REQUESTS_REFUSED.name, [row | _of_journal(part) for part, row in of["refused"]])
    found.add(
        REQUESTS_ANSWERED.name, [_since_first(part, row) for part, row in of["answered"] if placed.whole(part, row)]
    )
    found.add(REQUESTS_IN_TURN.name, [_since_first(part, row) for part, row in of["numbered"]])
    _join_answers(of, found)
    _join_numbers(of["numbered-end"], found)
    found.add(METADATA_RECEIVED.name, _epochs(of["epochs_taken"], placed))
    return found


@dataclass(frozen=True)
class _Placed:
    """An index that finds the journal part and the process of a line."""

    journals: Journals

    @cached_property
    def parts(self) -> Mapping[tuple[int, int | None], list[JournalPart]]:
        found: dict[tuple[int, int | None], list[JournalPart]] = defaultdict(list)
        for part in self.journals.parts:
            found[part.file, part.speaker].append(part)
        return found

    @cached_property
    def processes(self) -> Mapping[int, list[Process]]:
        found: dict[int, list[Process]] = defaultdict(list)
        for process in self.journals.processes:
            found[process.journal].append(process)
        return found

    def part(self, row: Row) -> JournalPart | None:
        """Return the part of its line; for a row without one, any part of its file."""
        if "speaker" not in row:
            return None
        own = self.parts.get((row["file"], row["speaker"]), [])
        return next((part for part in own if "line" not in row or part.first <= row["line"] <= part.last), None)

    def whole(self, part: JournalPart, row: Row) -> bool:
        """Return whether no line is missing from the `first` of a row to its last."""
        first = self.part(row | {"line": row["first"]})
        return first is not None and first.block == part.block

    def process(self, part: JournalPart, ts: int | None) -> Process | None:
        """Return the process of its line; None if the line's time cannot be read."""
        if ts is None:
            return None
        own = self.processes.get(part.journal, ())
        return next((process for process in own if process.first <= ts <= process.last), None)


def _at(part: JournalPart, row: Row) -> _Place:
    return part.journal, part.base + row["line"]


def _numbered_row(part: JournalPart, row: Row, before_file: int, before_line: int) -> Row:
    """Return a row with the columns of its journal, and the place of the line before."""
    return row | _of_journal(part) | {"before_file": before_file, "before_line": before_line}


def _of_journal(part: JournalPart) -> Row:
    return {name: getattr(part, name) for name in ("cluster", "life", "broker", "releases")}


def _since_first(part: JournalPart, row: Row) -> Row:
    return _numbered_row(part, row, row["file"], row["first"])


def _join_answers(of: Mapping[str, Sequence[tuple[JournalPart, Row]]], found: Source) -> None:
    """Join requests that begin in one piece, and end in another."""
    begun = sorted(((_at(part, row), part, row) for part, row in of["answered-open"]), key=itemgetter(0))
    answers = [(_at(part, row), row["topic"], (row["partition"],)) for part, row in of["answer"]]
    answers += [(_at(part, row), row["topic"], row["partitions"]) for part, row in of["answered-on"]]
    for part, row in of["answered-close"]:
        end = _at(part, row)
        before = [each for each in begun if (part.journal, 0) <= each[0] < end]
        if not before:
            continue
        start, opened, first = before[-1]
        same = all(row[name] == first[name] for name in ("controller", "correlation_id"))
        if not same or opened.block != part.block:
            continue
        between = ((topic, partitions) for place, topic, partitions in answers if start < place < end)
        answered = len({(topic, partition) for topic, partitions in between for partition in partitions})
        if row["count"] == first["count"] == answered:
            found.fit[part.cluster, REQUESTS_ANSWERED.name] += 1
        else:
            found.add(
                REQUESTS_ANSWERED.name,
                [_numbered_row(part, row | {"answered": answered}, first["file"], first["line"])],
            )


def _join_numbers(ends: Iterable[tuple[JournalPart, Row]], found: Source) -> None:
    """Join the last line of a piece and the first of the next, for each controller."""
    by: dict[tuple[int, int], list[tuple[_Place, JournalPart, Row]]] = defaultdict(list)
    for part, row in ends:
        by[part.journal, row["controller"]].append((_at(part, row), part, row))
    for own in by.values():
        own.sort(key=itemgetter(0))
        for (_, _, before), (_, part, row) in [*pairwise(own)][1::2]:
            was, now = before["correlation_id"], row["correlation_id"]
            epochs = {before["epoch"], row["epoch"]} - {UNKNOWN_EPOCH}
            if len(epochs) == 2:  # another tenure, which counts from 0
                found.fit[part.cluster, REQUESTS_IN_TURN.name] += 1
            elif (was == now and before["of"] != row["of"]) or (FIRST_IDS < now < was and _later(row, before)):
                as_numbered = _numbered_row(part, row, before["file"], before["line"])
                found.add(REQUESTS_IN_TURN.name, [as_numbered | {"before_id": was, "before_of": before["of"]}])
            elif was != now:
                found.fit[part.cluster, REQUESTS_IN_TURN.name] += 1


def _later(row: Row, before: Row) -> bool:
    """Return whether a line was written later than one above it; if not, it may be a copy of one there."""
    return None not in (row["ts"], before["ts"]) and before["ts"] < row["ts"]


def _epochs(epochs_taken: Iterable[tuple[JournalPart, Row]], placed: _Placed) -> Iterator[Row]:
    """Yield each line with another epoch than the line before, with the greatest that its process already knew."""
    greatest: dict[tuple[int, int], Row] = {}
    last: dict[int, int] = {}
    for _, part, row in sorted(((_at(part, row), part, row) for part, row in epochs_taken), key=itemgetter(0)):
        epoch = row["controller_epoch"]
        changes = last.get(part.journal) != epoch
        last[part.journal] = epoch
        process = placed.process(part, row["ts"])
        if process is None or not process.process_known:
            continue
        key = (part.journal, process.process)
        before = greatest.get(key)
        if before is not None and changes and _later(row, before):
            as_numbered = _numbered_row(part, row, before["file"], before["line"])
            yield as_numbered | {"before_controller_epoch": before["controller_epoch"]}
        if before is None or before["controller_epoch"] <= epoch:  # the last such line is shown, however files are cut
            greatest[key] = row
