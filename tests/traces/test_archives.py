"""Archives and compressed files that are damaged, joined or hostile: what is not read of them is reported."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import socket
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit, audit_command
from isrproof.checker.audit.options import Options
from isrproof.specs.errors import IsrproofError
from isrproof.traces.metadata.files import found_in
from isrproof.traces.sources import archives, compression
from isrproof.traces.sources.opened import SpecialFileError, opened
from isrproof.traces.sources.paths import Source, expand
from isrproof.traces.sources.text import Lines

LOG = Path(__file__).parents[2] / "traces" / "recorded" / "deposed-2.3.1"
FILES = {str(path.relative_to(LOG)): path.read_bytes() for path in sorted(LOG.glob("*/*.log"))}
BLOCK = tarfile.BLOCKSIZE


def tar(files: dict[str, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def zipped(files: dict[str, bytes], comment: bytes = b"") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = comment
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def headers(data: bytes) -> list[int]:
    """Return the places of the headers of a tar archive."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return [member.offset for member in archive]


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]


def sources(path: Path) -> list[Source]:
    return expand([str(path)])[0][1]


def read(path: Path) -> tuple[dict[str, bytes], list[str]]:
    """Return the members that were read without a problem, by their names, and the problems of the others."""
    found = sources(path)
    whole = {each.path.partition("!/")[2]: Path(each.there).read_bytes() for each in found if each.problem is None}
    return whole, [each.problem for each in found if each.problem is not None]


A, B = dict(list(FILES.items())[:2]), dict(list(FILES.items())[2:])


def joined(packed: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    return lambda: packed(tar(A)) + packed(tar(B))


def second_header(packed: Callable[[bytes], bytes]) -> bytes:
    data = tar(A | B)
    return packed(flipped(data, headers(data)[1] + 3))


def at_a_boundary(packed: Callable[[bytes], bytes]) -> bytes:
    data = tar(A | B)
    return packed(data[: headers(data)[2]])


def second_stream(compress: Callable[[bytes], bytes]) -> bytes:
    """Two compressed streams, of which the second is damaged in its first bytes."""
    data = tar(A | B)
    middle = headers(data)[2]
    second = compress(data[middle:])
    return compress(data[:middle]) + b"\x37" * 3 + second[3:]


DAMAGED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "tar joined": ("a.tar", joined(bytes)),
    "tar.gz joined": ("a.tar.gz", joined(gzip.compress)),
    "tar.bz2 joined": ("a.tar.bz2", joined(bz2.compress)),
    "tar header": ("a.tar", lambda: second_header(bytes)),
    "tar.gz header": ("a.tar.gz", lambda: second_header(gzip.compress)),
    "tar boundary": ("a.tar", lambda: at_a_boundary(bytes)),
    "tar.xz boundary": ("a.tar.xz", lambda: at_a_boundary(lzma.compress)),
    "bz2 stream": ("a.tar.bz2", lambda: second_stream(bz2.compress)),
    "xz stream": ("a.tar.xz", lambda: second_stream(lzma.compress)),
    "gz stream": ("a.tar.gz", lambda: second_stream(gzip.compress)),
    "tar, text after it": ("a.tar", lambda: tar(A | B) + b"more\n"),
    "gz, text after it": ("a.tar.gz", lambda: gzip.compress(tar(A | B)) + b"more\n"),
    "xz, text after it": ("a.tar.xz", lambda: lzma.compress(tar(A | B)) + b"more\n"),
    "zip joined": ("a.zip", lambda: zipped(A) + zipped(B)),
    "zip, text after it": ("a.zip", lambda: zipped(A | B) + b"more\n"),
    "zip, not all in its directory": ("a.zip", lambda: forgotten()),
    "zip name": ("a.zip", lambda: zipped({"caf\u00e9.log": b"", **A}).replace("caf\u00e9".encode(), b"caf\xff\xfe")),
    "zip member": ("a.zip", lambda: flipped(zipped(A | B), 200)),
}


