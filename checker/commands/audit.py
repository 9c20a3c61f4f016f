"""isrproof audit: illegal events in the logs of a real cluster, where and why."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...specs.errors import IsrproofError
from ...traces.limits import WORD
from ..arguments import FilePath, Seconds, beside, files_of, jobs_option
from ..audit.options import ENGINES, FAIL_ON, TROUBLE, Options
from ..audit.report.forms import FORMS
from ..deadline import TimeIsUp, within
from ..failure import fail, say, say_json

if TYPE_CHECKING:
    from ...traces.metadata.files import MetadataFile
    from ..audit.report.page.next_fault import NextFault


@click.command(name="audit")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--each", is_flag=True, help="Audit every PATH as a separate cluster (default: all PATHs are one cluster)."
)
@click.option(
    "--release", default="auto", show_default=True, help="The release that ran, or auto: detect it from the wording."
)
@click.option("--lossy", is_flag=True, help="Any line may be missing, so a missing line proves nothing.")
@click.option(
    "--layout",
    metavar="PATTERN",
    help=(
        "The log4j pattern of the files, if they have none of the known layouts, such as '%d{ISO8601} %p "
        "[%t] %m (%c)'. A conversion other than %d %p %m %c %t %n, such as %x, stands for a text without a "
        f"space, of at most {WORD.most} {WORD.unit}."
    ),
)
@click.option(
    "--input",
    "envelope",
    metavar="ENVELOPE[/LAYOUT]",
    help="The envelope of the files, if it is not detected; `isrproof formats` lists them.",
)
@click.option("--partition", metavar="TOPIC-N", help="Report only this partition.")
@click.option("--since", metavar="TIME", help="Report from this time on, as the log prints it: '2018-08-03 12:00:00'.")
@click.option("--until", metavar="TIME", help="Report up to this time.")
@click.option("--timeline", is_flag=True, help="Add the reconstructed history of every partition.")
@click.option(
    "--verbose", is_flag=True, help="Show the evidence of every finding, and how often each rule was evaluated."
)
@click.option(
    "--fail-on",
    type=click.Choice((*FAIL_ON, TROUBLE)),
    default="illegal",
    show_default=True,
    help="The weakest verdict that makes the exit code 1; trouble: illegal, or trouble for the cluster.",
)
@click.option(
    "--out",
    type=FilePath(file_okay=False, path_type=Path),
    help="Write findings, state, timeline and JSON into this folder.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMS)),
    default="text",
    show_default=True,
    help="; ".join(f"{name}: {form.says}" for name, form in FORMS.items()) + ".",
)
@beside("html")
@beside("sarif")
@beside("junit")
@beside("json")
@click.option(
    "--baseline",
    type=FilePath(exists=True, dir_okay=False, path_type=Path),
    help="A JSON or SARIF report of an earlier run: report only findings that are not in it.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help=("python: the reference; columns: NumPy on this machine; spark; auto: the fastest engine for this input."),
)
@jobs_option("Number of processes that share a large log, if Spark does not read it.")
@click.option(
    "--max-seconds",
    type=Seconds(0, min_open=True),
    metavar="SECONDS",
    help="Stop after this time without a report: incomplete, exit code 3.",
)
@click.option("--master", help="Spark master, such as spark://host:7077 (default: local[*]).")
@click.option("--remote", help="A Spark Connect server: sc://host:port.")
def command(
    paths: tuple[str, ...],
    each: bool,
    release: str,
    lossy: bool,
    layout: str | None,
    envelope: str | None,
    partition: str | None,
    since: str | None,
    until: str | None,
    timeline: bool,
    verbose: bool,
    fail_on: str,
    out: Path | None,
    form: str,
    html: Path | None,
    sarif: Path | None,
    junit: Path | None,
    json_out: Path | None,
    baseline: Path | None,
    as_json: bool,
    engine: str,
    jobs: int,
    max_seconds: float | None,
    master: str | None,
    remote: str | None,
) -> None:
    """Audit the logs of a Kafka cluster: files, globs, directories, plain or .gz; with Spark also hdfs:// and the like.

    Exit 0: conforms. 1: illegal. 2: misuse, or nothing could be read. 3: incomplete (a file could not be read, a line
    that matters for a rule was not understood, or a finding is unknown), or nothing to check.
    """
    from ..audit.command import audit_command
    from ..audit.report.terminal import coloured

    form = "json" if as_json else form
    files = files_of({"html": html, "sarif": sarif, "junit": junit, "json_out": json_out})
    try:
        options = Options.of(
            release=release,
            each=each,
            lossy=lossy,
            layout=layout,
            input=envelope,
            partition=partition,
            since=since,
            until=until,
            timeline=timeline,
            verbose=verbose,
            fail_on=fail_on,
            engine=engine,
            jobs=jobs,
            master=master,
            remote=remote,
        )
        report_engine = partial(click.echo, err=True)
        with within(max_seconds):
            answer = audit_command(
                *(list(paths), options, form, out, report_engine),
                files=files,
                baseline=baseline,
                next_fault=_next_fault,
            )
    except TimeIsUp as over:
        if form == "json":
            say_json({"verdict": "incomplete", "notes": [str(over)]})
        click.echo(f"incomplete (exit 3): {over}", err=True)
        sys.exit(3)
    except (IsrproofError, OSError) as error:
        fail(error, as_json=form == "json")
    if answer.problem is not None:
        fail(answer.problem, as_json=form == "json", judged=answer.text)
    for page in answer.pages:
        click.echo(f"The page: {page}", err=True)
    text = coloured(answer.text) if form == "text" else answer.text
    say(text, verdict=answer.verdict, nl=not answer.text.endswith("\n"))
    sys.exit(answer.code)


def _next_fault(files: Sequence[MetadataFile]) -> NextFault | None:
    """Return the page's answer for a metadata log; the models are imported only then."""
    from ..whatif.next_fault import next_fault

    return next_fault(files)
