"""The template's data about a report: texts and numbers, no markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .....specs.machines import machine, machine_names
from .....traces.place import Place
from .....traces.timeline import TimelineRow
from ....diagram.style import printable
from ...findings.finding import Finding
from ...findings.moves import Move
from ...rules.advice import Advice, advice
from ...rules.catalogue import rules
from ...rules.pages import headings, summary
from ..causes import Cause, severest_first
from ..chain import Chains
from ..encodable import Change
from ..forms import Lines
from ..happened_text import Line, chosen, in_headline, lines
from ..healing import HEALED, IN_SYNC, Healings, in_words
from ..metadata_text import metadata_text, records_text
from ..model import Report
from ..perfetto import offline_changes
from ..shown import and_more, count, partition_name, plain, printed
from ..terms import Key, by_partition
from ..text import ASSUMPTION, checked_in_words, state_of_cluster
from .deciding import Piece, pieces
from .given import row_below, shown_below
from .lanes import active_controllers, lanes
from .machines import drawing
from .next_fault import NextFault
from .partitions import partitions

_Pair = tuple[str, str]
_FINDINGS = 30
"""The most findings of a cause that are shown with their lines."""
_NAMED = 500
"""The most further findings that are shown as a line only."""
_HAPPENED = 60
"""The most things that happened that are shown."""
_GIST = 4
"""The most things that happened, and the most causes, that the first screen shows."""
_DRAWN = 5
"""The most clusters whose state machines are drawn: Graphviz takes a part of a second for each."""
_MARKS = 20_000
"""The most findings that have a mark on the timeline."""


@dataclass(frozen=True)
class ShownLine:
    """A line of a log."""

    number: int
    pieces: tuple[Piece, ...]
    """The text in parts, of which some decide the finding."""
    named: bool
    """True if evidence names the line; otherwise it is next to such a line."""


@dataclass(frozen=True)
class ShownPlace:
    """A place of a finding's evidence, with the lines around it."""

    role: str
    place: str
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True)
class ShownState:
    """A state of a finding's partition, before the finding or from then on."""

    role: str
    """"before" or "after"."""
    when: str
    leader: str
    isr: str
    leader_epoch: int
    version: str
    place: str


@dataclass(frozen=True)
class ShownFinding:
    """A finding."""

    id: str
    """Its address: the finding's fingerprint, which is the same in the next run."""
    finding: Finding
    topic: str
    brokers: str
    """The brokers that the finding is about, and the controller of its epoch."""
    when: str
    places: tuple[ShownPlace, ...]
    healing: str
    assumption: str
    states: tuple[ShownState, ...]
    """The states that the log shows last before the finding and first from then on."""
    partition: str
    """The key by which the script knows the finding's partition; empty if it is about none."""


@dataclass(frozen=True)
class NamedFinding:
    """A finding that is shown as a line only; the fields are those of ShownFinding."""

    id: str
    finding: Finding
    topic: str
    brokers: str


@dataclass(frozen=True)
class ShownCause:
    """A cause with its first findings in full."""

    cause: Cause
    sentence: str
    number: int
    when: str
    partitions: str
    then: tuple[str, ...]
    healing: str
    looks: str
    advice: Advice | None
    findings: tuple[ShownFinding, ...]
    named: tuple[NamedFinding, ...]
    """Further findings, as places only."""
    more: int
    """The number of findings beyond those."""


@dataclass(frozen=True)
class Cell:
    """A move of a matrix."""

    count: int
    allowed: bool
    """True if the table of any release has the move."""
    illegal: bool
    """True if such a move was illegal."""
    lines: str
    """The address of its first lines in the page; empty where there are none."""


@dataclass(frozen=True)
class ShownMove:
    """A move, and the first lines that show it: the place, then the text if it could be read again."""

    id: str
    source: str
    target: str
    more: int
    """The number of further lines."""
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """The number of times that each move of a state machine was made: a row for each state before, a column for each
    after.
    """

    title: str
    source: str
    drawing: str
    """An element that draws it; empty where Graphviz is missing."""
    states: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    moves: tuple[ShownMove, ...]


