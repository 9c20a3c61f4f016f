"""The models by name: those of the folders of model/, discovered, not registered; and your own."""

from __future__ import annotations

import runpy
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from .discovery import modules
from .errors import DefinitionError, UnknownNameError, unknown
from .family import Family
from .protocol import Model


@cache
def families() -> Mapping[str, Family]:
    """The families of models by name: their models depend on the release of Kafka."""
    found: dict[str, Family] = {}
    for module in modules(of_lemmas=False):
        for name, value in vars(module).items():
            if isinstance(value, Family) and not name.startswith("_"):
                found[value.name] = value
    return found


@cache
def models() -> Mapping[str, Model]:
    """The models of all protocols by name: the public names of modules, in the order in which they define them.

    A base, which has no behaviours, is what models are made of.
    """
    found: dict[str, Model] = {}
    for module in modules(of_lemmas=False):
        public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
        for name, value in public.items():
            if isinstance(value, Model) and value.behaviours and found.setdefault(value.name, value) is not value:
                raise DefinitionError(f"{module.__name__}.{name}: another model is named {value.name!r}")
    return found


def model(name: str) -> Model:
    """A model by its name; one of your own by `FILE.py:NAME`: the file is executed, and NAME is taken of it.

    Of a family it is the model of the newest release.

    Raises:
        UnknownNameError: there is none of that name, or no such file.
        DefinitionError: the file cannot be executed, with the line; or what it has of that name is no model.
    """
    if ".py:" in name:
        return _of_file(name)
    if name in families():
        return families()[name].model()
    if name not in models():
        raise unknown("model", name, (*models(), *families()))
    return models()[name]


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
            f"{path}: {attribute} is not a Model; expected one of: {', '.join(models) or 'the file has none'}"
        )
    return held[attribute]  # type: ignore[no-any-return]
