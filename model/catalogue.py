"""The models by name: those of the folders of model/, discovered, not registered; and your own."""

from __future__ import annotations

import importlib
import os
import runpy
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

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


def is_own(name: str) -> bool:
    """Check whether a name is of a model of one's own: FILE.py:NAME or package.module:NAME."""
    return ":" in name


def model(name: str) -> Model:
    """A model by its name; one of your own by `FILE.py:NAME`, where the file is executed, or `package.module:NAME`,
    where the module is imported, from the current folder too.

    Of a family it is the model of the newest release.

    Raises:
        UnknownNameError: there is none of that name, or no such file or module.
        DefinitionError: the file cannot be executed, with the line; or what it has of that name is no model.
    """
    if is_own(name):
        return _own(name)
    if name in families():
        return families()[name].model()
    if name not in models():
        raise unknown("model", name, (*models(), *families()))
    return models()[name]


def own_files(name: str) -> list[Path]:
    """Return the files in which a model of one's own, which was loaded, may be written: the one that its name says,
    then others of its package.
    """
    where = name.rpartition(":")[0]
    if where.endswith(".py"):
        return [Path(where)]
    top = where.partition(".")[0]
    names = [where, *(each for each in sorted(sys.modules) if each == top or each.startswith(f"{top}."))]
    files = [getattr(sys.modules.get(each), "__file__", None) for each in dict.fromkeys(names)]
    return [Path(file) for file in files if file]


def _own(name: str) -> Model:
    where, _, attribute = name.rpartition(":")
    held = _executed(where) if where.endswith(".py") else _imported(where)
    models = [each for each, value in held.items() if isinstance(value, Model)]
    if attribute not in held:
        raise unknown("model", attribute, models, where)
    if attribute not in models:
        raise DefinitionError(
            f"{where}: {attribute} is not a Model; expected one of: {', '.join(models) or 'the file has none'}"
        )
    return held[attribute]  # type: ignore[no-any-return]


def _executed(path: str) -> Mapping[str, Any]:
    if not Path(path).is_file():
        raise UnknownNameError(f"there is no file {path!r}; expected FILE.py:NAME, for example two_phase.py:MODEL")
    with _errors_of(path):
        return runpy.run_path(path)


def _imported(name: str) -> Mapping[str, Any]:
    if not all(part.isidentifier() for part in name.split(".")):
        raise UnknownNameError(f"{name!r} is no module; expected FILE.py:NAME or package.module:NAME")
    here = os.getcwd()
    sys.path.insert(0, here)  # as `python -m` has it
    try:
        with _errors_of(name):
            return vars(importlib.import_module(name))
    except ModuleNotFoundError as error:
        raise UnknownNameError(
            f"there is no module {error.name!r} here or installed; expected FILE.py:NAME or package.module:NAME"
        ) from None
    finally:
        sys.path.remove(here)


@contextmanager
def _errors_of(where: str) -> Iterator[None]:
    """Name the line of a model's file, or of its module, of which an error comes; leave out a module that is not there.

    Raises:
        DefinitionError: any other error.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or not f"{where}.".startswith(f"{error.name}."):
            raise _wrong(where, error) from error
        raise
    except Exception as error:
        raise _wrong(where, error) from error


def _wrong(where: str, error: Exception) -> DefinitionError:
    stem = where.removesuffix(".py") if where.endswith(".py") else where.replace(".", os.sep)
    file, ends = f"{stem}.py", (f"{stem}.py", os.path.join(stem, "__init__.py"))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(ends)]
    line = error.lineno if isinstance(error, SyntaxError) else frames[-1].lineno if frames else 1
    return DefinitionError(f"{file}:{line}: {type(error).__name__}: {error}")