@dataclass(frozen=True)
class RulePage:
    """A rule's page, as paragraphs under headings."""

    code: str
    name: str
    summary: str
    parts: tuple[tuple[str, str], ...]
    issues: tuple[str, ...]
    advice: Advice | None


@dataclass(frozen=True)
class ClusterSection:
    """A section of the page."""

    id: str
    title: str
    report: Report
    causes: tuple[ShownCause, ...]
    gist: tuple[Line, ...]
    """The first of what happened, trouble before others."""
    happened: tuple[Line, ...]
    unsaid: int
    """The number of things that happened and are not shown."""
    trouble: str
    checked: str
    records: str
    state: tuple[str, ...]
    unknown: tuple[str, ...]
    matrices: tuple[Matrix, ...]
    brokers: Mapping[str, Any]
    pages: Sequence[Mapping[str, Any]]
    next_fault: NextFault | None


def cluster(
    number: int, title: str, whole: Report, context: Lines, cut: Change, next_fault: NextFault | None = None
) -> ClusterSection:
    """Return everything that the template and the script show of one report, its paths cut."""
    report = shown_below(whole, cut)
    uncut = Healings.of(report)
    healings = replace(uncut, rows={key: [row_below(row, cut) for row in rows] for key, rows in uncut.rows.items()})
    beside = _Beside(
        healings,
        Chains.of(report, healings),
        dict(by_partition(report.timeline or ())),
        {(life.life, each.epoch): each.controller for life in report.lives for each in life.epochs},
        _addresses(f"c{number}-" if number else "", report.findings),
        {cut(file) or file: lines for file, lines in context.items()},
        cut,
    )
    return ClusterSection(
        id=f"c{number}",
        title=plain(title),
        report=report,
        causes=tuple(_cause(index, each, beside) for index, each in enumerate(severest_first(report.findings), 1)),
        gist=tuple(chosen(every := lines(report.happened), _GIST)),
        happened=(shown := tuple(chosen(every, _HAPPENED))),
        unsaid=len(every) - len(shown),
        trouble=in_headline(report.happened),
        checked=checked_in_words(report.checked, metadata=report.metadata is not None),
        records="" if report.coverage.records is None else records_text(report.coverage.records),
        state=tuple(_state(report)),
        unknown=report.state.unknown,
        matrices=tuple(_matrices(report, f"c{number}", beside.context, drawn=number < _DRAWN)),
        brokers=_brokers(report, beside.addresses),
        pages=partitions(report, cut=cut),
        next_fault=next_fault,
    )


def begun(text: str) -> str:
    """Return a text as it begins a sentence. Names of partitions and files keep their case."""
    word = text.partition(" ")[0].rstrip(",;")
    return text[:1].upper() + text[1:] if word.isascii() and word.isalpha() else text


def _state(report: Report) -> Iterator[str]:
    """Yield lines about the state without those on what is not known: the page has these separately."""
    yield from (line for line in state_of_cluster(report).splitlines()[1:] if not line.startswith("  not known: "))
    for each in metadata_text(report.metadata or ()):
        yield from each.splitlines()


# ---- Causes and findings


@dataclass(frozen=True)
class _Beside:
    """A report, and the log, beside its findings."""

    healings: Healings
    chains: Chains
    histories: Mapping[Key, Sequence[TimelineRow]]
    controllers: Mapping[tuple[int, int], int]
    """Controllers by life and epoch."""
    addresses: Mapping[int, str]
    """Addresses of findings in the page, by `id` of the object."""
    context: Lines
    cut: Change


def _addresses(start: str, findings: Sequence[Finding]) -> dict[int, str]:
    """Return the address of each finding, from its fingerprint; findings that share one are numbered."""
    met: Counter[str] = Counter()
    found = {}
    for each in findings:
        name = f"{start}finding-{each.fingerprint}"
        met[name] += 1
        found[id(each)] = name if met[name] == 1 else f"{name}-{met[name]}"
    return found


