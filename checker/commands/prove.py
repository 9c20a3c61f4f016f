"""`isrproof prove`: the same rules, for every log length, every epoch and any number of replicas."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click

from ...specs.machines import machine_names
from .. import INTERRUPTED, interrupting
from ..arguments import FilePath, Seconds
from ..ci.claims import FORMS, claims, write
from ..failure import fail, say, say_json
from ..model_options import EXIT, OF_MODEL, RELEASE, WITH, WITHOUT, chosen_of, refuse_unread, settings_of

# What is done instead of a proof -> the options that it reads; any other one is refused.
MODES = {
    "matrix": ("timeout", "total", "search", "jobs", "as_json"),
    "bounded": (*OF_MODEL, "properties", "sets", "timeout", "as_json"),
    "minimise": ("timeout", "as_json"),
    "each_lemma": (*OF_MODEL, "timeout", "total", "as_json"),
    "mutate": (*OF_MODEL, "timeout", "as_json"),
    "smtlib": (*OF_MODEL, "sets", "timeout", "total", "search", "as_json"),
}
_OF_TABLES = ("release", "properties", "timeout", "layout", "as_json")


@click.command()
@click.argument("model", required=False)
@RELEASE
@WITHOUT
@WITH
@click.option("--property", "properties", multiple=True, metavar="P", help="Prove only these; may be repeated.")
@click.option(
    "--set", "sets", multiple=True, metavar="NAME=INT",
    help="Prove for this number only, for example replicas=3; a setting without a number may be any number.",
)  # fmt: skip
@click.option(
    "--timeout", type=Seconds(0, min_open=True), default=30.0, show_default=True, metavar="SECONDS",
    help="Time limit for one question to the solver.",
)  # fmt: skip
@click.option(
    "--total", type=Seconds(0, min_open=True), default=300.0, show_default=True, metavar="SECONDS",
    help="Time limit for all questions together; a property that is open then is unknown.",
)  # fmt: skip
@click.option(
    "--search", type=Seconds(0), default=60.0, show_default=True, metavar="SECONDS",
    help="Time limit for the search for counterexamples to unproved properties; 0: no search.",
)  # fmt: skip
@click.option(
    "--bounded", type=click.IntRange(1), metavar="STATES",
    help="Use no lemmas: k-induction, then paths of at most this many states, for one instance (see --set).",
)  # fmt: skip
@click.option(
    "--minimise",
    is_flag=True,
    help="Derive again which lemmas each question needs. This is a cache: it only saves time.",
)
@click.option(
    "--without-lemma", "without_lemmas", multiple=True, metavar="LEMMA",
    help="Prove without this lemma, to see what rests on it; may be repeated.",
)  # fmt: skip
@click.option(
    "--each-lemma", is_flag=True, help="Leave out each lemma, one at a time, and report whether a promise rests on it."
)
@click.option(
    "--mutate", is_flag=True, help="Drop each guard clause, one at a time, and report whether the proof needs it."
)
@click.option(
    "--smtlib", type=FilePath(path_type=Path, file_okay=False), metavar="DIR",
    help="Write every question as an SMT-LIB 2 file for another solver; `unsat` proves it.",
)  # fmt: skip
@click.option(
    "--matrix",
    is_flag=True,
    help="Prove every model against every property, and compare the results with the expected ones.",
)
@click.option(
    "--jobs", type=click.IntRange(1), default=2, show_default=True, metavar="N",
    help="With --matrix: the number of processes that share it.",
)  # fmt: skip
@click.option(
    "--format", "layout", type=click.Choice(["text", "json", *FORMS]), default="text", show_default=True,
    help="sarif, junit and github are for CI.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Prove the properties of MODEL for logs of any length and any number of epochs, records and replicas.

    MODEL is a model of `isrproof explore --list`, or a table of `isrproof diagram`, such as `replica` or `fetch-state`.
    The proof is by induction from the lemmas written beside the model. For a property that is not proved, the prover
    searches for a shortest counterexample.

    Exit codes: 0 all hold, 1 a property is violated, 2 misuse, 3 not decided.
    """
    from ...specs.errors import IsrproofError

    options["as_json"] = options["as_json"] or options["layout"] == "json"
    try:
        _refuse_unread(context, options)
        # With several processes this one only waits for them.
        with nullcontext() if options["matrix"] and options["jobs"] > 1 else _interrupts_at_once():
            code = _run(options)
        context.exit(code)
    except ModuleNotFoundError as error:
        extra = {"z3": "prove", "numpy": "explore"}.get(error.name or "")
        if extra is None:
            raise
        fail(f"this needs {error.name}: pip install 'isrproof[{extra}]'", as_json=options["as_json"])
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}", as_json=options["as_json"])
    except IsrproofError as error:
        fail(error, as_json=options["as_json"])


