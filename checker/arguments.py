"""Types of arguments that all commands share, and that refuse what no command can use."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from .written_files import BESIDE

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_MOST_JOBS = 8
"""Each process needs some hundred MB."""


class Seconds(click.FloatRange):
    """A limit in seconds that is a number: neither NaN nor infinite."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds) or seconds > MOST_SECONDS:
            self.fail(f"{value} is not a number of seconds up to {MOST_SECONDS:,}.", param, ctx)
        return seconds


MOST_SECONDS = 1_000_000
"""The largest limit in seconds, eleven days: the solver counts milliseconds in 32 bits."""


class FilePath(click.Path):
    """A path that is not empty, as that of a variable is that nobody has set: it would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("expected a path, got nothing.", param, ctx)
        return super().convert(value, param, ctx)


def beside(form: str) -> Callable[[Decorated], Decorated]:
    """Return the option that names the file of a form; its parameter is `BESIDE`'s option as a name."""
    return click.option(
        BESIDE[form],
        type=FilePath(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"Also write {'the page' if form == 'html' else 'the report'} of --format {form} to this file.",
    )


def files_of(options: Mapping[str, Any]) -> dict[str, Path]:
    """Return the files that are asked for, by their form."""
    named = {form: options.get(option.strip("-").replace("-", "_")) for form, option in BESIDE.items()}
    return {form: path for form, path in named.items() if path is not None}


def jobs_option(help: str) -> Callable[..., Any]:
    """Return the option --jobs of a command whose work processes share."""
    return click.option(
        "--jobs",
        type=click.IntRange(1),
        default=min(_MOST_JOBS, os.cpu_count() or 1),
        show_default=f"the number of cores, {_MOST_JOBS} at most",
        metavar="N",
        help=help,
    )
