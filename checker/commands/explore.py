"""`isrproof explore`: all reachable states of a model, its properties' verdicts, shortest counterexamples."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ..arguments import FilePath, Seconds, beside, files_of
from ..ci.claim_forms import FORMS
from ..ci.claims import Claims, claims
from ..failure import say, say_json
from ..model_options import (
    EXIT,
    MATRIX_JOBS,
    OF_MODEL,
    RELEASE,
    SET,
    WITH,
    WITHOUT,
    chosen,
    chosen_of,
    failures,
    must_be_written,
    refuse_unread,
    say_claims,
    settings_of,
    write_files,
)
from ..progress import showing

if TYPE_CHECKING:
    from ..explore.result import Exploration
    from ..explore.search import Limits

_BOUNDS = ("max_states", "max_depth", "max_seconds", "max_memory")

# What is done instead of a search -> the options that it reads; any other one is refused.
MODES = {
    "matrix": ("jobs", "as_json"),
    "mutate": (*OF_MODEL, "sets", "properties", "symmetry", *_BOUNDS, "as_json"),
    "export": (*OF_MODEL, "sets", "properties", "out", "as_json"),
    "listing": (*OF_MODEL, "as_json"),
}


@click.command()
@click.argument("model", required=False)
@RELEASE
@WITHOUT
@WITH
@SET
@click.option("--property", "properties", multiple=True, metavar="P", help="Check only these; may be repeated.")
@click.option(
    "--symmetry/--no-symmetry", default=None,
    help=("Search one state for all renamings of replicas; default: where that is sound. Counts are of all " "states."),
)  # fmt: skip
@click.option(
    "--master", help="Search on Spark (local[2], spark://host:7077 ...), if the states do not fit into memory."
)
@click.option(
    "--checkpoint", metavar="FOLDER",
    help="With --master: keep the levels in this folder; the same search resumes from the last complete one.",
)  # fmt: skip
@click.option("--coverage", is_flag=True, help="Count, for each guard clause, how often it alone forbade a step.")
@click.option(
    "--deadlock", is_flag=True, help="Report a state without successor as a violation, but for those at a limit."
)
@click.option(
    "--until-decided/--all-states", default=None,
    help="Stop as soon as every property is decided (counts are then partial), or search all states; default: stop, "
    "but for --coverage and --deadlock, which are about all states.",
)  # fmt: skip
@click.option("--max-states", type=click.IntRange(1), help="Stop, unfinished, at this number of states.")
@click.option("--max-depth", type=click.IntRange(1), help="Stop, unfinished, at this depth.")
@click.option("--max-seconds", type=Seconds(0, min_open=True), help="Stop, unfinished, after this many seconds.")
@click.option("--max-memory", type=click.IntRange(1), metavar="MB", help="Stop, unfinished, at this much memory.")
@click.option(
    "--format", "layout", type=click.Choice(["text", "json", "itf", "mermaid", "svg", *FORMS]), default="text",
    show_default=True,
    help="itf, mermaid and svg print the first counterexample; sarif, junit, github and markdown are for CI.",
)  # fmt: skip
@beside("sarif")
@beside("junit")
@beside("json")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--matrix",
    is_flag=True,
    help="Check every model against every property, and compare the results with the expected ones.",
)
@MATRIX_JOBS
@click.option(
    "--mutate", is_flag=True, help="Drop each guard clause, one at a time, and report the property that needs it."
)
@click.option(
    "--export", type=click.Choice(["tla", "dot", "svg"]),
    help="Write to --out instead of searching: a TLA+ module and its cfg, or the state graph of a small instance "
    "(svg: up to 500 states, dot: up to 5,000).",
)  # fmt: skip
@click.option("--out", type=FilePath(file_okay=False), default=".", show_default=True, help="Folder for --export.")
@click.option("--list", "listing", is_flag=True, help="List the models, or print MODEL in full.")
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Search all reachable states of MODEL and decide its properties.

    MODEL is a name of --list, or FILE.py:NAME or package.module:NAME for a model of your own (docs/language.md).

    Exit codes: 0 all hold, 1 a property is violated, 2 misuse, 3 undecided within the given bounds.
    """
    # Nothing here is linear algebra: threads that NumPy's BLAS starts when it is imported would only wait, and busily.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    as_json = options["as_json"] or options["layout"] == "json"
    with failures(as_json):
        refuse_unread(context, MODES)
        context.exit(_run(options, as_json))


