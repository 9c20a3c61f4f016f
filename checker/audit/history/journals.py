"""Journals: all lines of one broker, its files merged, cut into processes.

A broker writes to several files (state-change.log, server.log, controller.log). Its *journal* is the lines of all of
them, in the order of their times: within a file the order is that of the lines; between files nothing shows which of
two lines of one millisecond was first. Journals of several brokers are never ordered by time.

* Most lines name their writer. A line that does not belongs to the broker of all other lines of its stream.
* The files of one broker are those in one directory. Where two streams there have lines of one kind, one may be a copy
  of the other: then each is a journal of its own. The same holds where their clocks differ: where one begins and ends
  the same number of quarter-hours after the other, their times are printed in two zones.
* A journal that is a copy of another one of the same broker is not read.
* A *process* begins with a line that each process writes once. Where no file that would have it is available, it is not
  known whether a process ended between two lines (`process_known`).
"""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from ....specs.lines import STATE_CHANGE, rows_with
from ....specs.machines import LEVELS
from ....specs.releases import ALL
from ..files.file import LogFile
from ..lines import (
    BECOME_BEGUN,
    EPOCH_READ,
    FOLLOWS,
    LEADS,
    OF_BROKERS,
    PROCESS_ENDS,
    PROCESS_STARTS,
    REGISTERED,
    REQUEST_RECEIVED,
    THROWN,
    VERSION_PRINTED,
)
from ..table.protocol import Column, Row, Table
from .layout import Arrangement
from .lives import Note
from .spans import LINES_PER_FILE

_OF_BROKERS = frozenset((*OF_BROKERS, *REQUEST_RECEIVED)).difference(VERSION_PRINTED)
_IN_STATE_CHANGE = frozenset(rows_with(speaker="broker", family=STATE_CHANGE))
_TAKES = frozenset(BECOME_BEGUN) | {row for row in (*LEADS, *FOLLOWS) if row in _IN_STATE_CHANGE}
"""Lines about the roles that a broker begins: where there are any, all of its roles are logged."""
_OF_ZOOKEEPER = frozenset(rows_with(speaker="broker", mode="zk"))
_OF_KRAFT = frozenset(rows_with(speaker="broker", mode="kraft")).difference(REGISTERED)
"""A broker also registers with the quorum in ZooKeeper mode, while it is migrated."""
_QUARTER, _NEAR = 900_000, 60_000
"""The milliseconds by which zones differ; and those by which the begins, or ends, of two logs of one broker may
differ.
"""
_NO_START, _NO_END = -(10**14), 10**14 - 1
"""Milliseconds before and after all lines."""
VERSION = "version"
"""The kind of a row in which a process prints its release; `detail` is one that is newer than this program knows."""
_TRACE = LEVELS.index("TRACE")
_NEVER = (0, 1), (0, 0)
_Home = tuple[int, str, int, str]
"""Cluster, directory and broker of a journal; and its stream, where each stream is one of its own."""


def wrote(events: Table) -> list[Row]:
    """Return which brokers wrote which kinds of lines in which file, and when; where processes start, and end; a
    look.
    """
    own = events.of_lines(_OF_BROKERS).grouped(
        ("file", "speaker", "row", "releases"),
        line=Column("min", "line"),
        last=Column("max", "line"),
        first_ts=Column("min", "ts"),
        last_ts=Column("max", "ts"),
        n=Column("count"),
    )
    module = events.present("controller").without_lines((*_OF_BROKERS, *THROWN, *EPOCH_READ))
    controllers = module.grouped(("file", "controller"), line=Column("min", "line"))
    starts = events.of_lines(PROCESS_STARTS).present("ts").select("file", "line", "ts", "row")
    ends = events.of_lines(PROCESS_ENDS).present("ts").select("file", "line", "ts", "row")
    versions = events.of_lines(VERSION_PRINTED).select("file", "line", "ts", "row", "releases", "detail")
    return [
        *({"kind": "wrote"} | row for row in own.rows()),
        *({"kind": "module"} | row for row in controllers.rows()),
        *({"kind": "process"} | row for row in starts.rows()),
        *({"kind": "process-ends"} | row for row in ends.rows()),
        *({"kind": VERSION} | row for row in versions.rows()),
    ]


@dataclass(frozen=True)
class JournalPart:
    """Lines first..last of a file that are in a journal: those of `speaker`, or those that name no broker (None).

    `block`, `lossy` and `releases` are as in a span (spans.py).
    """

    cluster: int
    life: int | None
    file: int
    speaker: int | None
    first: int
    last: int
    journal: int
    broker: int
    base: int
    """`base` + line grows along each stream of the journal."""
    block: int
    lossy: bool
    whole: bool
    """True if no line of the journal is missing between its first and its last."""
    server_log: bool
    """True if the journal has lines of server.log."""
    releases: int
    out_of_turn: bool = False
    """True if its requests are not in the order of their numbers, so that its lines may not be where they were
    written.
    """
    level_from: int = 1
    """The first `base` + line at which the stream is known to show TRACE."""
    level_until: int = 0
    """The last such line."""


