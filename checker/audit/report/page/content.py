"""The template's data about a report: texts and numbers, no markup."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .....specs.machines import machine, machine_names
from .....traces.place import Place
from ...findings.finding import Finding
from ...findings.moves import Move
from ...rules.advice import Advice, advice
from ...rules.catalogue import rules
from ...rules.pages import headings, summary
from ..causes import Cause, severest_first
from ..chain import Chains
from ..forms import Lines
from ..happened_text import Line, chosen, in_headline, lines
from ..healing import HEALED, IN_SYNC, Healings, in_words
from ..metadata_text import metadata_text, records_text
from ..model import Report
from ..perfetto import offline_changes
from ..shown import and_more, count, partition_name, plain, printed
from ..text import ASSUMPTION, checked_in_words, state_of_cluster, unknown_of
from .lanes import active_controllers, lanes
from .partitions import partitions

_Pair = tuple[str, str]
_FINDINGS = 30
"""The most findings of a cause that are shown with their lines."""
_NAMED = 500
"""The most further findings that are shown as a line only."""
_HAPPENED = 60
"""The most things that happened that are shown."""
_MARKS = 20_000
"""The most findings that have a mark on the timeline."""


@dataclass(frozen=True)
class ShownLine:
    """A line of a log."""

    number: int
    text: str
    named: bool
    """True if evidence names the line; otherwise it is next to such a line."""


@dataclass(frozen=True)
class ShownPlace:
    """A place of a finding's evidence, with the lines around it."""

    role: str
    place: str
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True)
class ShownFinding:
    """A finding."""

    finding: Finding
    when: str
    places: tuple[ShownPlace, ...]
    healing: str
    assumption: str
    partition: str
    """The key by which the script knows the finding's partition; empty if it is about none."""


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
    named: tuple[tuple[str, str], ...]
    """Further findings, as places only."""
    more: int
    """The number of findings beyond those."""


@dataclass(frozen=True)
class Matrix:
    """The number of times that each move of a state machine was made: a row for each state before, a column for each
    after.
    """

    title: str
    source: str
    states: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[int, bool, bool], ...]], ...]
    """A cell has a count, whether the table of any release allows the move, and whether such a move was illegal."""


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


def cluster(number: int, title: str, report: Report, context: Lines) -> ClusterSection:
    """Return everything that the template and the script show of one report."""
    healings = Healings.of(report)
    chains = Chains.of(report, healings)
    return ClusterSection(
        id=f"c{number}",
        title=plain(title),
        report=report,
        causes=tuple(
            _cause(index, each, healings, chains, context)
            for index, each in enumerate(severest_first(report.findings), 1)
        ),
        happened=(shown := tuple(chosen(every := lines(report.happened), _HAPPENED))),
        unsaid=len(every) - len(shown),
        trouble=in_headline(report.happened),
        checked=checked_in_words(report.checked, metadata=report.metadata is not None),
        records="" if report.coverage.records is None else records_text(report.coverage.records),
        state=tuple(_state(report)),
        unknown=unknown_of(report),
        matrices=tuple(_matrices(report)),
        brokers=_brokers(report),
        pages=partitions(report),
    )


def _state(report: Report) -> Iterator[str]:
    """Yield lines about the state without those on what is not known: the page has these separately."""
    yield from (line for line in state_of_cluster(report).splitlines()[1:] if not line.startswith("  not known: "))
    for each in metadata_text(report.metadata or ()):
        yield from each.splitlines()


# ---- Causes and findings


def _cause(number: int, cause: Cause, healings: Healings, chains: Chains, context: Lines) -> ShownCause:
    shown, others = cause.findings[:_FINDINGS], cause.findings[_FINDINGS:]
    names = [partition_name(*each) for each in cause.partitions]
    healing = healings.of_cause(cause)
    return ShownCause(
        cause=cause,
        sentence=cause.sentence_alone,
        number=number,
        when=" to ".join(dict.fromkeys(printed(ts) for ts in cause.times)),
        partitions=f"{count(len(names), 'partition')}: {and_more(names)}" if names else "",
        then=tuple(chains.of_cause(cause)),
        healing=healing,
        looks=_looks(healing),
        advice=advice(rules()[cause.first.rule]),
        findings=tuple(_finding(each, healings, context) for each in shown),
        named=tuple((str(each.place), each.message) for each in others[:_NAMED]),
        more=max(0, len(others) - _NAMED),
    )


def _looks(healing: str) -> str:
    """Return the class of the sentence about what became of a cause.

    Replicas that are in sync again are neither good nor bad news about what an unclean election has lost.
    """
    return "healed" if healing.startswith(HEALED) else "quiet" if healing.startswith(IN_SYNC) else "unhealed"


def _finding(finding: Finding, healings: Healings, context: Lines) -> ShownFinding:
    healing = healings.healing(finding)
    about = finding.entity
    name = "" if about.topic is None or about.partition is None else f"{about.topic}-{about.partition}"
    return ShownFinding(
        finding=finding,
        when="" if finding.ts is None else printed(finding.ts),
        places=tuple(_places(finding, context)),
        healing="" if healing is None else in_words(healing),
        assumption=ASSUMPTION[finding.assumption] if finding.assumption else "",
        partition=f"{finding.life or 1} {name}" if name else "",
    )


def _places(finding: Finding, context: Lines) -> Iterator[ShownPlace]:
    """Yield the places of a finding; places of one file whose lines are close together are shown once."""
    named: dict[str, set[int]] = {}
    for each in finding.evidence:
        if each.place.line is not None and each.place.part is None:
            named.setdefault(each.place.file, set()).add(each.place.line)
    for each in finding.evidence:
        lines = tuple(_around(each.place, named, context))
        if each.role == "seen" and not lines and finding.excerpt:
            number = each.place.offset if each.place.line is None else each.place.line
            lines = (ShownLine(number or 0, finding.excerpt, True),)
        yield ShownPlace(each.role, str(each.place), lines)


def _around(place: Place, named: Mapping[str, set[int]], context: Lines) -> Iterator[ShownLine]:
    if place.line is not None and place.part is None:
        texts = context.get(place.file, {})
        for number in range(place.line - 3, place.line + 4):
            if number in texts:
                yield ShownLine(number, texts[number].expandtabs(4), number in named[place.file])


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


def _matrices(report: Report) -> Iterator[Matrix]:
    for name in machine_names():
        made = {(each.source, each.target): each for each in report.transitions if each.machine == name}
        if not made:
            continue
        table = machine(name)
        allowed = {(source, row.target) for row in table.rows for source in row.previous}
        states = tuple(state.name for state in table.states)
        states += tuple(sorted({end for pair in made for end in pair} - set(states)))
        yield Matrix(
            table.title,
            table.source,
            states,
            tuple((source, tuple(_cell((source, to), made, allowed) for to in states)) for source in states),
        )


def _cell(pair: _Pair, made: Mapping[_Pair, Move], allowed: Collection[_Pair]) -> tuple[int, bool, bool]:
    move = made.get(pair)
    return (0, pair in allowed, False) if move is None else (move.count, pair in allowed, move.illegal)


# ---- The timeline


def _brokers(report: Report) -> dict[str, Any]:
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
        "marks": [[each.ts, each.rule, each.verdict, plain(each.message)[:200]] for each in timed[:_MARKS]],
        "trouble": [
            [line.first.since, number, plain(line.sentence)[:200]]
            for number, line in enumerate(chosen(lines(report.happened), _HAPPENED), 1)
            if line.trouble and line.first.since is not None
        ],
    }