def _run(options: dict[str, Any], as_json: bool) -> int:
    if options["matrix"] and options["model"] is not None:
        raise click.UsageError(f"--matrix searches all models; leave out {options['model']}, or --matrix.")
    if options["listing"]:
        return _list(options, as_json)
    if options["matrix"]:
        return _matrix(options["jobs"], as_json)
    if options["model"] is None:
        raise click.UsageError("MODEL is missing; `isrproof explore --list` shows the models.")
    if options["export"]:
        return _export(options, as_json)
    if options["mutate"]:
        return _mutate(options, as_json)
    from ..explore.report import json_report
    from ..explore.run import explore_instance

    files = files_of(options)
    must_be_written(files, options["layout"])
    limits = _limits(options)._replace(interrupts=True)
    stops = not (options["coverage"] or options["deadlock"])
    with _engine(options) as how:
        result = explore_instance(
            chosen_of(options),
            settings_of(options["sets"]),
            list(options["properties"]) or None,
            symmetry=options["symmetry"],
            limits=limits,
            until_decided=stops if options["until_decided"] is None else options["until_decided"],
            deadlock=options["deadlock"],
            coverage=options["coverage"],
            vacuity=True,
            **how,
        )
    write_files(files, lambda: _claims(result, options["model"]), lambda: json_report(result))
    _print_result(result, options["model"], options["layout"], as_json)
    return EXIT[result.verdict]


def _claims(result: Exploration, named: str) -> Claims:
    from ..explore.report import path_lines
    from ..explore.why import why

    each = claims(result.instance.name, named, result.properties, path_lines, why)
    return Claims(each, result.verdict, result.seconds, "explore")


def _limits(options: dict[str, Any]) -> Limits:
    from ..explore.search import Limits

    return Limits(options["max_states"], options["max_depth"], options["max_seconds"], options["max_memory"])


def _print_result(result: Exploration, named: str, layout: str, as_json: bool) -> None:
    """Print the result in a layout; a layout for one path shows the first counterexample."""
    from ..explore import drawn, report

    first = next((each for each in result.violations if each.path is not None), None)
    if as_json:
        say_json(report.json_report(result), verdict=result.verdict)
    elif layout == "text":
        say(report.text_report(result), verdict=result.verdict)
    elif layout in FORMS:
        say_claims(layout, _claims(result, named))
    elif first is None or first.path is None:
        click.echo(f"{result.instance.name}: {result.verdict}; there is no counterexample to write", err=True)
    elif layout == "itf":
        say_json(report.itf(first.path, result.instance.name))
    else:
        writer = drawn.svg if layout == "svg" else drawn.mermaid
        say(writer(first.path, first), nl=False)


