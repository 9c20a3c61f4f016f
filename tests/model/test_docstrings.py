"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["expr", "evaluate", "ranges", "text"])
def test_docstring_examples(name: str) -> None:
    module = importlib.import_module(f"isrproof.model.{name}")
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert tried > 0
    assert failed == 0