def forgotten() -> bytes:
    """A zip archive whose directory lacks a member."""
    data = zipped(A | B)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        begin = archive.start_dir
    second = data.index(b"PK\1\2", begin + 1)
    end = data.index(b"PK\5\6")
    names = len(FILES) - 1
    size = end - second
    return data[:begin] + data[second:end] + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, names, names, size, begin, 0)


@pytest.mark.full(every=3)
@pytest.mark.parametrize(("name", "made"), DAMAGED.values(), ids=DAMAGED)
def test_what_is_not_read_of_an_archive_is_a_problem_and_the_rest_is_read(
    name: str, made: Callable[[], bytes], tmp_path: Path
) -> None:
    packed = tmp_path / name
    packed.write_bytes(made())
    whole, problems = read(packed)
    assert len(problems) == 1
    assert whole.items() <= FILES.items()
    if name.endswith(("tar", "gz", "xz", "bz2")):
        assert whole.keys() >= {next(iter(FILES))}
    (tmp_path / "beside.log").write_bytes(next(iter(FILES.values())))
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    assert report.verdict == "incomplete" or (report.verdict == "illegal" and report.counts["illegal"])
    assert problems[0] in {file.problem for file in report.files}


WHOLE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "tar": ("a.tar", lambda: tar(FILES)),
    "gnu": ("a.tar", lambda: tar(FILES, tarfile.GNU_FORMAT)),
    "zeros": ("a.tar.gz", lambda: gzip.compress(tar(FILES) + b"\0" * 100_001) + b"\0" * 512),
    "streams": ("a.tar.bz2", lambda: b"".join(bz2.compress(part) for part in parts(tar(FILES)))),
    "xz streams": ("a.tar.xz", lambda: b"\0\0\0\0".join(lzma.compress(part) for part in parts(tar(FILES))) + b"\0" * 8),
    "zip": ("a.zip", lambda: zipped(FILES, b"a comment")),
    "zip of a pipe": ("a.zip", lambda: streamed()),
}


def parts(data: bytes) -> Iterator[bytes]:
    return (data[at : at + 100_000] for at in range(0, len(data), 100_000))


