from __future__ import annotations

from accelerator_portal.checks import load_and_check
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_reports.report_file import report_text
from tests.day import TODAY
from tests.folders import ACCELERATOR, Tree, edited
from tests.reports.examples import report

PATH = "accelerators/example/results/a.json"
SUITE = """\
sources: {a: {url: "https://example.org", title: A, read: 2026-01-02}}
title: Made up
kind: unit
description: Made up.
url: https://example.org
source: [a]
tests: [alpha]
"""
OWN = 'suites: [{name: example/pytest, title: Ours, url: "https://example.org"}]\n'


def files(*, suite: str, declared: bool) -> dict[str, str]:
    folder = edited((ACCELERATOR, "name: Example\n", f"name: Example\n{OWN if declared else ''}"))
    made = report({"suite": suite}, suites=[{"name": suite, "kind": "unit"}])
    return {**folder, "data/suites/known.yaml": SUITE, PATH: report_text(made)}


def test_a_suite_that_nobody_declares_is_shown_and_told(tree: Tree) -> None:
    root = tree(files(suite="pytest", declared=False))
    catalog, problems = load_and_check(root, TODAY)
    words = (
        f'{PATH}:1: no vendor folder declares the suite "example/pytest"; '
        "declare it with a title and a link in accelerator.yaml, under suites"
    )
    assert [(p.level, p.rule, str(p)) for p in problems] == [("warning", "report-names", words)]
    assert catalog is not None
    (stored,) = stored_reports(catalog)[0]
    assert [suite.name for suite in stored.report.suites] == ["example/pytest"]
    whole, _ = load_with_quarantine(root, TODAY)
    assert whole is not None
    assert dict(whole.set_aside) == {}


def test_a_declared_suite_is_no_news_by_either_name(tree: Tree) -> None:
    for name in ("pytest", "example/pytest"):
        assert load_and_check(tree(files(suite=name, declared=True)), TODAY)[1] == []


def test_an_unknown_test_of_a_portal_suite_is_a_warning(tree: Tree) -> None:
    _, problems = load_and_check(tree(files(suite="known", declared=False)), TODAY)
    assert [(p.level, p.what) for p in problems] == [("warning", '"known" has no test "first"')]
