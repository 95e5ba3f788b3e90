"""A build with a fault in the data: every problem at once, in one message, and no site."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from accelerator_portal.checks import load_and_check
from tests.built_site import EXAMPLE, copy_sources, mkdocs_build
from tests.day import TODAY


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return copy_sources(tmp_path / "repository", EXAMPLE)


@pytest.fixture
def broken(repository: Path) -> Path:
    """Four faults in three files."""
    folder = repository / "accelerators/acme"
    replace(folder / "accelerator.yaml", "vendor: Acme Works", "vendors: Acme Works")
    replace(folder / "install.yaml", 'version: "1"', "version: 1.10")
    replace(folder / "guide.md", "## Help", "## Halp")
    return repository


def test_all_problems_are_told_at_once_with_file_and_line_and_there_is_no_site(
    broken: Path,
) -> None:
    done = mkdocs_build(broken)
    _, problems = load_and_check(broken, TODAY)
    assert len(problems) >= 3
    for problem in problems:
        assert done.stderr.count(str(problem)) == 1, done.stderr
    assert f"Problems found: {len(problems)}\n" in done.stderr
    assert "accelerators/acme/accelerator.yaml:8: " in done.stderr
    assert list((broken / "site").rglob("*.html")) == []


def test_the_message_is_no_traceback_and_the_exit_code_says_failure(broken: Path) -> None:
    """In a process of its own: what Python itself would print counts, too."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(
        command, cwd=broken, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) < 15, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize("kilobytes", [4, 40])
def test_a_file_that_cannot_be_written_is_one_line(repository: Path, kilobytes: int) -> None:
    """As on a full disk: while the pages are generated, and while MkDocs writes them."""
    command = f'ulimit -f {kilobytes * 2}; exec "{sys.executable}" -m mkdocs build --strict'
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=repository, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert "File too large. Check the path, its permissions and the free space" in error
    assert "Traceback" not in done.stdout + done.stderr


def test_a_failed_build_mixes_nothing_into_an_earlier_site(repository: Path) -> None:
    done = mkdocs_build(repository)
    assert done.exit_code == 0, done.stderr
    earlier = {file: file.read_bytes() for file in (repository / "site").rglob("*.html")}
    assert repository / "site/compute-platforms/acme/index.html" in earlier
    replace(repository / "accelerators/acme/accelerator.yaml", "mark: AC", "mark: ACME")
    assert mkdocs_build(repository).exit_code == 1
    left = {file: file.read_bytes() for file in (repository / "site").rglob("*.html")}
    assert left in ({}, earlier)


def test_a_missing_folder_of_data_is_a_problem_too(repository: Path) -> None:
    (repository / "data/releases.yaml").unlink()
    done = mkdocs_build(repository)
    assert done.exit_code == 1
    assert "data/releases.yaml:1: file not found" in done.stderr
    assert "Traceback" not in done.stderr
