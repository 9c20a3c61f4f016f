"""The kinds of damage. Each is a function of files and dice; the same dice give the same damage."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import re
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from isrproof.traces.metadata.batches import HEADER

from lab.mangled.parts import TIME
from lab.mangled.ways import WAYS, mangled
from tests import metadata_damage, newer_records
from tests.fuzz.subjects import ENVELOPE, METADATA, TEXT, Files, names, subject
from tests.mangled_bytes import ENCODINGS, flipped

Damage = Callable[[Files, random.Random], Files]


@dataclass(frozen=True)
class Kind:
    """One kind of damage, and what is promised of it."""

    sort: str
    """The sort of subjects that are damaged."""
    damage: Damage
    """Returns the damaged files."""
    promised: bool = True
    """Nothing may become illegal by it, and no illegal finding may be lost quietly. Not promised where a line or a
    record says something else afterwards, as whole as before; docs/doubt.md has it as words that were replaced."""


KINDS: dict[str, Kind] = {}
"""Each kind, by name."""


def _kind(name: str, *sorts: str, promised: bool = True) -> Callable[[Damage], Damage]:
    def add(damage: Damage) -> Damage:
        for sort in sorts:
            KINDS[f"{sort}: {name}" if len(sorts) > 1 else name] = Kind(sort, damage, promised)
        return damage

    return add


def _one(files: Files, dice: random.Random, change: Callable[[bytes], bytes], ending: str = "") -> Files:
    """Change one of the files; its name ends so."""
    chosen = dice.choice([path for path in sorted(files) if path.endswith(ending)] or sorted(files))
    return {**files, chosen: change(files[chosen])}


def _some(files: Files, dice: random.Random, change: Callable[[bytes], bytes]) -> Files:
    """Change one of the files, or all."""
    if dice.random() < 0.5:
        return _one(files, dice, change)
    return {path: change(content) for path, content in files.items()}


def _part(data: bytes, dice: random.Random) -> tuple[int, int]:
    a, b = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    return a, b


# ---- Lines


@_kind("lines cut", TEXT)
def lines_cut(files: Files, dice: random.Random) -> Files:
    """As a shipper does that has a longest line."""
    longest = dice.randrange(40, 300)
    return _some(files, dice, lambda data: b"\n".join(line[:longest] for line in data.split(b"\n")))


@_kind("bits flipped", TEXT, ENVELOPE, promised=False)
def bits(files: Files, dice: random.Random) -> Files:
    return _some(files, dice, lambda data: flipped(dice, data, data))


@_kind("random bytes", TEXT)
def random_bytes(files: Files, dice: random.Random) -> Files:
    def over(data: bytes) -> bytes:
        size, at = dice.choice((3, 400, 4_096, 20_000)), dice.randrange(len(data))
        return data[:at] + dice.randbytes(size) + data[at + size :]

    return _some(files, dice, over)


@_kind("NULs", TEXT, ENVELOPE)
def nuls(files: Files, dice: random.Random) -> Files:
    """As file systems leave them after a crash; 1: over lines; 2: between them."""

    def over(data: bytes) -> bytes:
        a, b = _part(data, dice)
        return data[:a] + b"\0" * (b - a) + data[b:] if dice.random() < 0.5 else data[:a] + b"\0" * 4096 + data[a:]

    return _some(files, dice, over)


@_kind("mixed encodings", TEXT, ENVELOPE)
def encodings(files: Files, dice: random.Random) -> Files:
    def recoded(data: bytes) -> bytes:
        a, b = (data.rfind(b"\n", 0, at) + 1 for at in _part(data, dice))
        part = data[a:b].decode("utf-8", "replace").encode(dice.choice(ENCODINGS), "replace")
        return data[:a] + part + data[b:]

    return _some(files, dice, recoded)


_NUMBER = re.compile(rb"(?<=[=:\[ ,])\d{1,6}(?=[],) ]|$)", re.MULTILINE)


@_kind("huge numbers", TEXT, ENVELOPE)
def huge_numbers(files: Files, dice: random.Random) -> Files:
    """Numbers that no machine has, in the places of numbers, names of brokers or epochs among them."""
    huge = (b"9" * 19, b"9" * 40, b"-" + b"9" * 30, b"18446744073709551616", b"9" * 6_000)

    def over(data: bytes) -> bytes:
        share = dice.choice((0.001, 0.01, 0.2))
        return _NUMBER.sub(lambda found: dice.choice(huge) if dice.random() < share else found[0], data)

    return _some(files, dice, over)


@_kind("deep nesting", TEXT, ENVELOPE)
def deep_nesting(files: Files, dice: random.Random) -> Files:
    nested = (b"[" * 50_000, b'{"a":' * 50_000, b"List(" * 20_000, b'{"log":"' * 3_000, b"(" * 9_000 + b")" * 9_000)

    def between(data: bytes) -> bytes:
        lines = data.split(b"\n")
        for _ in range(dice.choice((1, 3))):
            at = dice.randrange(len(lines))
            lines[at:at] = [dice.choice((b"", lines[at][:60])) + dice.choice(nested)]
        return b"\n".join(lines)

    return _some(files, dice, between)


@_kind("level raised or lowered", TEXT)
def level(files: Files, dice: random.Random) -> Files:
    """From a line on, or up to it; of one broker or of all."""
    hidden = re.compile(
        dice.choice((rb"^\S+ \S+ TRACE ", rb"^\S+ \S+ (TRACE|DEBUG) ", rb"^\S+ \S+ (TRACE|DEBUG|INFO) "))
    )
    raised, whose = dice.random() < 0.5, dice.choice([*sorted({path.partition("/")[0] for path in files}), None])
    times = sorted({found[0] for data in files.values() for found in TIME.finditer(data.decode("utf-8", "replace"))})
    moment = dice.choice(times).lstrip("[").encode()

    def kept(line: bytes) -> bool:
        before = line[1 : 1 + len(moment)] < moment
        return not (hidden.match(line) and before == raised)

    return {
        path: b"".join(filter(kept, data.splitlines(keepends=True)))
        if whose in (None, path.partition("/")[0])
        else data
        for path, data in files.items()
    }


@_kind("collected carelessly", TEXT)
def collected(files: Files, dice: random.Random) -> Files:
    """One of the ways of lab/mangled that change no time and no word: lines doubled, files rotated, and others."""
    way = WAYS[dice.choice([name for name, way in sorted(WAYS.items()) if not way.retimed and not way.reworded])]
    lines = {path: data.decode("utf-8", "replace").split("\n")[:-1] for path, data in files.items()}
    made = mangled(lines, [(way.name, dice.choice(way.severities))], dice.random())
    return {path: "".join(f"{line}\n" for line in own).encode() for path, own in made.items()}


@_kind("rotated files reordered", TEXT)
def rotated(files: Files, dice: random.Random) -> Files:
    """Parts of each log under the names of others of its parts."""
    made = {}
    for path, data in files.items():
        lines = data.splitlines(keepends=True)
        ends = sorted(dice.sample(range(len(lines) + 1), min(3, len(lines))))
        parts = [b"".join(lines[a:b]) for a, b in zip([0, *ends], [*ends, len(lines)], strict=True)]
        dice.shuffle(parts)
        made |= {f"{path}.{number}" if number else path: part for number, part in enumerate(parts) if part}
    return made


@_kind("other envelopes between", ENVELOPE)
def other_envelopes(files: Files, dice: random.Random) -> Files:
    """The rest of the file is in another envelope, of the same lines."""
    other = subject(ENVELOPE, dice.choice(names(ENVELOPE, True)))

    def joined(data: bytes) -> bytes:
        theirs = next(iter(other.values()))
        at = data.rfind(b"\n", 0, dice.randrange(len(data))) + 1
        return data[:at] + theirs[theirs.rfind(b"\n", 0, dice.randrange(len(theirs))) + 1 :]

    return _some(files, dice, joined)


@_kind("envelopes cut", ENVELOPE)
def envelopes_cut(files: Files, dice: random.Random) -> Files:
    """Cut within a line at both ends, or every line at its end."""

    def cut(data: bytes) -> bytes:
        a, b = _part(data, dice)
        longest = dice.randrange(20, 400)
        return data[a:b] if dice.random() < 0.5 else b"\n".join(line[:longest] for line in data.split(b"\n"))

    return _some(files, dice, cut)


# ---- Archives

_PLAIN = "tar"
_PACKED: Mapping[str, Callable[[bytes], bytes]] = {
    "tar.gz": lambda data: gzip.compress(data, 1, mtime=0),
    "tar.bz2": bz2.compress,
    "tar.xz": lambda data: lzma.compress(data, preset=0),
}


def _tar(files: Files) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for path, data in files.items():
            header = tarfile.TarInfo(path)
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
    return made.getvalue()


def _zip(files: Files) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _archive(files: Files, dice: random.Random, *, packed: bool = False) -> tuple[str, bytes]:
    """Return an archive of the files, and the ending of its name; `packed`: checksums cover all of it."""
    ending = dice.choice([*_PACKED, "zip", *([] if packed else [_PLAIN])])
    if ending == "zip":
        return ending, _zip(files)
    return ending, _PACKED.get(ending, lambda data: data)(_tar(files))


def _split(files: Files, dice: random.Random) -> tuple[Files, Files]:
    paths = sorted(files)
    at = dice.randrange(1, len(paths)) if len(paths) > 1 else 1
    return {path: files[path] for path in paths[:at]}, {path: files[path] for path in paths[at:]}


@_kind("archives joined", TEXT, METADATA)
def archives_joined(files: Files, dice: random.Random) -> Files:
    """Two archives of one form in one file, one after the other."""
    one, other = _split(files, dice)
    ending = dice.choice([*_PACKED, _PLAIN, "zip"])
    pack = _zip if ending == "zip" else lambda own: _PACKED.get(ending, lambda data: data)(_tar(own))
    return {f"logs.{ending}": pack(one) + pack(other)}


@_kind("archive header damaged", TEXT, METADATA)
def archive_header(files: Files, dice: random.Random) -> Files:
    """A bit of a header of a tar archive, which its own checksum covers; compressed afterwards."""
    data = bytearray(_tar(files))
    headers = [at for at in range(0, len(data), 512) if data[at + 257 : at + 262] == b"ustar"]
    data[dice.choice(headers) + dice.randrange(500)] ^= 1 << dice.randrange(8)
    ending = dice.choice([*_PACKED, _PLAIN])
    return {f"logs.{ending}": _PACKED.get(ending, bytes)(bytes(data))}


@_kind("archive cut", TEXT, METADATA)
def archive_cut(files: Files, dice: random.Random) -> Files:
    """Cut anywhere, or where a member of a tar archive begins."""
    if dice.random() < 0.5:
        data = _tar(files)
        headers = [at for at in range(0, len(data), 512) if data[at + 257 : at + 262] == b"ustar"]
        ending = dice.choice([*_PACKED, _PLAIN])
        return {f"logs.{ending}": _PACKED.get(ending, bytes)(data[: dice.choice(headers)])}
    ending, data = _archive(files, dice)
    return {f"logs.{ending}": data[: dice.randrange(len(data))]}


@_kind("archive bits flipped", TEXT, METADATA)
def archive_bits(files: Files, dice: random.Random) -> Files:
    """Bits of a compressed archive: its checksums cover the content."""
    ending, data = _archive(files, dice, packed=True)
    return {f"logs.{ending}": flipped(dice, data, data)}


@_kind("archive in archive", TEXT, METADATA)
def archive_in_archive(files: Files, dice: random.Random) -> Files:
    """Some of the files in an archive within, which is damaged or deep."""
    one, other = _split(files, dice)
    ending, data = _archive(other, dice, packed=True)
    data = dice.choice((data, flipped(dice, data, data), data[: dice.randrange(len(data))]))
    inner = {f"inner.{ending}": data}
    for number in range(dice.choice((0, 1, 5))):
        inner = {f"deeper-{number}.zip": _zip(inner)}
    ending, data = _archive({**one, **inner}, dice)
    return {f"logs.{ending}": data}


@_kind("odd names in archives", TEXT, METADATA)
def odd_names(files: Files, dice: random.Random) -> Files:
    """Names that lead out of the folder, that are the same, long, or no text."""
    odd = ("../" * 9, "/", "a/../", "x" * 200 + "/", "\x1b[31m/", "\udcff/", "a\nb/", "")
    made = {}
    for path, data in files.items():
        made[dice.choice(odd) + path] = data
    if any("\udcff" in path for path in made):
        return {"logs.tar": _tar(made)}
    ending, data = _archive(made, dice)
    return {f"logs.{ending}": data}


# ---- Metadata logs


def _segments(files: Files) -> Sequence[str]:
    return [path for path in sorted(files) if path.endswith((".log", ".checkpoint")) and "/metadata/" in path]


def _one_segment(files: Files, dice: random.Random, change: Callable[[bytes], bytes]) -> Files:
    chosen = dice.choice(_segments(files))
    return {**files, chosen: change(files[chosen])}


@_kind("bits outside the checksum", METADATA)
def header_bits(files: Files, dice: random.Random) -> Files:
    """Base offset, length, epoch, format and checksum of a batch."""

    def flip(data: bytes) -> bytes:
        made = bytearray(data)
        for _ in range(dice.choice((1, 1, 2))):
            made[dice.choice(metadata_damage.positions(data)) + dice.randrange(21)] ^= 1 << dice.randrange(8)
        return bytes(made)

    return _one_segment(files, dice, flip)


@_kind("segments damaged", METADATA)
def segments(files: Files, dice: random.Random) -> Files:
    """One of the ways of tests/metadata_damage.py: bits, cuts, lengths that lie, varints without end."""
    way = metadata_damage.WAYS[dice.choice(sorted(metadata_damage.WAYS))]
    return _one_segment(files, dice, lambda data: way(dice, data))


@_kind("records forged", METADATA, promised=False)
def forged(files: Files, dice: random.Random) -> Files:
    """Records that lie, with a right checksum."""
    return _one_segment(files, dice, lambda data: metadata_damage.forged(dice, data))


@_kind("a record not applied", METADATA)
def not_applied(files: Files, dice: random.Random) -> Files:
    """One record of a type or version that nobody knows: in all copies, in one, or in a snapshot."""
    logs = [path for path in _segments(files) if path.endswith(".log")]
    snapshots = [path for path in _segments(files) if path.endswith(".checkpoint")]
    chosen = dice.choice([logs, [dice.choice(logs)], *([[dice.choice(snapshots)]] if snapshots else [])])
    offset, _ = dice.choice(newer_records.offsets(files[dice.choice(chosen)]) or [(0, "")])
    change = newer_records.WAYS[dice.choice(sorted(newer_records.WAYS))]
    return {**files, **{path: newer_records.rewritten(files[path], {offset}.__contains__, change) for path in chosen}}


@_kind("files beside the log", METADATA)
def beside(files: Files, dice: random.Random) -> Files:
    """meta.properties and quorum-state with huge numbers, deep nesting, NULs, or nothing."""
    paths = [path for path in sorted(files) if path.endswith(("meta.properties", "quorum-state"))]
    chosen = dice.choice(paths)
    data = files[chosen]
    ways: Sequence[Callable[[bytes], bytes]] = (
        lambda data: re.sub(rb"\d+", lambda found: dice.choice((found[0], b"9" * 40, b"9" * 6_000)), data),
        lambda data: dice.choice((b"[", b'{"a":', b"a=")) * 40_000,
        lambda data: b"\0" * len(data),
        lambda data: data[: dice.randrange(len(data))],
        lambda data: data.decode("utf-8", "replace").encode("utf-16"),
        lambda data: flipped(dice, data, data),
        lambda data: b",".join([data] * 1_000),
    )
    return {**files, chosen: dice.choice(ways)(data)}


@_kind("copies missing or old", METADATA)
def copies(files: Files, dice: random.Random) -> Files:
    """Nodes of which nothing was collected, and logs that end earlier, at a batch."""
    nodes = sorted({path.partition("/")[0] for path in files})
    kept = set(dice.sample(nodes, dice.randrange(1, len(nodes) + 1)))
    made = {path: data for path, data in files.items() if path.partition("/")[0] in kept}
    for path in _segments(made):
        found = metadata_damage.positions(made[path])
        if path.endswith(".log") and dice.random() < 0.3 and len(found) > 1:
            made[path] = made[path][: dice.choice(found[1:])]
    return made


assert HEADER.size > 21, "the checksum of a batch lies within its header"
