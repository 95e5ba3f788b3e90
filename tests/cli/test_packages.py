"""The command says what is new, what could not be read and what was refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.cli import main
from accelerator_portal.http.client import Traffic
from accelerator_portal.packages import sync as module
from accelerator_portal.packages.sync import Options, Synced, SyncInterrupted
from tests.folders import Tree
from tests.packages.loopback import Index, answering, served
from tests.packages.syncing import EXTRA, FAST, FILES, X86, releases

NOWHERE = "the host cannot be reached from where the indexes were read"
CLOSED = "http://127.0.0.1:9/"


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    found = Index()
    found.add("torch-example", "1.0", X86, requires=["torch==1.9.1"])
    with served(found):
        places = {"pypi": found.url}
        monkeypatch.setattr(module, "address_of", lambda name: places.get(name, CLOSED))
        monkeypatch.setattr(module, "Options", partial(Options, limits=FAST))
        yield found


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree(FILES)


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["packages", "sync", "--root", str(root), *arguments])


def test_it_says_what_is_there_what_is_new_and_what_was_not_read(root: Path, index: Index) -> None:
    result = run(root, "--only", "Torch_Example")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "torch-example, PyPI: 1 release",
        f"torch-example, {EXTRA}: not read: {NOWHERE}; nothing is known from it",
        "1 package: 1 with news, 1 not read everywhere",
    ]
    assert "4 requests, 0.0 MB, " in result.stderr
    index.add("torch-example", "2.0", X86)
    index.add("torch-example", "2.1", X86)
    index.projects["torch-example"][-1].metadata = b"lies"
    result = run(root, "--only", "torch-example")
    assert result.stdout.splitlines()[0] == "torch-example, PyPI: 3 releases, new: 2.1, 2.0"
    assert "  refused: pypi: torch_example-2.1-" in result.stdout


def test_facts_that_stay_say_of_when_they_are(root: Path, index: Index) -> None:
    run(root)
    index.answers["/simple/torch-example/"] = answering(500)
    result = run(root, "--only", "torch-example")
    assert result.exit_code == 0
    assert "not read: the server answered 500; its facts stay as of 20" in result.stdout
    assert list(releases(root)) == ["1.0"]


def test_a_change_under_a_version_is_told(root: Path, index: Index) -> None:
    run(root)
    index.projects["torch-example"] = []
    index.add("torch-example", "1.0", X86, requires=["torch==1.10.0"])
    assert "  1.0 changed: requires torch==1.9.1 → torch==1.10.0" in run(root).stdout


def test_a_package_that_no_folder_names(root: Path) -> None:
    result = run(root, "--only", "torch-exampel")
    assert result.exit_code == 2
    assert 'no folder names the package "torch-exampel"; did you mean "torch-example"?' in (
        " ".join(result.stderr.replace("│", "").split())
    )


def test_an_interruption_says_what_is_left(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> Synced:
        raise SyncInterrupted(Synced((), ("torch",), Traffic()))

    monkeypatch.setattr(module, "sync", stopped)
    result = run(root)
    assert (result.exit_code, result.stderr) == (130, "Interrupted; not done: torch.\n")


@pytest.mark.usefixtures("index")
def test_a_folder_that_cannot_be_written_is_named(root: Path) -> None:
    (root / "data/packages").write_text("a file")
    result = run(root, "--only", "torch-example")
    assert result.exit_code == 1
    assert "data/packages" in result.stderr
    assert "Traceback" not in result.output
