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
from ..arguments import FilePath, Seconds, beside, files_of
from ..ci.claim_forms import FORMS
from ..ci.claims import Claims, claims
from ..failure import fail, say, say_json
from ..model_options import (
    EXIT,
    MATRIX_JOBS,
    OF_MODEL,
    RELEASE,
    WITH,
    WITHOUT,
    chosen_of,
    must_be_written,
    refuse_unread,
    say_claims,
    settings_of,
    write_files,
)
from ..progress import showing

# What is done instead of a proof -> the options that it reads; any other one is refused.
MODES = {
    "matrix": ("timeout", "total", "search", "jobs", "as_json"),
    "bounded": (*OF_MODEL, "properties", "sets", "timeout", "as_json"),
    "minimise": ("timeout", "as_json"),
    "each_lemma": (*OF_MODEL, "timeout", "total", "as_json"),
    "mutate": (*OF_MODEL, "timeout", "as_json"),
    "smtlib": (*OF_MODEL, "sets", "timeout", "total", "search", "as_json"),
}
INTERRUPTED_LATER = "Interrupted: the other properties are not decided."
_OF_TABLES = ("release", "properties", "timeout", "layout", "as_json", "sarif", "junit", "json_out")


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
@MATRIX_JOBS
@click.option(
    "--format", "layout", type=click.Choice(["text", "json", *FORMS]), default="text", show_default=True,
    help="sarif, junit, github and markdown are for CI.",
)  # fmt: skip
@beside("sarif")
@beside("junit")
@beside("json")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Prove the properties of MODEL for logs of any length and any number of epochs, records and replicas.

    MODEL is a model of `isrproof explore --list` or your own (FILE.py:NAME, package.module:NAME), or a table of
    `isrproof diagram`, such as `replica` or `fetch-state`.
    The proof is by induction from the lemmas written beside the model. For a property that is not proved, the prover
    searches for a shortest counterexample.

    Exit codes: 0 all hold, 1 a property is violated, 2 misuse, 3 not decided.
    """
    from ...specs.errors import IsrproofError

    options["as_json"] = options["as_json"] or options["layout"] == "json"
    options["so_far"] = _SoFar()
    try:
        _refuse_unread(context, options)
        # With several processes this one only waits for them.
        with nullcontext() if options["matrix"] and options["jobs"] > 1 else _interrupts_at_once(options):
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
def _interrupts_at_once(options: dict[str, Any]) -> Iterator[None]:
    """End the process at once on an interrupt: raised inside Z3's Python layer it becomes another error, or is lost.

    The verdicts so far are printed first.
    """

    def leave(*_: object) -> None:
        decided = options["so_far"].decided
        if decided:
            _print_so_far(options, decided)
        sys.stdout.flush()
        click.echo(INTERRUPTED_LATER if decided else INTERRUPTED, err=True)
        os._exit(EXIT["violated" if any(each.verdict == "violated" for each in decided) else "unknown"])

    before = {number: signal.signal(number, leave) for number in interrupting()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _print_so_far(options: dict[str, Any], decided: list[Any]) -> None:
    from ..prove import report

    verdict = "violated" if any(each.verdict == "violated" for each in decided) else "unknown"
    if options["as_json"]:
        found = [report.property_json(each) for each in decided]
        say_json({"verdict": verdict, "reason": "interrupted", "properties": found})
    elif options["layout"] not in FORMS:
        say("\n\n".join("\n".join(report.property_lines(each)) for each in decided))


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

    files = files_of(options)
    must_be_written(files, options["layout"])
    proof = _prove(model, kept, options)
    write_files(files, lambda: _claims(model, proof, options), lambda: report.json_report(proof))
    if options["as_json"]:
        say_json(report.json_report(proof), verdict=proof.verdict)
    elif options["layout"] in FORMS:
        say_claims(options["layout"], _claims(model, proof, options))
    else:
        say(report.text_report(proof), verdict=proof.verdict)
    return EXIT[proof.verdict]


def _claims(model: Any, proof: Any, options: dict[str, Any]) -> Claims:
    from ..explore.report import path_lines
    from ..explore.why import why

    each = claims(model.name, options["model"], proof.properties, path_lines, why)
    return Claims(each, proof.verdict, proof.seconds, "prove")


def _prove(model: Any, kept: dict[str, int], options: dict[str, Any]) -> Any:
    """The proof from the model's lemmas, or the one without any of an instance."""
    asked = options["properties"] or None
    if options["bounded"]:
        from ..prove.bounded import prove_bounded

        return prove_bounded(model, asked, kept, depth=options["bounded"], timeout=options["timeout"])
    from ..prove.run import prove

    lemmas = options["without_lemmas"]
    so_far = options["so_far"]
    with showing(so_far.text):
        return prove(
            model,
            asked,
            effort=_effort(options),
            progress=so_far.answer,
            finished=so_far.decided.append,
            kept=kept,
            without_lemmas=lemmas,
        )


def _minimise(model: Any, options: dict[str, Any]) -> int:
    from ..prove import export

    so_far = options["so_far"]
    with showing(so_far.text):
        rows = export.minimise(model, _effort(options), progress=so_far.answer)
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
    with showing(options["so_far"].text):
        for each in by.dropped(model, _effort(options), options["so_far"].note):
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


def _run_matrix(options: dict[str, Any]) -> int:
    from ..prove import matrix

    with showing(options["so_far"].text):
        found = matrix.matrix(effort=_effort(options), progress=options["so_far"].note, jobs=options["jobs"])
    if options["as_json"]:
        say_json(matrix.matrix_json(found))
    else:
        say(matrix.matrix_text(found))
    return 0 if found.as_expected else 1


def _run_table(options: dict[str, Any]) -> int:
    from ..prove import tables

    files = files_of(options)
    must_be_written(files, options["layout"])
    found = tables.prove_table(options["model"], options["release"], options["timeout"], options["properties"] or None)
    write_files(
        files, lambda: _table_claims(options["model"], found), lambda: tables.table_json(options["model"], found)
    )
    if options["as_json"]:
        say_json(tables.table_json(options["model"], found))
    elif options["layout"] in FORMS:
        say_claims(options["layout"], _table_claims(options["model"], found))
    else:
        say(tables.table_report(options["model"], found))
    return EXIT[tables.overall_of(found)]


def _table_claims(name: str, found: Any) -> Claims:
    from ..explore.report import path_lines
    from ..prove import tables

    each = claims(f"{name} table", name, tables.decided(found), path_lines, lambda prop, path: [])
    return Claims(each, tables.overall_of(found), sum(each.seconds for each in found), "prove")


def _effort(options: dict[str, Any]) -> Any:
    from ..prove.run import Effort

    return Effort(timeout=options["timeout"], total=options["total"], search=options["search"])


class _SoFar:
    """The last question or title, and the verdicts so far."""

    def __init__(self) -> None:
        self.last, self.decided = "the first question", list[Any]()

    def note(self, title: str) -> None:
        self.last = title

    def answer(self, answer: Any) -> None:
        self.last = f"{answer.question.name}: {answer.outcome}"

    def text(self) -> str:
        verdicts = f"; {len(self.decided)} properties decided" if self.decided else ""
        return f"{self.last}{verdicts}"
