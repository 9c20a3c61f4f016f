"""Files that an audit writes: it checks that it can before it reads anything, and writes them at the end."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from ...specs.errors import IsrproofError
from ...traces.sources.opened import is_named_fifo
from ..replacing import must_be_writable
from .report.forms import AuditRun, write


def check_outputs(out: Path | None, html: Path | None) -> None:
    """Refuse what cannot be written: before hours of reading, not after."""
    if html is not None:
        if html.is_dir():
            raise IsrproofError(f"--html {html}: expected the name of a file, got a folder.")
        _must_be_in_a_folder("--html", html)
        _must_not_be_waited_for(html)
        must_be_writable(html.parent)
    if out is not None:
        from .report.parquet import must_have_arrow

        must_have_arrow()
        _must_be_in_a_folder("--out", out)
        if out.suffix == ".json" and not out.exists():
            raise IsrproofError(
                f"--out {out}: expected a folder, got the name of a file; to write a file use --json > {out}."
            )
        must_be_writable(out)
        if out.is_dir():
            for each in out.iterdir():
                _must_not_be_waited_for(each)


def _must_not_be_waited_for(path: Path) -> None:
    """Refuse a FIFO, whose reader may never come."""
    if is_named_fifo(str(path)):
        raise IsrproofError(f"{path}: expected a file to write, got a FIFO; use --format html > {path}, say.")


def _must_be_in_a_folder(option: str, path: Path) -> None:
    """Refuse a folder that is not there: nobody looks for a report in one that a typo created."""
    folder = path.absolute().parent
    if not folder.exists():
        raise IsrproofError(
            f"{option} {path}: expected an existing folder, but {folder} does not exist: create it with mkdir -p."
        )


def write_outputs(
    run: AuditRun, whole: AuditRun, out: Path | None, html: Path | None
) -> tuple[str | None, tuple[Path, ...]]:
    """Write the requested files; return the reason if that failed, and the pages."""
    pages: tuple[Path, ...] = ()
    at = out
    try:
        if out is not None:
            from .report.parquet import write_out

            write_out(out, write("json", run), run.reports)
        if html is not None:
            from .report.html import write_files

            at = html
            pages = write_files(whole, html)
    except OSError as error:
        return f"writing to {at} failed: {error.strerror or error}", pages
    return None, pages


def add_summary(run: AuditRun) -> str | None:
    """Append to the step summary of GitHub Actions, where there is one; return the reason if that failed."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        from .report.github import summary

        try:
            _append(path, summary(run).encode())
        except OSError as error:
            return f"writing the step summary to {path} failed: {error.strerror or error}"
    return None


def _append(path: str, content: bytes) -> None:
    """Append to a file, all or nothing."""
    with open(path, "ab", buffering=0) as file:
        before = file.tell() if file.seekable() else None
        if file.write(content) != len(content):
            if before is not None:
                file.truncate(before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
