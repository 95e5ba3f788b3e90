"""What the page says, done to the letter: from a new folder to a check without a word."""

from __future__ import annotations

import shlex

import pytest
from click.testing import CliRunner

from accelerator_portal.checks import load_and_check
from accelerator_reports.cli import main
from tests.built_site import Site
from tests.day import TODAY
from tests.folders import EXAMPLE, FORMS, Tree
from tests.portal.cli.test_new import FLAGS

RESULTS = (
    '<testsuites name="pytest tests"><testsuite name="pytest" timestamp="2026-01-02T03:04:05">'
    '<testcase classname="test_foo" name="test_add" time="0.1"/></testsuite></testsuites>'
)


def test_every_step_of_the_page_ends_without_a_problem(
    site: Site, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree({**EXAMPLE, **FORMS})
    monkeypatch.chdir(root)
    blocks = [node.text().strip() for node in site.pages["contribute/"].tree.css("pre code")]
    (faq,) = (block for block in blocks if "## Why" in block)
    (suites,) = (block for block in blocks if block.startswith("suites:"))
    (command,) = (line for block in blocks for line in block.split("\n") if "report import" in line)

    call("new", "foo", *(word for flag, text in FLAGS.items() for word in (f"--{flag}", text)))
    folder = root / "accelerators/foo"
    (root / "results.xml").write_text(RESULTS, "utf-8")
    call(*shlex.split(command)[1:])
    (folder / "faq.md").write_text(faq + "\n", "utf-8")
    with (folder / "accelerator.yaml").open("a", encoding="utf-8") as file:
        file.write(suites + "\n")
    catalog, problems = load_and_check(root, TODAY)
    own = [str(problem) for problem in problems if problem.path.startswith("accelerators/foo/")]
    assert own == []
    assert catalog is not None
    assert len(catalog.by_id["foo"].faq.sections) == 2


def call(*arguments: str) -> None:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == 0, done.output
