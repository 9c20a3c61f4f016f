"""Which lines belong together: tenures of controllers, and lives of clusters.

A *tenure* is one controller's time as controller under one epoch. A *life* is one history of a cluster, from its
creation to its wipe; the same file goes on after a wipe, so one file can hold several. Both are found from statements
"controller c has epoch e", which controllers make themselves (*runs*) and brokers repeat (*heard*). This is plain
Python over few rows, the same for every engine.

Order is the position in a file; files of one stream (one broker's rotated log) are ordered by their own first time
stamps; nothing compares clocks of two brokers.
"""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ....specs.behaviours import behaviour
from ....specs.machines import LEVELS
from ..files.file import CLOCK_PUT_BACK, UNKNOWN_LEVEL, LogFile
from .statements import Evidence, Heard, Run, narrowing, possible
from .streams import (
    News,
    Place,
    Reading,
    RunKey,
    heard,
    places,
    reading_of,
    run_key,
    streams,
)

DISORDERED = "its times go back: files were joined in another order than they were written in; lines may be missing"
BRIEF = 1_000
"""A tenure of so many milliseconds at most may log nothing below ERROR though its level is lower."""
_SILENT_START = behaviour("KAFKA-3143").releases
LINES_PER_FILE = 10**11
"""More than any file has: line + LINES_PER_FILE * (place of the file) orders the lines of a stream."""


@dataclass(frozen=True)
class Span:
    """A part of a tenure in one file.

    `base` + line grows along a stream; spans of one `block` have no file missing between. `known_since` is the first of
    the epochs that are followed here without a gap up to this one: nothing that a later one of them shows can be due to
    lines that are not there. `since`..`until` is where a line that names the controller only is of this tenure: up to
    the next epoch of the controller, and from the start of a file that goes on with the epoch of the file before.
    `disordered`: it is lossy for no other reason than that its times go back. `whole_block` would be its block if
    nobody had heard of another epoch in the middle of this one. `doubled`: what it tells, it tells twice.
    """

    cluster: int
    file: int
    first: int
    last: int
    controller: int
    epoch: int
    life: int
    tenure: int
    base: int
    block: int
    seen_level: str
    lossy: bool
    releases: int
    start_seen: bool
    known_since: int
    since: int
    until: int
    disordered: bool = False
    whole_block: int = 0
    doubled: bool = False
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class Turn:
    """A controller speaks under another epoch than before, in one stream.

    `new_life`: there is the evidence that a new life needs. `taken_back`: the epoch before comes again later, though
    nothing says that the cluster was wiped in between.
    """

    cluster: int
    file: int
    line: int
    ts: int | None
    controller: int
    controller_epoch: int
    before_controller_epoch: int
    new_life: bool
    taken_back: bool


@dataclass(frozen=True)
class Life:
    """One history of a cluster: who was controller in which epoch, and the files that say so."""

    life: int
    cluster: int
    epochs: Mapping[int, int]
    files: tuple[int, ...]
    why: str


@dataclass(frozen=True)
class Histories:
    """`notes` are a cluster's; `restarts`: per file the last line that speaks of the first epoch of a life."""

    spans: tuple[Span, ...]
    lives: tuple[Life, ...]
    turns: tuple[Turn, ...]
    notes: tuple[tuple[int, str], ...]
    restarts: Mapping[int, int] = field(default_factory=dict)


@dataclass
class _Strand:
    """What one stream shows of one life."""

    cluster: int
    directory: str
    stream: str
    why: str
    statements: dict[int, int] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    started: set[Run] = field(default_factory=set)
    blocks: dict[int, int] = field(default_factory=dict)
    files: set[int] = field(default_factory=set)

    def agrees(self, other: _Strand) -> bool:
        shared = self.statements.keys() & other.statements.keys()
        return bool(shared) and all(self.statements[epoch] == other.statements[epoch] for epoch in shared)

    def overlaps(self, other: _Strand) -> bool:
        """Whether their times overlap; asked of two files of one broker only, whose clock is one."""
        mine, theirs = self._times(), other._times()
        return mine is None or theirs is None or (mine[0] <= theirs[1] and theirs[0] <= mine[1])

    def _times(self) -> tuple[int, int] | None:
        firsts = [run.first_ts for run in self.runs if run.first_ts is not None]
        lasts = [run.last_ts for run in self.runs if run.last_ts is not None]
        return (min(firsts), max(lasts)) if firsts and lasts else None