@dataclass(frozen=True)
class Process:
    """The times first..last, as printed, in which a journal's lines come from one process."""

    journal: int
    first: int
    last: int
    process: int
    process_known: bool
    """True if each start of a process is in the files."""
    of_zookeeper: bool
    """True if the process is in ZooKeeper mode; a broker that is migrated changes its mode at a restart."""
    lived_until: int = 0
    """The time of the last line of the journal's last process; 0 for earlier ones, whose ends no line shows."""
    ends_from: int = _NO_END
    """The time at which it first says that it shuts down, or after all lines."""
    jars: int = ALL
    takes_shown: bool = False
    """True if all roles that the broker begins are logged; false beyond the end of the files that show them."""


@dataclass(frozen=True)
class Journals:
    parts: tuple[JournalPart, ...] = ()
    processes: tuple[Process, ...] = ()
    notes: tuple[Note, ...] = ()


NO_JOURNALS = Journals()


def journals(rows: Sequence[Row], layout: Arrangement, lives: Mapping[int, int]) -> Journals:
    """Return the journals of all clusters.

    Args:
        rows: the rows of `wrote` for all pieces.
        lives: by cluster its life, if it has only one.
    """
    speakers = _speakers(rows, layout.files)
    files = layout.files
    zoned = _in_two_zones(rows, speakers, files)
    of_file: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        of_file[row["file"]].append(row)
    homes = _without_copies(_homes(rows, speakers, files, zoned), of_file)
    naming = frozenset(
        _stream(files[row["file"]])
        for row in rows
        if row["kind"] == "wrote" and row["row"] not in _IN_STATE_CHANGE and row["file"] in files
    )
    parts: list[JournalPart] = []
    processes: list[Process] = []
    for number, (home, own) in enumerate(sorted(homes.items()), start=1):
        told = [row for file in sorted(own) for row in of_file[file]]
        made = _Journal(number, home, sorted(own), told, speakers, layout, lives.get(home[0]), naming)
        parts += made.parts()
        processes += made.processes()
    return Journals(tuple(parts), tuple(processes), tuple(Note(each[0], text) for each, text in sorted(zoned.items())))


_Stream = tuple[int, str]


def _stream(file: LogFile) -> _Stream:
    return file.cluster, file.stream


def _speakers(rows: Iterable[Row], files: Mapping[int, LogFile]) -> dict[_Stream, set[int]]:
    """Return the brokers that wrote to each stream."""
    found: dict[_Stream, set[int]] = defaultdict(set)
    for row in rows:
        who = row.get({"wrote": "speaker", "module": "controller"}.get(row["kind"], ""))
        if who is not None and row["file"] in files:
            found[_stream(files[row["file"]])].add(who)
    return found


def _in_two_zones(
    rows: Iterable[Row], speakers: Mapping[_Stream, set[int]], files: Mapping[int, LogFile]
) -> dict[tuple[int, str, int], str]:
    """Return the clusters, directories and brokers with two streams whose clocks differ, each with a note."""
    times: dict[tuple[int, str, int], dict[str, tuple[int, int]]] = defaultdict(dict)
    for row in rows:
        if row["kind"] != "wrote" or row["first_ts"] is None or row["file"] not in files:
            continue
        file = files[row["file"]]
        for broker in speakers[_stream(file)] if row["speaker"] is None else {row["speaker"]}:
            own = times[file.cluster, file.directory, broker]
            first, last = own.get(file.stream, (_NO_END, _NO_START))
            own[file.stream] = min(first, row["first_ts"]), max(last, row["last_ts"])
    found: dict[tuple[int, str, int], str] = {}
    for whose, own in times.items():
        for one, other in combinations(sorted(own), 2):
            if quarters := _quarters_between(own[one], own[other]):
                hours = f"{abs(quarters) // 4}:{abs(quarters) % 4 * 15:02d} h"
                found[whose] = f"{one} and {other}: their clocks differ by {hours}, so they are not read as one log"
    return found