@contextmanager
def _interrupts_at_once() -> Iterator[None]:
    """End the process at once on an interrupt: raised inside Z3's Python layer it becomes another error, or is lost."""

    def leave(*_: object) -> None:
        sys.stdout.flush()
        click.echo(INTERRUPTED, err=True)
        os._exit(3)

    before = {number: signal.signal(number, leave) for number in interrupting()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _refuse_unread(context: click.Context, options: dict[str, Any]) -> None:
    """Refuse options that say nothing about what is asked for.

    Raises:
        UsageError: two things are asked for, or one with options that it does not read; or there is no model.
    """
    name = options["model"]
    modes = {**MODES, "model": _OF_TABLES} if name in machine_names() else MODES
    refuse_unread(context, modes)
    if options["matrix"] and name is not None:
        raise click.UsageError(f"--matrix proves every model; leave out {name}, or --matrix.")
    if not options["matrix"] and name is None:
        raise click.UsageError("MODEL is missing; `isrproof explore --list` shows the models.")


def _run(options: dict[str, Any]) -> int:
    if options["matrix"]:
        return _run_matrix(options)
    if options["model"] in machine_names():
        return _run_table(options)
    model = chosen_of(options)
    kept = settings_of(options["sets"])
    if options["minimise"]:
        return _minimise(model, options)
    if options["smtlib"] is not None:
        return _write_smtlib(model, kept, options)
    if options["each_lemma"]:
        return _each_dropped(model, options, "lemmas")
    if options["mutate"]:
        return _each_dropped(model, options, "clauses")
    from ..prove import report

    proof = _prove(model, kept, options)
    if options["as_json"]:
        say_json(report.json_report(proof), verdict=proof.verdict)
    elif options["layout"] in FORMS:
        from ..explore.report import path_lines

        found = claims(model.name, options["model"], proof.properties, path_lines)
        say(write(options["layout"], found), verdict=proof.verdict)
    else:
        say(report.text_report(proof), verdict=proof.verdict)
    return EXIT[proof.verdict]


def _prove(model: Any, kept: dict[str, int], options: dict[str, Any]) -> Any:
    """The proof from the model's lemmas, or the one without any of an instance."""
    asked = options["properties"] or None
    if options["bounded"]:
        from ..prove.bounded import prove_bounded

        return prove_bounded(model, asked, kept, depth=options["bounded"], timeout=options["timeout"])
    from ..prove.run import prove

    lemmas = options["without_lemmas"]
    return prove(model, asked, effort=_effort(options), progress=_show_answer, kept=kept, without_lemmas=lemmas)


def _minimise(model: Any, options: dict[str, Any]) -> int:
    from ..prove import export

    rows = export.minimise(model, _effort(options), progress=_show_answer)
    if options["as_json"]:
        say_json({"model": model.name, "rows": rows})
    else:
        say(f"{model.name}: {rows} questions need more than the goal itself")
    return 0


def _write_smtlib(model: Any, kept: dict[str, int], options: dict[str, Any]) -> int:
    from ..prove import export

    folder = options["smtlib"]
    written = export.smtlib(model, folder, kept, _effort(options))
    if options["as_json"]:
        say_json({"model": model.name, "folder": str(folder), "questions": written})
    else:
        say(f"{written} questions written to {folder}")
    return 0


def _each_dropped(model: Any, options: dict[str, Any], what: str) -> int:
    """Print a line per guard clause, or lemma; return 0 if the proof needs all except those that the model excuses."""
    from ..prove import leave_out, mutate

    by: Any = mutate if what == "clauses" else leave_out
    found, as_json = [], options["as_json"]
    for each in by.dropped(model, _effort(options), _progress):
        found.append(each)
        if not as_json:
            say(by.line(each))
    verdict = "holds" if all(each.as_declared for each in found) else "unknown"
    if as_json:
        say_json({"model": model.name, "verdict": verdict, what: [by.json_row(each) for each in found]})
    else:
        verdicts = [each.verdict for each in found]
        counts = ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))
        others = sum(not each.as_declared for each in found)
        say(f"{len(found)} {what}: {counts}; {others or 'none'} differ from the model's declaration")
    return EXIT[verdict]


def _progress(title: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"{title} ...", err=True)


def _run_matrix(options: dict[str, Any]) -> int:
    from ..prove import matrix

    found = matrix.matrix(effort=_effort(options), progress=_progress, jobs=options["jobs"])
    if options["as_json"]:
        say_json(matrix.matrix_json(found))
    else:
        say(matrix.matrix_text(found))
    return 0 if found.as_expected else 1


def _run_table(options: dict[str, Any]) -> int:
    from ..prove import tables

    found = tables.prove_table(options["model"], options["release"], options["timeout"], options["properties"] or None)
    if options["as_json"]:
        say_json(tables.table_json(options["model"], found))
    elif options["layout"] in FORMS:
        from ..explore.report import path_lines

        say(
            write(
                options["layout"],
                claims(f"{options['model']} table", options["model"], tables.decided(found), path_lines),
            )
        )
    else:
        say(tables.table_report(options["model"], found))
    return EXIT[tables.overall_of(found)]


def _effort(options: dict[str, Any]) -> Any:
    from ..prove.run import Effort

    return Effort(timeout=options["timeout"], total=options["total"], search=options["search"])


def _show_answer(answer: Any) -> None:
    """Write one line on a terminal over the last one."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{answer.question.name}: {answer.outcome}", nl=False, err=True)
        if answer.outcome != "proved":
            click.echo("", err=True)
