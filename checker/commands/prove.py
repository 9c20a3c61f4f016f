"""`isrproof prove`: the same rules, for every log length, every epoch and any number of replicas."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

EXIT = {"holds": 0, "violated": 1, "unknown": 3}
_NOT_FOR_TABLES = ("without", "sets", "without_lemmas", "mutate", "minimise", "smtlib", "bounded")


@click.command()
@click.argument("model", required=False)
@click.option("--release", help="Only the behaviours that this Kafka release has, for example 2.0.0.")
@click.option("--without", multiple=True, metavar="BEHAVIOUR", help="Leave a behaviour out; may be repeated.")
@click.option("--property", "properties", multiple=True, metavar="P", help="Prove only these; may be repeated.")
@click.option(
    "--set", "sets", multiple=True, metavar="NAME=INT",
    help="Prove for this number only, for example replicas=3; what is not set may be any number.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=30.0, show_default=True, metavar="SECONDS",
    help="Limit for one question to the solver.",
)  # fmt: skip
@click.option(
    "--total", type=click.FloatRange(0, min_open=True), default=300.0, show_default=True, metavar="SECONDS",
    help="Limit for all questions together; what is open then is unknown.",
)  # fmt: skip
@click.option(
    "--search", type=click.FloatRange(0), default=20.0, show_default=True, metavar="SECONDS",
    help="Limit for the search of a counterexample to what is not proved; 0 searches none.",
)  # fmt: skip
@click.option(
    "--bounded", type=click.IntRange(1), metavar="STATES",
    help="Without lemmas: k-induction, then paths of at most so many states; for one instance, see --set.",
)  # fmt: skip
@click.option("--minimise", is_flag=True, help="Derive the cache of hypotheses anew.")
@click.option(
    "--without-lemma", "without_lemmas", multiple=True, metavar="LEMMA", help="Leave a lemma out: what rests on it?"
)
@click.option("--mutate", is_flag=True, help="Drop each guard clause, one at a time: does the proof need it?")
@click.option(
    "--smtlib", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Write every question as SMT-LIB 2; `unsat` proves.",
)  # fmt: skip
@click.option("--matrix", is_flag=True, help="Every model against every property, compared with what is expected.")
@click.option(
    "--jobs", type=click.IntRange(1), default=2, show_default=True, help="With --matrix: how many processes share it."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Prove the properties of MODEL by induction, for all its instances.

    MODEL is a model of `isrproof explore --list`, or `replica` or `partition`: the controller's table of that name.

    Exit codes: 0 all hold, 1 a property is violated, 2 misuse, 3 not decided.
    """
    from ...specs.errors import IsrproofError

    try:
        context.exit(_run(options))
    except IsrproofError as error:
        if options["as_json"]:
            _print_json({"verdict": "error", "error": str(error)})
        else:
            click.echo(f"Error: {error}", err=True)
        context.exit(2)


def _run(options: dict[str, Any]) -> int:
    if options["matrix"]:
        if options["model"] is not None:
            raise click.UsageError(f"--matrix proves every model; expected none, got {options['model']!r}.")
        return _run_matrix(options)
    if options["model"] is None:
        raise click.UsageError("MODEL is missing; `isrproof explore --list` shows the models.")
    if options["model"] in ("replica", "partition"):
        for name in _NOT_FOR_TABLES:
            if options[name]:
                shown = "--" + {"sets": "set", "without_lemmas": "without-lemma"}.get(name, name)
                raise click.UsageError(f"{shown} is for models; {options['model']} is a table, proved without lemmas.")
        return _run_table(options)
    from .explore import _settings, chosen

    model = chosen(options["model"], options["release"], options["without"])
    kept = _settings(options["sets"])
    from ..prove import export, report
    from ..prove.run import prove

    effort = _effort(options)
    if options["smtlib"] is not None:
        written = export.smtlib(model, options["smtlib"], kept, effort)
        click.echo(f"{written} questions written to {options['smtlib']}")
        return 0
    if options["mutate"]:
        return _mutate(model, effort, options["as_json"])
    if options["minimise"]:
        rows = export.minimise(model, effort, told=_told, kept=kept)
        click.echo(f"{model.name}: {rows} questions need more than the goal itself")
        return 0
    if options["bounded"]:
        from ..prove.bounded import prove_bounded

        depth, timeout = options["bounded"], options["timeout"]
        proof = prove_bounded(model, options["properties"] or None, kept, depth=depth, timeout=timeout)
    else:
        proof = prove(
            model,
            options["properties"] or None,
            effort=effort,
            told=_told,
            kept=kept,
            without_lemmas=options["without_lemmas"],
        )
    if options["as_json"]:
        _print_json(report.json_report(proof))
    else:
        click.echo(report.text_report(proof))
    return EXIT[proof.verdict]


def _mutate(model: Any, effort: Any, as_json: bool) -> int:
    """Prints a line per guard clause; 0 if the proof needs those that the model does not waive, and no others."""
    from ..prove import mutate

    found = []
    for each in mutate.dropped(model, effort, _progress):
        found.append(each)
        if not as_json:
            click.echo(mutate.line(each))
    verdict = "holds" if all(each.as_waived for each in found) else "unknown"
    if as_json:
        _print_json({"model": model.name, "verdict": verdict, "clauses": [mutate.json_row(each) for each in found]})
    else:
        verdicts = [each.verdict for each in found]
        counts = ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))
        others = sum(not each.as_waived for each in found)
        click.echo(f"{len(found)} clauses: {counts}; {others or 'none'} other than the model says")
    return EXIT[verdict]


def _progress(title: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"{title} ...", err=True)


def _run_matrix(options: dict[str, Any]) -> int:
    from ..prove import matrix

    found = matrix.matrix(effort=_effort(options), told=_progress, jobs=options["jobs"])
    if options["as_json"]:
        _print_json(matrix.matrix_json(found))
    else:
        click.echo(matrix.matrix_text(found))
    return 0 if found.as_expected else 1


def _run_table(options: dict[str, Any]) -> int:
    from ..prove import tables

    found = tables.prove_table(options["model"], options["release"], options["timeout"], options["properties"] or None)
    if options["as_json"]:
        _print_json(tables.table_json(options["model"], found))
    else:
        click.echo(tables.table_report(options["model"], found))
    return EXIT[tables.overall_of(found)]


def _effort(options: dict[str, Any]) -> Any:
    from ..prove.run import Effort

    return Effort(timeout=options["timeout"], total=options["total"], search=options["search"])


def _told(answer: Any) -> None:
    """One line on a terminal that is written over."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{answer.question.name}: {answer.outcome}", nl=False, err=True)
        if answer.outcome != "proved":
            click.echo("", err=True)


def _print_json(value: Any) -> None:
    import json

    click.echo(json.dumps(value))
