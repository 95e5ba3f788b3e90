"""While a folder cannot be read, no rule says that what may be in it is missing or unused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from accelerator_reports.cli import main
from accelerator_reports.report_file import report_text
from tests.folders import ACCELERATOR, INSTALL, SELECTOR, Tree, copied, edited, problems_in
from tests.portal.checks.rules.test_report_names import SUITE
from tests.reports.examples import report

OTHER = "accelerators/other/accelerator.yaml"
OWN = 'suites: [{name: other/ours, title: Ours, url: "https://example.org"}]\n'
# The other folder has each name that this one uses, and a test of the same suite.
FILES = {
    **edited(
        (INSTALL, 'packages: ["torch=={torch}"]', 'packages: ["torch=={torch}", "torchs==1.0"]'),
        (SELECTOR, "start:\n", "primary: [other]\nstart:\n"),
    ),
    **copied(
        "other",
        (ACCELERATOR, "name: torch-example", "name: torchs"),
        (ACCELERATOR, "vendor: Example Vendor\n", f"vendor: Example Vendor\n{OWN}"),
    ),
    "data/suites/known.yaml": SUITE,
    "accelerators/example/results/a.json": report_text(
        report({"suite": "other/ours"}, suites=[{"name": "other/ours", "kind": "unit"}])
    ),
    "accelerators/other/results/a.json": report_text(
        report(
            {"suite": "other/ours", "name": "second"},
            accelerator="other",
            suites=[{"name": "other/ours", "kind": "unit"}],
            started="2025-01-01T00:00:00Z",
        )
    ),
    "data/exceptions.yaml": (
        "exceptions:\n  - {path: accelerators/example/results/a.json, rule: shared-suites, "
        "reason: Made up., expires: 2027-01-01}\n"
    ),
}


def broken(tree: Tree) -> Path:
    return tree(edited((OTHER, "vendor: Example Vendor", 'vendor: ""'), files=FILES))


def test_nobody_else_is_blamed_for_a_folder_that_cannot_be_read(tree: Tree) -> None:
    assert problems_in(tree(FILES)) == []
    (problem,) = problems_in(broken(tree))
    assert problem.startswith(f"{OTHER}:")
    assert problem.endswith("vendor: the text is empty; enter a value or remove the key")


@pytest.mark.parametrize(
    "words",
    [
        ["stated-models", "other", "acme/plugin", "."],
        ["plugin-release", "other"],
        ["install", "verify", "--accelerator", "other"],
    ],
)
def test_a_command_for_the_folder_says_what_is_wrong_with_it(words: list[str], tree: Tree) -> None:
    root = broken(tree)
    done = CliRunner().invoke(main, [*words, "--root", str(root)])
    assert done.exit_code == 1
    assert done.stdout.startswith(f"{OTHER}:"), done.output


def test_an_import_says_what_is_wrong_with_the_folder(tree: Tree, tmp_path: Path) -> None:
    root = broken(tree)
    (root / "r.xml").write_text('<testsuite name="ours"><testcase name="b"/></testsuite>', "utf-8")
    words = ["--root", root, "--accelerator", "other", "--out", tmp_path / "r.json"]
    words += ["--started", "2026-01-02", "--torch", "1.9.0", root / "r.xml"]
    done = CliRunner().invoke(main, ["report", "import", *map(str, words)])
    assert done.exit_code == 0, done.output
    (warning,) = done.stderr.splitlines()
    assert warning.startswith(f"warning: {OTHER}:")


def test_no_exception_is_useless_while_shared_data_cannot_be_read(tree: Tree) -> None:
    assert problems_in(tree(FILES | {"data/criteria.yaml": "levels: 7\n"}))
    for problem in problems_in(tree(FILES | {"data/criteria.yaml": "levels: 7\n"})):
        assert problem.startswith("data/criteria.yaml:"), problem
