"""Addresses of this project and its files, as the metadata of the installed package has them (setup.cfg, setup.py)."""

from __future__ import annotations

from functools import cache
from importlib.metadata import metadata


def url() -> str:
    """Return the address of the project."""
    return str(metadata("isrproof")["Home-page"])


@cache
def file(path: str = "", anchor: str = "") -> str:
    """Return the address of a file of this version; of all files without a path, with a slash at its end."""
    named = (each.partition(", ") for each in metadata("isrproof").get_all("Project-URL") or ())
    source = next((address for label, _, address in named if label == "Source"), url())
    return f"{source}/{path}" + (f"#{anchor}" if anchor else "")
