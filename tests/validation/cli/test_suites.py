"""The names of the harness's tests in data/suites: new ones are added, older ones stay."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from accelerator_reports.cli import main
from tests.folders import REPOSITORY

FILE = "data/suites/integration.yaml"


def test_names_are_added_and_those_of_other_releases_stay(tmp_path: Path) -> None:
    described = (REPOSITORY / FILE).read_text("utf-8")
    file = tmp_path / FILE
    file.parent.mkdir(parents=True)
    file.write_text(described.replace("  - copy\n", "  - of-an-older-torch\n"), "utf-8")
    words = ["suites", "--root", str(tmp_path), "--suite", "integration"]
    stale = CliRunner().invoke(main, [*words, "--check"])
    assert stale.exit_code == 1
    assert "Run: accelerator-portal suites" in stale.output
    assert CliRunner().invoke(main, words).exit_code == 0
    found = file.read_text("utf-8").partition("\ntests:\n")[2].splitlines()
    wanted = described.partition("\ntests:\n")[2].splitlines()
    assert found == sorted([*wanted, "  - of-an-older-torch"])
    assert CliRunner().invoke(main, [*words, "--check"]).exit_code == 0


def test_a_suite_without_a_file_needs_one_first(tmp_path: Path) -> None:
    words = ["suites", "--root", str(tmp_path), "--suite", "integration"]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 1
    assert f"{FILE}: file not found. Create it" in refused.output
