"""A recording in any envelope and layout is judged like the recording itself, or a doubt about the format is
reported."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.specs.errors import IsrproofError
from isrproof.specs.formats import envelopes, layouts
from isrproof.traces.formats import reading
from isrproof.traces.formats.detect import holds_lines
from isrproof.traces.sources import archives
from isrproof.traces.sources.paths import expand
from isrproof.traces.sources.text import Lines

from tests import engines
from tests.recordings import RECORDED
from tests.shapes import Said, enveloped, in_layout, recorded, write

SMALL, LARGE = "failover-on-leader-2.0.0-kill", "chaos-1.1.1-2"
Shape = tuple[str | None, str]
SHAPES: list[Shape] = [
    *((None, layout) for layout in layouts()),
    *((envelope, "kafka") for envelope in envelopes()),
    *(("cri", layout) for layout in layouts() if layout != "kafka"),
    ("logcli-jsonl", "strimzi"),
    ("compose", "ecs"),
    ("grep", "log4j-json"),
    ("csv", "strimzi-old"),
    ("fluentd", "ecs"),
    ("syslog", "strimzi"),
    ("loki", "strimzi-old"),
]


def named(shape: Shape) -> str:
    return f"{shape[0] or 'bare'}-{shape[1]}"


@cache
def events(name: str) -> list[Said]:
    return recorded(RECORDED / name)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def same(report: dict[str, Any], recording: str, shape: Shape) -> None:
    """The report says what the plain recording's says; without milliseconds it may see fewer lines, and says so."""
    envelope, layout = shape
    wanted, shown = told(plain(recording)), told(report)
    if envelope == "filebeat-kafka":  # Where releases differ in what it cuts away, nobody knows which line it was.
        assert all("]? " in each["template"] for each in report["coverage"]["top_unknown"])
        wanted[4] = shown[4]
    if not layouts()[layout].in_seconds:
        assert shown == wanted
        return
    illegal = [[each for each in found[1] if each[1] == "illegal"] for found in (shown, wanted)]
    assert (shown[0], illegal[0]) == (wanted[0], illegal[1])
    assert all(each in wanted[1] for each in shown[1])
    assert all("no milliseconds" in note for note in report["notes"] if "read as" in note)
    assert any("no milliseconds" in note for note in report["notes"])


def told(report: dict[str, Any]) -> list[Any]:
    """Return what does not depend on files: findings, rules, transitions, the number of unknown lines, the timeline."""
    findings = [
        [
            each[name]
            for name in ("rule", "verdict", "entity", "life", "controller_epoch", "expected", "got", "known_issue")
        ]
        for each in report["findings"]
    ]
    states = [[row[name] for name in ("topic", "partition", "leader", "isr", "life")] for row in report["timeline"]]
    unknown = report["coverage"]["unknown"]
    return [report["verdict"], sorted(findings, key=str), report["rules"], report["transitions"], unknown, states]


@cache
def plain(name: str) -> dict[str, Any]:
    return engines.reference([RECORDED / name])[0]


def audited(folder: Path, engine: Callable[..., list[dict[str, Any]]] = engines.reference) -> dict[str, Any]:
    return engine(files(folder), each=False)[0]


@pytest.mark.slow(every=3)
@pytest.mark.full(every=72)
@pytest.mark.parametrize(
    "shape",
    [
        # Each envelope and each layout is in the others.
        pytest.param(
            shape, id=named(shape), marks=pytest.mark.slow if shape[0] == "cri" and shape[1] != "kafka" else ()
        )
        for shape in SHAPES
    ],
)
def test_a_recording_is_judged_alike_in_every_shape(shape: Shape, tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), *shape)
    report = audited(tmp_path)
    same(report, SMALL, shape)
    assert report == audited(tmp_path, engines.columns)
    expected = " over ".join(name for name in shape if name)
    shown = {str(file["read_as"]).removesuffix("-padded") for file in report["files"]}  # TRACE has five characters
    assert shown == {expected.removesuffix("-padded")}