def histories(files: Sequence[LogFile], runs: Iterable[Run], repeats: Iterable[Heard]) -> Histories:
    """Lives and tenures of all clusters, from what their files state."""
    by_file = {file.index: file for file in files}
    runs = tuple(runs)
    said: dict[int, list[Run | Heard]] = defaultdict(list)
    for run in runs:
        said[run.file].append(run)
    for statement in repeats:
        said[statement.file].append(statement)
    strands: list[_Strand] = []
    turns: list[Turn] = []
    chains = streams(files)
    broken = {file.index: file.broken for file in files}
    place = places(chains, broken)
    news = {key: each for chain in chains for key, each in heard(chain, said).items()}
    cuts = {index: set(lines) for index, lines in broken.items()}
    for each in (each for told in news.values() for each in told):
        cuts[each.file].add(each.line)
    stretched = places(chains, {index: sorted(lines) for index, lines in cuts.items()})
    for chain in chains:
        strands += _strands(chain, said, place, turns)
    disordered = [by_file[index] for index in sorted({run.file for run in runs if run.disordered})]
    notes = [(file.cluster, f"{file.path}: {DISORDERED}") for file in disordered]
    lives = _joined(strands, notes)
    spans: list[Span] = []
    found: list[Life] = []
    tenures: dict[tuple[int, int, int], int] = {}
    evidence: dict[tuple[int, int, int], tuple[Evidence, ...]] = {}
    for number, members in enumerate(lives, start=1):
        epochs: dict[int, int] = {}
        for strand in members:
            epochs |= strand.statements
        seen_in = sorted(set().union(*(strand.files for strand in members)))
        found.append(Life(number, members[0].cluster, dict(sorted(epochs.items())), tuple(seen_in), members[0].why))
        own: dict[tuple[int, int], list[Run]] = defaultdict(list)
        for run in (run for strand in members for run in strand.runs):
            own[run.epoch, run.controller].append(run)
        for (epoch, controller), parts in sorted(own.items()):
            tenures[number, epoch, controller] = len(tenures) + 1
            evidence[number, epoch, controller] = narrowing(each for run in parts for each in run.evidence)
        releases = {key[1:]: possible(each) for key, each in evidence.items() if key[0] == number}
        levels = [_level(strand, releases, by_file) for strand in members]
        readings = {key: reading_of(parts, by_file, notes) for key, parts in own.items()}
        known_since = _known_since(members, levels, releases, readings, by_file, place, news)
        for strand, level in zip(members, levels, strict=True):
            begun: dict[tuple[int, int, int], int] = {}
            for run in strand.runs:
                key = (number, run.epoch, run.controller)
                read = readings[run.epoch, run.controller]
                file = by_file[run.file]
                if file.stream not in read.streams:
                    continue
                at = stretched[run.file]
                if run in strand.started:
                    begun.setdefault(key, at.block(run.first))
                for first, last in at.stretches(run.first, run.last):
                    spans.append(
                        Span(
                            cluster=file.cluster,
                            file=run.file,
                            first=first,
                            last=last,
                            controller=run.controller,
                            epoch=run.epoch,
                            life=number,
                            tenure=tenures[key],
                            base=(read.streams.index(file.stream) * len(by_file) + at.index) * LINES_PER_FILE,
                            block=at.block(first),
                            seen_level=LEVELS[level[run.epoch, run.controller]],
                            lossy=file.lossy is not None
                            or run.disordered
                            or run.inserted
                            or file.stream in read.tangled,
                            releases=possible(evidence[key]),
                            start_seen=run in strand.started and at.block(first) == begun[key],
                            known_since=known_since[run.epoch],
                            since=first,
                            until=LINES_PER_FILE,
                            whole_block=place[run.file].block(first),
                            disordered=run.disordered and file.lossy is None and not read.tangled,
                            evidence=evidence[key],
                        )
                    )
    restarts: dict[int, int] = {}
    for young in (each for statements in said.values() for each in statements if each.epoch == 1):
        restarts[young.file] = max(restarts.get(young.file, 0), young.last)
    return Histories(tuple(_reaching(spans, by_file, place)), tuple(found), tuple(turns), tuple(notes), restarts)


