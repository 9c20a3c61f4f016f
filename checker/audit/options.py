"""The options of an audit, checked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

from ...specs.errors import IsrproofError
from ...specs.releases import span
from ...traces.formats.detect import asked_for
from ...traces.limits import NODE

TROUBLE = "trouble"
"""A value of --fail-on: what is illegal, or trouble for the cluster, makes the exit code 1."""
FAIL_ON = ("illegal", "suspicious", "refused", "unknown")
"""The verdicts of findings from the strongest to the weakest: each includes those before it."""

ENGINES = ("auto", "python", "columns", "spark")
"""The engines: the reference, NumPy columns on this machine, or Spark; auto: the fastest engine for this input."""


@dataclass(frozen=True)
class Options:
    """The options of an audit; times are milliseconds as printed."""

    each: bool = False
    releases: int | None = None
    """A mask of releases; None: the wording decides."""
    lossy: bool = False
    layout: str | None = None
    input: str | None = None
    partition: tuple[str, int] | None = None
    since: int | None = None
    until: int | None = None
    timeline: bool = False
    verbose: bool = False
    fail_on: str = "illegal"
    engine: str = "auto"
    jobs: int = 1
    """The number of processes that share the columns of a large log; with more than one, a script that audits must be
    importable (`if __name__ == "__main__"`), as for any process pool.
    """
    master: str | None = None
    remote: str | None = None

    @staticmethod
    def of(
        release: str = "auto",
        partition: str | None = None,
        since: str | None = None,
        until: str | None = None,
        **others: object,
    ) -> Options:
        """Return options from strings as a user writes them.

        Raises:
            IsrproofError: an unknown format, an unknown release, an invalid partition or time, times in the wrong
                order.
        """
        asked_for(others.get("input"), None)  # type: ignore[arg-type]
        if others.get("master") and others.get("remote"):
            raise IsrproofError("--master and --remote name two places to run; give one.")
        first, last = (None if each is None else _time(each) for each in (since, until))
        if first is not None and last is not None and first > last:
            raise IsrproofError(f"--since is after --until: {since!r}, {until!r}; expected the earlier time first.")
        return Options(
            releases=None if release == "auto" else span(release),
            partition=None if partition is None else _partition(partition),
            since=first,
            until=last,
            **others,  # type: ignore[arg-type]
        )


def _partition(text: str) -> tuple[str, int]:
    topic, dash, number = text.rpartition("-")
    is_number = number.isascii() and number.isdigit() and len(number) <= len(str(NODE.most))
    if not dash or not topic or not is_number or int(number) >= NODE.most:
        raise IsrproofError(f"--partition: expected a topic, a dash and a number, like orders-0; got {text!r:.80}.")
    return topic, int(number)


def _time(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        raise IsrproofError(
            f"expected a time as the log prints it, like '2018-08-03 12:00:00' or '2018-08-03', got {text!r}."
        ) from None
    return int(moment.replace(tzinfo=timezone.utc).timestamp() * 1000)
