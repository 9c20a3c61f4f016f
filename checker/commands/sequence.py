"""`isrproof sequence`: what a log shows of its cluster, as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from ..arguments import FilePath
from ..failure import fail, say
from ..progress import showing
from ..replacing import replacing
from .diagram import FORMATS, OTHER_PICTURES

_FORMATS = {name: FORMATS[name] for name in ("mermaid", "svg")}


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOGS...")
@click.option("--partition", metavar="TOPIC-N", help="Draw only this partition, such as t-0.")
@click.option(
    "--since", metavar="TIME", help="Draw from this time on, as the log prints it, such as '2018-08-03 12:00'."
)
@click.option("--until", metavar="TIME", help="Draw up to this time.")
@click.option(
    "--spells", is_flag=True,
    help="Draw what the cluster went through instead of each step; the default for more than 200 steps, and for KRaft.",
)  # fmt: skip
@click.option("--title", help="Title of the diagram.")
@click.option(
    "--format", "format_", type=click.Choice([*_FORMATS]), help="Default: by the extension of --out, else mermaid."
)
@click.option("--out", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE", help="Write to this file.")
def command(
    logs: tuple[str, ...],
    partition: str | None,
    since: str | None,
    until: str | None,
    spells: bool,
    title: str | None,
    format_: str | None,
    out: Path | None,
) -> None:
    """Draw what LOGS show of a cluster, as a sequence diagram: Mermaid text, or SVG.

    LOGS are the files, or folders, of all brokers of one cluster, or the output of `isrproof simulate`: of ZooKeeper
    mode each step of the controllers, of KRaft (text or metadata logs) and of long logs what the cluster went through.

    Exit codes: 0 drawn, 2 misuse, or nothing to draw.
    """
    from ...specs.errors import IsrproofError
    from ..audit.options import Options
    from ..conformance import sequence
    from ..diagram import sequence_mermaid, sequence_svg

    try:
        writer = {"mermaid": sequence_mermaid.write, "svg": sequence_svg.write}[_format(format_, out)]
        options = Options.of(partition=partition, since=since, until=until)
        with showing(lambda: "reading the logs"):
            drawn = sequence.draw(logs, title and " ".join(title.split()), options, by_spells=spells)
        if out is None:
            say(writer(drawn), nl=False)
        else:
            with replacing(out) as fresh:
                fresh.write_text(writer(drawn), encoding="utf-8")
    except (IsrproofError, OSError) as error:
        fail(error, as_json=False)


def _format(name: str | None, out: Path | None) -> str:
    from ...specs.errors import IsrproofError

    ending = "" if out is None else out.suffix.lower()
    if ending in {*FORMATS.values(), *OTHER_PICTURES} - {*_FORMATS.values()}:
        raise IsrproofError(f"Expected a file that ends in {' or '.join(_FORMATS.values())}, got {ending}.")
    return name or ("svg" if ending == _FORMATS["svg"] else "mermaid")
