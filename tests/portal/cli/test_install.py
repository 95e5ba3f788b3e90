from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.packages.verdict_file import read_verdicts
from accelerator_reports.cli import main
from tests.folders import EXAMPLE, INSTALL, Tree, edited


def run(root: Path, *arguments: str) -> Result:
    cache = ["--cache", str(root / ".cache")]
    return CliRunner().invoke(main, ["install", "verify", "--root", str(root), *cache, *arguments])


# Nothing listens there: the host is silent, and uv is not started.
NOWHERE = "https://nowhere.invalid/simple"
SILENT = edited(
    (INSTALL, '["torch=={torch}"], index: "{index}"', f'["torch=={{torch}}"], index: "{NOWHERE}"'),
    (INSTALL, '[torch], index: "{index}"', f'[torch], index: "{NOWHERE}"'),
)


def test_what_cannot_be_asked_is_not_checked(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nothing listens there
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    root = tree(SILENT)
    done = run(root)
    assert done.exit_code == 0, done.output
    assert done.stdout == "example: 26 not checked\n"
    file = root / "data/verdicts/example.json"
    before = file.read_bytes()
    assert run(root, "--accelerator", "example").stdout == done.stdout
    assert file.read_bytes() == before
    whys = {
        verdict.why
        for by_python in read_verdicts(root, "example").values()
        for verdict in by_python.values()
    }
    assert whys == {"nowhere.invalid did not respond (ConnectError)"}


def test_a_file_that_cannot_be_read_is_named(tree: Tree) -> None:
    root = tree({**EXAMPLE, "data/verdicts/example.json": "no verdicts"})
    done = run(root)
    assert done.exit_code == 1
    fix = "delete data/verdicts/example.json, then run: accelerator-portal install verify"
    assert f"example.json:1: this is not a valid verdict file; {fix}" in done.output
    (root / "data/verdicts/example.json").unlink()
    assert run(root).exit_code == 0