@pytest.mark.parametrize("shape", SHAPES, ids=named)
@pytest.mark.slow
def test_a_large_recording_is_judged_alike_in_every_shape(shape: Shape, tmp_path: Path) -> None:
    write(tmp_path, events(LARGE), *shape)
    same(audited(tmp_path, engines.columns), LARGE, shape)


@pytest.mark.full
@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(shape, marks=[] if number % 12 == 5 else [pytest.mark.slow], id=named(shape))
        for number, shape in enumerate(SHAPES)
    ],
)
@pytest.mark.spark
def test_spark_gives_the_same_bytes(shape: Shape, tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), *shape)
    there = audited(tmp_path, engines.spark)
    assert json.dumps(there) == json.dumps(audited(tmp_path))


@pytest.mark.full(every=36)
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("envelope", [name for name, row in envelopes().items() if row.id != "filebeat-kafka"])
def test_findings_name_the_line_of_the_file(envelope: str, tmp_path: Path) -> None:
    """The line that a finding names holds the text of the line that the recording's finding names."""
    write(tmp_path, events(SMALL), envelope, "kafka")
    texts = sorted(line_of(Path(each["place"]["file"]), each["place"]["line"]) for each in plain(SMALL)["findings"])
    found = sorted(audited(tmp_path)["findings"], key=lambda each: each["place"]["line"])
    assert found
    for each, text in zip(found, texts, strict=True):
        shown = line_of(Path(each["place"]["file"]), each["place"]["line"])
        assert text in shown or json.dumps(text)[1:-1] in shown


def line_of(path: Path, line: int) -> str:
    return Lines(str(path)).chosen([line])[line]


@pytest.mark.full
@pytest.mark.slow(every=3)
@pytest.mark.parametrize(
    "shape",
    [
        *((None, layout) for layout in ("kafka", "ecs", "logstash")),
        *(
            (envelope, "kafka")
            for envelope in ("logcli-jsonl", "splunk", "logcli", "kubectl", "cri", "docker", "compose")
        ),
        *((envelope, "ecs") for envelope in ("docker", "cri")),
    ],
    ids=named,
)
def test_newest_first_is_turned_round(shape: Shape, tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), *shape, newest_first=True)
    report = audited(tmp_path)
    assert told(report) == told(plain(SMALL))
    assert any("newest first: reversed" in note for note in report["notes"])
    assert report == audited(tmp_path, engines.columns)


@pytest.mark.full(every=20)
@pytest.mark.slow(every=3)
@pytest.mark.parametrize("envelope", [row.id for row in envelopes().values() if row.order == "any"])
@pytest.mark.parametrize("layout", ["kafka", "strimzi"])
def test_an_order_that_nobody_knows_is_a_doubt_and_never_illegal(envelope: str, layout: str, tmp_path: Path) -> None:
    """Shuffled, lines of one time may stand in another order than they were written in."""
    shuffled = list(events(SMALL))
    random.Random(1).shuffle(shuffled)
    row = envelopes()[envelope]
    of_log: dict[str, list[Said]] = {}
    for each in shuffled:
        of_log.setdefault("all" if row.label or row.id in ("logcli", "aws-tail") else each.label, []).append(each)
    for name, own in of_log.items():
        lines = ['"host","@timestamp","@message"'] if row.columns else []
        lines += [line for each in own for line in enveloped(row, each, in_layout(layouts()[layout], each))]
        (tmp_path / f"{name}.log").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    report = audited(tmp_path)
    found = {(each["rule"], each["verdict"]) for each in report["findings"]}
    assert {rule for rule, verdict in found if verdict == "illegal"} <= {"KR401"}
    assert any("sorted by time" in note for note in report["notes"])
    assert report["verdict"] == "illegal" or any("lossy" in str(file) and file["lossy"] for file in report["files"])