class Pipe(io.RawIOBase):
    """A file that only goes forward, so that zip puts sizes after the data."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.data += bytes(data)
        return len(data)


def streamed() -> bytes:
    out = Pipe()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[arg-type]
        for name, content in FILES.items():
            archive.writestr(name, content)
    return out.data


@pytest.mark.parametrize(("name", "made"), WHOLE.values(), ids=WHOLE)
def test_a_whole_archive_has_no_problem(name: str, made: Callable[[], bytes], tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(made())
    assert read(tmp_path / name) == (FILES, [])


def header(type: bytes, size: int, name: str = "x.log") -> bytes:
    member = tarfile.TarInfo(name)
    member.type, member.size = type, size
    return member.tobuf(tarfile.GNU_FORMAT)


def sparse(content: bytes) -> bytes:
    """A member with a map of its holes in its data, as pax 1.0 has it."""
    member = tarfile.TarInfo("sparse.log")
    member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9" * 30}
    member.size = len(content)
    return member.tobuf(tarfile.PAX_FORMAT) + content.ljust(-(-len(content) // BLOCK) * BLOCK, b"\0")


HOSTILE = {
    "a name of 3 GB": header(tarfile.GNUTYPE_LONGNAME, 3 << 30),
    "names of 3 GB": header(tarfile.XHDTYPE, 3 << 30),
    "a folder of 2^60 bytes": header(tarfile.DIRTYPE, 1 << 60),
    "an unknown kind of 2^60 bytes": header(b"Z", 1 << 60),
    "a log of 2^60 bytes": header(tarfile.REGTYPE, 1 << 60),
    "a negative size": header(tarfile.REGTYPE, -(1 << 40)),
    "a sparse map without numbers": sparse(b"x\ny\n"),
    "a sparse map that does not end": sparse(b"9" * 600),
    "a sparse map with numbers beyond the file": sparse(b"1\n99999999999999\n9999999999999\n"),
    "a negative sparse map": sparse(b"2\n-9\n-9\n-9\n-9\n"),
    "an old sparse map that goes on": header(tarfile.GNUTYPE_SPARSE, 0)[:482].ljust(512, b"\1"),
    "names in names": header(tarfile.GNUTYPE_LONGNAME, 0) * 3_000,
    "pax names that are none": header(tarfile.XHDTYPE, 20) + b"99999999999 size=-1\n".ljust(BLOCK, b"\0"),
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_malformed_headers_cost_the_archive_and_nothing_else(hostile: bytes, tmp_path: Path) -> None:
    """Members before them are read; neither memory nor time goes by what they claim."""
    packed = tmp_path / "a.tar"
    data = tar(A)
    end = data.rstrip(b"\0")
    packed.write_bytes(end.ljust(-(-len(end) // BLOCK) * BLOCK, b"\0") + hostile)
    whole, problems = read(packed)
    assert whole == A
    assert problems


@pytest.mark.full
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_any_damage_of_an_archive_costs_some_of_it_and_no_answer(kind: str, tmp_path: Path) -> None:
    dice = random.Random(kind)
    small = {name: content[:700] for name, content in A.items()}
    data = tar(small) if kind == "tar" else zipped(small)
    for number in range(1_500):
        damaged = bytearray(data)
        for _ in range(dice.choice((1, 1, 3, 20))):
            damaged[dice.randrange(len(damaged) if kind == "zip" else 4 * BLOCK)] = dice.randrange(256)
        packed = tmp_path / f"{number}.{kind}"
        packed.write_bytes(bytes(damaged))
        try:
            found = archives.members(str(packed)) if archives.is_archive(str(packed)) else ()
        except archives.BombError:
            continue
        for each in found:
            assert each.problem is not None or Path(each.at).stat().st_size <= 1 << 20
        packed.unlink()


def test_archives_in_an_archive_share_its_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LEAST_ALLOWED", 1 << 20)
    inner = zipped({f"{number}.log": b"\0" * 200_000 for number in range(4)})
    packed = tmp_path / "bomb.zip"
    packed.write_bytes(zipped({f"{number}.zip": inner for number in range(8)}))
    with pytest.raises(IsrproofError, match="contains more than"):
        expand([str(packed)])
    packed.with_name("fits.zip").write_bytes(inner)
    assert len(expand([str(packed.with_name("fits.zip"))])[0][1]) == 4


def test_what_no_member_has_is_bounded_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LEAST_ALLOWED", 1 << 20)
    packed = tmp_path / "bomb.tar.gz"
    packed.write_bytes(gzip.compress(tar(A) + b"\0" * (1 << 26)))
    with pytest.raises(IsrproofError, match="contains more than"):
        expand([str(packed)])


# ---- Files compressed by themselves


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress, gzip.compress], ids=["bz2", "xz", "gz"])
def test_a_compressed_log_whose_second_part_is_damaged_is_cut_there(
    compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(compress(b"one\n") + compress(b"two\n") + b"\0" * 16)
    lines = Lines(str(log))
    assert (list(lines), lines.problem) == (["one", "two"], None)
    for second in (b"\x37" * 3 + compress(b"two\n")[3:], compress(b"two\n")[:-9], b"two\n"):
        log.write_bytes(compress(b"one\n") + second)
        lines = Lines(str(log))
        assert list(lines)[:1] == ["one"]
        assert lines.problem is not None


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress], ids=["bz2", "xz"])
def test_a_compressed_log_that_stands_for_too_much_is_read_only_in_part(
    compress: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "LEAST_ALLOWED", 1 << 21)
    log = tmp_path / "a.log"
    log.write_bytes(compress(b"x" * 99 + b"\n") * 20 + compress(b"\0" * (1 << 26)))
    lines = Lines(str(log))
    found = list(lines)
    assert found[:20] == ["x" * 99] * 20
    assert sum(map(len, found)) <= 1100 * log.stat().st_size + (1 << 22)
    assert lines.problem is not None
    assert "stands for more than" in lines.problem


# ---- Special files


SPECIAL = (
    *("state-change.log", "00000000000000000000.log", "00000000000000000007-0000000001.checkpoint", "a.tar.gz"),
    *(
        "a.zip",
        "meta.properties",
        "quorum-state",
        "00000000000000000000.log.gz",
        "table.json",
        "leader-epoch-checkpoint",
    ),
)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


@pytest.mark.parametrize("make", [fifo, zeros, listening])
def test_special_files_in_a_folder_are_never_opened(
    make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "node" / "__cluster_metadata-0"
    folder.mkdir(parents=True)
    log = tmp_path / "node" / "server.log"
    log.write_bytes(next(iter(FILES.values())))
    (alone,) = audit([str(tmp_path)], Options(engine="python"))
    for name in SPECIAL:
        make(folder / name)
        make(folder.parent / name)
    (report,) = audit([str(tmp_path)], Options(engine="python"))
    assert report == alone
    assert found_in([str(tmp_path)]) == []


@pytest.mark.parametrize("name", ["meta.properties", "quorum-state"])
def test_a_special_file_beside_a_segment_is_as_if_it_were_not_there(name: str, tmp_path: Path) -> None:
    source = LOG.parents[1] / "recorded-kraft" / "jbod-3.7.2" / "node-1" / "metadata" / "00000000000000000000.log"
    folder = tmp_path / "__cluster_metadata-0"
    folder.mkdir()
    (folder / "00000000000000000000.log").write_bytes(source.read_bytes())
    alone = audit([str(tmp_path)], Options(engine="python"))
    os.mkfifo(folder / name)
    assert audit([str(tmp_path)], Options(engine="python")) == alone


def test_a_special_file_that_is_named_itself_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.log")
    with pytest.raises(IsrproofError, match="got a FIFO"):
        expand([str(tmp_path / "a.log")])
    with pytest.raises(SpecialFileError):
        opened("/dev/zero")


def test_a_file_that_becomes_a_fifo_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at it and its opening."""
    log, other = tmp_path / "a.log", tmp_path / "other"
    log.write_bytes(b"one\n")
    other.touch()
    os.mkfifo(tmp_path / "fifo")
    looked = os.stat
    monkeypatch.setattr(os, "stat", lambda path: looked(other))
    with pytest.raises(SpecialFileError):
        opened(str(tmp_path / "fifo"))