@contextmanager
def _engine(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the options of the search, with its progress callback: on Spark, or in memory."""
    if options["master"] is not None:
        if options["coverage"] or options["max_memory"]:
            other = "--coverage" if options["coverage"] else "--max-memory"
            raise click.UsageError(f"{other} cannot be used with --master: it applies to a search in this process.")
        from ..explore.spark import spark_engine

        with spark_engine(options["master"], options["checkpoint"], _print_level) as engine:
            yield {"engine": engine}
        return
    if options["checkpoint"] is not None:
        raise click.UsageError("--checkpoint needs --master: a search in memory keeps nothing.")
    how_far = _HowFar()
    with showing(how_far.text):
        yield {"progress": how_far}


def _print_level(level: int, states: int, seconds: float) -> None:
    click.echo(f"level {level}: {states:,} states, {f'{seconds:.1f} s' if seconds else 'there already'}", err=True)


def _list(options: dict[str, Any], as_json: bool) -> int:
    from ...model.catalogue import families, models

    if options["model"] is None:
        from ...specs.machines import machine_names

        statements = {name: chosen(name, None, ()).statement for name in (*models(), *families(), *machine_names())}
        if as_json:
            say_json({"models": statements})
        else:
            for name, statement in statements.items():
                say(f"{name:<{max(map(len, statements))}}  {statement}")
        return 0
    from ..explore.report import model_lines

    found = chosen_of(options)
    if as_json:
        say_json({"model": found.name, "lines": model_lines(found)})
    else:
        say("\n".join(model_lines(found)))
    return 0


def _matrix(jobs: int, as_json: bool) -> int:
    """Print each row when it is done; return 0 if every cell is as expected."""
    from ..explore import matrix

    results = []
    for result in matrix.run_all(jobs, lambda title: click.echo(f"exploring {title}", err=True)):
        results.append(result)
        if not as_json:
            say("\n".join(result.lines))
    wrong = sum(not result.as_expected for result in results)
    if as_json:
        say_json({"verdict": "violated" if wrong else "holds", "rows": [result.row for result in results]})
    else:
        say(f"{len(results)} rows, {f'{wrong} NOT as expected' if wrong else 'all as expected'}")
    return 1 if wrong else 0


def _export(options: dict[str, Any], as_json: bool) -> int:
    from pathlib import Path

    from ..explore import tla
    from ..explore.run import select

    folder, settings = Path(options["out"]), settings_of(options["sets"])
    names = list(options["properties"]) or None
    model, properties, _ = select(chosen_of(options), names)
    if options["export"] == "tla":
        written = [*tla.write(model.instance(**settings), properties, folder)]
    else:
        from ..diagram import dot, svg
        from ..explore import graph

        as_svg = options["export"] == "svg"
        most = graph.MOST_DRAWN if as_svg else graph.MOST_STATES
        drawn = graph.drawing(graph.state_graph(model, settings, names, most), model)
        picture = svg.write(drawn, "--export dot") if as_svg else dot.write(drawn)
        written = [tla.put(folder / f"{tla.module_name(model)}.{options['export']}", picture)]
    if as_json:
        say_json({"written": [str(path) for path in written]})
    else:
        for path in written:
            say(str(path))
    return 0


def _mutate(options: dict[str, Any], as_json: bool) -> int:
    """Print a line per guard clause; return 0 if each is needed or waived."""
    from ..explore import mutate

    settings = settings_of(options["sets"])
    found, title, left_out = [], "all clauses", list[str]()

    def now(line: str) -> None:
        nonlocal title
        title = line

    def without(line: str) -> None:
        left_out.append(line)
        if not as_json:
            say(line)

    with showing(lambda: f"searching {title}"):
        for each in mutate.mutations(
            chosen_of(options),
            list(options["properties"]) or None,
            [settings] if settings else None,
            _limits(options),
            now,
            options["symmetry"],
            left_out=without,
        ):
            found.append(each)
            if not as_json:
                say(mutate.line(each))
    verdicts = [each.verdict for each in found]
    wrong = {"unexplained", "contradicted"} & set(verdicts)
    verdict = "violated" if wrong else "unknown" if "unknown" in verdicts else "holds"
    instances = [dict(each) for each in found[0].searched]
    if as_json:
        clauses = [mutate.json_row(each) for each in found]
        say_json({"verdict": verdict, "instances": instances, "left_out": left_out, "clauses": clauses})
    else:
        counts = ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))
        say(f"{len(found)} clauses: {counts}; searched {', '.join(map(mutate.constants, instances))}")
    return EXIT[verdict]


class _HowFar:
    """The level of a search, its states and memory so far."""

    def __init__(self) -> None:
        self.level, self.states = 1, 1

    def __call__(self, level: int, states: int, expanded: int) -> None:
        self.level, self.states = level, states

    def text(self) -> str:
        from ..memory import peak_mb

        return f"level {self.level}, {self.states:,} states, {peak_mb()} MB"