@pytest.mark.full
def test_what_an_image_prints_first_hides_no_envelope(tmp_path: Path) -> None:
    """Strimzi's prints hundreds of lines of configuration."""
    write(tmp_path, events(SMALL), "cri", "kafka")
    for path in files(tmp_path):
        banner = "".join(f"2026-03-14T09:26:53.000000001Z stdout F option.{n}=value\n" for n in range(1000))
        path.write_text(banner + path.read_text())
    report = audited(tmp_path)
    assert told(report) == told(plain(SMALL))
    assert {file["read_as"] for file in report["files"]} == {"cri over kafka"}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("newest_first", [False, True])
def test_what_is_too_large_to_be_sorted_is_read_as_it_stands(
    newest_first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In order it is judged as ever, else there is a doubt."""
    monkeypatch.setattr(reading, "LARGEST_SORTED", 2000)
    write(tmp_path, events(SMALL), "logcli-jsonl", "kafka", newest_first=newest_first)
    report = audited(tmp_path)
    if newest_first:
        assert any("not sorted" in (file["lossy"] or "") for file in report["files"])
    else:
        assert told(report) == told(plain(SMALL))


def _cri(said: Sequence[Said], size: int) -> list[str]:
    """Lines of CRI in pieces of so many characters."""
    row, layout = envelopes()["cri"], layouts()["kafka"]
    shown = []
    for each in said:
        for line in in_layout(layout, each):
            pieces = [line[i : i + size] for i in range(0, len(line), size)] or [""]
            marked = enveloped(row, each, pieces)
            shown += [piece.replace(" F ", " P ", 1) for piece in marked[:-1]] + marked[-1:]
    return shown


def _written(folder: Path, lines: Callable[[Sequence[Said]], list[str]], name: str = SMALL) -> None:
    of_log: dict[str, list[Said]] = {}
    for each in events(name):
        of_log.setdefault(each.label, []).append(each)
    for label, own in of_log.items():
        (folder / f"{label}.log").write_text("".join(f"{line}\n" for line in lines(own)), encoding="utf-8")


def test_pieces_of_cri_are_joined(tmp_path: Path) -> None:
    _written(tmp_path, lambda said: _cri(said, 100))
    assert told(audited(tmp_path)) == told(plain(SMALL))


def test_pieces_of_docker_are_joined(tmp_path: Path) -> None:
    def lines(said: Sequence[Said]) -> list[str]:
        row = envelopes()["docker"]
        whole = [line for each in said for line in enveloped(row, each, in_layout(layouts()["kafka"], each))]
        shown = []
        for text in whole:
            made = json.loads(text)
            log = made["log"]
            shown += [json.dumps({**made, "log": log[i : i + 80]}) for i in range(0, len(log), 80)]
        return shown

    _written(tmp_path, lines)
    assert told(audited(tmp_path)) == told(plain(SMALL))


@pytest.mark.full(every=2)
@pytest.mark.parametrize("indent", [None, 2])
def test_an_answer_of_a_server_is_one_document(indent: int | None, tmp_path: Path) -> None:
    """Answers of Loki's query_range and of Elasticsearch's _search as curl writes them, and Grafana's download."""
    by_label: dict[str, list[Said]] = {}
    for each in sorted(events(SMALL), key=lambda each: each.time):
        by_label.setdefault(each.label, []).append(each)
    row, layout = envelopes()["loki"], layouts()["kafka"]
    streams = []
    for own in by_label.values():
        answers = [json.loads(line) for each in own for line in enveloped(row, each, in_layout(layout, each))]
        streams.append([answer["data"]["result"][0] for answer in answers])
    loki = [{"stream": own[0]["stream"], "values": [each["values"][0] for each in own][::-1]} for own in streams]
    hits = [
        json.loads(line)
        for own in by_label.values()
        for each in own
        for line in enveloped(envelopes()["es"], each, in_layout(layout, each))
    ]
    for name, made in {
        "loki": {"status": "success", "data": {"resultType": "streams", "result": loki}},
        "es": {"took": 3, "hits": {"total": {"value": len(hits)}, "hits": hits}},
    }.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(made, indent=indent), encoding="utf-8")
        report = engines.reference([path])[0]
        assert told(report) == told(plain(SMALL))
        assert {file["read_as"] for file in report["files"]} == {f"{name} over kafka"}


