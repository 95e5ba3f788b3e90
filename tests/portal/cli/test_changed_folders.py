"""Of two folders with one name, the folder that a change touches is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from accelerator_portal.cli.check import changed_folders
from accelerator_reports.cli import main
from tests.day import ENVIRONMENT
from tests.folders import ACCELERATOR, EXAMPLE, write_tree
from tests.portal.checks.rules.test_duplicate_names import with_a_second

SECOND = "accelerators/zweite/accelerator.yaml"


def git(root: Path, *arguments: str) -> None:
    identity = {
        f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(
        ["git", "-C", str(root), *arguments], check=True, env=environment, capture_output=True
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A clone whose main has the second folder; the first is what somebody adds to it."""
    files = with_a_second("EXAMPLE", "torch-other", "out-of-tree")
    first = {path for path in files if "/example/" in path}
    write_tree(tmp_path, {path: text for path, text in files.items() if path not in first})
    git(tmp_path, "init", "--initial-branch", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--message", "x")
    git(tmp_path, "update-ref", "refs/remotes/origin/main", "HEAD")
    return write_tree(tmp_path, {path: files[path] for path in first})


def told(root: Path, *arguments: str) -> str:
    return (
        CliRunner(env=ENVIRONMENT).invoke(main, ["check", "--root", str(root), *arguments]).output
    )


def test_the_folder_that_is_new_is_told(root: Path) -> None:
    assert changed_folders(root, None) == {"example"}
    assert f"{ACCELERATOR}:6: the name " in told(root)
    assert f"already claimed by {SECOND}" in told(root)


def test_the_folder_that_a_commit_changed_is_told(root: Path) -> None:
    git(root, "switch", "--create", "change")
    git(root, "add", ".")
    git(root, "commit", "--message", "y")
    assert changed_folders(root, None) == {"example"}
    assert f"{ACCELERATOR}:6: the name " in told(root, "--base", "HEAD^")
    assert f"{SECOND}:6: the name " in told(root, "--base", "HEAD"), "nothing has changed since"


def test_a_base_that_is_not_there_is_named(root: Path, tmp_path: Path) -> None:
    assert 'there is no commit "--output=x"' in told(root, "--base", "--output=x")
    assert not (tmp_path / "x").exists()


def test_without_git_nothing_is_known_to_have_changed(tmp_path: Path) -> None:
    assert changed_folders(write_tree(tmp_path / "plain", EXAMPLE), None) == frozenset()
