from __future__ import annotations

from accelerator_portal.catalog.catalog import HISTORY
from accelerator_portal.checks import load_and_check
from tests.day import TODAY
from tests.folders import ACCELERATOR, EXAMPLE, Tree

ARCHIVE = f"{HISTORY}/example.sha256"
FILES = {**EXAMPLE, ARCHIVE: ""}


def test_an_archive_whose_folder_was_renamed_is_named(tree: Tree) -> None:
    old, new = "accelerators/example/", "accelerators/renamed/"
    root = tree({path.replace(old, new): text for path, text in FILES.items()})
    _, problems = load_and_check(root, TODAY)
    (found,) = [problem for problem in problems if problem.rule == "archived-ids"]
    assert str(found).startswith(
        f"{ARCHIVE}:1: the archive has results of example, but the folder accelerators/example is "
        'missing; rename the folder back to example and change "name" in accelerator.yaml'
    )
    assert found.level == "warning"


def test_a_folder_that_is_there_is_no_renamed_one_even_if_it_is_broken(tree: Tree) -> None:
    for files in (FILES, {**FILES, ACCELERATOR: "{"}):
        _, problems = load_and_check(tree(files), TODAY)
        assert "archived-ids" not in {problem.rule for problem in problems}