def _cause(number: int, cause: Cause, beside: _Beside) -> ShownCause:
    shown, others = cause.findings[:_FINDINGS], cause.findings[_FINDINGS:]
    names = [partition_name(*each) for each in cause.partitions]
    healing = beside.healings.of_cause(cause)
    return ShownCause(
        cause=cause,
        sentence=begun(cause.sentence),
        number=number,
        when=" to ".join(dict.fromkeys(printed(ts) for ts in cause.times)),
        partitions=f"{count(len(names), 'partition')}: {and_more(names)}" if names else "",
        then=tuple(beside.chains.of_cause(cause)),
        healing=healing,
        looks=_looks(healing),
        advice=advice(rules()[cause.first.rule]),
        findings=tuple(_finding(each, beside) for each in shown),
        named=tuple(
            NamedFinding(beside.addresses[id(each)], each, plain(each.entity.topic or ""), _brokers_of(each, beside))
            for each in others[:_NAMED]
        ),
        more=max(0, len(others) - _NAMED),
    )


def _looks(healing: str) -> str:
    """Return the class of the sentence about what became of a cause.

    Replicas that are in sync again are neither good nor bad news about what an unclean election has lost.
    """
    return "healed" if healing.startswith(HEALED) else "quiet" if healing.startswith(IN_SYNC) else "unhealed"


def _brokers_of(finding: Finding, beside: _Beside) -> str:
    about = finding.entity
    controller = beside.controllers.get((finding.life or 1, finding.controller_epoch or 0))
    return " ".join(map(str, sorted({about.broker, about.replica, controller} - {None})))  # type: ignore[type-var]


def _finding(finding: Finding, beside: _Beside) -> ShownFinding:
    healing = beside.healings.healing(finding)
    about = finding.entity
    name = "" if about.topic is None or about.partition is None else f"{about.topic}-{about.partition}"
    return ShownFinding(
        id=beside.addresses[id(finding)],
        finding=finding,
        topic=plain(about.topic or ""),
        brokers=_brokers_of(finding, beside),
        when="" if finding.ts is None else printed(finding.ts),
        places=tuple(_places(finding, beside.context)),
        healing="" if healing is None else in_words(healing),
        assumption=ASSUMPTION[finding.assumption] if finding.assumption else "",
        states=tuple(
            _states(
                finding,
                beside.histories.get((finding.life or 1, about.topic or "", about.partition or 0), ()),
                beside.cut,
            )
        ),
        partition=f"{finding.life or 1} {name}" if name else "",
    )


def _places(finding: Finding, context: Lines) -> Iterator[ShownPlace]:
    """Yield the places of a finding; places of one file whose lines are close together are shown once."""
    named: dict[str, set[int]] = {}
    for each in finding.evidence:
        if each.place.line is not None and each.place.part is None:
            named.setdefault(each.place.file, set()).add(each.place.line)
    for each in finding.evidence:
        lines = tuple(_around(each.place, named, context, finding.rule))
        if each.role == "seen" and not lines and finding.excerpt:
            number = each.place.offset if each.place.line is None else each.place.line
            lines = (ShownLine(number or 0, pieces(finding.excerpt, finding.rule), True),)
        yield ShownPlace(each.role, str(each.place), lines)


def _around(place: Place, named: Mapping[str, set[int]], context: Lines, rule: str) -> Iterator[ShownLine]:
    texts = context.get(place.file, {})
    if place.offset is not None and place.offset in texts:
        yield ShownLine(place.offset, pieces(texts[place.offset], rule), True)
    if place.line is not None and place.part is None:
        for number in range(place.line - 3, place.line + 4):
            if number in texts:
                text, own = texts[number].expandtabs(4), number in named[place.file]
                yield ShownLine(number, pieces(text, rule) if own else ((text, ""),), own)


