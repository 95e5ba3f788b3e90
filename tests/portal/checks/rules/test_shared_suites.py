from __future__ import annotations

from accelerator_portal.checks import load_and_check
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_reports.report_file import report_text
from tests.day import TODAY
from tests.folders import ACCELERATOR, EXAMPLE, Tree, copied
from tests.reports.examples import report

FIRST = "accelerators/example/results/a.json"
SECOND = "accelerators/other/results/a.json"


def repository(first: str, second: str) -> dict[str, str]:
    """The example and another plugin, each with a report; the other's run is a week younger."""
    other = copied("other", (ACCELERATOR, "name: torch-example", "name: torch-other"))
    later = report({"name": second}, accelerator="other", started="2026-01-09T00:00:00Z")
    reports = {FIRST: report_text(report({"name": first})), SECOND: report_text(later)}
    return {**EXAMPLE, **other, **reports}


def test_who_joined_last_is_warned_of_a_suite_without_a_common_test(tree: Tree) -> None:
    files = repository("first", "second")
    # A platform that comes first by name, and has no test of the suite.
    names = [{"name": name, "kind": "unit"} for name in ("made-up", "build")]
    without = report({"suite": "build"}, accelerator="able", suites=names)
    changes = ("name: Other\n", "name: Able\n"), ("name: torch-example", "name: torch-able")
    files |= copied("able", *((ACCELERATOR, *change) for change in changes))
    files["accelerators/able/results/a.json"] = report_text(without)
    root = tree(files)
    _, problems = load_and_check(root, TODAY)
    words = (
        f'{SECOND}:1: no test of the suite "made-up" has the same name on another platform; '
        'use the test names of "example", or use a suite name with your platform ID'
    )
    assert [(p.level, str(p)) for p in problems] == [("warning", words)]


def test_nobody_is_set_aside_for_a_suite_of_the_same_name(tree: Tree) -> None:
    catalog, _ = load_with_quarantine(tree(repository("first", "second")), TODAY)
    assert catalog is not None
    assert dict(catalog.set_aside) == {}


def test_one_common_name_is_enough(tree: Tree) -> None:
    assert load_and_check(tree(repository("first", "first")), TODAY)[1] == []


def test_a_platform_alone_has_nobody_to_share_with(tree: Tree) -> None:
    files = repository("first", "second")
    del files[SECOND]
    assert load_and_check(tree(files), TODAY)[1] == []
