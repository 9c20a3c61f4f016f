"""`isrproof simulate`: the logs that a run of a model writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..arguments import FilePath
from ..failure import say, say_json
from ..model_options import SET, WITH, WITHOUT, chosen_of, failures, settings_of

EXIT_NO_RUN = 3


@click.command()
@click.argument("model")
@click.option("--release", help="The Kafka release to simulate; default: the newest that the model has a row for.")
@WITHOUT
@WITH
@SET
@click.option(
    "--property", "prop", metavar="P", help="Write the counterexample to this property, instead of a random run."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of a random run.")
@click.option("--steps", type=click.IntRange(1), default=60, show_default=True, help="Length of a random run.")
@click.option("--level", help="Level of state.change.logger; default: the one that the release ships.")
@click.option("--out", type=FilePath(file_okay=False, path_type=Path), help="Write broker-N/*.log into this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(**options: Any) -> None:
    """Write the logs of a run of MODEL: a random run, or the counterexample to a property; for kraft, a metadata log.

    MODEL is a name of `isrproof explore --list`, or FILE.py:NAME or package.module:NAME for a model of your own
    (docs/language.md). Without --out, print each step and the lines that it writes, or what it changes if steps declare
    no lines. The logs lack whatever the model leaves out (requests between brokers, say).

    Exit codes: 0 written, 2 misuse, 3 the property has no counterexample.
    """
    with failures(options["as_json"]):
        raise SystemExit(_run(options))


def _run(options: dict[str, Any]) -> int:
    from ...specs.releases import release
    from ..conformance import simulate
    from ..conformance.names import numbered

    model = chosen_of(options)
    row = release(options["release"]) if options["release"] else _release_of(options["model"])
    instance = model.instance(**settings_of(options["sets"]))
    if options["prop"] is None:
        run = simulate.random_run(instance, options["seed"], options["steps"])
    else:
        found = simulate.counterexample(instance, options["prop"])
        if found is None:
            _say(options, f"{model.name} has no counterexample to {options['prop']}", {"verdict": "unknown"})
            return EXIT_NO_RUN
        run = found
    if not any(each.prints for each in model.actions) and options["model"] != "kraft":
        return _without_lines(options, model, instance, run)
    if options["model"] == "kraft":
        return _metadata(options, model, instance, run, row)
    names = numbered(instance.settings.get("brokers", 9), instance.settings.get("partitions", 9))
    log = simulate.log_of(instance, run, row, (options["level"] or row.state_change_level).upper(), names)
    written = simulate.write(log, options["out"]) if options["out"] is not None else []
    if options["as_json"]:
        _print(model.name, row.name, log, written)
    else:
        _tell(log, options["out"])
    return 0


def _without_lines(options: dict[str, Any], model: Any, instance: Any, run: Any) -> int:
    """Print the steps of a run that writes no lines, and what each changes."""
    from ...specs.errors import IsrproofError
    from ..conformance.simulate import path_of
    from ..explore.report import path_lines, step_json

    if options["out"] is not None:
        raise IsrproofError(
            f"the steps of {model.name} declare no lines (`prints=`, docs/language.md), so there is no log for --out; "
            "leave it out, and the steps are printed"
        )
    path = path_of(instance, run)
    if options["as_json"]:
        say_json({"model": model.name, "steps": [step_json(path, step) for step in path.steps]})
    else:
        say("\n".join([f"{instance.name}: its steps declare no lines", "   1. initial state", *path_lines(path)]))
    return 0


def _metadata(options: dict[str, Any], model: Any, instance: Any, run: Any, row: Any) -> int:
    """Write the metadata log of the controller."""
    from ..conformance.metadata.simulate import FILE, log_of

    log = log_of(instance, run, row, unclean="unclean leaders" in options["adding"])
    written = [] if options["out"] is None else [log.save(options["out"])]
    if options["as_json"]:
        import json

        steps = [
            {"action": taken.action, "params": dict(taken.params), "records": list(offsets)}
            for taken, offsets in log.steps
        ]
        summary = {"model": model.name, "release": row.name, "steps": steps, "files": {FILE: len(log.records)}}
        say(json.dumps(summary | {"written": [str(path) for path in written]}))
        return 0
    for number, (taken, offsets) in enumerate(log.steps, 2):
        say(f"{number:>3}. {_step(taken):<40} {FILE}@{offsets[0]}" if offsets else f"{number:>3}. {_step(taken)}")
        for offset in offsets if not written else ():
            say(f"       {log.records[offset]}")
    if written:
        say(f"{len(log.records)} records in {written[0]}")
    return 0


def _release_of(name: str) -> Any:
    from ...model.catalogue import families
    from ...specs.releases import latest

    return families()[name].release() if name in families() else latest()


def _step(taken: Any) -> str:
    return f"{taken.action}({', '.join(f'{name}={value}' for name, value in taken.params.items())})"


def _tell(log: Any, out: Path | None) -> None:
    for number, (taken, places) in enumerate(log.steps, 2):
        where = f"{places[0].file}:{places[0].line}" if places else "no line"
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        say(f"{number:>3}. {_step(taken):<40} {where}{more}")
        if out is None:
            for place in places:
                say(f"       {log.files[place.file][place.line - 1]}")
    if out is not None:
        say(f"{sum(map(len, log.files.values()))} lines in {len(log.files)} files of {out}")


def _print(model: str, release: str, log: Any, written: list[Path]) -> None:
    import json

    steps = [
        {
            "action": taken.action,
            "params": dict(taken.params),
            "lines": [{"file": place.file, "line": place.line} for place in places],
        }
        for taken, places in log.steps
    ]
    files = {name: len(lines) for name, lines in sorted(log.files.items())}
    summary = {"model": model, "release": release, "steps": steps, "files": files}
    say(json.dumps(summary | {"written": [str(path) for path in written]}))


def _say(options: dict[str, Any], text: str, summary: dict[str, Any]) -> None:
    import json

    say(json.dumps(summary | {"reason": text}) if options["as_json"] else text)
