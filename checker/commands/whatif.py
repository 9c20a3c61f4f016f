"""`isrproof whatif`: a plan, held against the cluster as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..arguments import FilePath
from ..failure import say, say_json
from ..model_options import failures


@click.command(name="whatif")
@click.argument("paths", nargs=-1, required=True, metavar="METADATA...")
@click.option(
    "--fail", multiple=True, metavar="WHAT",
    help="What may fail, at any moment: a number of brokers, whichever they are; node:ID; rack:NAME; or "
    "directory:ID/DIRECTORY, by the id that `isrproof records` prints. May be repeated.",
)  # fmt: skip
@click.option(
    "--restart", metavar="IDS",
    help="Restart these brokers (2,3,1) in that order, each when the one before is back and in sync; all: find a safe "
    "order.",
)  # fmt: skip
@click.option(
    "--reassign", metavar="FILE", type=FilePath(exists=True, dir_okay=False, path_type=Path),
    help="Reassign partitions as this file for kafka-reassign-partitions.sh says.",
)  # fmt: skip
@click.option("--remove-voter", type=int, metavar="ID", help="Remove this voter from the metadata quorum.")
@click.option("--add-voter", type=int, metavar="ID", help="Make this controller a voter.")
@click.option("--release", help="The release of the active controller; default: the newest that the log allows.")
@click.option(
    "--set", "sets", multiple=True, metavar="NAME=VALUE",
    help="Set min.insync.replicas or unclean.leader.election.enable; of one topic: NAME=TOPIC=VALUE. May be repeated.",
)  # fmt: skip
@click.option("--at", metavar="OFFSET|TIME", help="Start from the state there, instead of at the end of the log.")
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(paths: tuple[str, ...], form: str, as_json: bool, **options: Any) -> None:
    """Decide whether a plan is safe: what can happen to the partitions, and to the quorum, of a KRaft cluster.

    METADATA are nodes' folders of the metadata log, or its files. The state at its end becomes the initial state of
    model kraft; everything that can happen within the plan is searched. Of a cluster in ZooKeeper mode they are its
    logs: of those only --fail, --set, --release and --at TIME can be asked, of what the lines show.

    Exit codes: 0 safe, 1 unsafe, 2 misuse, 3 not known.
    """
    as_json |= form == "json"
    with failures(as_json):
        raise SystemExit(_run(paths, "json" if as_json else form, options))


def _run(paths: tuple[str, ...], form: str, options: dict[str, Any]) -> int:
    from ..whatif.answer import EXIT
    from ..whatif.ask import ask
    from ..whatif.now import NotKnownError
    from ..whatif.plan import Question
    from ..whatif.report import json_of, markdown, text

    try:
        answer = ask(paths, Question(**options))
    except NotKnownError as error:
        reason = {"verdict": "unknown", "reason": str(error)}
        if form == "json":
            say_json(reason, verdict="unknown")
        else:
            say(f"unknown: {error}", verdict="unknown")
        return EXIT["unknown"]
    if form == "json":
        say_json(json_of(answer), verdict=answer.verdict)
    else:
        say(text(answer) if form == "text" else markdown(answer), verdict=answer.verdict)
    return EXIT[answer.verdict]
