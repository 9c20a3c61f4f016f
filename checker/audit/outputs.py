"""Files that an audit writes: it checks that it can before it reads anything, and writes them at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...specs.errors import IsrproofError
from ...traces.sources.paths import is_log
from ..packages import must_have
from ..replacing import must_be_writable
from ..written_files import BESIDE, check_files, must_be_in_a_folder, must_not_be_waited_for, write_texts
from .report.forms import FORMS, AuditRun, write


def check_outputs(paths: Sequence[str], form: str, out: Path | None, files: Mapping[str, Path]) -> None:
    """Refuse what cannot be written, and what would replace a log of PATHs: before hours of reading, not after.

    Args:
        files: form -> file.
    """
    for each in (form, *files):
        if FORMS[each].needs:
            must_have(FORMS[each].needs, BESIDE[each] if each in files else f"--format {each}")
    for each, file in files.items():
        if any(_is_read(file, path) for path in paths):
            raise IsrproofError(f"{BESIDE[each]} {file}: expected the name of another file, got that of a log of PATH.")
    check_files({BESIDE[each]: file for each, file in files.items()})
    if out is not None:
        from .report.parquet import must_have_arrow

        must_have_arrow()
        must_be_in_a_folder("--out", out)
        if out.suffix == ".json" and not out.exists():
            raise IsrproofError(
                f"--out {out}: expected a folder, got the name of a file; to write a file use --json-out {out}."
            )
        must_be_writable(out)
        if out.is_dir():
            for each_file in out.iterdir():
                must_not_be_waited_for(each_file)


def _is_read(page: Path, path: str) -> bool:
    """Return True if a file is a PATH, or a log in the folder that is one."""
    real = page.resolve()
    return page.exists() and (
        real == Path(path).resolve() or (is_log(real.name) and Path(path).resolve() in real.parents)
    )


def write_outputs(
    run: AuditRun, whole: AuditRun, out: Path | None, files: Mapping[str, Path]
) -> tuple[str | None, tuple[Path, ...]]:
    """Write the requested files; return the reason if that failed, and the pages."""
    pages: tuple[Path, ...] = ()
    at = out
    try:
        if out is not None:
            from .report.parquet import write_out

            write_out(out, write("json", run), run.reports)
        if "html" in files:
            from .report.html import write_files

            at = files["html"]
            pages = write_files(whole, at)
        texts = {file: write(form, run) for form, file in files.items() if form != "html"}
        if texts:
            at = next(iter(texts))
            write_texts(texts)
    except OSError as error:
        return f"writing to {error.filename or at} failed: {error.strerror or error}", pages
    return None, pages
