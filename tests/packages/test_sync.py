"""Facts are what an index on loopback says, in each way of saying it, and stay when it does not."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from itertools import product
from pathlib import Path

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.catalog.package_files import read_package_files
from tests.folders import REPOSITORY, Tree
from tests.packages.loopback import (
    File,
    Index,
    answering,
    endless,
    made_wheel,
    metadata_text,
    send,
    served,
    zipped,
)
from tests.packages.syncing import ARM, DAY, EXTRA, FILES, X86, facts, releases, synced

PAGE = "/simple/torch-example/"


@pytest.fixture
def index() -> Iterator[Index]:
    found = Index()
    found.add("torch-example", "1.0", X86, requires=["torch==1.9.1+cpu", "numpy"])
    found.add("torch-example", "1.0", ARM, requires=["torch==1.9.1"])
    with served(found):
        yield found


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree(FILES)


def asked(index: Index, word: str = "") -> list[str]:
    found = [path for path in index.asked if word in path]
    index.asked.clear()
    return found


EXPECTED = {
    "version": "1.0",
    "date": "2026-01-02",
    "wheels": {"manylinux_2_28_aarch64": "cp312", "manylinux_2_28_x86_64": "cp312"},
    "requires": {
        "manylinux_2_28_aarch64": ["torch==1.9.1"],
        "manylinux_2_28_x86_64": ["torch==1.9.1+cpu"],
    },
}


@pytest.mark.parametrize("without", list(product((False, True), repeat=4)))
def test_every_way_of_saying_it_gives_the_same_facts(
    root: Path, index: Index, without: tuple[bool, bool, bool, bool]
) -> None:
    """Without JSON, hashes, ETags, files of metadata, and any number of them."""
    no_json, no_hashes, no_etags, no_metadata = without
    index.json, index.hashes, index.etags = not no_json, not no_hashes, not no_etags
    if no_metadata:
        for file in index.projects["torch-example"]:
            file.metadata = None
    done = synced(root, index)
    assert done.packages[0].refused == ()
    found = releases(root)["1.0"]
    assert ("files" in found) != no_hashes
    assert {key: value for key, value in found.items() if key != "files"} == EXPECTED
    assert facts(root)["indexes"][0]["about"] == "torch-example, made up for tests"


@pytest.mark.parametrize("hashes", [True, False])
def test_a_second_sync_writes_no_byte_and_asks_for_no_metadata(
    root: Path, index: Index, *, hashes: bool
) -> None:
    index.hashes = hashes
    synced(root, index)
    before = {path: path.stat().st_mtime_ns for path in (root / "data").rglob("*.json")}
    asked(index)
    done = synced(root, index)
    assert {path: path.stat().st_mtime_ns for path in (root / "data").rglob("*.json")} == before
    assert [package.written for package in done.packages] == [False]
    metadata = len([path for path in index.asked if "files" in path])
    assert (metadata, done.traffic.bytes) == (0 if hashes else 2, 0)  # ETags answer for the rest


def test_without_the_cache_the_facts_themselves_say_what_is_known(root: Path, index: Index) -> None:
    synced(root, index, cached=False)
    assert not (root / ".cache").exists()
    asked(index)
    synced(root, index, cached=False)
    assert asked(index) == [PAGE]


def test_whole_wheels_are_never_read(root: Path, index: Index) -> None:
    (file,) = index.projects["torch-example"][:1]
    file.metadata = None
    index.projects["torch-example"] = [file]
    size = len(file.data)
    assert size > 130_000
    done = synced(root, index)
    assert releases(root)["1.0"]["requires"] == {"*": ["torch==1.9.1+cpu"]}
    assert done.traffic.bytes < size / 2


def test_a_server_without_ranges_is_not_made_to_send_all(root: Path, index: Index) -> None:
    index.ranges = False
    for file in index.projects["torch-example"]:
        file.metadata = None
    done = synced(root, index)
    assert any("gives no parts" in what for what in done.packages[0].refused)
    found = releases(root)["1.0"]
    assert found["wheels"] == EXPECTED["wheels"]
    assert "requires" not in found
    assert done.traffic.bytes < 2000


def test_a_withdrawn_release_says_why(root: Path, index: Index) -> None:
    index.add("torch-example", "0.9", X86, yanked="Does not\nload.")
    index.add("torch-example", "0.8", X86, yanked="")
    index.add("torch-example", "0.7", X86, yanked="One of two.")
    index.add("torch-example", "0.7", ARM)
    synced(root, index)
    found = releases(root)
    assert found["0.9"]["yanked"] == "Does not load."
    assert found["0.8"]["yanked"] == ""
    assert "yanked" not in found["0.7"]


def test_a_source_archive_and_old_names_are_known(root: Path, index: Index) -> None:
    index.projects["torch-example"] += [
        File("torch_example-1.0.tar.gz", b"x"),
        File("torch_example-1.0.linux-x86_64.exe", b"x"),
        File("torch-example-1.0-final-2.whl", b"x"),
    ]
    synced(root, index)
    assert releases(root)["1.0"]["sdist"] is True


def test_a_package_that_is_not_there_is_a_fact(root: Path, index: Index) -> None:
    del index.projects["torch-example"]
    done = synced(root, index)
    assert facts(root)["indexes"][0] == {"index": "pypi", "releases": []}
    assert "pypi" not in done.packages[0].faults


def test_an_index_that_is_not_reachable_is_said_and_dated(root: Path, index: Index) -> None:
    done = synced(root, index)
    assert list(done.packages[0].faults) == [EXTRA]
    assert "cannot be reached" in done.packages[0].faults[EXTRA]
    later = synced(root, index, DAY + dt.timedelta(days=3))
    assert list(later.packages[0].faults) == [EXTRA]
    _, read, problems = read_package_files(root)
    assert problems == []
    (fault,) = read.faults
    assert (fault.package, fault.index, fault.since) == ("torch-example", EXTRA, DAY)
    assert read.later == {"torch-example": DAY + dt.timedelta(days=3)}
    assert read.read is None


def test_all_packages_make_one_day_for_all(root: Path, index: Index) -> None:
    synced(root, index, only=frozenset())
    _, read, _ = read_package_files(root)
    assert (read.read, dict(read.later)) == (DAY, {})
    assert {(f.package, f.index) for f in read.faults} >= {("beside", EXTRA)}
    assert facts(root, "beside")["indexes"] == [{"index": "pypi", "releases": []}]


def broken(root: Path, index: Index) -> str:
    """Sync once as it should be, then with the answers given; what was known must still stand."""
    answers, index.answers = index.answers, {}
    synced(root, index)
    before = (root / "data/packages/torch-example.json").read_bytes()
    index.answers = answers
    done = synced(root, index, DAY + dt.timedelta(days=1))
    assert (root / "data/packages/torch-example.json").read_bytes() == before
    return done.packages[0].faults["pypi"]


def named(name: str) -> bytes:
    return f'{{"meta":{{"api-version":"1.0"}},"name":"{name}","files":[]}}'.encode()


JSON = "application/vnd.pypi.simple.v1+json"
HTML = "text/html"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (answering(500), "the server answered 500"),
        (answering(403), "the server answered 403"),
        (answering(404), "no such thing (404), where there were 1 releases"),
        (answering(200, b"", content_type=HTML), "the page is no HTML"),
        (answering(200, b"<html></html>", content_type=HTML), "names no file, where there were 1"),
        (answering(200, b"\x00\x01", content_type="image/png"), 'no page of an index but "image/'),
        (answering(200, b"{", content_type=JSON), "the page cannot be read (JSONDecodeError)"),
        (answering(200, b"[]", content_type=JSON), "the page cannot be read (ValidationError)"),
        (answering(200, b"[" * 100_000, content_type=JSON), "the page cannot be read"),
        (answering(200, named("other"), content_type=JSON), 'the page is about "other"'),
        (answering(200, named("x").replace(b"1.0", b"9.0"), content_type=JSON), "newer version"),
        (answering(302, location="https://example.org/"), "leads to another host, example.org"),
        (answering(302, location="//127.0.0.2/"), "leads to another host, 127.0.0.2"),
        (answering(302, location="file:///etc/passwd"), "leads to another host"),
        (answering(302), "leads to another host"),
        (answering(302, location=PAGE), "leads round in circles"),
        (answering(200, b"no gzip at all", content_encoding="gzip"), "is no HTTP (DecodingError)"),
        (endless, "longer than"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_is_refused_by_name(
    root: Path, index: Index, answer: object, words: str
) -> None:
    index.answers[PAGE] = answer  # type: ignore[assignment]
    assert words in broken(root, index)


def test_an_answer_that_drips_is_not_waited_for(root: Path, index: Index) -> None:
    def dripping(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/html")
        handler.send_header("content-length", "1000000")
        handler.end_headers()
        try:
            for _ in range(100):
                handler.wfile.write(b"<")
                handler.wfile.flush()
                time.sleep(0.1)
        except OSError:
            handler.close_connection = True

    index.answers[PAGE] = dripping
    assert "no end within the time" in broken(root, index)


def test_a_redirect_within_the_host_is_followed(root: Path, index: Index) -> None:
    index.answers[PAGE] = answering(301, location="/simple/moved/")
    name = "torch_example-2.0-py3-none-any.whl"
    page = f'<html><a href="/files/{name}">{name}</a>'.encode()
    index.answers["/simple/moved/"] = answering(200, page, content_type=HTML)
    index.projects["torch-example"] = [made_wheel("torch-example", "2.0", "py3-none-any")]
    synced(root, index)
    assert list(releases(root)) == ["2.0"]


def test_a_busy_server_is_asked_again_after_the_time_it_says(root: Path, index: Index) -> None:
    tries = []

    def busy(handler: BaseHTTPRequestHandler) -> None:
        tries.append(1)
        del index.answers[PAGE]
        send(handler, 503, headers={"retry-after": "1"})

    index.answers[PAGE] = busy
    synced(root, index)
    assert (len(tries), list(releases(root))) == (1, ["1.0"])


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        (b"", "this is no metadata"),
        (b"\xff\xfe\x00<html>", "this is no metadata"),
        (metadata_text("other", "2.0"), 'the metadata is of another package, "other"'),
        (metadata_text("torch-example", "2.1"), 'the metadata is of another version, "2.1"'),
        (metadata_text("torch-example", "soon"), 'the metadata is of another version, "soon"'),
        (
            metadata_text("torch-example", "2.0", ["torch" + " >=1," * 600]),
            "this is no metadata: a requirement has no end",
        ),
        (b"x" * 2_000_000, "the answer is longer than"),
    ],
)
def test_metadata_that_lies_is_refused_and_the_release_still_told(
    root: Path, index: Index, metadata: bytes, words: str
) -> None:
    index.add("torch-example", "2.0", X86)
    index.projects["torch-example"][-1].metadata = metadata
    done = synced(root, index)
    (refused,) = done.packages[0].refused
    assert f"torch_example-2.0-{X86}.whl: {words}" in refused
    assert "requires" not in releases(root)["2.0"]
    assert releases(root)["1.0"]["requires"] == EXPECTED["requires"]


def test_metadata_with_another_hash_is_refused(root: Path, index: Index) -> None:
    path = f"/files/torch_example-1.0-{X86}.whl.metadata"
    index.answers[path] = answering(200, metadata_text("torch-example", "1.0", ["torch==9"]))
    done = synced(root, index)
    assert "another hash than the page says" in done.packages[0].refused[0]
    assert list(releases(root)["1.0"]["requires"]) == ["*"]


@pytest.mark.parametrize(
    "data",
    [
        b"no archive",
        zipped({"a.txt": b"x"}),
        made_wheel("torch-example", "2.0", X86).data[:-30],
        made_wheel("torch-example", "2.0", X86).data.replace(b"METADATA", b"METADATB", 1),
    ],
)
def test_a_wheel_that_is_none_is_refused(root: Path, index: Index, data: bytes) -> None:
    index.projects["torch-example"].append(File(f"torch_example-2.0-{X86}.whl", data))
    done = synced(root, index)
    assert len(done.packages[0].refused) == 1
    assert "requires" not in releases(root)["2.0"]


def test_a_bomb_in_a_wheel_is_not_unpacked(root: Path, index: Index) -> None:
    data = zipped({"torch_example-2.0.dist-info/METADATA": b"Name: x\n" * 300_000})
    index.projects["torch-example"].append(File(f"torch_example-2.0-{X86}.whl", data))
    (refused,) = synced(root, index).packages[0].refused
    assert "the wheel's metadata is too long" in refused


def test_files_of_other_packages_and_hostile_names_are_refused(root: Path, index: Index) -> None:
    index.projects["torch-example"] += [
        File("other-1.0-py3-none-any.whl", b"x"),
        File("../../etc/passwd", b"x"),
        File("torch_example-<b>-py3-none-any.whl", b"x"),
        File("\x1b[31mtorch_example-3.0-py3-none-any.whl", b"x"),
    ]
    done = synced(root, index)
    assert list(releases(root)) == ["1.0"]
    (refused, *_) = done.packages[0].refused
    assert refused == 'pypi: "other-1.0-py3-none-any.whl" is a file of another package'


def test_links_into_the_own_network_are_not_asked(root: Path, index: Index) -> None:
    for host in ("http://169.254.169.254", "https://10.0.0.1", "http://localhost:1", "ftp://x.org"):
        name = f"torch_example-2.0-{X86}.whl"
        page = f'<html><a href="{host}/{name}">{name}</a>'.encode()
        index.answers[PAGE] = answering(200, page, content_type=HTML)
        (refused,) = synced(root, index).packages[0].refused
        assert "where an index has nothing to do" in refused, host


def test_a_requirement_that_changes_under_its_version_is_kept(root: Path, index: Index) -> None:
    synced(root, index)
    index.projects["torch-example"] = []
    index.add("torch-example", "1.0", X86, requires=["torch==1.10.0"], python=">=3.11")
    index.add("torch-example", "1.0", ARM, requires=["torch==1.9.1"], python=">=3.11")
    synced(root, index, DAY + dt.timedelta(days=1))
    assert facts(root)["changes"] == [
        {
            "date": "2026-11-22",
            "index": "pypi",
            "version": "1.0",
            "of": "requires",
            "on": "manylinux_2_28_x86_64",
            "before": "torch==1.9.1+cpu",
            "after": "torch==1.10.0",
        }
    ]
    index.projects["torch-example"] = []
    index.add("torch-example", "2.0", X86)
    synced(root, index, DAY + dt.timedelta(days=2))
    assert [(c["version"], c["of"]) for c in facts(root)["changes"]] == [
        ("1.0", "removed"),
        ("1.0", "requires"),
    ]


def test_a_damaged_cache_is_not_believed(root: Path, index: Index) -> None:
    synced(root, index)
    for path in (root / ".cache").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-5] + b"wrong")
    (root / "data/packages/torch-example.json").unlink()
    synced(root, index)
    assert releases(root)["1.0"]["requires"] == EXPECTED["requires"]


def test_an_interruption_loses_nothing(root: Path, index: Index) -> None:
    """The first run is killed while the second of two packages hangs; the next one goes on."""
    index.add("beside", "1.0")
    synced(root, index)
    before = (root / "data/packages/torch-example.json").read_bytes()
    index.answers[PAGE] = lambda _: time.sleep(30)
    program = (
        "import sys; from pathlib import Path; from tests.packages.loopback import Index;"
        "from tests.packages.syncing import synced;"
        "from accelerator_portal.http.limits import RequestLimits;"
        "synced(Path(sys.argv[1]), Index(url=sys.argv[2]),"
        " only=frozenset({'torch-example', 'beside'}),"
        " limits=RequestLimits(), told=lambda name: print(name, flush=True))"
    )
    command = [sys.executable, "-c", program, str(root), index.url]
    path = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])
    surroundings = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"beside\n"
        run.kill()
    assert (root / "data/packages/torch-example.json").read_bytes() == before
    assert releases(root, "beside")["1.0"]["wheels"] == {"any": "py3"}
    assert list((root / "data").rglob("*.new")) == []
    asked(index)
    index.answers.clear()
    done = synced(root, index, only=frozenset({"torch-example", "beside"}))
    assert [package.written for package in done.packages] == [False, False]
    assert asked(index, "files") == []


def test_what_is_written_is_read_again_into_the_catalogue(root: Path, index: Index) -> None:
    synced(root, index)
    catalog, problems = load_catalog(root)
    assert (catalog is not None, problems) == (True, [])
    assert catalog is not None
    assert catalog.packages["torch-example"].indexes[0].releases[0].version == "1.0"
    (root / "data/packages/torch-example.json").write_text('{"package": "x"')
    catalog, (problem,) = load_catalog(root)
    assert problem.path == "data/packages/torch-example.json"
    assert catalog is not None
    assert catalog.packages == {}