def _quarters_between(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return the number of quarter-hours by which one stretch of time begins and ends after the other; 0 if it does
    not.
    """
    begins, ends = (b - a for a, b in zip(one, other, strict=True))
    quarters = round(begins / _QUARTER)
    alike = all(abs(each - quarters * _QUARTER) <= _NEAR for each in (begins, ends))
    return quarters if alike else 0


def _homes(
    rows: Iterable[Row],
    speakers: Mapping[_Stream, set[int]],
    files: Mapping[int, LogFile],
    zoned: Collection[tuple[int, str, int]],
) -> dict[_Home, set[int]]:
    """Return the files of each journal; for `zoned` ones each stream is a journal of its own."""
    kinds: dict[tuple[int, str, int], dict[_Stream, set[str]]] = defaultdict(lambda: defaultdict(set))
    own: dict[_Stream, set[int]] = defaultdict(set)
    for row in rows:
        if row["kind"] not in ("wrote", "module", "process") or row["file"] not in files:
            continue
        file = files[row["file"]]
        stream = _stream(file)
        own[stream].add(file.index)
        if row["kind"] == "wrote":
            for broker in speakers[stream] if row["speaker"] is None else {row["speaker"]}:
                kinds[file.cluster, file.directory, broker][stream].add(row["row"])
        elif len(speakers[stream]) == 1:
            (broker,) = speakers[stream]
            kinds[file.cluster, file.directory, broker][stream] |= set()
    found: dict[_Home, set[int]] = {}
    for (cluster, directory, broker), streams in kinds.items():
        all_kinds = [kind for several in streams.values() for kind in several]
        apart = len(all_kinds) != len(set(all_kinds)) or (cluster, directory, broker) in zoned
        if not all_kinds:
            continue
        for stream in sorted(streams):
            home = (cluster, directory, broker, stream[1] if apart else "")
            found.setdefault(home, set()).update(own[stream])
    return found


def _without_copies(homes: Mapping[_Home, set[int]], of_file: Mapping[int, list[Row]]) -> dict[_Home, set[int]]:
    """Return the longest of the journals of one broker that begin or end a kind of line in the same millisecond."""
    ends: dict[_Home, set[tuple[str, int]]] = {}
    size: dict[_Home, int] = {}
    for home, files in homes.items():
        own = [row for file in files for row in of_file[file] if row["kind"] == "wrote"]
        ends[home] = {(row["row"], row[end]) for row in own for end in ("first_ts", "last_ts") if row[end] is not None}
        size[home] = sum(row["n"] for row in own)
    kept: dict[_Home, set[int]] = {}
    for home in sorted(homes, key=lambda home: (-size[home], home)):
        cluster, _, broker, _ = home
        if not any(ends[home] & ends[other] for other in kept if (other[0], other[2]) == (cluster, broker)):
            kept[home] = homes[home]
    return kept


@dataclass(frozen=True)
class _Journal:
    number: int
    home: _Home
    files: Sequence[int]
    rows: Sequence[Row]
    speakers: Mapping[_Stream, set[int]]
    layout: Arrangement
    life: int | None
    naming: frozenset[_Stream]
    """The streams with lines of server.log."""

    @property
    def lossy(self) -> bool:
        return any(
            self.layout.files[index].lossy is not None or self.layout.files[index].goes_back for index in self.files
        ) or (self.home[0] in self.layout.gapped)

    def blocks(self) -> dict[str, set[int]]:
        """Return by stream the blocks that its files begin with."""
        found: dict[str, set[int]] = defaultdict(set)
        for index in self.files:
            position = self.layout.positions[index]
            found[self.layout.files[index].stream] |= {position.first_block, position.block(LINES_PER_FILE)}
        return found

    def parts(self) -> Iterator[JournalPart]:
        """Yield each file's lines that name the broker, and those that name none if it is the only one there."""
        broker = self.home[2]
        whole = all(len(blocks) == 1 for blocks in self.blocks().values())
        # A line in state-change.log is usually the cause of the line in server.log of the same millisecond.
        cluster = self.home[0]
        streams = sorted(
            {self.layout.files[index].stream for index in self.files},
            key=lambda stream: ((cluster, stream) in self.naming, stream),
        )
        releases, lossy = self._releases(), self.lossy
        server_log = any((cluster, stream) in self.naming for stream in streams)
        out_of_turn = not self.layout.out_of_turn.isdisjoint(self.files)
        for index in self.files:
            file, position = self.layout.files[index], self.layout.positions[index]
            alone = self._alone(index)
            begins = streams.index(file.stream) * len(self.layout.files)
            traced = self.layout.levels.get(index, {}).get(_TRACE, _NEVER)
            for first, last in position.between_cuts(0, LINES_PER_FILE - 1):
                for speaker in (broker, None) if alone else (broker,):
                    yield JournalPart(
                        cluster=file.cluster,
                        life=self.life,
                        file=index,
                        speaker=speaker,
                        first=first,
                        last=last,
                        journal=self.number,
                        broker=broker,
                        base=(begins + position.index) * LINES_PER_FILE,
                        block=position.block(first),
                        lossy=lossy or self.layout.is_less_logged(index, first),
                        whole=whole,
                        server_log=server_log,
                        releases=releases,
                        out_of_turn=out_of_turn,
                        level_from=(begins + traced[0][0]) * LINES_PER_FILE + traced[0][1],
                        level_until=(begins + traced[1][0]) * LINES_PER_FILE + traced[1][1],
                    )

    def processes(self) -> Iterator[Process]:
        """Yield the stretches between starts; they are known as soon as a file begins that would show a start."""
        starts = [row for row in self.rows if row["kind"] == "process"]
        ends = [row["ts"] for row in self.rows if row["kind"] == "process-ends"]
        of_zookeeper, of_kraft = (self._last_of(each) for each in (_OF_ZOOKEEPER, _OF_KRAFT))
        begins = {row["ts"] for row in starts}
        since, until = self.known(starts) or (_NO_END, _NO_START)
        taken_until = self._takes_shown_until()
        edges = {_NO_START, _NO_END + 1, *begins, *((since, until + 1) if since < until else ()), taken_until + 1}
        youngest = max((each for index in self.files if (each := self.layout.files[index].youngest)), default=0)
        for first, following in pairwise(sorted(edges)):
            number = sum(1 for begin in begins if begin <= first)
            lived_until = youngest if number == len(begins) else 0
            began = max((begin for begin in begins if begin <= first), default=_NO_START)
            turned = of_zookeeper < began <= of_kraft  # to KRaft mode, whose lines it writes since
            in_zookeeper = of_zookeeper >= _NO_START and not turned
            known = since <= first <= until
            following_start = min((begin for begin in begins if first < begin), default=_NO_END + 1)
            ends_from = min((end for end in ends if began <= end < following_start), default=_NO_END)
            jars = self._jars(began, following_start) if number and known else ALL
            yield Process(
                self.number,
                first,
                following - 1,
                number,
                known,
                in_zookeeper,
                lived_until,
                ends_from,
                jars,
                takes_shown=first <= taken_until,
            )

    def _takes_shown_until(self) -> int:
        """Return until when files show the roles that the broker begins; a little beyond their last lines, which are
        about others.
        """
        own = {row["file"] for row in self.rows if row["kind"] == "wrote" and row["row"] in _TAKES}
        streams = {_stream(self.layout.files[index]) for index in own}
        files = [self.layout.files[index] for index in self.files]
        ends = (each.youngest for each in files if _stream(each) in streams and each.youngest is not None)
        return min(max((end + _NEAR for end in ends), default=_NO_START - 1), _NO_END)

    def _jars(self, began: int, following: int) -> int:
        """Return the possible releases of a process, by the versions that it printed between its start and the next."""
        own = (row for row in self.rows if row["kind"] == VERSION and row["ts"] is not None)
        printed = {row["releases"] for row in own if began <= row["ts"] < following and self._alone(row["file"])}
        return functools.reduce(operator.and_, printed, ALL) or ALL

    def _releases(self) -> int:
        """Return the releases that all its lines allow; any, if they contradict each other: it was upgraded."""
        masks = {row["releases"] for row in self.rows if row["kind"] == "wrote"}
        return functools.reduce(operator.and_, masks, ALL) or ALL

    def _alone(self, index: int) -> bool:
        """Return whether lines without a broker in a file belong to this one."""
        return len(self.speakers[_stream(self.layout.files[index])]) == 1

    def _last_of(self, of_mode: frozenset[str]) -> int:
        """Return the time of the last line that is printed in one mode only; before all lines if there is none."""
        own = [row for row in self.rows if row["kind"] == "wrote" and row["row"] in of_mode]
        return max((row["last_ts"] or _NO_START for row in own), default=_NO_START - 1)

    def known(self, starts: Iterable[Row]) -> tuple[int, int] | None:
        """Return the times between which every start of a process is in the files.

        server.log has lines all the time; the log of the controller's module may have nothing but the starts.
        """
        showing = {_stream(self.layout.files[row["file"]]) for row in starts} | self.naming
        files = [self.layout.files[index] for index in self.files]
        blocks = self.blocks()
        whole = [each for each in files if _stream(each) in showing and len(blocks[each.stream]) == 1]
        begins = [each.oldest for each in whole if each.oldest is not None]
        if self.lossy or not begins:
            return None
        ends = [each.youngest for each in whole if each.youngest is not None]
        without_server_log = any(_stream(each) not in self.naming for each in whole)
        return min(begins), _NO_END if without_server_log else max(ends)
