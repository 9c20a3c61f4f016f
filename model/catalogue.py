"""The models by name, imported only when asked for."""

from __future__ import annotations

import importlib
import runpy
import traceback
from pathlib import Path

from .errors import DefinitionError, UnknownNameError, unknown
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
    """A model by its name, or one of your own by `FILE.py:NAME`: the file is executed, and NAME is taken of it.

    Raises:
        UnknownNameError: there is none of that name, or no such file.
        DefinitionError: the file cannot be executed, with the line; or what it has of that name is no model.
    """
    if ".py:" in name:
        return _of_file(name)
    if name not in MODELS:
        raise unknown("model", name, MODELS)
    module, attribute = MODELS[name]
    found = getattr(importlib.import_module(module, __package__), attribute)
    if not isinstance(found, Model):
        raise TypeError(f"{module}.{attribute} is not a Model")
    return found


def _of_file(name: str) -> Model:
    path, _, attribute = name.rpartition(":")
    if not Path(path).is_file():
        raise UnknownNameError(f"there is no file {path!r}; expected FILE.py:NAME, for example two_phase.py:MODEL")
    try:
        held = runpy.run_path(path)
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else 1
        raise DefinitionError(f"{path}:{line}: {type(error).__name__}: {error}") from error
    models = [each for each, value in held.items() if isinstance(value, Model)]
    if attribute not in held:
        raise unknown("model", attribute, models, path)
    if attribute not in models:
        raise DefinitionError(
            f"{path}: {attribute} is no Model; expected one of: {', '.join(models) or 'there is none'}"
        )
    return held[attribute]  # type: ignore[no-any-return]
