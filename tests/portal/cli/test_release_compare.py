"""`accelerator-portal release compare`: files, addresses and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.releases.upstream_builds import MAX_BYTES
from accelerator_reports.cli import main
from tests.folders import EXAMPLE, Tree
from tests.portal.packages.loopback import Index, send, served
from tests.portal.packages.syncing import FAST
from tests.portal.releases.test_upstream_builds import entry, matrix

MATRIX = matrix(
    *(entry("ex1", python, stable_version="1.9.1") for python in ("3.11", "3.12")),
    entry("ex5", stable_version="1.9.1"),
)


def run(root: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["release", "compare", "--root", str(root), *words], obj=FAST)


def test_a_file_is_compared(tree: Tree, tmp_path: Path) -> None:
    file = tmp_path / "matrix.json"
    file.write_text(MATRIX, "utf-8")
    done = run(tree(EXAMPLE), str(file))
    assert done.exit_code == 0, done.output
    missing = "  missing 1.9.1 linux x86_64 wheels ex5\n"
    assert done.stdout == f"{file}\n{missing}  1 missing, 1 same\n"
    same = "  same    1.9.1 linux x86_64 wheels ex1\n"
    assert run(tree(EXAMPLE), str(file), "--all").stdout.startswith(f"{file}\n{same}{missing}")


def test_an_address_is_compared(tree: Tree) -> None:
    with served(Index()) as index:
        index.answers["/list"] = lambda handler: send(handler, 200, MATRIX.encode())
        address = index.url.replace("/simple/", "/list")
        done = run(tree(EXAMPLE), address)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"{address}\n")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (None, "there is no such file. Correct the path"),
        (b"\xff", "it is not UTF-8 text"),
        (b" " * (MAX_BYTES + 1), "it has more than 4 MB"),
        (b"# Releasing PyTorch", "this is none of PyTorch's lists"),
    ],
)
def test_what_cannot_be_compared_is_named_and_the_rest_compared(
    tree: Tree, tmp_path: Path, content: bytes | None, what: str
) -> None:
    empty, file = tmp_path / "empty.json", tmp_path / "list.json"
    empty.write_text('{"include": []}', "utf-8")
    if content is not None:
        file.write_bytes(content)
    done = run(tree(EXAMPLE), str(file), str(empty))
    assert done.exit_code == (2 if content is None else 1)
    assert f"{file}: {what}" in " ".join(done.stderr.split())
    assert (
        done.stdout == f"{empty}\n  none of the builds in this list is in the portal's releases\n"
    )


def test_an_address_that_does_not_answer(tree: Tree) -> None:
    with served(Index()) as index:
        address = f"{index.url}nothing"
        done = run(tree(EXAMPLE), address)
    assert done.exit_code == 1
    assert f"{address}: the server has no such file (404)" in " ".join(done.stderr.split())