def _states(finding: Finding, history: Sequence[TimelineRow], cut: Change) -> Iterator[ShownState]:
    """Yield the state before a finding and the one from then on, by the times that the lines print."""
    if finding.ts is None:
        return
    timed = [row for row in history if row.ts is not None]
    before = [row for row in timed if (row.ts or 0) < finding.ts]
    after = [row for row in timed if (row.ts or 0) >= finding.ts]
    for role, rows in (("before", before[-1:]), ("after", after[:1])):
        for row in rows:
            yield ShownState(
                role,
                printed(row.ts or 0),
                "none" if row.leader < 0 else str(row.leader),
                "?" if row.isr is None else ", ".join(map(str, row.isr)) or "empty",
                row.leader_epoch,
                "" if row.partition_epoch is None else str(row.partition_epoch),
                str(row_below(row, cut).place),
            )


# ---- Rules and state machines


def rule_page(code: str) -> RulePage:
    """Return the page of a rule: its docstring, split at its headings."""
    rule = rules()[code]
    heads = headings(rule)
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in rule.page.splitlines()[1:]:
        if line in heads:
            parts.append((line, []))
        else:
            parts[-1][1].append(line.strip())
    paragraphs = tuple((head, " ".join(filter(None, lines))) for head, lines in parts)
    return RulePage(code, rule.name, summary(rule), tuple(p for p in paragraphs if p[1]), rule.issues, advice(rule))


def _matrices(report: Report, cluster_id: str, context: Lines, *, drawn: bool) -> Iterator[Matrix]:
    for name in machine_names():
        made = {(each.source, each.target): each for each in report.transitions if each.machine == name}
        if not made:
            continue
        table = machine(name)
        allowed = {(source, row.target) for row in table.rows for source in row.previous}
        states = tuple(state.name for state in table.states)
        states += tuple(sorted({end for pair in made for end in pair} - set(states)))
        ids = {
            pair: f"{cluster_id}-{name}-move-{number}" for number, pair in enumerate(made, 1) if made[pair].first_lines
        }
        yield Matrix(
            table.title,
            table.source,
            drawing(name, tuple(made.values()), report.releases) if drawn else "",
            states,
            tuple((source, tuple(_cell((source, to), made, allowed, ids) for to in states)) for source in states),
            tuple(_shown_move(made[pair], own, context) for pair, own in ids.items()),
        )


def _cell(pair: _Pair, made: Mapping[_Pair, Move], allowed: Collection[_Pair], ids: Mapping[_Pair, str]) -> Cell:
    move = made.get(pair)
    if move is None:
        return Cell(0, pair in allowed, illegal=False, lines="")
    return Cell(move.count, pair in allowed, move.illegal, ids.get(pair, ""))


def _shown_move(move: Move, id: str, context: Lines) -> ShownMove:
    lines = [f"{place}  {context.get(place.file, {}).get(place.line or 0, '')}" for place in move.first_lines]
    ends = printable(move.source), printable(move.target)
    return ShownMove(id, *ends, move.count - len(lines), tuple(plain(each.rstrip()) for each in lines))


# ---- The timeline


def _brokers(report: Report, addresses: Mapping[int, str]) -> dict[str, Any]:
    """Return the timeline's data; times in milliseconds as printed."""
    timed = [each for each in report.findings if each.ts is not None]
    drawn = lanes(report)
    number = {lane.name: index for index, lane in enumerate(drawn)}
    return {
        "lanes": [
            [lane.name, [[each.first, each.last, each.kind, each.text] for each in lane.spells]] for lane in drawn
        ],
        "active": [
            [number[each.lane], each.epoch, each.first, each.last, each.fails_over, each.text]
            for each in active_controllers(report)
        ],
        "offline": offline_changes(report),
        "marks": [
            [each.ts, each.rule, each.verdict, plain(each.message)[:200], addresses[id(each)]]
            for each in timed[:_MARKS]
        ],
        "trouble": [
            [line.first.since, number, plain(line.sentence)[:200]]
            for number, line in enumerate(chosen(lines(report.happened), _HAPPENED), 1)
            if line.trouble and line.first.since is not None
        ],
    }
