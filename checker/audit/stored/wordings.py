"""The wordings that the parser knows, as a hash: another version may understand lines that this one did not."""

from __future__ import annotations

import hashlib
from functools import cache

from ....specs.lines import rows
from .manifest import Manifest


@cache
def known_wordings() -> str:
    """Return a hash of all wordings."""
    known = repr([(name, row.wordings) for name, row in sorted(rows().items())])
    return hashlib.sha256(known.encode()).hexdigest()[:16]


def outdated(manifest: Manifest) -> tuple[str, ...]:
    """Return a note on a table that was parsed with other wordings than those that this program knows."""
    if manifest.wordings == known_wordings():
        return ()
    return (
        f"the events were parsed by isrproof {manifest.parsed_by}, which knew other wordings: lines that this version "
        "understands may be missing; write the table again with `isrproof events`",
    )
