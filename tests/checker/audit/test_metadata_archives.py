"""Metadata folders within archives are read as the folders themselves are; nothing is written under their names."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import tarfile
import zipfile
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.model import Report
from isrproof.checker.cli import main
from isrproof.checker.conformance.metadata.validate import validate
from isrproof.specs.errors import IsrproofError
from isrproof.traces.metadata.files import found_in
from isrproof.traces.sources import archives

TRACES = Path(__file__).parents[3] / "traces"
RECORDED = TRACES / "recorded-kraft" / "elr-4.0.0"
FORMS = ("tar.gz", "zip")
SEGMENT = "00000000000000000000.log"


def packed(folder: Path, at: Path, before: str = "") -> Path:
    """An archive of the nodes of a folder; `before` stands before the names in it."""
    if at.suffix == ".zip":
        with zipfile.ZipFile(at, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.glob("node-*/**/*")):
                if file.is_file():
                    archive.write(file, f"{before}{file.relative_to(folder)}")
        return at
    kind = at.name.partition(".tar")[2].removeprefix(".")
    with tarfile.open(at, f"w:{kind}") as tar:  # type: ignore[call-overload]
        for node in sorted(folder.glob("node-*")):
            tar.add(node, f"{before}{node.name}")
    return at


def report(path: Path, engine: str = "python") -> Report:
    (found,) = audit([str(path)], Options(engine=engine, timeline=True))
    return found


@cache
def report_of_folder(engine: str = "python") -> Report:
    return report(RECORDED, engine)


def told(shown: Report, path: Path, own: str = "") -> str:
    """Return the whole report, with the names that files have in the folder."""
    return json.dumps(as_json(shown)).replace(f"{path}{own}/", "")


@pytest.mark.full(every=2)
@pytest.mark.parametrize("form", FORMS)
def test_an_archive_is_told_of_as_the_folder(form: str, tmp_path: Path) -> None:
    own = report_of_folder()
    made = report(packed(RECORDED, tmp_path / f"logs.{form}"))
    assert made.verdict == "illegal"
    assert told(made, tmp_path / f"logs.{form}", "!") == told(own, RECORDED)


@pytest.mark.full
@pytest.mark.parametrize("before", ["/var/lib/kafka/", "./", "a/b/", "x//"])
def test_names_in_it_are_labels(before: str, tmp_path: Path) -> None:
    made = report(packed(RECORDED, tmp_path / "logs.tar", before), "columns")
    assert [(each.rule, each.place.offset) for each in made.findings] == [("KR524", 247), ("KR524", 248)]
    assert (made.metadata or ())[0].nodes == ("1", "11", "12", "13", "2", "3")
    assert not [note for note in made.notes if "record batches" in note]


def test_an_archive_in_an_archive_in_a_folder(tmp_path: Path) -> None:
    packed(RECORDED, tmp_path / "nodes.tar.gz")
    (tmp_path / "all").mkdir()
    with zipfile.ZipFile(tmp_path / "all" / "all.zip", "w") as archive:
        archive.write(tmp_path / "nodes.tar.gz", "nodes.tar.gz")
    made = report(tmp_path / "all")
    first = f"{tmp_path}/all/all.zip!/nodes.tar.gz!/node-1/metadata/{SEGMENT}"
    assert next((each.rule, each.file, each.place.offset) for each in made.findings) == ("KR524", first, 247)


def test_who_reads_records_and_the_model_read_them_too(tmp_path: Path) -> None:
    at = packed(RECORDED, tmp_path / "logs.tar.gz")
    assert validate([str(at)]).offsets == validate([str(RECORDED)]).offsets == ((0, 326),)
    of_archive, of_folder = (
        CliRunner().invoke(main, ["records", str(path), "--topic", "e"]) for path in (at, RECORDED)
    )
    assert of_archive.exit_code == of_folder.exit_code == 0
    assert of_archive.stdout.replace(f"{at}!/", "") == of_folder.stdout.replace(f"{RECORDED}/", "") != ""


def test_standard_input_may_be_one(tmp_path: Path) -> None:
    content = packed(RECORDED, tmp_path / "logs.tar.gz").read_bytes()
    result = CliRunner().invoke(main, ["audit", "-"], input=content)
    assert result.exit_code == 1
    assert f"-!/node-1/metadata/{SEGMENT}@247" in result.stdout


def test_an_archive_without_a_metadata_log_has_none(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "logs.tar", "w") as archive:
        archive.add(TRACES / "recorded" / "failover-on-leader-2.0.0-kill", "logs")
    made = report(tmp_path / "logs.tar")
    assert made.metadata is None
    assert [each.rule for each in made.findings] == ["KR401", "KR401"]
    assert found_in([str(tmp_path / "logs.tar")]) == []


@pytest.mark.full
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_files_that_are_compressed_by_themselves(tmp_path: Path, engine: str) -> None:
    """In a folder and in an archive: all of a node's, quorum-state and meta.properties too."""
    shutil.copytree(RECORDED, tmp_path / "nodes", ignore=shutil.ignore_patterns("*.xz"))
    for file in [file for file in (tmp_path / "nodes").rglob("metadata/*") if file.is_file()]:
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    packed(tmp_path / "nodes", tmp_path / "logs.tar")
    own = report_of_folder(engine)
    for made in (report(tmp_path / "nodes", engine), report(tmp_path / "logs.tar", engine)):
        assert [(each.rule, each.place.offset) for each in made.findings] == [("KR524", 247), ("KR524", 248)]
        assert (made.metadata, own.metadata) != (None, None)
        assert (made.metadata or ())[0].nodes == (own.metadata or ())[0].nodes
        assert made.coverage.records == own.coverage.records
        assert {code: tally.held for code, tally in made.rules.items()} == {c: t.held for c, t in own.rules.items()}


