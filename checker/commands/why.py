"""`isrproof why`: the chain from what was seen back to what nothing before explains."""

from __future__ import annotations

import click

from ...specs.errors import IsrproofError
from ..failure import fail, say, say_json
from ..progress import showing


@click.command(name="why")
@click.argument("logs", nargs=-1, required=True, metavar="LOGS...")
@click.option("--partition", metavar="TOPIC-N", help="Explain why this partition was offline, or under-replicated.")
@click.option("--node", type=int, metavar="N", help="Explain why this node ended, or lost its session.")
@click.option("--topic", metavar="TOPIC", help="Explain why this topic could not be deleted or reassigned.")
@click.option("--quorum", is_flag=True, help="Explain why the quorum had no leader, or the controller changed.")
@click.option(
    "--at", metavar="TIME|MILLISECONDS",
    help="Explain what was so at this time, as the log prints it; default: the worst, and of that the longest.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: chain, cause, unknown.")
def command(
    logs: tuple[str, ...],
    partition: str | None,
    node: int | None,
    topic: str | None,
    quorum: bool,
    at: str | None,
    as_json: bool,
) -> None:
    """Explain what happened in LOGS: the chain backwards to what nothing before explains, each link with its lines.

    LOGS are the files, or folders, of one cluster: text logs of all nodes, and metadata logs of KRaft. Where the log
    does not show a cause, the answer names the file that would.

    Exit codes: 0 answered, 2 misuse, or nothing happened there, 3 the cause is unknown.
    """
    from ..audit.options import Options
    from ..audit.why.answer import why
    from ..audit.why.asked import Asked
    from ..audit.why.shown import json_of, text

    try:
        options = Options.of(partition=partition)
        asked = Asked(options.partition, node, topic, quorum, _time(at))
        with showing(lambda: "reading the logs"):
            answer = why(logs, asked)
    except (IsrproofError, OSError) as error:
        fail(error, as_json=as_json)
    verdict = "answered" if answer.code == 0 else "unknown"
    if as_json:
        say_json(json_of(answer.chain, answer.guards), verdict=verdict)
    else:
        say(text(answer.chain, answer.others, answer.guards), verdict=verdict)
    raise SystemExit(answer.code)


def _time(text: str | None) -> int | None:
    from ..audit.options import Options

    if text is None:
        return None
    return int(text) if text.isascii() and text.isdigit() else Options.of(since=text).since
