"""`accelerator-portal release compare`: files, addresses and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.releases.upstream_commands import MAX_BYTES
from accelerator_reports.cli import main
from tests.folders import EXAMPLE, Tree
from tests.portal.packages.loopback import Index, send, served
from tests.portal.packages.syncing import FAST
from tests.portal.releases.test_build_matrix import entry
from tests.portal.releases.test_support_matrix import HEAD
from tests.portal.releases.upstream import FILES, PUBLISHED_TEXT

TABLE = """\
                same   differs   missing     extra
  libtorch         0         0         2         0
       pip         2         0         2         2
Releases only in the portal: 1.9.1
Commands of the list that install torchaudio: 1
"""


def run(root: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["release", "compare", "--root", str(root), *words], obj=FAST)


def test_a_file_is_compared(tree: Tree, tmp_path: Path) -> None:
    file = tmp_path / "published_versions.json"
    file.write_text(PUBLISHED_TEXT, "utf-8")
    done = run(tree(FILES), str(file))
    assert done.exit_code == 0, done.output
    first, *others = done.stdout.splitlines()
    assert first == str(file)
    assert "  missing 1.10.0 linux pip cpu" in others
    assert not [line for line in others if line.startswith("  same")]
    assert done.stdout.endswith(TABLE)
    assert "  same    1.10.0 linux pip pypi" in run(tree(FILES), str(file), "--all").stdout


def test_an_address_is_compared(tree: Tree) -> None:
    with served(Index()) as index:
        index.answers["/list"] = lambda handler: send(handler, 200, PUBLISHED_TEXT.encode())
        address = index.url.replace("/simple/", "/list")
        done = run(tree(FILES), address)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"{address}\n")
    assert done.stdout.endswith(TABLE)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (None, "there is no such file. Correct the path"),
        (b"\xff", "it is not UTF-8 text"),
        (b" " * (MAX_BYTES + 1), "it has more than 4 MB"),
        (b"{}", "this is not published_versions.json"),
    ],
)
def test_a_file_that_cannot_be_compared(
    tree: Tree, tmp_path: Path, content: bytes | None, what: str
) -> None:
    file = tmp_path / "list.json"
    if content is not None:
        file.write_bytes(content)
    done = run(tree(FILES), str(file))
    assert done.exit_code == (2 if content is None else 1)
    assert f"{file}: {what}" in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_all_files_that_cannot_be_compared_are_named(tree: Tree, tmp_path: Path) -> None:
    empty, wrong, absent = (tmp_path / name for name in ("empty.json", "wrong.json", "absent.json"))
    empty.write_text('{"include": []}', "utf-8")
    wrong.write_text("{}", "utf-8")
    done = run(tree(FILES), str(absent), str(empty), str(wrong))
    assert done.exit_code == 2
    assert (
        done.stdout == f"{empty}\n  none of the builds in this list is in the portal's releases\n"
    )
    words = " ".join(done.stderr.split())
    assert f"{absent}: there is no such file" in words
    assert f"{wrong}: this is not published_versions.json" in words


def test_an_address_that_does_not_answer(tree: Tree) -> None:
    with served(Index()) as index:
        address = f"{index.url}nothing"
        done = run(tree(FILES), address)
    assert done.exit_code == 1
    assert f"{address}: the server has no such file (404)" in " ".join(done.stderr.split())


def test_builds_are_compared_with_the_matrix_and_with_release_md(
    tree: Tree, tmp_path: Path
) -> None:
    matrix, support = tmp_path / "matrix.json", tmp_path / "RELEASE.md"
    builds = [entry("ex1", python, stable_version="1.9.1") for python in ("3.11", "3.12")]
    matrix.write_text(json.dumps({"include": builds}), "utf-8")
    support.write_text(f"{HEAD}| 1.10 | >=3.12, <=3.13 | C++20 | CUDA 13.0 | -- | -- |\n", "utf-8")
    done = run(tree(EXAMPLE), str(matrix), str(support), "--all")
    assert done.exit_code == 0, done.output
    assert "  same    1.9.1 linux x86_64 wheels ex1\n" in done.stdout
    assert "  missing 1.10 all systems support cu130\n" in done.stdout
    assert "  same    1.10 all systems support Python\n" in done.stdout
    assert "    wheels         1         0         0         0\n" in done.stdout


def test_a_matrix_gives_way_to_the_commands(tree: Tree, tmp_path: Path) -> None:
    matrix, published = tmp_path / "matrix.json", tmp_path / "published_versions.json"
    builds = [entry(variant, channel="nightly") for variant in ("cu130", "cu132")]
    matrix.write_text(json.dumps({"include": builds}), "utf-8")
    published.write_text(PUBLISHED_TEXT.replace("ex9", "cu132"), "utf-8")
    alone, both = (run(tree(FILES), *map(str, files)) for files in ([matrix], [matrix, published]))
    for variant in ("cu130", "cu132"):
        assert f"missing nightly linux x86_64 wheels {variant}" in alone.stdout
    assert "wheels cu130" not in both.stdout
    assert "missing nightly linux x86_64 wheels cu132" in both.stdout
