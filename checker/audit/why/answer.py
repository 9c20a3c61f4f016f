"""The whole of `isrproof why`: from paths to a chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ....specs.errors import IsrproofError
from ....traces.formats.detect import asked_for
from ..command import auditing
from ..findings.asking import WHILE_THEY_LAST
from ..happened.reasons import with_reasons
from ..options import Options
from .asked import Asked, candidates, chosen
from .known import Known
from .link import Chain
from .lost import with_last_lines
from .refused import refused
from .table import chain_of


@dataclass(frozen=True)
class Answer:
    """A chain, and what the question may also mean."""

    chain: Chain
    others: int
    """The number of other entries that the question may mean."""

    guards: tuple[str, ...] = ()
    """The clauses of a model that kept the step from being taken that would have helped."""

    @property
    def code(self) -> int:
        return 0 if self.chain.cause is not None else 3


def why(paths: Sequence[str], asked: Asked, options: Options | None = None) -> Answer:
    """Return the chain of what is asked about.

    Raises:
        IsrproofError: the logs cannot be audited, are of several clusters, or show nothing of what is asked about.
    """
    by_cluster = knowing(paths, options or Options())
    if len(by_cluster) != 1:
        raise IsrproofError(f"isrproof why is about one cluster; these logs are of {len(by_cluster)}.")
    (known,) = by_cluster.values()
    found = candidates(asked, known)
    entry = chosen(asked, found)
    chain, kept = chain_of(entry, known), refused(entry, known)
    if entry.what in WHILE_THEY_LAST and chain.cause == entry:
        chain = replace(chain, cause=None)  # that something was begun does not explain that it has not ended
    unknown = tuple(dict.fromkeys((*chain.unknown, *kept.unknown)))
    return Answer(replace(chain, unknown=unknown), len(found) - 1, kept.said)


def knowing(paths: Sequence[str], options: Options) -> Mapping[int, Known]:
    """Audit logs, and return what links look at, by cluster."""
    with auditing(paths, replace(options, timeline=True), lambda _: None) as found:
        layout = asked_for(options.input, options.layout).layout
        files = {file.index: file for file in found.given.read.files}
        return {
            cluster: Known.of(
                found.whole,
                cluster,
                with_last_lines(with_reasons(own, files, layout, found.given.texts), layout, found.given.texts),
            )
            for cluster, own in found.whole.happened.items()
        }
