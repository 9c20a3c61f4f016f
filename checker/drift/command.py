"""The program: `python -m isrproof.checker.drift PATH... [--release R] [--since PATH] [--all] [--json]`."""

from __future__ import annotations

from pathlib import Path

import click

from ...specs.errors import IsrproofError
from ..failure import fail, say, say_json
from . import report, sources
from .drift import Drift, drift
from .read import Kafka, kafka

_EXISTING = click.Path(exists=True, path_type=Path)


@click.command(name="drift")
@click.argument("paths", nargs=-1, required=True, type=_EXISTING, metavar="PATH...")
@click.option("--release", "-r", help="Compare with the rows of this release; by default the one that the files name.")
@click.option(
    "--since", multiple=True, type=_EXISTING, help="Files of an older release: lines that it also prints are not new."
)
@click.option("--all", "everything", is_flag=True, help="Also list new lines of loggers that bear on no rule.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all findings.")
def command(
    paths: tuple[Path, ...], release: str | None, since: tuple[Path, ...], everything: bool, as_json: bool
) -> None:
    """List what Kafka has and this project's tables lack.

    PATH is a tree of Kafka's source, a source jar, a class jar, or a folder of jars.

    Exit code 0: nothing to fix; 1: a line or logger that bears on a rule, a record or a level is missing; 2: misuse, or
    a file that cannot be read.
    """
    seen = kafka(sources.read(paths))
    if seen.empty and not seen.damaged:
        fail(f"expected Kafka's source or jars, found none in {', '.join(map(str, paths))}", as_json=as_json)
    older = kafka(sources.read(since)) if since else None
    try:
        found = drift(seen, release, older)
    except IsrproofError as error:
        fail(error, as_json=as_json)
    if found.damaged:
        judged = "" if seen.empty else _judged(found, everything, as_json)
        fail(_damage(seen, older), as_json=as_json, judged=judged)
    if as_json:
        say_json(report.as_json(found), verdict=report.verdict(found))
    else:
        say(report.text(found, everything=everything), verdict=report.verdict(found), nl=False)
    raise SystemExit(int(found.fails))


def _judged(found: Drift, everything: bool, as_json: bool) -> str:
    import json

    return json.dumps(report.as_json(found)) if as_json else report.text(found, everything=everything)


def _damage(*seen: Kafka | None) -> str:
    damaged = [each for one in seen if one for each in one.damaged]
    more = f" (and {len(damaged) - 1} more)" if len(damaged) > 1 else ""
    return f"{damaged[0].name}: {damaged[0].why}{more}"