def _reaching(spans: Sequence[Span], files: Mapping[int, LogFile], place: Mapping[int, Place]) -> list[Span]:
    """The spans with the lines between them given to one of the two, where that is certain."""
    of_speaker: dict[tuple[int, str, int], list[Span]] = defaultdict(list)
    for span in sorted(spans, key=lambda span: (place[span.file].index, span.first)):
        of_speaker[span.cluster, files[span.file].stream, span.controller].append(span)
    found = []
    for own in of_speaker.values():
        for i, span in enumerate(own):
            if i + 1 < len(own) and own[i + 1].file == span.file:
                span = replace(span, until=own[i + 1].first - 1)
            if i and own[i - 1].file != span.file and own[i - 1].tenure == span.tenure:
                span = replace(span, since=1)
            found.append(span)
    return found


def _strands(
    chain: list[LogFile],
    said: Mapping[int, list[Run | Heard]],
    place: Mapping[int, Place],
    turns: list[Turn],
) -> list[_Strand]:
    """Walk one stream; begin a new strand at each wipe, and at each fall that cannot be explained."""

    def begin(why: str) -> _Strand:
        return _Strand(chain[0].cluster, chain[0].directory, chain[0].stream, why)

    strands = [begin("first lines")]
    own: dict[int, int] = {}
    latest: dict[int, Run] = {}
    for file in chain:
        later = sorted(said[file.index], key=lambda s: (s.first, s.epoch))
        at = place[file.index]
        for i, statement in enumerate(later):
            strand = strands[-1]
            if isinstance(statement, Run):
                before = own.get(statement.controller)
                if statement.epoch == 0:
                    # A controller that has resigned forgets its epoch: what it still prints is no move, and no move of
                    # its epoch comes after it.
                    if before is not None and _moves_again(later[i + 1 :], statement, before):
                        turns.append(_turn(file, statement, before, new_life=False, taken_back=True))
                    continue
                holder = strand.statements.get(statement.epoch, statement.controller)
                former = latest.get(statement.controller)
                in_order = not _older(statement, former)
                if before is not None and former is not None and not in_order and _goes_on(former, later[i + 1 :]):
                    turns.append(_turn(file, statement, before, new_life=False, taken_back=True))
                    if holder == statement.controller:
                        strand.runs.append(replace(statement, inserted=True))
                    continue
                latest[statement.controller] = statement
                fell = before is not None and statement.epoch < before and in_order
                wiped = statement.epoch == 1 and statement.created > 0
                anew = statement.wiped or (wiped and (fell or holder != statement.controller))
                if before is not None and before != statement.epoch and in_order:
                    spoken_by = max((r.last for r in _runs_of(statement.controller, later[:i])), default=0)
                    restarted = any(s.epoch == 1 and s.last > spoken_by for s in later)
                    back = fell and not (anew or restarted) and _comes_again(later[i:], before)
                    turns.append(_turn(file, statement, before, anew, back))
                if anew or fell or holder != statement.controller:
                    strand = begin("epoch 1 again, topics created anew" if anew else "the controller epochs contradict")
                    strands.append(strand)
                    own = {}
                own[statement.controller] = statement.epoch
                strand.runs.append(statement)
                # The tenure begins here if an earlier epoch was spoken of before, with no file missing between.
                if any(e < statement.epoch and b == at.block(statement.first) for e, b in strand.blocks.items()):
                    strand.started.add(statement)
            elif strand.statements.get(statement.epoch, statement.controller) != statement.controller:
                strand = begin("another controller for the same epoch")
                strands.append(strand)
                own = {}
            strand.statements[statement.epoch] = statement.controller
            strand.blocks[statement.epoch] = at.block(statement.last)
            strand.files.add(file.index)
    return [strand for strand in strands if strand.statements]


