"""Discovery of the models in the folders of model/, a folder for each protocol; nothing is registered."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

_LEMMAS = "lemmas"


def modules(of_lemmas: bool) -> Iterator[ModuleType]:
    """The modules of all protocols, sorted: those of lemmas, whose names say so, or the others."""
    here = Path(__file__).parent
    for folder in pkgutil.iter_modules([str(here)]):
        if folder.ispkg:
            names = sorted(found.name for found in pkgutil.iter_modules([str(here / folder.name)]))
            for name in names:
                if name.startswith(_LEMMAS) == of_lemmas:
                    yield importlib.import_module(f".{folder.name}.{name}", __package__)
