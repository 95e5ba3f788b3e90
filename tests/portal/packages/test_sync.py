"""Facts are what an index on loopback says, in each way of saying it, and stay when it does not."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler
from itertools import product
from pathlib import Path

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.catalog.files.package_file import read_package_files
from accelerator_portal.http import HttpClient, RequestLimits, open_client
from accelerator_portal.packages.sync import sync_summary
from tests.folders import REPOSITORY
from tests.portal.packages.loopback import Answer, File, Index, answering
from tests.portal.packages.syncing import (
    ARM,
    DAY,
    EXPECTED,
    EXTRA,
    PAGE,
    PATIENCE,
    X86,
    asked,
    facts,
    releases,
    synced,
)


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


def test_a_link_may_have_a_query(root: Path, index: Index) -> None:
    page = "".join(
        f'<a href="../../files/{file.name}?signed=1" data-core-metadata="true">{file.name}</a>'
        for file in index.projects["torch-example"]
    )
    index.answers[PAGE] = answering(200, f"<html>{page}".encode(), content_type="text/html")
    assert synced(root, index).packages[0].refused == ()
    assert releases(root)["1.0"]["requires"] == EXPECTED["requires"]


def test_whole_wheels_are_never_read(root: Path, index: Index) -> None:
    (file,) = index.projects["torch-example"][:1]
    file.metadata = None
    index.projects["torch-example"] = [file]
    size = len(file.data)
    assert size > 130_000
    done = synced(root, index)
    assert releases(root)["1.0"]["requires"] == {"*": ["torch==1.9.1+cpu"]}
    assert done.traffic.bytes < size / 2
    assert asked(index, ".metadata") == []


def test_a_wheel_whose_list_of_files_is_too_long_is_refused(root: Path, index: Index) -> None:
    (file,) = index.projects["torch-example"][:1]
    file.metadata = None
    # The end of the archive says that the list before it has 9 MiB.
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 9 * 1024**2, 0, 0)
    file.data = bytes(9 * 1024**2) + end
    index.projects["torch-example"] = [file]
    done = synced(root, index)
    words = "the list of the wheel's files is too long"
    assert any(what.endswith(f": {words}") for what in done.packages[0].refused)
    assert done.traffic.bytes < 1024**2


def test_a_server_without_ranges_is_not_made_to_send_all(root: Path, index: Index) -> None:
    index.ranges = False
    for file in index.projects["torch-example"]:
        file.metadata = None
    done = synced(root, index)
    assert any("support range requests" in what for what in done.packages[0].refused)
    found = releases(root)["1.0"]
    assert found["wheels"] == EXPECTED["wheels"]
    assert "requires" not in found
    assert done.traffic.bytes < 2000


def test_a_withdrawn_release_says_why(root: Path, index: Index) -> None:
    index.add("torch-example", "0.9", X86, yanked="Does not\n\u200bload.")
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


def without_end(over: threading.Event) -> Answer:
    """The beginning of an answer; the connection stays open until the test is over."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.flush()
        over.wait(PATIENCE)
        handler.close_connection = True

    return answer


def test_a_sync_ends_in_time_and_says_what_it_missed(root: Path, index: Index) -> None:
    index.add("beside", "1.0")
    synced(root, index)
    before = (root / "data/packages/torch-example.json").read_bytes()
    over = threading.Event()
    index.answers[PAGE] = without_end(over)
    done = synced(root, index, only=frozenset({"torch-example", "beside"}), seconds=4)
    over.set()
    assert (done.missed, [package.name for package in done.packages]) == (
        ("torch-example",),
        ["beside"],
    )
    assert sync_summary(done).endswith(", 1 not read in time")
    assert (root / "data/packages/torch-example.json").read_bytes() == before


def test_after_ctrl_c_each_finished_package_has_its_day(root: Path, index: Index) -> None:
    index.add("beside", "1.0")
    finished: list[str] = []

    def interrupt(name: str) -> None:
        finished.append(name)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synced(root, index, only=frozenset({"torch-example", "beside"}), on_package=interrupt)
    assert len(finished) == 1
    assert read_package_files(root)[1].later == dict.fromkeys(finished, DAY)


def test_an_interruption_loses_nothing(root: Path, index: Index) -> None:
    """The first run is killed while the second of two packages hangs; the next one goes on."""
    index.add("beside", "1.0")
    synced(root, index)
    before = (root / "data/packages/torch-example.json").read_bytes()
    index.answers[PAGE] = lambda _: time.sleep(30)
    program = (
        "import sys; from pathlib import Path; from tests.portal.packages.loopback import Index;"
        "from tests.portal.packages.syncing import synced;"
        "from accelerator_portal.http import RequestLimits;"
        "synced(Path(sys.argv[1]), Index(url=sys.argv[2]),"
        " only=frozenset({'torch-example', 'beside'}),"
        " limits=RequestLimits(), on_package=lambda name: print(name, flush=True))"
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


def test_a_file_that_cannot_be_written_stops_the_other_packages_before_the_client_closes(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add("beside", "1.0")
    (root / "data/packages/beside.json/x").mkdir(parents=True)
    over = threading.Event()
    index.answers[PAGE] = without_end(over)
    still_at_work: list[int] = []

    @asynccontextmanager
    async def watched(agent: str, limits: RequestLimits) -> AsyncIterator[HttpClient]:
        async with open_client(agent, limits) as client:
            try:
                yield client
            finally:
                still_at_work.append(len(asyncio.all_tasks()) - 1)

    monkeypatch.setattr("accelerator_portal.packages.sync.open_client", watched)
    with pytest.raises(IsADirectoryError):
        synced(root, index, only=frozenset({"torch-example", "beside"}))
    over.set()
    assert still_at_work == [0]


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


def test_facts_that_cannot_be_read_stay_until_somebody_restores_them(
    root: Path, index: Index
) -> None:
    synced(root, index)
    file = root / "data/packages/torch-example.json"
    file.write_bytes(half := file.read_bytes()[:50])
    done = synced(root, index)
    assert (done.packages, done.missed) == ((), ("torch-example",))
    assert file.read_bytes() == half