def test_what_is_there_with_and_without_compression_is_one_file(tmp_path: Path) -> None:
    shutil.copytree(RECORDED / "node-1", tmp_path / "node-1")
    segment = tmp_path / "node-1" / "metadata" / SEGMENT
    segment.with_name(f"{SEGMENT}.gz").write_bytes(gzip.compress(segment.read_bytes()))
    assert [each.path for each in found_in([str(tmp_path)]) if each.kind == "segment"] == [str(segment)]
    assert not {"KR501"} & {each.rule for each in report(tmp_path).findings}


def test_compressed_data_that_is_cut_is_told(tmp_path: Path) -> None:
    """It is not read as far as it goes: a segment may end there, and nothing would show that more was."""
    raw = gzip.compress((RECORDED / "node-1" / "metadata" / SEGMENT).read_bytes())
    (tmp_path / f"{SEGMENT}.gz").write_bytes(raw[: len(raw) // 2])
    with pytest.raises(IsrproofError, match="record batches of a Kafka log"):
        report(tmp_path)


def test_an_archive_writes_and_reads_nowhere_else(tmp_path: Path) -> None:
    """Names that lead out of a folder, and links: to a file that would show which node it is, and to a segment."""
    (tmp_path / "meta.properties").write_text("version=1\nnode.id=77\ncluster.id=of-another\n")
    raw = (RECORDED / "node-1" / "metadata" / SEGMENT).read_bytes()
    hostile = tmp_path / "in" / "hostile.tar"
    hostile.parent.mkdir()
    with tarfile.open(hostile, "w") as archive:
        for name in (f"../../escaped/{SEGMENT}", f"/tmp/isrproof-escaped/{SEGMENT}", f"a/../../b/{SEGMENT}"):
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
        for name, target in (
            ("linked/meta.properties", str(tmp_path / "meta.properties")),
            (f"linked/{SEGMENT}", str(RECORDED / "node-1" / "metadata" / SEGMENT)),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
    before = set(tmp_path.rglob("*"))
    found = found_in([str(hostile)])
    assert {os.path.dirname(archives.there_of(file.path)) for file in found} == {archives.folder()}
    assert len(found) == 3
    made = report(hostile)
    assert [each.rule for each in made.findings] == ["KR524", "KR524"]
    assert not {"77"} & {*(made.metadata or ())[0].nodes}
    assert set(tmp_path.rglob("*")) == before
    assert not Path("/tmp/isrproof-escaped").exists()
    assert not (tmp_path.parent / "escaped").exists()


def test_a_cut_archive_is_not_wholly_read(tmp_path: Path) -> None:
    at = packed(RECORDED, tmp_path / "logs.tar.gz")
    content = at.read_bytes()
    at.write_bytes(content[: len(content) * 2 // 3])
    made = report(at)
    assert made.verdict != "conforms"
    assert [note for note in made.notes if "the archive is cut or broken" in note]


def test_an_archive_that_holds_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LEAST_ALLOWED", 1 << 20)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(SEGMENT, b"\0" * (1 << 26))
    with pytest.raises(IsrproofError, match="contains more than"):
        report(tmp_path / "bomb.zip")
