"""`isrproof sequence`: the actions of a log's controllers, as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from ..arguments import FilePath
from ..failure import fail, say
from ..replacing import replacing
from .diagram import FORMATS, OTHER_PICTURES


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOGS...")
@click.option("--partition", metavar="TOPIC-N", help="Draw only this partition, such as t-0.")
@click.option("--title", default="What the controllers did", show_default=True, help="Title of the diagram.")
@click.option("--out", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE", help="Write to this file.")
def command(logs: tuple[str, ...], partition: str | None, title: str, out: Path | None) -> None:
    """Draw what the controllers of LOGS did, as a Mermaid sequence diagram.

    LOGS are the files, or folders, of all brokers of one cluster in ZooKeeper mode, or the output of `isrproof
    simulate`.

    Exit codes: 0 drawn, 2 misuse, or nothing to draw.
    """
    from ...specs.errors import IsrproofError

    try:
        _check_ending(out)
        text = _drawn(logs, partition, title)
        if out is None:
            say(text, nl=False)
        else:
            with replacing(out) as fresh:
                fresh.write_text(text, encoding="utf-8")
    except (IsrproofError, OSError) as error:
        fail(error, as_json=False)


def _check_ending(out: Path | None) -> None:
    from ...specs.errors import IsrproofError

    usual = FORMATS["mermaid"]
    ending = "" if out is None else out.suffix.lower()
    if ending in {*FORMATS.values(), *OTHER_PICTURES} - {usual}:
        raise IsrproofError(
            f"Expected a file that ends in {usual}, got {ending}; Mermaid draws the picture from that text."
        )


def _drawn(logs: tuple[str, ...], partition: str | None, title: str) -> str:
    from ..conformance import read, sequence

    topic, _, number = (partition or "").rpartition("-")
    if partition is not None and not (topic and number.isdigit()):
        raise click.UsageError(f"--partition: expected a topic and a number, such as t-0, got {partition!r}")
    evidence = read.read(logs)
    return sequence.draw(evidence, " ".join(title.split()), (topic, int(number)) if partition is not None else None)