def test_a_document_that_is_cut_is_incomplete(tmp_path: Path) -> None:
    """The part before the cut is judged, even in the list that is cut."""
    own = [each for each in events(SMALL) if each.label == "broker-2-state-change"]
    made = [
        json.loads(line)
        for each in own
        for line in enveloped(envelopes()["loki"], each, in_layout(layouts()["kafka"], each))
    ]
    values = [answer["data"]["result"][0]["values"][0] for answer in made]
    whole = {"data": {"result": [{"stream": {"pod": "b2"}, "values": values}]}}
    lines = json.dumps(whole, indent=1).split("\n")
    path = tmp_path / "answer.json"
    path.write_text("\n".join(lines[: len(lines) // 2]), encoding="utf-8")
    report = engines.reference([path])[0]
    assert report["verdict"] == "incomplete"
    assert any("its JSON ends, or breaks" in note for note in report["notes"])
    assert 0 < report["coverage"]["understood"] < len(own)
    assert report["coverage"]["unknown"] == 1


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("recording", "seed"), [(SMALL, 0), (SMALL, 1), *(pytest.param(LARGE, n, marks=pytest.mark.slow) for n in range(9))]
)
def test_ties_of_an_export_gain_no_illegal_finding(recording: str, seed: int, tmp_path: Path) -> None:
    """A download as CSV, newest first, with the lines of one millisecond in any order."""
    luck = random.Random(seed)
    shuffled = sorted(events(recording), key=lambda each: (each.time, luck.random()))
    write(tmp_path, shuffled, "csv", "kafka", newest_first=True)
    report = audited(tmp_path, engines.columns)
    illegal = [[each for each in found[1] if each[1] == "illegal"] for found in (told(report), told(plain(recording)))]
    assert all(each in illegal[1] for each in illegal[0])
    assert any("lines of one millisecond may not be in the order of writing" in note for note in report["notes"])


def test_a_piece_without_its_rest_is_a_gap(tmp_path: Path) -> None:
    _written(tmp_path, lambda said: [line for line in _cri(said, 100) if " F " not in line or len(line) < 60])
    report = audited(tmp_path)
    assert report["coverage"]["unknown"] > 0
    assert report["verdict"] == "incomplete"
    assert any("are missing" in note for note in report["notes"])


def test_docker_json_without_line_ends_is_lines(tmp_path: Path) -> None:
    """Hand-written JSON of Docker's form lacks the line feed in every line."""
    row = envelopes()["docker"]
    _written(
        tmp_path,
        lambda said: [
            line.replace('\\n"', '"')
            for each in said
            for line in enveloped(row, each, in_layout(layouts()["kafka"], each))
        ],
    )
    assert told(audited(tmp_path)) == told(plain(SMALL))


def test_several_writers_in_one_file_are_several_streams(tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), "compose", "kafka")
    report = audited(tmp_path)
    labels = sorted({each.label for each in events(SMALL)})
    assert [file["label"] for file in report["files"]] == labels
    assert {file["path"] for file in report["files"]} == {str(tmp_path / "all.log")}


def test_a_row_limit_is_a_doubt(tmp_path: Path) -> None:
    """An answer of exactly so many records as a query gives at most was cut."""
    said = events(SMALL)
    write(tmp_path, said[:30] if len(said) >= 30 else said, "logcli-jsonl", "kafka")
    report = audited(tmp_path)
    assert all("a row limit" in (file["lossy"] or "") for file in report["files"])
    assert report["checked"]["assumption"] == "lossy"


def test_a_prefix_alone_does_not_make_a_log_lossy(tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), "compose", "kafka")
    assert all(file["lossy"] is None for file in audited(tmp_path)["files"])


def test_the_zone_of_each_writer_is_told(tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), "cri", "kafka")
    report = audited(tmp_path)
    assert {file["zone"] for file in report["files"]} == {60}
    assert any("times are +01:00 of UTC" in note for note in report["notes"])


