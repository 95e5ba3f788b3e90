from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.cli import main
from accelerator_portal.packages import reaching
from accelerator_portal.packages.questions import Question
from accelerator_portal.packages.resolving import Answer, Uv
from accelerator_portal.packages.verdict_file import read_verdicts
from tests.folders import EXAMPLE, Tree


def run(root: Path, *arguments: str) -> Result:
    cache = ["--cache", str(root / ".cache")]
    return CliRunner().invoke(main, ["install", "verify", "--root", str(root), *cache, *arguments])


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No network: PyTorch's index is silent, PyPI has everything, made up."""

    def found(question: Question, _: Uv) -> Answer:
        return Answer("found", {"torch": question.calls[0].packages[0].partition("==")[2] or "1"})

    monkeypatch.setattr(reaching, "_fault", lambda _: "ConnectError")
    monkeypatch.setattr(reaching, "resolve", found)


@pytest.mark.usefixtures("offline")
def test_every_command_gets_a_verdict_and_the_file_stays_the_same(tree: Tree) -> None:
    root = tree(EXAMPLE)
    done = run(root)
    assert done.exit_code == 0, done.output
    assert done.stdout == "example: 12 versions found, 14 not checked\n"
    file = root / "data/verdicts/example.json"
    before = file.read_bytes()
    assert run(root, "--platform", "example").stdout == done.stdout
    assert file.read_bytes() == before
    whys = {
        verdict.why
        for by_python in read_verdicts(root, "example").values()
        for verdict in by_python.values()
    }
    assert whys == {None, "download.pytorch.org did not answer (ConnectError)"}


def test_an_unknown_platform_is_named(tree: Tree) -> None:
    done = run(tree(EXAMPLE), "--platform", "exemple")
    assert done.exit_code == 2
    assert 'there is no platform "exemple"; known here: example' in done.output


def test_a_file_that_cannot_be_read_is_named(tree: Tree) -> None:
    root = tree({**EXAMPLE, "data/verdicts/example.json": "no verdicts"})
    done = run(root)
    assert done.exit_code == 1
    assert "example.json:1: these are no verdicts" in done.output
