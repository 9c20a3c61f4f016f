"""Files that an audit writes: it checks that it can before it reads anything, and writes them at the end."""

from __future__ import annotations

import os
from pathlib import Path

from ...specs.errors import IsrproofError
from ..replacing import must_be_writable
from .report.forms import Run, write


def check_outputs(out: Path | None, html: Path | None) -> None:
    """Refuse what cannot be written: before hours of reading, not after."""
    if html is not None:
        _must_be_in_a_folder("--html", html)
        must_be_writable(html.parent)
    if out is not None:
        from .report.parquet import must_have_arrow

        must_have_arrow()
        _must_be_in_a_folder("--out", out)
        if out.suffix == ".json" and not out.exists():
            raise IsrproofError(
                f"--out {out}: expected a folder, and that is the name of a file: --json > {out} makes it."
            )
        must_be_writable(out)


def _must_be_in_a_folder(option: str, path: Path) -> None:
    """Refuse a folder that is not there: nobody looks for a report in one that a slip of the pen has made."""
    folder = path.absolute().parent
    if not folder.exists():
        raise IsrproofError(
            f"{option} {path}: expected it in a folder that is there, and {folder} is not: mkdir -p it."
        )


def write_outputs(run: Run, whole: Run, out: Path | None, html: Path | None) -> tuple[str | None, tuple[Path, ...]]:
    """Write the files that are asked for; return what kept them from being written, and the pages."""
    pages: tuple[Path, ...] = ()
    try:
        if out is not None:
            from .report.parquet import write_out

            write_out(out, write("json", run), run.reports)
        if html is not None:
            from .report.html import write_files

            pages = write_files(whole, html)
    except OSError as error:
        return f"expected to write into {out or html}, which fails: {error.strerror or error}", pages
    return None, pages


def add_summary(run: Run) -> str | None:
    """Add to the step summary of GitHub Actions, where there is one; return what kept it from being written."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        from .report.github import summary

        try:
            with open(path, "a", encoding="utf-8") as file:
                file.write(summary(run))
        except OSError as error:
            return f"expected to write the step summary to {path}, which fails: {error.strerror or error}"
    return None