def test_a_log_in_an_unknown_layout_is_incomplete_with_the_reason(tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), None, "kafka")
    odd = tmp_path / "odd.log"
    odd.write_text("".join(f"<<2026-03-14 09:26:53>> INFO kafka.controller :: line {n}\n" for n in range(20)))
    report = audited(tmp_path)
    (file,) = [file for file in report["files"] if file["path"] == str(odd)]
    assert "in a known layout" in file["unknown_layout"]
    assert any("odd.log: none of its 20 lines was understood; none of its first" in note for note in report["notes"])
    odd_only = [path for path in files(tmp_path) if "broker-4" not in str(path)]
    assert engines.reference(odd_only, each=False)[0]["verdict"] == "incomplete"


@pytest.mark.full(every=4)
@pytest.mark.parametrize("member", ["events", None])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_document_is_read_as_its_records(member: str | None, indent: int | None, tmp_path: Path) -> None:
    """One object with all events, or a list, over several lines or on one."""
    row = envelopes()["aws-events" if member else "gcloud"]
    shown = [
        json.loads(line) for each in events(SMALL) for line in enveloped(row, each, in_layout(layouts()["kafka"], each))
    ]
    whole: Any = (
        {"events": [one for each in shown for one in each["events"]], "searchedLogStreams": []} if member else shown
    )
    (tmp_path / "all.json").write_text(json.dumps(whole, indent=indent), encoding="utf-8")
    report = audited(tmp_path)
    assert told(report) == told(plain(SMALL))
    for each in report["findings"]:
        if indent:
            assert "{" in line_of(tmp_path / "all.json", each["place"]["line"])
        else:
            assert each["place"]["line"] == 1
            assert each["place"]["part"] > 1


def _packed(folder: Path, kind: str) -> Path:
    """The files of a folder as an archive beside it."""
    packed = folder.parent / f"bundle.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files(folder):
                archive.write(path, str(path.relative_to(folder)))
        return packed
    plain_tar = folder.parent / "bundle.tar"
    with tarfile.open(plain_tar, "w") as tar:
        tar.add(folder, arcname="bundle")
    if kind != "tar":
        packed.write_bytes(_COMPRESS[kind.rpartition(".")[2]](plain_tar.read_bytes()))
        plain_tar.unlink()
    return packed


_COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "tgz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": lambda data: pytest.importorskip("zstandard").compress(data),
}
NESTED: list[tuple[str, Shape]] = [
    ("tar.gz", ("cri", "kafka")),
    ("zip", ("compose", "kafka")),
    ("tar.zst", ("logcli-jsonl", "strimzi")),
    ("tar.xz", ("docker", "kafka")),
    ("tgz", (None, "kafka")),
    ("tar.bz2", ("csv", "kafka")),
    ("tar", ("es", "ecs")),
]


@pytest.mark.full(every=7)
@pytest.mark.parametrize(("kind", "shape"), NESTED, ids=[f"{kind}-{named(shape)}" for kind, shape in NESTED])
def test_files_of_archives_are_files(kind: str, shape: Shape, tmp_path: Path) -> None:
    write(tmp_path / "logs", events(SMALL), *shape)
    packed = _packed(tmp_path / "logs", kind)
    report = engines.reference([packed])[0]
    same(report, SMALL, shape)
    assert all(file["path"].startswith(f"{packed}!/") for file in report["files"])
    assert report == engines.columns([packed])[0]


@pytest.mark.full
@pytest.mark.spark
def test_files_of_archives_are_files_on_spark(tmp_path: Path) -> None:
    write(tmp_path / "logs", events(SMALL), "cri", "kafka")
    packed = _packed(tmp_path / "logs", "tar.gz")
    assert json.dumps(engines.spark([packed])) == json.dumps(engines.reference([packed]))


@pytest.mark.full(every=4)
@pytest.mark.parametrize("ending", ["gz", "xz", "bz2", "zst"])
def test_compressed_files_are_read(ending: str, tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), "cri", "kafka")
    for path in files(tmp_path):
        path.with_name(f"{path.name}.{ending}").write_bytes(_COMPRESS[ending](path.read_bytes()))
        path.unlink()
    assert told(audited(tmp_path)) == told(plain(SMALL))


