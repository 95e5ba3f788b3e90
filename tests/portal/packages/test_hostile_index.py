"""An index that lies, breaks or attacks is refused by name, and what was known still stands."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path

import pytest

from accelerator_portal.catalog.files.package_file import read_package_files
from tests.portal.packages.loopback import (
    Answer,
    File,
    Index,
    answering,
    endless,
    made_wheel,
    metadata_text,
    zipped,
)
from tests.portal.packages.syncing import DAY, EXPECTED, HTML, PAGE, X86, releases, synced

JSON = "application/vnd.pypi.simple.v1+json"
METADATA_2_0 = {"torch_example-2.0.dist-info/METADATA": metadata_text("torch-example", "2.0")}
MANY_TAGS = ".".join("abcdefghij")


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


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (answering(500), "the server answered 500"),
        (answering(403), "the server answered 403"),
        (answering(404), "no such file (404), but it listed 1 release"),
        (answering(200, b"", content_type=HTML), "the page is not HTML"),
        (answering(200, b"<html></html>", content_type=HTML), "names no file, but it listed 1"),
        (answering(200, b"\x00\x01", content_type="image/png"), 'not a package index page but "image/'),
        (answering(200, b"{", content_type=JSON), "the page cannot be read (JSONDecodeError)"),
        (answering(200, b"[]", content_type=JSON), "the page cannot be read (ValidationError)"),
        (answering(200, b"[" * 100_000, content_type=JSON), "the page cannot be read"),
        (answering(200, named("other"), content_type=JSON), 'the page is about "other"'),
        (answering(200, named("a\\n\u202e"), content_type=JSON), 'the page is about "a'),
        (answering(200, named("x").replace(b"1.0", b"9.0"), content_type=JSON), "newer version"),
        (answering(302, location="https://example.org/"), "redirects to another host, example.org"),
        (answering(302, location="//127.0.0.2/"), "redirects to another host, 127.0.0.2"),
        (answering(302, location="file:///etc/passwd"), "redirects to another host"),
        (answering(302), "redirects to another host"),
        (answering(302, location=PAGE), "has a redirect loop"),
        (answering(200, b"no gzip at all", content_encoding="gzip"), "is not HTTP (DecodingError)"),
        (endless, "longer than"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_is_refused_by_name(
    root: Path, index: Index, answer: Answer, words: str
) -> None:
    index.answers[PAGE] = answer
    assert words in broken(root, index)


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        (b"", "invalid metadata"),
        (b"\xff\xfe\x00<html>", "invalid metadata"),
        (metadata_text("other", "2.0"), 'the metadata belongs to another package, "other"'),
        (metadata_text("torch-example", "2.1"), 'the metadata belongs to another version, "2.1"'),
        (metadata_text("torch-example", "soon"), 'the metadata belongs to another version, "soon"'),
        (
            metadata_text("torch-example", "2.0", ["torch" + " >=1," * 600]),
            "invalid metadata: a requirement has no end",
        ),
        (b"x" * 2_000_000, "the response is longer than"),
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


def test_a_requirement_that_cannot_be_stored_is_not_stored(root: Path, index: Index) -> None:
    index.add(
        "torch-example", "2.0", X86, requires=["torch" + ",".join(f"!={n}" for n in range(99))]
    )
    done = synced(root, index)
    assert "invalid value: requires.*.0" in done.packages[0].faults["pypi"]
    assert read_package_files(root)[2] == []


def test_invalid_metadata_is_not_kept_in_the_cache(root: Path, index: Index) -> None:
    for file in index.projects["torch-example"]:
        index.answers[f"/files/{file.name}.metadata"] = answering(200, b"<html>try again later")
    page = b"".join(
        f'<a href="../../files/{f.name}#sha256={f.sha256}" data-core-metadata="true">{f.name}</a>'.encode()
        for f in index.projects["torch-example"]
    )
    index.answers[PAGE] = answering(200, page, content_type=HTML)
    assert "invalid metadata" in synced(root, index).packages[0].refused[0]
    index.answers = {PAGE: index.answers[PAGE]}
    assert synced(root, index).packages[0].refused == ()


def test_metadata_with_another_hash_is_refused(root: Path, index: Index) -> None:
    path = f"/files/torch_example-1.0-{X86}.whl.metadata"
    index.answers[path] = answering(200, metadata_text("torch-example", "1.0", ["torch==9"]))
    done = synced(root, index)
    assert "differs from the index page" in done.packages[0].refused[0]
    assert list(releases(root)["1.0"]["requires"]) == ["*"]


@pytest.mark.parametrize(
    "data",
    [
        b"no archive",
        zipped({"a.txt": b"x"}),
        zipped(METADATA_2_0, zipfile.ZIP_BZIP2),
        zipped(METADATA_2_0, zipfile.ZIP_LZMA),
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
        File(f"torch_example-1.{'9' * 5000}-py3-none-any.whl", b"x"),
        File(f"torch_example-1.{'9' * 5000}.tar.gz", b"x"),
        File(f"torch_example-3.0-{MANY_TAGS}-{MANY_TAGS}-{MANY_TAGS}.whl", b"x"),
    ]
    done = synced(root, index)
    assert list(releases(root)) == ["1.0"]
    (refused, *_) = done.packages[0].refused
    assert refused == 'pypi: "other-1.0-py3-none-any.whl" belongs to another package'


def test_links_into_the_own_network_are_not_asked(root: Path, index: Index) -> None:
    for host in ("http://169.254.169.254", "https://10.0.0.1", "http://localhost:1", "ftp://x.org"):
        name = f"torch_example-2.0-{X86}.whl"
        page = f'<html><a href="{host}/{name}">{name}</a>'.encode()
        index.answers[PAGE] = answering(200, page, content_type=HTML)
        (refused,) = synced(root, index).packages[0].refused
        assert "the link leads outside the index" in refused, host