def _older(run: Run, before: Run | None) -> bool:
    """Whether a run was written before the one that is before it in its file."""
    if before is None or before.file != run.file or before.first_ts is None or run.last_ts is None:
        return False
    return run.last_ts < before.first_ts - CLOCK_PUT_BACK


def _moves_again(later: Sequence[Run | Heard], run: Run, epoch: int) -> bool:
    """Whether the controller of a run moves or tells something under `epoch` after it."""
    own = _runs_of(run.controller, later)
    return any(each.epoch == epoch and each.moves and not _older(each, run) for each in own)


def _goes_on(run: Run, later: Sequence[Run | Heard]) -> bool:
    """Whether a run goes on where it was, after others of its controller that were written before it."""
    following = next((each for each in _runs_of(run.controller, later) if not _older(each, run)), None)
    if following is None or following.first_ts is None or run.last_ts is None:
        return False
    return following.epoch == run.epoch and run.last_ts <= following.first_ts


def _runs_of(controller: int, statements: Sequence[Run | Heard]) -> Iterator[Run]:
    return (each for each in statements if isinstance(each, Run) and each.controller == controller)


def _comes_again(statements: Sequence[Run | Heard], epoch: int) -> bool:
    """Whether the controller of the first statement has `epoch` again, before it creates anything.

    Asked only where nothing speaks of epoch 1 any more.
    """
    for run in _runs_of(statements[0].controller, statements):
        if run.epoch == epoch:
            return True
        if run.created:
            return False
    return False


def _turn(file: LogFile, run: Run, before: int, new_life: bool, taken_back: bool) -> Turn:
    return Turn(
        file.cluster, file.index, run.first, run.first_ts, run.controller, run.epoch, before, new_life, taken_back
    )


