"""`accelerator-portal release` from the indexes to the file."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.versions_file import Release, Releases
from accelerator_portal.packages.index_page import JSON_TYPE, MAX_PAGE
from accelerator_portal.releases.release_entry import read_releases
from accelerator_reports.cli import main
from tests.folders import EXAMPLE, INSTALL, Tree, edited
from tests.portal.packages.loopback import answering, metadata_text, send
from tests.portal.packages.syncing import PATIENCE
from tests.portal.releases.made_up import (
    ARM,
    CUDA,
    FILES,
    LINUX,
    MACOS,
    VERSION,
    Indexes,
    made_up_indexes,
    tags,
)


@pytest.fixture
def indexes() -> Iterator[Indexes]:
    with made_up_indexes() as found:
        yield found


def run(root: Path, indexes: Indexes, version: str = VERSION) -> Result:
    words = ["release", "add", "--root", str(root), version]
    return CliRunner().invoke(main, words, obj=indexes.options)


def releases(root: Path) -> Releases:
    return read_releases(RELEASES, (root / RELEASES).read_text("utf-8"))[0]


def builds(release: Release) -> dict[str, str]:
    return {
        f"{wheel.variant} {wheel.os} {arch}": wheel.on or "index"
        for wheel in release.wheels
        for arch in wheel.arch
    }


def test_a_new_release_is_written_with_its_sources(tree: Tree, indexes: Indexes) -> None:
    root = tree(FILES)
    done = run(root, indexes)
    assert done.exit_code == 0, done.output
    found = releases(root)
    entry = found.releases[0]
    assert (entry.version, str(entry.date), entry.torchvision) == (VERSION, "2026-11-20", "0.31.0")
    assert entry.python == ("3.12", "3.13")
    assert builds(entry) == {
        "cu132 linux x86_64": "pypi",
        "cu132 linux aarch64": "pypi",
        "cu132 windows x86_64": "index",
        "cpu linux x86_64": "index",
        "cpu windows x86_64": "pypi",
        "cpu macos aarch64": "pypi",
    }
    sources = {
        source: found.sources[source] for wheel in entry.wheels for source in wheel.source or ()
    }
    assert {source.url or source.package for source in sources.values()} == {
        "torch",
        "https://download.pytorch.org/whl/cpu/torch/",
        "https://download.pytorch.org/whl/torch/",
    }
    (windows,) = (w for w in entry.wheels if (w.variant, w.os) == ("cu132", "windows"))
    assert windows.python == ("3.12",)
    lines = (root / RELEASES).read_text("utf-8").splitlines()
    kept = [line for line in lines if line in set(FILES[RELEASES].splitlines())]
    assert [line for line in FILES[RELEASES].splitlines() if line not in kept] == []
    assert f"Added torch {VERSION} to {RELEASES}: 5 builds." in done.stdout
    assert f"cpu linux x86_64: {LINUX}, 2 Python versions, " in done.stdout
    assert "Not covered by the indexes: Docker images and LibTorch archives." in done.stdout


def test_a_second_run_changes_nothing(tree: Tree, indexes: Indexes) -> None:
    root = tree(FILES)
    run(root, indexes)
    before = (root / RELEASES).read_bytes()
    done = run(root, indexes)
    assert done.exit_code == 0, done.output
    assert (root / RELEASES).read_bytes() == before
    assert f"lists everything that the indexes have for torch {VERSION}" in done.stdout


def test_a_later_run_adds_what_was_missing(tree: Tree, indexes: Indexes) -> None:
    root = tree(FILES)
    vision = indexes.pypi.projects.pop("torchvision")
    indexes.cpu.answers["/simple/torch/"] = lambda handler: send(handler, 500)
    indexes.all_builds.answers["/simple/torch/"] = lambda handler: send(handler, 500)
    first = run(root, indexes)
    assert first.exit_code == 0, first.output
    assert "not read: download.pytorch.org (2 places): " in first.stderr
    assert f"Not found: a torchvision release that requires torch=={VERSION}." in first.stdout
    assert "2 places could not be read." in first.stdout
    assert "cpu linux x86_64" not in builds(releases(root).by_version[VERSION])
    needed = "accelerators/cpu/install.yaml:"
    assert f"Files to update for this release:\n{needed}" in first.stdout
    text = (root / RELEASES).read_text("utf-8")
    own = text.replace(f'  - version: "{VERSION}"', f'  # Read twice.\n  - version: "{VERSION}"')
    (root / RELEASES).write_text(own, "utf-8")

    indexes.pypi.projects["torchvision"] = vision
    indexes.cpu.answers.clear()
    indexes.all_builds.answers.clear()
    second = run(root, indexes)
    assert second.exit_code == 0, second.output
    entry = releases(root).by_version[VERSION]
    assert "cpu linux x86_64" in builds(entry)
    assert entry.torchvision == "0.31.0"
    assert "  # Read twice.\n" in (root / RELEASES).read_text("utf-8")
    assert f"Completed torch {VERSION} in {RELEASES}: " in second.stdout


@pytest.mark.parametrize("operator", ["==", "~="])
def test_companions_are_added_with_their_sources(
    operator: str, tree: Tree, indexes: Indexes
) -> None:
    root = tree(FILES)
    triton = f'triton{operator}3.10.0; platform_system == "Linux"'
    for file in indexes.pypi.projects["torch"]:
        file.metadata = metadata_text("torch", VERSION, [CUDA, triton])
    indexes.pypi.add("torchaudio", VERSION, requires=[f"torch=={VERSION}"])
    indexes.pypi.add("torchaudio", "2.17.0", requires=["torch==2.17.0"])
    indexes.pypi.add("torchao", "0.19.0")
    indexes.pypi.add("triton", "3.11.0")
    before = releases(root).companions
    done = run(root, indexes)
    assert done.exit_code == 0, done.output
    found = releases(root)
    new = [one for one in found.companions if one not in before]
    assert {(one.package, one.version, one.torch) for one in new} == {
        ("torchaudio", VERSION, f"=={VERSION}"),
        ("triton", "3.10.0", f"=={VERSION}"),
    }
    assert [found.sources[one.source[0]].package for one in new] == ["torchaudio", "torch"]
    assert found.companions_of(VERSION)["triton"] == ("3.10.0",)
    assert "  triton 3.10.0: a companion package, from PyPI\n" in done.stdout
    assert "  To check: torchao 0.19.0 is on PyPI, and its metadata does not state" in done.stdout
    assert "triton 3.11.0" not in done.stdout
    text = (root / RELEASES).read_text("utf-8")
    assert run(root, indexes).exit_code == 0
    assert (root / RELEASES).read_text("utf-8") == text


def test_companions_join_an_entry_that_is_listed_already(tree: Tree, indexes: Indexes) -> None:
    root = tree(FILES)
    run(root, indexes)
    indexes.pypi.add("torchaudio", VERSION, requires=[f"torch=={VERSION}"])
    done = run(root, indexes)
    assert f"Completed torch {VERSION} in {RELEASES}: 1 companion." in done.stdout
    assert releases(root).companions_of(VERSION)["torchaudio"][0] == VERSION


def test_pypi_that_does_not_answer_is_one_line(tree: Tree, indexes: Indexes) -> None:
    names = ("torch", "torchvision", "torchaudio", "torchao", "torchtext", "triton")
    indexes.pypi.answers |= {f"/simple/{name}/": answering(500) for name in names}
    root = tree(FILES)
    done = run(root, indexes)
    assert done.exit_code == 1
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("not read: "))
    assert line.startswith("not read: PyPI (6 places): the server ")
    assert (root / RELEASES).read_text("utf-8") == FILES[RELEASES]


def test_an_unreachable_host_is_named_once(tree: Tree, indexes: Indexes) -> None:
    for index in (indexes.cpu, indexes.all_builds, indexes.empty):
        index.answers["/simple/torch/"] = lambda handler: send(handler, 500)
    done = run(tree(FILES), indexes)
    assert done.exit_code == 0, done.output
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("not read: "))
    assert re.fullmatch(r"not read: download\.pytorch\.org \(\d+ places\): the server .*", line)


def test_without_any_index_the_cause_is_one_line(tree: Tree, indexes: Indexes) -> None:
    names = ("torch", "torchvision", "torchaudio", "torchao", "torchtext", "triton")
    indexes.pypi.answers |= {f"/simple/{name}/": answering(500) for name in names}
    for index in (indexes.cpu, indexes.all_builds, indexes.empty):
        index.answers["/simple/torch/"] = answering(500)
    root = tree(FILES)
    done = run(root, indexes)
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: no package index can be read: the server ")
    assert (root / RELEASES).read_text("utf-8") == FILES[RELEASES]


def test_platform_tags_and_sizes_are_written_and_completed(tree: Tree, indexes: Indexes) -> None:
    root = tree(FILES)
    run(root, indexes)
    (wheel, *_) = (w for w in releases(root).by_version[VERSION].wheels if w.on == "pypi")
    assert (wheel.variant, wheel.tags) == ("cu132", (ARM, LINUX))
    assert wheel.size_mb == {"x86_64": 539, "aarch64": 484}
    whole = (root / RELEASES).read_text("utf-8")
    bare = re.sub(r", (tags: \[.*?\]|size_mb: \{.*?\})", "", whole)
    assert len(whole) - len(bare) > 200
    (root / RELEASES).write_text(bare, "utf-8")
    done = run(root, indexes)
    completed = f"Completed torch {VERSION} in {RELEASES}: platform tags or sizes of"
    assert completed in done.stdout
    start = f'  - version: "{VERSION}"'
    written, again = (
        text.partition(start)[2].partition("  - version")[0]
        for text in (whole, (root / RELEASES).read_text("utf-8"))
    )
    assert again == written


def test_what_is_listed_otherwise_is_told_and_stays(tree: Tree, indexes: Indexes) -> None:
    root = tree(FILES)
    run(root, indexes)
    files = indexes.cpu.projects["torch"]
    files[:] = [file for file in files if LINUX not in file.name]
    indexes.all_builds.projects.clear()
    indexes.pypi.add("torch", VERSION, *tags(MACOS, "cp314"))
    before = (root / RELEASES).read_bytes()
    done = run(root, indexes)
    assert "To check: cpu linux x86_64: the entry lists this wheel, but " in done.stdout
    assert (
        "To check: cpu macos aarch64: the entry lists Python 3.12, 3.13, but pypi has"
        in done.stdout
    )
    assert (root / RELEASES).read_bytes() == before


def test_a_release_without_a_date_is_not_written(tree: Tree, indexes: Indexes) -> None:
    root = tree(FILES)
    del indexes.pypi.projects["torch"]
    done = run(root, indexes)
    assert done.exit_code == 1
    assert f"Run the command again once torch {VERSION} is on PyPI" in done.stderr
    assert (root / RELEASES).read_text("utf-8") == FILES[RELEASES]


def test_a_release_that_no_index_has(tree: Tree, indexes: Indexes) -> None:
    root = tree(FILES)
    done = run(root, indexes, "2.17.0")
    assert done.exit_code == 1
    assert (
        "no index that could be read has wheels of torch 2.17.0. Check the version" in done.stderr
    )
    assert (root / RELEASES).read_text("utf-8") == FILES[RELEASES]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (JSON_TYPE, b"{"),
        (JSON_TYPE, b"[]"),
        (JSON_TYPE, b'{"meta": {"api-version": "1.1"}, "name": "numpy", "files": []}'),
        ("text/html", b"<!DOCTYPE html>" + b" " * MAX_PAGE),
        ("image/png", b"\x89PNG"),
    ],
    ids=["cut off", "a list", "another package", "too large", "an image"],
)
def test_a_false_answer_is_not_read(tree: Tree, indexes: Indexes, kind: str, body: bytes) -> None:
    root = tree(FILES)
    head = {"content-type": kind}
    indexes.cpu.answers["/simple/torch/"] = lambda handler: send(handler, 200, body, head)
    done = run(root, indexes)
    assert done.exit_code == 0, done.output
    assert "not read: https://download.pytorch.org/whl/cpu: " in done.stderr
    entry = releases(root).by_version[VERSION]
    cpu = [w.source for w in entry.wheels if (w.variant, w.os) == ("cpu", "linux")]
    assert cpu == [(f"torch-all-builds-{VERSION.replace('.', '-')}",)]


def test_false_metadata_on_pypi_leaves_the_build_out(tree: Tree, indexes: Indexes) -> None:
    root = tree(FILES)
    for file in indexes.pypi.projects["torch"]:
        if LINUX in file.name:
            file.metadata = b"Metadata-Version: 2.1\nName: numpy\nVersion: 1.0\n"
    done = run(root, indexes)
    assert done.exit_code == 0, done.output
    assert f"not read: PyPI, {LINUX}: the metadata of the wheel could not be read" in done.stderr
    assert "cu132 linux x86_64" not in builds(releases(root).by_version[VERSION])


def test_an_interruption_changes_nothing(tree: Tree, indexes: Indexes) -> None:
    finished = threading.Event()

    def interrupt(handler: BaseHTTPRequestHandler) -> None:
        """Send what Ctrl-C sends, and no answer before the command ended."""
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        finished.wait(PATIENCE)
        handler.close_connection = True

    root = tree(FILES)
    indexes.cpu.answers["/simple/torch/"] = interrupt
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = run(root, indexes)
    finally:
        signal.signal(signal.SIGINT, before)
        finished.set()
    assert (done.exit_code, done.stdout) == (130, "")
    # The servers of the test, whose clients left, write to the same place.
    assert (
        "Interrupted. No file is incomplete. To continue, run the command again.\n" in done.stderr
    )
    assert (root / RELEASES).read_text("utf-8") == FILES[RELEASES]


@pytest.mark.parametrize("version", ["2.16.0; rm", "2.16", "2.16.0rc1", "../2.16.0", "٢.16.0"])
def test_a_version_that_is_no_release(tree: Tree, indexes: Indexes, version: str) -> None:
    done = run(tree(FILES), indexes, version)
    assert done.exit_code == 2
    assert "is not the version of a release. Write it like 2.16.0" in done.stderr
    assert indexes.pypi.asked == []


def check(root: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["release", "check", "--root", str(root), *words])


def test_check_says_that_every_build_has_evidence(tree: Tree) -> None:
    done = check(tree(EXAMPLE), "1.10.0")
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        f"Every build of torch 1.10.0 that install commands use is in {RELEASES}.\n"
    )


def test_check_lists_builds_without_evidence(tree: Tree) -> None:
    step = 'packages: ["torch=={torch}"], index: "{index}"'
    place = "https://download.pytorch.org/whl/cpu"
    done = check(tree(edited((INSTALL, step, step.replace("{index}", place)))))
    assert done.exit_code == 1
    assert f'{INSTALL}:21: "wheels" (pip, uv) installs the cpu build of torch 1.10.0' in done.stdout
    assert "problems found." in done.stderr


def test_check_of_a_release_that_the_file_does_not_list(tree: Tree) -> None:
    done = check(tree(EXAMPLE), "1.11.0")
    assert done.exit_code == 2
    assert "has no release 1.11.0. To add it: accelerator-portal release add" in done.stderr