@pytest.mark.full(every=4)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize(
    "shape", [(None, "strimzi"), ("compose", "kafka"), ("csv", "kafka"), ("docker", "kafka")], ids=named
)
def test_encodings_and_line_ends_do_not_matter(encoding: str, shape: Shape, tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), *shape)
    for path in files(tmp_path):
        path.write_bytes(path.read_text(encoding="utf-8").replace("\n", "\r\n").encode(encoding))
    same(audited(tmp_path), SMALL, shape)


def test_an_archive_writes_nowhere_else(tmp_path: Path) -> None:
    """Names that lead out of a folder, links and devices."""
    packed = tmp_path / "hostile.tar"
    line = b"[2026-03-14 09:26:53,589] INFO [Controller id=1] Resigned (kafka.controller.KafkaController)\n"
    with tarfile.open(packed, "w") as archive:
        for name in ("../../escaped.log", "/tmp/isrproof-escaped.log", "a/../../b.log"):
            member = tarfile.TarInfo(name)
            member.size = len(line)
            archive.addfile(member, io.BytesIO(line))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE):
            member = tarfile.TarInfo("link.log")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    found = expand([str(packed)])[0][1]
    assert len(found) == 3
    assert {Path(source.there).parent for source in found} == {Path(archives.folder())}
    assert not Path("/tmp/isrproof-escaped.log").exists()
    assert not (tmp_path.parent / "escaped.log").exists()


def test_an_archive_that_holds_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LEAST_ALLOWED", 1 << 20)
    packed = tmp_path / "bomb.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.log", b"\0" * (1 << 24))
    with pytest.raises(IsrproofError, match="contains more than"):
        expand([str(packed)])


def test_a_cut_archive_is_incomplete(tmp_path: Path) -> None:
    write(tmp_path / "logs", events(SMALL), None, "kafka")
    packed = _packed(tmp_path / "logs", "tar.gz")
    packed.write_bytes(packed.read_bytes()[:-2000])
    report = engines.reference([packed])[0]
    assert any(file["problem"] for file in report["files"])
    assert report["verdict"] != "conforms"


def test_standard_input_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, events(SMALL), "compose", "kafka")
    data = io.BytesIO((tmp_path / "all.log").read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(data))
    assert told(engines.reference(["-"])[0]) == told(plain(SMALL))


def test_json_in_a_folder_is_read_if_it_holds_lines(tmp_path: Path) -> None:
    write(tmp_path, events(SMALL), "es", "kafka")
    (tmp_path / "manifest.json").write_text('{"what": "no log"}')
    found = expand([str(tmp_path)], holds_lines=holds_lines)[0][1]
    assert [Path(source.path).name for source in found] == ["all.ndjson"]


@pytest.mark.full(every=2)
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_what_a_given_layout_begins_with_is_no_sign_that_lines_are_missing(engine: str, tmp_path: Path) -> None:
    """But for a word of which nothing is known: what puts it there may leave lines out."""
    if engine == "columns":
        pytest.importorskip("pyarrow", reason="columns in memory need PyArrow")
    verdicts = {}
    for name, pattern, shown in (
        ("level", "%p [%d] %m (%c)", "{0.level} [{1}] {0.message} ({0.logger})"),
        ("word", "%x [%d] %p %m (%c)", "word [{1}] {0.level} {0.message} ({0.logger})"),
    ):
        for each in events(SMALL):
            path = tmp_path / name / each.broker / f"{each.log}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            time = each.time.strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
            with path.open("a", encoding="utf-8") as out:
                out.write("\n".join([shown.format(each, time), *each.rest]) + "\n")
        (report,) = audit([str(tmp_path / name)], Options(engine=engine, layout=pattern))
        verdicts[name] = report.verdict
        assert any("its lines begin with an unknown envelope" in note for note in report.notes) == (name == "word")
    assert verdicts == {"level": "illegal", "word": "incomplete"}
