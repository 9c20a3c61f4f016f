"""The models by name, imported only when asked for."""

from __future__ import annotations

import importlib

from .errors import unknown
from .protocol import Model

# name -> (module, attribute)
MODELS: dict[str, tuple[str, str]] = {
    "truncate-to-hw": (".replication.ladder", "TRUNCATE_TO_HW"),
    "kip101": (".replication.ladder", "KIP101"),
    "kip279": (".replication.ladder", "KIP279"),
    "kip320-first-try": (".replication.ladder", "KIP320_FIRST_TRY"),
    "kip320": (".replication.ladder", "KIP320"),
    "kip497": (".replication.later", "KIP497"),
    "kip497-committed-isr-only": (".replication.later", "KIP497_BROKEN"),
    "unclean-election": (".replication.later", "UNCLEAN"),
    "unclean-election-keeps-isr": (".replication.later", "UNCLEAN_BROKEN"),
    "last-replica-standing": (".replication.later", "LAST_REPLICA_STANDING"),
    "kip966": (".replication.later", "KIP966"),
    "kip966-without-kafka-15583": (".replication.later", "KIP966_BROKEN"),
}


def model(name: str) -> Model:
    """A model by its name.

    Raises:
        UnknownNameError: there is none of that name.
    """
    if name not in MODELS:
        raise unknown("model", name, MODELS)
    module, attribute = MODELS[name]
    found = getattr(importlib.import_module(module, __package__), attribute)
    if not isinstance(found, Model):
        raise TypeError(f"{module}.{attribute} is not a Model")
    return found
