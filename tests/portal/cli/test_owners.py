from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.vendors.derived_files import CODEOWNERS, derived_files
from accelerator_reports.cli import main
from tests.folders import ACCELERATOR, EXAMPLE, FORMS, REPOSITORY, Tree, edited, loaded


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["owners", "--root", str(root), *arguments])


def test_this_repository_is_current() -> None:
    """If it is not: accelerator-portal owners."""
    result = run(REPOSITORY, "--check")
    assert (result.exit_code, result.output) == (0, "")


def test_it_writes_what_follows_from_the_folders_once(tree: Tree) -> None:
    root = tree({**EXAMPLE, **FORMS})
    expected = derived_files(root, loaded(root))
    first, second = run(root), run(root)
    assert first.stdout.splitlines() == [f"Wrote {path}" for path in expected]
    assert (second.exit_code, second.output) == (0, "")
    assert {path: (root / path).read_text("utf-8") for path in expected} == expected


def test_check_names_what_is_stale_and_writes_nothing(tree: Tree) -> None:
    root = tree({**EXAMPLE, **FORMS})
    run(root)
    (root / CODEOWNERS).write_text("* @nobody\n", "utf-8")
    result = run(root, "--check")
    assert result.exit_code == 1
    assert result.stdout == (f"{CODEOWNERS}:1: the file is out of date. Run: make owners\n")
    assert (root / CODEOWNERS).read_text("utf-8") == "* @nobody\n"


@pytest.mark.parametrize("arguments", [[], ["--check"]])
def test_a_broken_folder_loses_its_owners_to_nobody(arguments: list[str], tree: Tree) -> None:
    root = tree(edited((ACCELERATOR, "vendor: Example Vendor\n", "")))
    result = run(root, *arguments)
    assert result.exit_code == 1
    assert result.stdout == f'{ACCELERATOR}:1: "vendor" is missing; add vendor\n'
    assert not (root / CODEOWNERS).exists()
