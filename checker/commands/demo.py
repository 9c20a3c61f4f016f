"""isrproof demo: audit a bundled recording, and write its page."""

from __future__ import annotations

from pathlib import Path

import click

from ...specs.errors import IsrproofError
from ..arguments import FilePath
from ..failure import fail, say


@click.command(name="demo")
@click.option(
    "--html",
    type=FilePath(dir_okay=False, path_type=Path),
    default="isrproof-demo.html",
    show_default=True,
    help="Write the page to this file.",
)
def command(html: Path) -> None:
    """Audit the bundled logs of a real cluster of Kafka 1.1.1, whose brokers were killed, and write the page.

    The audit finds KAFKA-3143 in it: controllers that leave a dead broker as leader.
    """
    from ...traces.recorded import DEMO, recording
    from ..audit.command import audit_command
    from ..audit.options import Options
    from ..audit.report.terminal import coloured

    try:
        with recording(DEMO) as folder:
            answer = audit_command([str(folder)], Options.of(), files={"html": html})
    except (IsrproofError, OSError) as error:
        fail(error, as_json=False)
    if answer.problem is not None:
        fail(answer.problem, as_json=False, judged=answer.text)
    say(coloured(answer.text), verdict=answer.verdict, nl=False)
    say(f"\nThe page: {html.absolute().as_uri()}\nFor your own logs: isrproof audit LOGS... --html page.html")
