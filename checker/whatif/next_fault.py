"""The page's section: what the failure of any one broker would do to the cluster as its metadata log leaves it."""

from __future__ import annotations

from collections.abc import Sequence

from ...specs.errors import IsrproofError
from ...traces.metadata.files import MetadataFile
from ..audit.report.page.next_fault import NextFault
from ..conformance.metadata.contexts import Choices
from ..explore.trace import EngineError
from ..packages import import_failed
from .answer import answer
from .now import NotKnownError, now_of
from .plan import Plan
from .report import found_in_words, other_sections, path_in_words, searched_in_words


def next_fault(files: Sequence[MetadataFile]) -> NextFault | None:
    """Return the answer for the metadata log in some files; None if they have none, or no broker has registered."""
    if not any(each.kind in ("segment", "snapshot") for each in files):
        return None
    try:
        there = now_of(files)
        if not there.state.brokers:
            return None
        found = answer(there, Plan(spare=1), Choices())
    except (IsrproofError, NotKnownError, EngineError) as error:
        return NextFault("unknown", str(error))
    except ImportError as error:
        # The rest of the page needs none of the models' packages.
        if (missing := import_failed(error)) is None:
            raise
        return NextFault("unknown", missing)
    return NextFault(
        found.verdict,
        searched_in_words(found),
        tuple(found_in_words(found)),
        tuple((title.rstrip(":"), tuple(rows)) for title, rows in other_sections(found)),
        path_in_words(found),
    )
