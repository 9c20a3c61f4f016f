"""`isrproof diagram`: a state machine of Kafka as a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...model.catalogue import is_own, models
from ...specs.errors import IsrproofError, unknown
from ...specs.machines import machine_names
from ..arguments import FilePath
from ..failure import fail, say
from ..model_options import SET, chosen, settings_of
from ..replacing import replacing

if TYPE_CHECKING:
    from ..diagram.drawing import Drawing

FORMATS = {"mermaid": ".mmd", "dot": ".dot", "svg": ".svg"}
"""Each format and the usual ending of its files; a module of checker/diagram writes it."""
OTHER_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".ps", ".eps")
"""Endings of files that would not hold what their name says."""


@click.command(
    help=f"""Draw MACHINE ({", ".join(machine_names())}) as it is in a release of Kafka; or, for cluster, who speaks to
    whom; or, for a model of `isrproof explore --list` or your own (FILE.py:NAME, package.module:NAME), the machines of
    its enums.

    Blue states are those that a starting controller gives out; a dashed move need not show in a log at the release's
    own level; red moves are illegal."""
)
@click.argument("machine")
@click.option(
    "--release", help="Kafka release, such as 2.0.0 or 2.3; default: the release of --counts, else the newest."
)
@click.option("--format", "format_", help=f"{', '.join(FORMATS)}; default: by the extension of --out, else mermaid.")
@click.option("--level", help="Log level for which moves are dashed; default: the release's own.")
@click.option(
    "--counts",
    type=FilePath(path_type=Path),
    metavar="DIR",
    help="Label moves with their counts, from a folder that `isrproof audit --out` wrote.",
)
@SET
@click.option("--facts", is_flag=True, help="Print reachability, dead ends and cycles instead of a diagram.")
@click.option("--out", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE", help="Write to this file.")
def command(
    machine: str,
    release: str | None,
    format_: str | None,
    level: str | None,
    counts: Path | None,
    sets: tuple[str, ...],
    facts: bool,
    out: Path | None,
) -> None:
    try:
        writer = _format(format_, out)
        if facts:
            text = _facts(machine, release)
        elif machine in models() or is_own(machine):
            if level is not None or counts is not None:
                raise IsrproofError(f"--level and --counts apply to machines; {machine} is a model.")
            text = _of_model(machine, release, writer, settings_of(sets))
        else:
            text = _picture(machine, release, writer, level, counts)
        if out is None:
            say(text, nl=False)
        else:
            with replacing(out) as fresh:
                fresh.write_text(text, encoding="utf-8")
    except (IsrproofError, OSError) as error:
        fail(error, as_json=False)


def _of_model(name: str, release: str | None, format_: str, settings: dict[str, int]) -> str:
    from ..explore import machines

    return _writers()[format_](machines.drawing(chosen(name, release, ()), settings))


def _writers() -> dict[str, Callable[[Drawing], str]]:
    from ..diagram import dot, mermaid, svg

    return {"mermaid": mermaid.write, "dot": dot.write, "svg": svg.write}


def _picture(machine: str, release: str | None, format_: str, level: str | None, counts: Path | None) -> str:
    from ...model.catalogue import families
    from ..diagram import counts as counted
    from ..diagram import speakers
    from ..diagram.drawing import draw

    writers = _writers()
    if machine not in machine_names() and machine in families():
        if level is not None or counts is not None:
            raise IsrproofError(f"--level and --counts apply to machines; {machine} is a family of models.")
        return writers[format_](speakers.draw(families()[machine], release))
    if level is not None:
        level = level.upper()
    if counts is None:
        return writers[format_](draw(machine, release, level))
    seen, among = counted.read(counts, machine), counted.releases(counts)
    return writers[format_](draw(machine, release, level, seen, among))


def _facts(machine: str, release: str | None) -> str:
    from .. import machines
    from ..diagram import facts

    return facts.write(machines.facts(machine, release))


def _format(name: str | None, out: Path | None) -> str:
    ending = "" if out is None else out.suffix.lower()
    if ending in OTHER_PICTURES:
        known = ", ".join(FORMATS.values())
        raise IsrproofError(f"Expected a file that ends in {known}, got {ending}; for a picture, choose .svg.")
    if name is None:
        return next((known for known, usual in FORMATS.items() if usual == ending), "mermaid")
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return name
