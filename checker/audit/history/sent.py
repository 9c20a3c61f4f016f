"""The numbers of partitions in requests: as their controller sends them, and as brokers handle them.

No line of a broker says which line of its controller it belongs to. But a controller sends a broker one request at a
time, and a broker handles them in that order; some do not arrive, and one whose answer is lost is sent again. So for
one tenure and one kind of request, the counts that a broker prints are found among those that the controller printed
for it, in that order, where one may stand for several. Consecutive requests with one count are one row here.

* *request-sent*: a line of a controller, with the brokers that it sends to. A LeaderAndIsr request is to one.
* *request-taken*: a line of a broker. That of a LeaderAndIsr request names no controller epoch: it is known where the
  lines of UpdateMetadata requests of the same controller, before it and after it, name the same.
* *request-between*: a request whose previous or next line is in another piece, or file; *request-epoch*: the first and
  the last line of an UpdateMetadata request in a piece.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any, NamedTuple

from ....model.expr import const, field
from ....model.sorts import Int
from ..fields import TENURE, brokers, controller_epoch, count, deleted, followers
from ..lines import LEADER_AND_ISR_BEGUN, LEADER_AND_ISR_COUNTED, METADATA_COUNTED, METADATA_TAKEN, is_line
from ..table.protocol import Column, Row, Table
from .journals import Part
from .spans import Span

LEADER_AND_ISR, UPDATE_METADATA = 0, 2
"""Kinds of requests, by their place in KINDS (observe/broker/handled.py)."""
_MOST = 1_000_000
"""The most pairs of numbers that are compared to find those that do not fit; beyond that, the first possible one is
taken.
"""
_TAKER = ("file", "speaker", "controller")
_SENT = ("file", "line", "controller", "controller_epoch", "brokers", "total", "of")
_TAKEN = ("file", "line", "ts", "speaker", "controller", "controller_epoch", "correlation_id", "total", "of")
_total = field("total", Int())


def counts(events: Table) -> Iterator[tuple[str, Table]]:
    """Yield lines with the number of partitions of a request, and its kind `of`; part of a look (handled.py)."""
    named = events.present("controller")
    for table in (_leader_and_isr_sent(named), _metadata_sent(named)):
        yield "request-sent", table.select(*_SENT)
    by_speaker = named.present("speaker")
    yield "request-taken", _metadata_taken(by_speaker).select(*_TAKEN)
    yield from _leader_and_isr_taken(by_speaker)


def _changes(lines: Table, key: Sequence[str]) -> Table:
    """Return lines with another count than the one before."""
    turns = lines.along(key, ("line",), before_total=Column("previous", "total"))
    return turns.where(~_total.eq(field("before_total", Int()))).plus(turns.absent("before_total"))


def _leader_and_isr_sent(events: Table) -> Table:
    lines = events.of_lines(LEADER_AND_ISR_COUNTED).present("controller_epoch", "brokers")
    return _changes(lines.derive(total=count + followers, of=const(LEADER_AND_ISR, Int(0))), (*TENURE, "brokers"))


def _metadata_sent(events: Table) -> Table:
    """Return lines with another count, or to other brokers, than the one before."""
    counted = events.of_lines(METADATA_COUNTED).present("controller_epoch", "brokers")
    lines = counted.derive(total=count, of=const(UPDATE_METADATA, Int(0)))
    before = {f"before_{name}": Column("previous", name) for name in ("total", "brokers")}
    turns = lines.along(TENURE, ("line",), **before)
    same = _total.eq(field("before_total", Int())) & brokers.eq(field("before_brokers", brokers.sort))
    return turns.where(~same).plus(turns.absent("before_total"))


def _metadata_lines(events: Table) -> Table:
    return events.of_lines(METADATA_TAKEN).absent("topic").present("controller_epoch", "count")


def _metadata_taken(events: Table) -> Table:
    lines = _metadata_lines(events).derive(total=count + deleted, of=const(UPDATE_METADATA, Int(0)))
    return _changes(lines, (*_TAKER, "controller_epoch"))


def _leader_and_isr_taken(events: Table) -> Iterator[tuple[str, Table]]:
    counted = _metadata_lines(events)
    lines = (
        counted.plus(events.of_lines(LEADER_AND_ISR_BEGUN).present("count"))
        .select("row", "file", "line", "ts", "speaker", "controller", "controller_epoch", "correlation_id", "count")
        .along(
            _TAKER,
            ("line",),
            epochs=Column("so_far", where=is_line(METADATA_TAKEN)),
            known=Column("last", "controller_epoch", is_line(METADATA_TAKEN)),
        )
    )
    following = lines.of_lines(METADATA_TAKEN).select(*_TAKER, "epochs", "controller_epoch")
    between = (
        lines.of_lines(LEADER_AND_ISR_BEGUN)
        .select("file", "line", "ts", "speaker", "controller", "correlation_id", "count", "epochs", "known")
        .attached(following, (*_TAKER, "epochs"), ("controller_epoch",))
        .derive(total=count, of=const(LEADER_AND_ISR, Int(0)))
    )
    known = between.where(controller_epoch.eq(field("known", Int())))
    yield "request-taken", _changes(known, (*_TAKER, "controller_epoch")).select(*_TAKEN)
    at_ends = between.absent("known").plus(between.present("known").absent("controller_epoch"))
    yield "request-between", _changes(at_ends, (*_TAKER, "epochs")).select(*_TAKEN)
    for end in ("min", "max"):
        ends = counted.grouped(_TAKER, line=Column(end, "line"))
        yield "request-epoch", counted.matching(ends, (*_TAKER, "line")).select(*_TAKER, "line", "controller_epoch")


# ---- Joined


_Counted = tuple[Part, Row]


class _Tenure(NamedTuple):
    cluster: int
    life: int | None
    controller: int
    epoch: int


class _Line(NamedTuple):
    """A line in its order, the file and the line as they are printed, and the number of partitions."""

    at: tuple[int, int]
    total: int
    row: Row


def with_epochs(lines: Iterable[_Counted], counted: Iterable[_Counted]) -> Iterator[_Counted]:
    """Yield the rows *request-between* with the controller epoch of the lines before and after them, if it is one.

    Args:
        counted: the rows *request-epoch*.
    """
    epochs: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for part, row in counted:
        epochs[part.journal, row["controller"]][part.base + row["line"]] = row["controller_epoch"]
    places = {key: sorted(own) for key, own in epochs.items()}
    for part, row in lines:
        key = part.journal, row["controller"]
        own = places.get(key, [])
        at = bisect_left(own, part.base + row["line"])
        if 0 < at < len(own) and epochs[key][own[at - 1]] == epochs[key][own[at]]:
            yield part, row | {"kind": "request-taken", "controller_epoch": epochs[key][own[at]]}


def disagreeing(taken: Iterable[_Counted], sent: Iterable[Row], spans: Iterable[Span]) -> Iterator[Row]:
    """Yield requests whose count is between two that the controller sent, with the count that it sent there.

    `before_total` is that of the previous matched request, none for the first; `sent_total` is that of the request
    matched to this one, or of the next matched one, if there is none.
    """
    sent_to = _sent_to(sent, spans)
    by: dict[tuple[int, int, _Tenure], list[_Line]] = defaultdict(list)
    of_part: dict[tuple[int, int, _Tenure], Part] = {}
    for part, row in taken:
        tenure = _Tenure(part.cluster, part.life, row["controller"], row["controller_epoch"])
        key = part.journal, row["of"], tenure
        by[key].append(_Line((part.journal, part.base + row["line"]), row["total"], row))
        of_part[key] = part
    for key in sorted(by):
        part = of_part[key]
        for row in _matched(_changing(_once(by[key])), sent_to.get((key[2], part.broker, key[1]), ())):
            yield row | {name: getattr(part, name) for name in ("cluster", "life", "broker", "releases")}


def _sent_to(sent: Iterable[Row], spans: Iterable[Span]) -> Mapping[Any, list[_Line]]:
    """Return by tenure, broker and kind what a controller sent, where a stream shows all of it."""
    of_file: dict[tuple[int, int, int], list[Span]] = defaultdict(list)
    blocks: dict[tuple[int, int], set[int]] = defaultdict(set)
    started: set[tuple[int, int]] = set()
    for span in spans:
        of_file[span.file, span.controller, span.epoch].append(span)
        stream = span.tenure, span.stream
        blocks[stream].add(span.block)
        started |= {stream} if span.start_seen and not span.lossy else set()
    whole = {stream for stream in started if len(blocks[stream]) == 1}
    found: dict[Any, list[_Line]] = defaultdict(list)
    for row in sent:
        for span in of_file.get((row["file"], row["controller"], row["controller_epoch"]), ()):
            if span.first <= row["line"] <= span.last and (span.tenure, span.stream) in whole:
                tenure = _Tenure(span.cluster, span.life, span.controller, span.epoch)
                for broker in row["brokers"]:
                    line = _Line((span.stream, span.base + row["line"]), row["total"], row)
                    found[tenure, broker, row["of"]].append(line)
    return {key: _changing(lines) for key, lines in found.items()}


def _once(lines: Iterable[_Line]) -> Iterator[_Line]:
    """Yield lines in order, without those that were written before one above them: they may be copies."""
    latest = None
    seen: set[tuple[int, int]] = set()
    for line in sorted(lines, key=lambda line: line.at):
        ts, number = line.row["ts"], line.row["correlation_id"]
        if ts is not None and latest is not None and (ts < latest or (ts, number) in seen):
            continue
        seen.add((ts, number))
        latest = ts
        yield line


def _changing(lines: Iterable[_Line]) -> list[_Line]:
    """Return lines in order, only the first of consecutive ones with one count."""
    in_order = sorted(lines, key=lambda line: line.at)
    return [*in_order[:1], *(line for before, line in pairwise(in_order) if before.total != line.total)]


def _matched(lines: Sequence[_Line], sent: Sequence[_Line]) -> Iterator[Row]:
    """Yield each request that is accepted before a matched one: after another one, or first."""
    found = _found([line.total for line in lines], [line.total for line in sent])
    before, last = -1, None
    for at, following in ((at, sent[place]) for at, place in enumerate(found) if place is not None):
        for line in lines[before + 1 : at]:
            if line.total not in (last and last.total, following.total):
                yield _beside(line, last, following)
        yield _beside(lines[at], last, following)
        before, last = at, following


def _found(taken: Sequence[int], sent: Sequence[int]) -> list[int | None]:
    """Return for each accepted number its place among the sent ones, matching as many as possible, in order."""
    first = _first(taken, sent)
    if None not in first or len(taken) * len(sent) > _MOST:
        return first
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(taken, sent, strict=False)))
    own, other = taken[same:], sent[same:]
    longest = [[0] * (len(other) + 1) for _ in range(len(own) + 1)]
    for at in reversed(range(len(own))):
        for place in reversed(range(len(other))):
            longest[at][place] = (
                longest[at + 1][place + 1] + 1
                if own[at] == other[place]
                else max(longest[at + 1][place], longest[at][place + 1])
            )
    found: list[int | None] = [*range(same), *(None for _ in own)]
    at = place = 0
    while at < len(own) and place < len(other):
        if own[at] == other[place]:
            found[same + at] = same + place
            at, place = at + 1, place + 1
        elif longest[at + 1][place] >= longest[at][place + 1]:
            at += 1
        else:
            place += 1
    return found


def _first(taken: Sequence[int], sent: Sequence[int]) -> list[int | None]:
    """Return for each number the first place after that of the previous one; if all can be matched, this matches
    all.
    """
    places: dict[int, list[int]] = defaultdict(list)
    for place, number in enumerate(sent):
        places[number].append(place)
    found: list[int | None] = []
    begin = 0
    for number in taken:
        own = places[number]
        nearest = bisect_left(own, begin)
        found.append(own[nearest] if nearest < len(own) else None)
        begin = own[nearest] + 1 if nearest < len(own) else begin
    return found


def _beside(line: _Line, before: _Line | None, sent: _Line) -> Row:
    return line.row | {
        "before_file": sent.row["file"],
        "before_line": sent.row["line"],
        "before_total": before and before.total,
        "sent_total": sent.total,
    }
