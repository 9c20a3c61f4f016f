"""The lines of a text file: the one place where bytes become the text of lines, for every engine.

Bytes that are not UTF-8 are replaced, never dropped. A byte order mark at the beginning of a line (concatenated files
have some within) and colours are not part of a line. A line that is longer than LONGEST is cut there, to bound memory;
it then ends with ENDLESS, and is incomplete.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from ..limits import LINE
from .compression import ALTERED, BROKEN, AlteredError, NoReaderError, TooMuchError, cut
from .encoding import NoTextError, blocks
from .opened import opened

LONGEST = LINE.most
"""The largest number of bytes of a line that are read. Kafka's longest lines name all partitions of a cluster."""
ENDLESS = "\u2026"
"""The end of a line that was cut; no line of Kafka ends with it."""
MARK, ESCAPE, REPLACED = "\ufeff", "\x1b", "\ufffd"
_BLOCK = 1 << 20
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")


class Lines:
    """The lines of a file, without line ends. After they are read, `problem` is the reason why the rest could not be
    read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problem: str | None = None

    def __iter__(self) -> Iterator[str]:
        for chunk in self.chunks():
            text = _without_colours(chunk.decode("utf-8", "replace"))
            lines = text.split("\n")
            if lines[-1] == "":  # after the last line end
                lines.pop()
            if "\r" in text or MARK in text:
                yield from map(_bare, lines)
            else:
                yield from lines

    def chosen(self, numbers: Collection[int]) -> dict[int, str]:
        """Return those of the lines with these numbers (from 1) that exist; no other line is decoded."""
        wanted = sorted(set(numbers), reverse=True)
        found = {}
        before = 0
        for chunk in self.chunks() if wanted else ():
            there = before + chunk.count(b"\n") + (not chunk.endswith(b"\n"))
            if wanted[-1] <= there:
                lines = chunk.split(b"\n")
                while wanted and wanted[-1] <= there:
                    number = wanted.pop()
                    found[number] = text_of(lines[number - before - 1])
            before = there
            if not wanted:
                break
        return found

    def chunks(self) -> Iterator[bytes]:
        """Yield whole lines in UTF-8, many at a time; the last one of the file need not end with a line end."""
        yield from _whole_lines(self.blocks())

    def blocks(self) -> Iterator[bytes]:
        """Yield all readable bytes of the file, in UTF-8."""
        try:
            yield from blocks(self.path)
        except NoTextError as error:
            self.problem = str(error)
        except (NoReaderError, TooMuchError) as error:
            self.problem = str(error)
        except AlteredError:
            self.problem = ALTERED
        except BROKEN:
            self.problem = cut(self.path)
        except OSError as error:
            self.problem = f"cannot be read: {error.strerror or error}"


class Stretch(Lines):
    """Lines of a plain file: those from one byte to another; a line begins at both."""

    def __init__(self, path: str, begin: int, end: int) -> None:
        super().__init__(path)
        self._begin, self._end = begin, end

    def blocks(self) -> Iterator[bytes]:
        try:
            with opened(self.path) as file:
                file.seek(self._begin)
                left = self._end - self._begin
                while block := file.read(min(left, _BLOCK)):
                    left -= len(block)
                    yield block
        except OSError as error:
            self.problem = f"cannot be read: {error.strerror or error}"


def copied(path: str, copy: str) -> str | None:
    """Copy the readable part of a file, in UTF-8, for a reader of plain files; return the problem of `Lines`."""
    lines = Lines(path)
    with open(copy, "wb") as file:
        file.writelines(lines.blocks())
    return lines.problem


def text_of(line: bytes) -> str:
    """Return the text of one line, given without its line feed and no longer than `LONGEST` and `ENDLESS`."""
    return cleaned(line.decode("utf-8", "replace"))


def cleaned(line: str) -> str:
    """Return the text of a line, without anything that is not part of it."""
    return _bare(_without_colours(line))


def _without_colours(text: str) -> str:
    return _COLOUR.sub("", text) if ESCAPE in text else text


def _bare(line: str) -> str:
    return line.rstrip("\r").lstrip(MARK)


def _whole_lines(read: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in blocks that end where lines end; a line that is too long keeps its beginning, and
    ENDLESS."""
    rest: list[bytes] = []
    size = 0
    for block in read:
        end = block.rfind(b"\n") + 1
        if end:
            yield _first_cut(b"".join([*rest, block[:end]]))
            rest, size = [block[end:]], len(block) - end
        elif size <= LONGEST:
            rest.append(block)
            size += len(block)
    if size:
        yield _first_cut(b"".join(rest))


def _first_cut(lines: bytes) -> bytes:
    """Return lines of which the first may be too long; a block is shorter than that."""
    if len(lines) <= LONGEST:
        return lines
    first = lines.find(b"\n")
    first = len(lines) if first < 0 else first
    return lines[:LONGEST] + ENDLESS.encode() + lines[first:] if first > LONGEST else lines
