"""The steps of models that would have helped, for each kind of entry: why one could not be taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..findings.happened import Happened
from .deleting import not_deleted
from .election import not_elected
from .guards import Refused
from .known import Known
from .moving import not_moved
from .registering import not_registered

_BY_KIND: Mapping[str, Callable[[Happened, Known], Refused]] = {
    "offline": not_elected,
    "deletion-stuck": not_deleted,
    "reassignment-stuck": not_moved,
    "reassignment-running": not_moved,
    "fenced": not_registered,
    "registration-refused": not_registered,
}


def refused(entry: Happened, known: Known) -> Refused:
    """Return why the step that would have ended an entry could not be taken."""
    find = _BY_KIND.get(entry.what)
    return Refused() if find is None else find(entry, known)