# ---- Data that its own checksum contradicts


@pytest.mark.full(every=4)
@pytest.mark.parametrize("ending", ["gz", "xz", "tar.gz", "tar.xz"])
def test_what_is_altered_is_no_evidence(ending: str, tmp_path: Path) -> None:
    """A byte of a text that is stored as it is becomes another: only the checksum shows it."""
    content = random.Random(1).randbytes(1 << 20).hex().encode()
    data = tar({"a.log": content}) if ending.startswith("tar") else content
    packed = bytearray(gzip.compress(data, 0) if ending.endswith("gz") else lzma.compress(data, check=lzma.CHECK_CRC64))
    packed[-6 if ending.endswith("gz") else len(packed) // 2] ^= 4
    path = tmp_path / f"a.log.{ending}"
    path.write_bytes(packed)
    if ending.startswith("tar"):
        (only,) = archives.members(str(path))
        assert "any byte of it may have changed" in (only.problem or "")
        assert Path(only.at).read_bytes() == b""
    else:
        lines = Lines(str(path))
        assert [*lines]
        assert lines.problem == compression.ALTERED


@pytest.mark.parametrize("engine", ["python", "columns"])
def test_an_altered_log_is_left_out_of_an_audit(engine: str, tmp_path: Path) -> None:
    if engine == "columns":
        pytest.importorskip("pyarrow")
    log = (LOG.parent / "failover-on-leader-2.0.0-kill" / "broker-4" / "state-change.log").read_bytes()
    packed = gzip.compress(log, 0)
    (tmp_path / "state-change.log.gz").write_bytes(packed)
    whole = audit_command([str(tmp_path)], Options(engine=engine), "json")
    assert whole.code == 1
    altered = packed.replace(b"leaderEpoch", b"leaderepoch", 1)
    assert altered != packed
    (tmp_path / "state-change.log.gz").write_bytes(altered)
    (tmp_path / "controller.log").write_bytes(log.splitlines(keepends=True)[0])
    answer = audit_command([str(tmp_path)], Options(engine=engine), "json")
    assert answer.code == 3
    assert "any byte of it may have changed" in answer.text
