"""docs/releases.md: the releases and what they do differently, from specs/releases.toml and specs/behaviours.toml."""

from __future__ import annotations

from collections.abc import Iterator

from ...specs.behaviours import BEHAVIOURS, Behaviour
from ...specs.releases import RELEASES, Release, names
from . import table

PATH = "docs/releases.md"
NEXT = "[State machines](machines.md) of each release, or [known bugs of brokers](bugs.md)"


def write() -> str:
    """Return a table of releases and one of behaviours."""
    lines = [
        "# Releases and behaviours",
        "",
        "This page lists the releases of Kafka, and the behaviours in which they differ. A bug is a behaviour, too: it",
        "can be switched off. `python -m isrproof.checker.pages` writes this page from `specs/releases.toml` and",
        "`specs/behaviours.toml`: change the data, not this page.",
        "",
        "## Releases",
        "",
        "`log` is the level at which the release ships state.change.logger.",
        "",
        *table(("row", "stands for", "mode", "log", "new", "gone"), (_release(one) for one in RELEASES)),
        "",
        "## Behaviours",
        "",
        *table(
            ("id", "kind", "releases", "fixed in", "meaning", "source"),
            (_behaviour(one) for one in BEHAVIOURS.values()),
        ),
    ]
    return "\n".join([*lines, ""])


def _release(one: Release) -> Iterator[str]:
    before = RELEASES[one.index - 1].mask if one.index else 0
    born = [id for id, each in BEHAVIOURS.items() if each.releases & one.mask and not each.releases & before]
    gone = [id for id, each in BEHAVIOURS.items() if each.releases & before and not each.releases & one.mask]
    yield from (one.name, ", ".join(one.tags), " or ".join(one.modes), one.state_change_level)
    yield ", ".join(born) if one.index else "all that it has"
    yield ", ".join(gone)


def _behaviour(one: Behaviour) -> Iterator[str]:
    yield ", ".join([one.id, *one.also])
    yield one.kind
    yield names(one.releases)
    yield "never" if one.unfixed else ", ".join(one.fixed_in)
    yield from (one.meaning, one.source)
