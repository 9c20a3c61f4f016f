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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...specs.machines import LEVELS
from ...specs.releases import ALL

UNKNOWN_LEVEL = LEVELS.index("ERROR")
"""The level of a file that shows none: nothing below ERROR is taken to be logged. Levels are indices into LEVELS."""
LINES_PER_FILE = 10**11
"""More than any file has: line + LINES_PER_FILE * (place of the file) orders the lines of a stream."""


@dataclass(frozen=True)
class LogFile:
    """One file, as the readers saw it. `stream` names the log that it is a part of, without rotation."""

    index: int
    cluster: int
    path: str
    directory: str
    stream: str
    first_ts: int | None = None
    hour: int | None = None
    level: int = UNKNOWN_LEVEL
    lossy: str | None = None


@dataclass(frozen=True)
class Evidence:
    """A line whose wording only `releases` (a mask) print."""

    file: int
    line: int
    row: str
    releases: int


def narrowing(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The evidence that matters: each narrows the set of releases further than those before it, most telling first."""
    left = ALL
    kept = []
    for each in sorted(evidence, key=lambda e: (e.releases.bit_count(), e.file, e.line)):
        if left & each.releases != left:
            left &= each.releases
            kept.append(each)
    return tuple(kept)


def possible(evidence: Iterable[Evidence]) -> int:
    """The releases that all of the evidence allows."""
    return functools.reduce(operator.and_, (each.releases for each in evidence), ALL)


@dataclass(frozen=True)
class Run:
    """Lines first..last of one file in which `controller` says that it has `epoch`; no other epoch of it between."""

    file: int
    first: int
    last: int
    controller: int
    epoch: int
    first_ts: int | None
    last_ts: int | None
    level: int
    created: int
    evidence: tuple[Evidence, ...] = ()
    wiped: bool = False

    @property
    def releases(self) -> int:
        return possible(self.evidence)


@dataclass(frozen=True)
class Heard:
    """Lines first..last of one file in which a broker names `controller` and its `epoch`."""

    file: int
    first: int
    last: int
    controller: int
    epoch: int


@dataclass(frozen=True)
class Span:
    """A part of a tenure in one file.

    `base` + line grows along a stream; spans of one `block` have no file missing between. `known_since` is the first of
    the epochs that are followed here without a gap up to this one: nothing that a later one of them shows can be due to
    lines that are not there. `since`..`until` is where a line that names the controller only is of this tenure: up to
    the next epoch of the controller, and from the start of a file that goes on with the epoch of the file before.
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
    """`restarts`: per file the last line that speaks of the first epoch of a life."""

    spans: tuple[Span, ...]
    lives: tuple[Life, ...]
    turns: tuple[Turn, ...]
    notes: tuple[str, ...]
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


def histories(files: Sequence[LogFile], runs: Iterable[Run], heard: Iterable[Heard]) -> Histories:
    """Lives and tenures of all clusters, from what their files state."""
    by_file = {file.index: file for file in files}
    said: dict[int, list[Run | Heard]] = defaultdict(list)
    for run in runs:
        said[run.file].append(run)
    for statement in heard:
        said[statement.file].append(statement)
    strands: list[_Strand] = []
    turns: list[Turn] = []
    place: dict[int, tuple[int, int]] = {}
    for chain in _streams(files):
        place |= _places(chain)
        strands += _strands(chain, said, place, turns)
    notes: list[str] = []
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
        known_since = _known_since(members, by_file, place)
        for strand in members:
            level = _level(strand, by_file)
            for run in strand.runs:
                key = (number, run.epoch, run.controller)
                index, block = place[run.file]
                file = by_file[run.file]
                spans.append(
                    Span(
                        cluster=file.cluster,
                        file=run.file,
                        first=run.first,
                        last=run.last,
                        controller=run.controller,
                        epoch=run.epoch,
                        life=number,
                        tenure=tenures[key],
                        base=index * LINES_PER_FILE,
                        block=block,
                        seen_level=LEVELS[level[run.epoch, run.controller]],
                        lossy=file.lossy is not None,
                        releases=possible(evidence[key]),
                        start_seen=run in strand.started,
                        known_since=known_since[run.epoch],
                        since=run.first,
                        until=LINES_PER_FILE,
                        evidence=evidence[key],
                    )
                )
    restarts: dict[int, int] = {}
    for first in (each for own in said.values() for each in own if each.epoch == 1):
        restarts[first.file] = max(restarts.get(first.file, 0), first.last)
    return Histories(tuple(_reaching(spans, by_file)), tuple(found), tuple(turns), tuple(notes), restarts)


def _reaching(spans: Sequence[Span], files: Mapping[int, LogFile]) -> list[Span]:
    """The spans with the lines between them given to one of the two, where that is certain."""
    of_speaker: dict[tuple[int, str, int], list[Span]] = defaultdict(list)
    for span in sorted(spans, key=lambda span: span.base + span.first):
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


def _streams(files: Sequence[LogFile]) -> list[list[LogFile]]:
    """The files of each stream, oldest first. A file without a time stamp comes first: it says nothing anyway."""
    chains: dict[tuple[int, str], list[LogFile]] = defaultdict(list)
    for file in files:
        chains[file.cluster, file.stream].append(file)
    for chain in chains.values():
        chain.sort(key=lambda file: (file.first_ts or 0, file.path))
    return [chains[key] for key in sorted(chains)]


def _places(chain: list[LogFile]) -> dict[int, tuple[int, int]]:
    """File -> (its place in the stream, its block). A new block begins after a rotation hour that is not there."""
    places: dict[int, tuple[int, int]] = {}
    block = 0
    for i, file in enumerate(chain):
        if i and _hour_missing(chain[i - 1], file):
            block += 1
        places[file.index] = (i, block)
    return places


def _hour_missing(before: LogFile, after: LogFile) -> bool:
    return before.hour is not None and after.hour is not None and after.hour > before.hour + 1


def _strands(
    chain: list[LogFile],
    said: Mapping[int, list[Run | Heard]],
    place: Mapping[int, tuple[int, int]],
    turns: list[Turn],
) -> list[_Strand]:
    """Walk one stream; begin a new strand at each wipe, and at each fall that cannot be explained."""

    def begin(why: str) -> _Strand:
        return _Strand(chain[0].cluster, chain[0].directory, chain[0].stream, why)

    strands = [begin("first lines")]
    own: dict[int, int] = {}
    for file in chain:
        later = sorted(said[file.index], key=lambda s: (s.first, s.epoch))
        for i, statement in enumerate(later):
            strand = strands[-1]
            if isinstance(statement, Run):
                before = own.get(statement.controller)
                holder = strand.statements.get(statement.epoch, statement.controller)
                fell = before is not None and statement.epoch < before
                wiped = statement.epoch == 1 and statement.created > 0
                anew = statement.wiped or (wiped and (fell or holder != statement.controller))
                if before is not None and before != statement.epoch:
                    spoken_by = max((r.last for r in later[:i] if _is_run_of(statement.controller, r)), default=0)
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
                if any(e < statement.epoch and b == place[file.index][1] for e, b in strand.blocks.items()):
                    strand.started.add(statement)
            elif strand.statements.get(statement.epoch, statement.controller) != statement.controller:
                strand = begin("another controller for the same epoch")
                strands.append(strand)
                own = {}
            strand.statements[statement.epoch] = statement.controller
            strand.blocks[statement.epoch] = place[file.index][1]
            strand.files.add(file.index)
    return [strand for strand in strands if strand.statements]


def _is_run_of(controller: int, statement: Run | Heard) -> bool:
    return isinstance(statement, Run) and statement.controller == controller


def _comes_again(statements: Sequence[Run | Heard], epoch: int) -> bool:
    """Whether the controller of the first statement has `epoch` again, before it creates anything.

    Asked only where nothing speaks of epoch 1 any more.
    """
    controller = statements[0].controller
    for statement in statements:
        if isinstance(statement, Run) and statement.controller == controller:
            if statement.epoch == epoch:
                return True
            if statement.created:
                return False
    return False


def _turn(file: LogFile, run: Run, before: int, new_life: bool, taken_back: bool) -> Turn:
    return Turn(
        file.cluster, file.index, run.first, run.first_ts, run.controller, run.epoch, before, new_life, taken_back
    )


def _joined(strands: list[_Strand], notes: list[str]) -> list[list[_Strand]]:
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
        streams = sorted({strands[j].stream for j in of_cluster[strand.cluster]} - {strand.stream})
        for stream in streams:
            there = candidates(i, stream)
            if len(there) > 1 or (there and candidates(there[0], strand.stream) != [i]):
                note = f"{strand.stream} and {stream}: more than one way to match their histories, so kept apart"
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


def _level(strand: _Strand, files: Mapping[int, LogFile]) -> dict[tuple[int, int], int]:
    """The lowest level logged, per (epoch, controller).

    A process logs at one level, and a tenure may be too short to show it, so the whole stream is asked; unless its
    lines come from releases that have nothing in common: then a tenure's own lines must do, because an upgrade to 2.6
    turns the default from TRACE to INFO.
    """
    one_release = functools.reduce(operator.and_, (run.releases for run in strand.runs), -1) != 0
    whole = min((files[run.file].level for run in strand.runs), default=UNKNOWN_LEVEL)
    levels: dict[tuple[int, int], int] = {}
    for run in strand.runs:
        key = (run.epoch, run.controller)
        levels[key] = whole if one_release else min(levels.get(key, UNKNOWN_LEVEL), run.level)
    return levels


def _known_since(
    members: Sequence[_Strand], files: Mapping[int, LogFile], place: Mapping[int, tuple[int, int]]
) -> dict[int, int]:
    """Epoch -> the first epoch since which everything is here: tenures seen from their start, without a gap."""
    followed: dict[int, list[bool]] = defaultdict(list)
    started: dict[int, list[bool]] = defaultdict(list)
    for strand in members:
        parts: dict[int, list[Run]] = defaultdict(list)
        for run in strand.runs:
            parts[run.epoch].append(run)
        for epoch, runs in parts.items():
            # A log without lines of the state machines (controller.log) says nothing about which of them are missing.
            if any(files[run.file].level != UNKNOWN_LEVEL for run in runs):
                one_block = len({place[run.file][1] for run in runs}) == 1
                followed[epoch].append(one_block and not any(files[run.file].lossy for run in runs))
                started[epoch].append(any(run in strand.started for run in runs))
    since: dict[int, int] = {}
    for epoch in sorted({run.epoch for strand in members for run in strand.runs}):
        whole = bool(followed[epoch]) and all(followed[epoch])
        # One that is followed but not seen from its start can begin a known stretch; one with a gap cannot even that.
        continues = whole and all(started[epoch]) and epoch - 1 in since
        since[epoch] = since[epoch - 1] if continues else epoch if whole else epoch + 1
    return since
