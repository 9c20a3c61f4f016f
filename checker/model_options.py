"""Options of all commands that read a model: the model, its behaviours, parts and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from .failure import fail, say

if TYPE_CHECKING:
    from .ci.claims import Claims

RELEASE = click.option("--release", help="Use only the behaviours that this Kafka release has, for example 2.0.0.")
WITHOUT = click.option(
    "--without", multiple=True, metavar="BEHAVIOUR", help="Leave out a behaviour or part; may be repeated."
)
WITH = click.option(
    "--with", "adding", multiple=True, metavar="PART",
    help="Add a part, or a behaviour that the release does not have; may be repeated. "
    "`isrproof explore MODEL --list` names the parts.",
)  # fmt: skip
SET = click.option(
    "--set", "sets", multiple=True, metavar="NAME=INT", help="A setting of the instance; may be repeated."
)
MATRIX_JOBS = click.option(
    "--jobs", type=click.IntRange(1), default=2, show_default=True, metavar="N",
    help="With --matrix: the number of processes that share it.",
)  # fmt: skip
EXIT = {"holds": 0, "violated": 1, "unknown": 3}
"""Exit codes of a verdict on a model."""
OF_MODEL = ("release", "without", "adding")
"""The names of the parameters that choose a model."""


def settings_of(values: tuple[str, ...]) -> dict[str, int]:
    """`--set` options as a mapping."""
    settings: dict[str, int] = {}
    for value in values:
        name, _, number = value.partition("=")
        if name in settings:
            raise click.UsageError(f"--set sets {name} twice: {settings[name]} and {number}")
        try:
            settings[name] = int(number)
        except ValueError:
            raise click.UsageError(f"--set takes NAME=INT, for example replicas=3; got {value!r}") from None
    return settings


def chosen_of(options: Mapping[str, Any]) -> Any:
    """The model that the options of a command name."""
    return chosen(options["model"], options["release"], options["without"], options["adding"])


def chosen(name: str, release: str | None, without: tuple[str, ...], adding: tuple[str, ...] = ()) -> Any:
    """The model of that name, or one of your own, with the behaviours of a release, or without some."""
    from ..model.catalogue import families, is_own, model, models

    if name in families():
        return families()[name].model(release, without, adding)
    if adding:
        raise click.UsageError(f"--with applies to models that have parts ({', '.join(families())}); {name} has none.")
    if name not in models() and not is_own(name):
        from ..model.errors import unknown
        from ..specs.errors import IsrproofError
        from ..specs.machines import machine_names

        if name in machine_names():
            from ..model.tables import table_model

            return table_model(name, release)
        if name.endswith(".py"):
            raise IsrproofError(f"{name} is a file; expected FILE.py:NAME, such as {name}:MODEL for its model MODEL")
        wrong = unknown("model", name, (*models(), *families(), *machine_names()))
        raise IsrproofError(f"{wrong}; or FILE.py:NAME or package.module:NAME for your own model")
    found = model(name)
    if release is not None:
        from ..specs.behaviours import BEHAVIOURS
        from ..specs.releases import release as release_named

        has = release_named(release).behaviours
        absent = [each.name for each in found.behaviours if each.name in BEHAVIOURS and each.name not in has]
        found = found.without(*absent) if absent else found
    return found.without(*without) if without else found


def must_be_written(files: Mapping[str, Path], layout: str) -> None:
    """Refuse at once, before the work, files that cannot be written, and a form whose library is not there.

    Raises:
        IsrproofError, OSError: one of them.
    """
    from .packages import must_have
    from .written_files import BESIDE, check_files

    if layout == "junit" or "junit" in files:
        must_have("junitparser", BESIDE["junit"] if "junit" in files else "--format junit")
    check_files({BESIDE[form]: file for form, file in files.items()})


def write_files(files: Mapping[str, Path], found: Callable[[], Claims], as_json: Callable[[], object]) -> None:
    """Write the files that are asked for.

    Raises:
        OSError: one cannot be written.
    """
    if not files:
        return
    import json

    from .ci.claim_forms import write
    from .written_files import write_texts

    texts = {form: json.dumps(as_json()) if form == "json" else write(form, found()) for form in files}
    write_texts({file: texts[form] for form, file in files.items()})


def say_claims(layout: str, found: Claims) -> None:
    """Print verdicts in a form for CI; GitHub's also go to the step summary."""
    from .ci.claim_forms import write
    from .ci.summary import add_summary

    say(write(layout, found), verdict=found.verdict, nl=layout != "markdown")
    problem = add_summary(write("markdown", found)) if layout == "github" else None
    if problem is not None:
        fail(problem, as_json=False)


@contextmanager
def failures(as_json: bool) -> Iterator[None]:
    """End the command on an error for people; if a library is missing, name the extra that has it."""
    from ..specs.errors import IsrproofError

    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in ("numpy", "networkx"):
            raise
        extra = "explore" if error.name == "numpy" else "diagram"
        fail(f"this needs {error.name}: pip install 'isrproof[{extra}]'", as_json=as_json)
    except (IsrproofError, OSError) as error:
        fail(error, as_json=as_json)


def refuse_unread(context: click.Context, modes: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse options that say nothing about what is asked for.

    Args:
        modes: the option that asks for something -> the options that it reads besides MODEL.

    Raises:
        UsageError: two things are asked for, or one with options that it does not read.
    """
    flags = {str(each.name): each.opts[0] for each in context.command.params} | {"model": context.params["model"]}
    given = [name for name in flags if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if context.params.get("layout") == "json":
        given = ["as_json" if name == "layout" else name for name in given]
    for mode in (name for name in given if name in modes):
        unread = [flags[name] for name in given if name not in (mode, "model", *modes[mode])]
        if unread:
            raise click.UsageError(f"{flags[mode]} cannot be used with {' and '.join(unread)}.")
    if "out" in given and "export" in modes and "export" not in given:
        raise click.UsageError("--out is the folder for --export; add --export, or leave out --out.")
    if "jobs" in given and "matrix" not in given:
        raise click.UsageError("--jobs applies to --matrix only.")
