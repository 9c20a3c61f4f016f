"""`isrproof validate`: whether some run of a model writes a log."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..arguments import Seconds
from ..conformance import MOST_STATES
from ..deadline import MemoryIsFull, TimeIsUp, within
from ..failure import say, say_json
from ..model_options import WITH, WITHOUT, failures
from ..progress import showing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...model.family import Family
    from ...model.protocol import Model
    from ...specs.releases import Release
    from ..conformance import lazy
    from ..conformance.creations import Extent
    from ..conformance.evidence import Evidence, NotDecidedError
    from ..conformance.lines import PlacedEvent
    from ..conformance.validate import Validation

EXIT = {"accepted": 0, "rejected": 1, "unknown": 3}


@click.command()
@click.argument("model")
@click.argument("logs", nargs=-1, required=True, metavar="LOGS...")
@click.option("--release", help="The Kafka release that ran; default: the newest that prints these lines.")
@WITHOUT
@WITH
@click.option("--level", help="The lowest level that state.change.logger prints; default: the lowest in the logs.")
@click.option(
    "--brokers", is_flag=True,
    help="Also compare brokers' lines: LeaderAndIsr requests and ISR changes. The brokers' clocks must agree.",
)  # fmt: skip
@click.option(
    "--max-states", type=click.IntRange(min=1), default=MOST_STATES, show_default=True,
    help="Answer unknown if a run may be in more states than this between two lines.",
)  # fmt: skip
@click.option(
    "--max-seconds", type=Seconds(0, min_open=True), default=300, show_default=True, metavar="SECONDS",
    help="Answer unknown after this time, and how far a run was found.",
)  # fmt: skip
@click.option(
    "--max-memory", type=click.IntRange(1), default=2_000, show_default=True, metavar="MB",
    help="Answer unknown once this process has taken so much memory, and how far a run was found.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(**options: Any) -> None:
    """Search for a run of MODEL that writes LOGS: the files, or folders, of all brokers of one cluster.

    MODEL is cluster, kraft, or your own model whose steps print lines (FILE.py:NAME or package.module:NAME,
    docs/language.md).

    `validate` compares the lines of the controllers' state machines, from the first controller on. A rejection names
    the first line that no run writes, and the guard clause that forbids it. Steps that write nothing may lie between
    lines. With --brokers all lines are taken in the order of their times.

    For MODEL kraft, LOGS are the metadata folders of the nodes: each committed record that changes a broker or a
    partition must be a step of KRaft's controller at its release and metadata.version.

    Exit codes: 0 accepted, 1 rejected, 2 misuse, 3 not decided.
    """
    far = options["far"] = _HowFar()
    try:
        with failures(options["as_json"]), showing(far.text), within(options["max_seconds"], options["max_memory"]):
            code = _metadata(options) if options["model"] == "kraft" else _run(options)
    except TimeIsUp:
        code = _unknown(options, f"stopped after {options['max_seconds']:g} seconds (--max-seconds); {far.text()}")
    except MemoryIsFull:
        code = _unknown(options, f"stopped at {options['max_memory']:,} MB (--max-memory); {far.text()}")
    except KeyboardInterrupt:
        code = _unknown(options, f"interrupted; {far.text()}")
    raise SystemExit(code)


def _unknown(options: dict[str, Any], reason: str) -> int:
    """Print how far a search got that was stopped."""
    far = options["far"]
    if options["as_json"]:
        say_json({"verdict": "unknown", "reason": reason, "matched": far.most, "compared": len(far.lines)})
    else:
        say(f"{options['model']}: unknown\n  {reason}")
    return EXIT["unknown"]


class _HowFar:
    """The lines that a run of some model writes, and the place of the first that none has written yet."""

    def __init__(self) -> None:
        self.lines: Sequence[PlacedEvent] = ()
        self.most = 0

    def among(self, lines: Sequence[PlacedEvent]) -> lazy.Note:
        """Return what notes the number of lines that a run writes."""
        self.lines = lines

        def note(written: int) -> None:
            self.most = max(self.most, written)

        return note

    def text(self) -> str:
        if not self.lines:
            return "reading the logs"
        ahead = f", up to {self.lines[self.most].place}" if self.most < len(self.lines) else ""
        return f"some run writes the first {self.most:,} of {len(self.lines):,} lines{ahead}"


def _writing(name: str) -> Model:
    """The model of that name, whose steps print lines."""
    from ...model.catalogue import model
    from ...specs.errors import IsrproofError

    found = model(name)
    if not any(each.prints for each in found.actions):
        raise IsrproofError(
            f"expected kraft, cluster, or your own model whose steps print lines (FILE.py:NAME), got {name}, "
            "whose steps declare no lines"
        )
    return found


def _run(options: dict[str, Any]) -> int:
    from ...model.cluster.cluster import CLUSTER
    from ...specs.errors import unknown
    from ...specs.machines import LEVELS
    from ...specs.releases import ALL, release
    from ..conformance import read
    from ..conformance.evidence import NotDecidedError
    from ..conformance.validate import Told, anything, validate

    family = CLUSTER if options["model"] == CLUSTER.name else None
    own = _writing(options["model"]) if family is None else None
    evidence = read.read(options["logs"])
    known = ALL if family is None else family.releases
    row = release(options["release"]) if options["release"] else read.release_of(evidence, known)
    level = (options["level"] or read.level_of(evidence, row)).upper()
    if level not in LEVELS:
        raise unknown("level", level, LEVELS)
    chosen: Model | None
    try:
        if own is not None:
            chosen, verdict = (
                own,
                validate(
                    own,
                    row,
                    evidence,
                    level,
                    Told(anything),
                    brokers=options["brokers"],
                    most=options["max_states"],
                    note=options["far"].among(evidence.compared),
                ),
            )
        else:
            chosen, verdict = _of_family(CLUSTER, row, evidence, level, options)
    except NotDecidedError as error:
        chosen, verdict = own, _not_decided(evidence, error)
    _print(verdict, row.name, level, chosen, options)
    return EXIT[verdict.verdict]


def _not_decided(evidence: Evidence, error: NotDecidedError) -> Validation:
    from ..conformance.validate import Validation

    return Validation("unknown", 0, 0, evidence.lines, reason=str(error), gave_up=True)


class _Found(NamedTuple):
    """The verdict of one of the models that a log may be of, after an effort; no model: it is not for this log."""

    model: Model | None
    parts: Sequence[str]
    verdict: Validation


def _of_family(
    family: Family, row: Release, evidence: Evidence, level: str, options: dict[str, Any]
) -> tuple[Model | None, Validation]:
    """Return the model with the parts that the log needs, and its verdict: possible models are tried in turn."""
    from ...model.cluster.effects import UNCLEAN
    from ..conformance import cluster, undecided

    scopes = cluster.scopes(evidence, options["brokers"])
    searches = []
    for scope, unclean in itertools.product(scopes, ([], [UNCLEAN])):
        needed = _parts(evidence, scope, options)
        if unclean and {UNCLEAN} & {*needed, *options["without"]}:
            continue  # no log shows whether unclean elections are enabled: it is rejected with and without them
        searches.append(_searched(family, row, evidence, level, scope, [*needed, *unclean], options))
    last: dict[int, _Found] = {}
    for number, found in _in_turn(searches):
        if _is_decided(found.verdict):
            return found.model, found.verdict
        last[number] = found
    model, parts, verdict = max(last.values(), key=_how_far)
    why = undecided.undecided(evidence, parts, verdict) if verdict.verdict == "rejected" else ""
    return model, verdict._replace(verdict="unknown", guard=None, reason=why) if why else verdict


def _parts(evidence: Evidence, scope: Extent, options: dict[str, Any]) -> list[str]:
    from ..conformance import cluster

    wanted = (*cluster.parts(evidence, options["brokers"], scope), *options["adding"])
    return [each for each in dict.fromkeys(wanted) if each not in options["without"]]


def _searched(
    family: Family, row: Release, evidence: Evidence, level: str,
    scope: Extent, parts: Sequence[str], options: dict[str, Any],
) -> Iterator[_Found]:  # fmt: skip
    """Yield what is found with one model, after each of the efforts."""
    from ..conformance import cluster
    from ..conformance.evidence import NotDecidedError
    from ..conformance.validate import verdicts

    model = family.model(row.name, options["without"], parts)
    brokers, most = options["brokers"], options["max_states"]
    try:
        told = cluster.told(evidence, scope, parts)
        note = options["far"].among(evidence.with_brokers if brokers else evidence.compared)
        for verdict in verdicts(model, row, evidence, level, told, family.actor, brokers, most, note):
            yield _Found(model, parts, verdict)
    except NotDecidedError as error:
        yield _Found(None, parts, _not_decided(evidence, error))


def _in_turn(searches: Sequence[Iterator[_Found]]) -> Iterator[tuple[int, _Found]]:
    """Yield what the searches find, by their numbers: round by round one effort of each, the next of which costs more.

    Each begins a round after the one before it, for most logs are of the first models.
    """
    left: dict[int, Iterator[_Found]] = {}
    for begun in itertools.count():
        left |= dict(enumerate(searches[begun : begun + 1], start=begun))
        for number, search in list(left.items()):
            found = next(search, None)
            if found is None:
                del left[number]
            else:
                yield number, found
        if not left:
            return


def _is_decided(verdict: Validation) -> bool:
    """Check that a wider model finds nothing more: a run is found, or the log shows what no model follows."""
    return verdict.verdict != "rejected" and not verdict.gave_up


def _how_far(found: _Found) -> tuple[int, int]:
    return ("rejected", "unknown", "accepted").index(found.verdict.verdict), found.verdict.matched


def _metadata(options: dict[str, Any]) -> int:
    """Validate a metadata log against the model of KRaft's controller."""
    from ...model.kraft.kraft import KRAFT
    from ..conformance.metadata.contexts import Choices
    from ..conformance.metadata.validate import LEFT_OUT, validate

    if options["level"]:
        raise click.UsageError("--level applies to text logs; a metadata log contains its own metadata.version.")
    if options["brokers"]:
        raise click.UsageError("--brokers applies to text logs; leave it out for a metadata log.")
    mask = KRAFT.release(options["release"]).mask if options["release"] else 0
    KRAFT.model(options["release"], options["without"], options["adding"])  # says what it does not know
    verdict = validate(options["logs"], Choices(mask, options["without"], options["adding"]))
    place = verdict.place
    if options["as_json"]:
        content = {
            "verdict": verdict.verdict,
            "line": None if place is None else {"file": place.file, "offset": place.offset},
            "guard": verdict.guard,
            "reason": verdict.reason or None,
            "release": options["release"] or verdict.release or None,
            "level": verdict.level or None,
            "offsets": [{"first": first, "last": last} for first, last in verdict.offsets],
            "model": KRAFT.name,
            "left_out": list(LEFT_OUT),
            "matched": verdict.matched,
            "compared": verdict.compared,
            "not_compared": verdict.others,
            "notes": list(verdict.notes),
        }
        click.echo(json.dumps(content))
        return EXIT[verdict.verdict]
    name = " ".join(filter(None, (KRAFT.name, options["release"], *(f"without {each}" for each in options["without"]))))
    of = ", ".join(f"offsets {first} to {last}" for first, last in verdict.offsets)
    click.echo(f"{name}: {verdict.verdict}" + f", {of}" * (verdict.verdict == "accepted"))
    for what, value in (("record", place), ("guard", verdict.guard)):
        if value is not None:
            click.echo(f"  {what:<8} {value}")
    if verdict.reason:
        click.echo(f"  {verdict.reason}")
    click.echo(
        f"  {verdict.matched} of {verdict.compared} records of brokers and partitions fit, "
        f"at {verdict.level or 'no level'}; {verdict.others} other records are not compared"
    )
    for note in verdict.notes:
        click.echo(f"  {note}")
    click.echo(f"  not in this model: {'; '.join(LEFT_OUT)}")
    return EXIT[verdict.verdict]