def _joined(strands: list[_Strand], notes: list[tuple[int, str]]) -> list[list[_Strand]]:
    """Join strands that agree on a statement, each the other's only candidate; else keep them apart and say so."""
    group = list(range(len(strands)))

    def root(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    statements = [dict(strand.statements) for strand in strands]
    of_cluster: dict[int, list[int]] = defaultdict(list)
    for i, strand in enumerate(strands):
        of_cluster[strand.cluster].append(i)

    def candidates(i: int, stream: str) -> list[int]:
        mine = strands[i]
        return [
            j
            for j in of_cluster[mine.cluster]
            if (other := strands[j]).stream == stream
            and mine.agrees(other)
            and (mine.directory != other.directory or mine.overlaps(other))
        ]

    for i, strand in enumerate(strands):
        for stream in sorted({strands[j].stream for j in of_cluster[strand.cluster]} - {strand.stream}):
            there = candidates(i, stream)
            if len(there) > 1 or (there and candidates(there[0], strand.stream) != [i]):
                both_ways = f"{strand.stream} and {stream}: more than one way to match their histories, so kept apart"
                note = strand.cluster, both_ways
                if strand.stream < stream and note not in notes:
                    notes.append(note)
                continue
            for j in there:
                a, b = sorted((root(i), root(j)))
                if a == b:
                    continue
                both = statements[a].keys() & statements[b].keys()
                if all(statements[a][epoch] == statements[b][epoch] for epoch in both):
                    group[b] = a
                    statements[a] |= statements[b]
    lives: dict[int, list[_Strand]] = defaultdict(list)
    for i, strand in enumerate(strands):
        lives[root(i)].append(strand)
    return [lives[key] for key in sorted(lives)]


def _level(
    strand: _Strand, releases: Mapping[tuple[int, int], int], files: Mapping[int, LogFile]
) -> dict[tuple[int, int], int]:
    """The lowest level logged, per (epoch, controller), of which `releases` tells what it may run.

    Levels change with a restart, by an upgrade to 2.6 or by hand, so a tenure's own lines tell. One that is too short
    to show its level has the stream's: up to 2.2 a failover may log an ERROR and nothing else.
    """
    one_release = functools.reduce(operator.and_, (releases[run.epoch, run.controller] for run in strand.runs), -1) != 0
    whole = min((files[run.file].level for run in strand.runs), default=UNKNOWN_LEVEL)
    tenures: dict[tuple[int, int], list[Run]] = defaultdict(list)
    for run in strand.runs:
        tenures[run.epoch, run.controller].append(run)
    levels: dict[tuple[int, int], int] = {}
    for key, runs in tenures.items():
        own = min(run.level for run in runs)
        times = [ts for run in runs for ts in (run.first_ts, run.last_ts) if ts is not None]
        brief = not times or max(times) - min(times) <= BRIEF
        levels[key] = whole if one_release and brief and releases[key] & _SILENT_START else own
    return levels


def _known_since(
    members: Sequence[_Strand],
    levels: Sequence[Mapping[tuple[int, int], int]],
    releases: Mapping[tuple[int, int], int],
    readings: Mapping[tuple[int, int], Reading],
    files: Mapping[int, LogFile],
    place: Mapping[int, Place],
    news: Mapping[RunKey, Sequence[News]],
) -> dict[int, int]:
    """Epoch -> the first epoch since which everything is here: tenures seen from their start, without a gap.

    Everything is what is created, elected and deleted: at a level that logs none of it, nothing is known. Nor is it of
    tenures that may be those of two lives, where something says that there may be two.
    """
    followed: dict[int, list[bool]] = defaultdict(list)
    started: dict[int, list[bool]] = defaultdict(list)
    told = ((run, each) for strand in members for run in strand.runs for each in news[run_key(run)])
    restarted = any(each.before_creation(run) for run, each in told)
    for strand, level in zip(members, levels, strict=True):
        parts: dict[tuple[int, int], list[Run]] = defaultdict(list)
        for run in strand.runs:
            read = readings[run.epoch, run.controller]
            stream = files[run.file].stream
            if files[run.file].machines and stream in read.streams and stream not in read.tangled:
                parts[run.epoch, run.controller].append(run)
        for (epoch, controller), runs in parts.items():
            blocks = {place[run.file].block(line) for run in runs for line in (run.first, run.last)}
            lossy = any(files[run.file].lossy or run.disordered or run.inserted for run in runs)
            shown = _creations_shown(level[epoch, controller], releases[epoch, controller])
            doubtful = restarted and any(news[run_key(run)] for run in runs)
            followed[epoch].append(len(blocks) == 1 and not lossy and shown and not doubtful)
            started[epoch].append(any(run in strand.started for run in runs))
    since: dict[int, int] = {}
    for epoch in sorted({run.epoch for strand in members for run in strand.runs}):
        whole = len(followed[epoch]) == 1 and all(followed[epoch])
        # One that is followed but not seen from its start can begin a known stretch; one with a gap cannot even that.
        continues = whole and all(started[epoch]) and epoch - 1 in since
        since[epoch] = since[epoch - 1] if continues else epoch if whole else epoch + 1
    return since


def _creations_shown(level: int, releases: int) -> bool:
    """Whether the level logs what the controller creates and elects: TRACE, since 2.6 (KAFKA-8470) INFO too."""
    at_info = level <= LEVELS.index("INFO") and releases & ~behaviour("KAFKA-8470").releases == 0
    return level == LEVELS.index("TRACE") or at_info
