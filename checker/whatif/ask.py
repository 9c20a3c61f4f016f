"""A question about a plan: of a metadata log, or of the logs of a cluster in ZooKeeper mode."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...traces.metadata.files import RECORDS, found_in
from .answer import Answer, whatif
from .plan import Question
from .zookeeper.answer import whatif as whatif_of_zookeeper


def ask(paths: Sequence[str], asked: Question) -> Answer:
    """Answer whether a plan is safe in the cluster whose metadata log, or logs of ZooKeeper mode, are in these paths.

    Raises:
        IsrproofError: misuse.
        NotKnownError: what is there does not show the state.
    """
    found = None
    if all(map(os.path.exists, paths)) and not any(each.kind in RECORDS for each in found_in(paths)):
        found = whatif_of_zookeeper(paths, asked)
    return found or whatif(paths, asked)
