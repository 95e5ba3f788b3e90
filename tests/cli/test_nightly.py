"""The nightly command, whole, on the invented platform; nothing of the network is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.cli import main
from tests.built_site import EXAMPLE, copy_sources
from tests.site.test_broken_folder import replace


def night(root: Path, out: Path) -> Result:
    skipped = ["--skip", "packages", "--skip", "commands"]
    arguments = ["nightly", "--root", str(root), "--out", str(out), *skipped]
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return copy_sources(tmp_path / "repository", EXAMPLE)


def test_a_night_builds_folds_and_says_what_changed(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    first = night(root, out)
    assert first.exit_code == 0, first.output
    assert "history: `acme, runs: 3 new reports of 3, " in first.stdout
    assert "What readers see differently" not in first.stdout, "there was nothing before"
    assert (out / "index.html").is_file()
    assert (root / "data/history/acme/runs.parquet").is_file()

    page = (out / "compute-platforms/acme/index.html").read_bytes()
    second = night(root, out)
    assert "No reader will see a difference." in second.stdout
    assert "history: `acme, runs: 0 new reports of 3, 0 changes`" in second.stdout
    assert (out / "compute-platforms/acme/index.html").read_bytes() == page

    replace(root / "accelerators/acme/guide.md", "## Help", "## Halp")
    third = night(root, out)
    assert third.exit_code == 0, third.output
    assert "## Set aside\n\n- `acme`: `accelerators/acme/guide.md:1: " in third.stdout
    assert "gone" in third.stdout


def test_a_build_that_fails_fails_the_night_and_keeps_the_site(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    night(root, out)
    before = (out / "index.html").read_bytes()
    replace(root / "site_src/templates/index.md.j2", "{%", "{% nonsense %}{%")
    failed = night(root, out)
    assert failed.exit_code == 1
    assert "- **failed** site: `" in failed.stdout
    assert (out / "index.html").read_bytes() == before
