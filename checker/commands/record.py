"""`isrproof record`: runs a scenario on a real Kafka cluster and keeps its logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ...traces.record.releases import KRAFT_LINES, LINES, first_to_last
from ..arguments import FilePath
from ..failure import fail, say


@click.command()
@click.argument("scenario")
@click.option(
    "--kafka",
    "version",
    required=True,
    metavar="VERSION",
    help=f"A release: {first_to_last(LINES)}; with --kraft {first_to_last(KRAFT_LINES)}, for voters from 3.9, for"
    " migration from 3.6, for whatif-voters from 3.9, for bug-19571 from 3.7,"
    " for bug-19383 from 4.0, for bug-20247 from 3.7.",
)
@click.option("--out", required=True, type=FilePath(path_type=Path), help="The folder to create; it must not exist.")
@click.option(
    "--level",
    type=click.Choice(["default", "trace", "info"]),
    default="default",
    show_default=True,
    help="Level of state.change.logger; default: the release's own (TRACE up to 2.5, INFO from 2.6 on).",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random choices of `chaos`.")
@click.option(
    "--stop",
    type=click.Choice(["kill", "term"]),
    default="kill",
    show_default=True,
    help="How to stop brokers: kill (hard), or term (controlled shutdown).",
)
@click.option(
    "--kafka-home",
    type=FilePath(path_type=Path, exists=True, file_okay=False),
    help="An unpacked Kafka, instead of jars from Maven.",
)
@click.option(
    "--kraft",
    is_flag=False,
    flag_value="own",
    metavar="[LAYOUT]",
    help="Record in KRaft mode; LAYOUT: combined, split, or the scenario's own. Excludes --level and --stop.",
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A broker setting; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest, without its znodes, as one JSON object.")
def command(
    scenario: str,
    version: str,
    out: Path,
    level: str,
    seed: int,
    stop: str,
    kafka_home: Path | None,
    kraft: str | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Run SCENARIO on a real ZooKeeper, or KRaft, and real Kafka brokers on 127.0.0.1 and keep their logs.

    The scenarios are failover-elsewhere, failover-on-leader, lifecycle, reassign, zombie, deposed and chaos; from
    0.11.0.0 on also traffic, unclean, isr-flap, stale-broker and log-dir-failure, in which records are written;
    with --kraft they are failover, lifecycle, reassign, grow, unclean, elr, jbod, voters, segments, migration,
    whatif-brokers, whatif-quorum, whatif-voters, bug-16814, bug-19571, bug-19975, bug-19383, bug-20247 and
    chaos, and OUT gets each node's logs, its metadata log with Kafka's own dump of it, timeline.jsonl and
    manifest.json.

    The folder OUT gets state-change.log, controller.log and server.log of each broker, and manifest.json: what was
    done when, every version of every znode that matters, and where records are written those that were acknowledged
    and what stands on each broker's disk at the end. Needs Java, Maven (or --kafka-home), and pip install
    'isrproof[record]'.
    """
    from ...traces.record.run import Options, record
    from ...traces.record.scenarios import find

    pairs = [setting.partition("=") for setting in settings]
    wrong = [key for key, equals, _ in pairs if not equals]
    if wrong:
        raise click.UsageError(f"--set takes KEY=VALUE, got {wrong[0]!r}.")
    given = {key: value for key, _, value in pairs}
    if kraft is not None:
        _record_kraft(scenario, version, out, kraft, seed, kafka_home, given, as_json)
        return
    options = Options(level, seed, stop, kafka_home, given)
    manifest = _recorded(lambda progress: record(find(scenario), version, out, options, progress), as_json=as_json)
    if as_json:
        say(json.dumps({key: value for key, value in manifest.items() if key != "znodes"}))
    else:
        lines = sum(row["lines"] for row in manifest["files"])
        say(f"{out}: {len(manifest['files'])} logs, {lines} lines, {len(manifest['znodes'])} znode changes")


def _record_kraft(
    scenario: str,
    version: str,
    out: Path,
    layout: str,
    seed: int,
    kafka_home: Path | None,
    settings: dict[str, str],
    as_json: bool,
) -> None:
    from ...traces.record.kraft.run import LAYOUTS, Options, record
    from ...traces.record.kraft.scenarios import find

    if layout not in (*LAYOUTS, "own"):
        raise click.UsageError(f"--kraft takes {' or '.join(LAYOUTS)}, or nothing; got {layout!r}.")
    options = Options(seed, None if layout == "own" else layout, kafka_home, settings)
    manifest = _recorded(lambda progress: record(find(scenario), version, out, options, progress), as_json=as_json)
    say(json.dumps(manifest) if as_json else f"{out}: {len(manifest['files'])} files")


def _recorded(make: Callable[[Callable[[str], None]], dict[str, Any]], *, as_json: bool) -> dict[str, Any]:
    """Return the manifest of a recording. `make` gets a progress callback; its failure ends the command."""
    from ...specs.errors import IsrproofError

    try:
        return make(lambda text: click.echo(text, err=True))
    except KeyboardInterrupt:
        click.echo("Interrupted: the cluster is stopped, and nothing is kept.", err=True)
        raise SystemExit(130) from None
    except (IsrproofError, OSError) as error:
        fail(error, as_json=as_json)