def _print(verdict: Any, release: str, level: str, model: Any, options: Any) -> None:
    from ..explore.report import not_in

    if options["as_json"]:
        place = verdict.place
        content = {
            "verdict": verdict.verdict,
            "line": None if place is None else {"file": place.file, "line": place.line},
            "guard": verdict.guard,
            "reason": verdict.reason or None,
            "release": release,
            "level": level,
            "model": None if model is None else model.name,
            "left_out": [] if model is None else list(model.left_out),
            "matched": verdict.matched,
            "compared": verdict.compared,
            "not_compared": verdict.others,
        }
        click.echo(json.dumps(content))
        return
    name = f"cluster of Kafka {release}" if model is None else model.name
    click.echo(f"{name}: {verdict.verdict}")
    if verdict.place is not None:
        click.echo(f"  line     {verdict.place}")
    if verdict.guard is not None:
        click.echo(f"  guard    {verdict.guard}")
    if verdict.reason:
        click.echo(f"  {verdict.reason}")
    compared = "of controllers and brokers" if options["brokers"] else "of the state machines"
    click.echo(
        f"  {verdict.matched} of {verdict.compared} lines {compared} fit, at {level}; "
        f"{verdict.others} other lines are not compared"
    )
    if model is not None and model.left_out:
        click.echo(f"  {not_in(model)}")
