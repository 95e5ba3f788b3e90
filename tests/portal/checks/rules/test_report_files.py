from __future__ import annotations

import pytest

from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.results import stored_reports
from accelerator_reports.report_file import report_text
from tests.day import TODAY
from tests.folders import ACCELERATOR, EXAMPLE, FAQ, Tree, edited, problems_in
from tests.reports.examples import report

RESULTS = "accelerators/example/results"
GOOD = report_text(report())


def problems(tree: Tree, **files: str) -> list[str]:
    named = {f"{RESULTS}/{name}.json": text for name, text in files.items()}
    return problems_in(tree({**EXAMPLE, **named}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "1: invalid JSON in column 2: expecting property name in double quotes; create the file again"),
        (report_text(report(accelerator="other")),
         '1: the report is about "other"; move it to that folder'),
        (report_text(report({}, {})),
         '20: "first" is listed twice with the same parameters; remove one, or add what differs'),
        (report_text(report(started="2999-01-01T00:00:00Z")),
         "1: started is in the future (2999-01-01); correct it"),
    ],
)  # fmt: skip
def test_a_faulty_report_is_named_with_its_line(text: str, expected: str, tree: Tree) -> None:
    good = report_text(report(started="2026-01-09T00:00:00Z"))
    assert problems(tree, nightly=text, good=good) == [f"{RESULTS}/nightly.json:{expected}"]


def test_only_where_this_project_runs_a_report_is_made_here(tree: Tree) -> None:
    made = report_text(report(kind="made-here"))
    what = "the report has kind: made-here, but data/own-runs.yaml does not list the platform"
    path = f"{RESULTS}/nightly.json"
    assert problems(tree, nightly=made) == [f"{path}:1: {what}; write kind: self-reported"]
    own = "platforms: [{accelerator: example, by: Made up}]\n"
    files = {**EXAMPLE, "data/own-runs.yaml": own, f"{RESULTS}/nightly.json": made}
    assert problems_in(tree(files)) == []


def test_a_broken_file_of_the_folder_hides_no_fault_of_a_report(tree: Tree) -> None:
    files = edited((ACCELERATOR, "vendor:", "vendr:"))
    wrong = report_text(report({"outcome": "skipped"}))
    root = tree({**files, f"{RESULTS}/a.json": wrong, f"{RESULTS}/b.json": "{"})
    found = problems_in(root)
    assert [p.rpartition("/")[2].partition(": ")[0] for p in found] == [
        "accelerator.yaml:1", "accelerator.yaml:7", "a.json:19", "b.json:1"
    ]  # fmt: skip
    catalog, _ = load_with_quarantine(root, TODAY)
    assert catalog is not None
    assert [str(problem) for problem in catalog.set_aside["example"]] == found


def test_two_runs_of_one_moment_are_told(tree: Tree) -> None:
    found = problems(tree, a=GOOD, b=report_text(report({"outcome": "failed"})))
    assert found == [
        (
            f'{RESULTS}/b.json:1: {RESULTS}/a.json has tests of "made-up" with the same start '
            "time; correct started, or merge the two reports"
        )
    ]
    later = report_text(report(started="2026-01-03T00:00:00Z"))
    assert problems(tree, a=GOOD, b=later) == []


def test_a_fault_elsewhere_in_the_folder_hides_none_among_the_reports(tree: Tree) -> None:
    found = problems_in(tree({**EXAMPLE, FAQ: "no front matter\n", f"{RESULTS}/notes.txt": "x"}))
    assert [problem.partition(":")[0] for problem in found] == [FAQ, f"{RESULTS}/notes.txt"]


def test_reports_that_would_take_too_long_are_not_read(tree: Tree) -> None:
    root = tree({**EXAMPLE, f"{RESULTS}/good.json": GOOD})
    for number in range(4):
        with (root / RESULTS / f"r{number}.json").open("wb") as file:
            file.truncate(20 * 1024**2)  # no block of it is on the disk
    assert problems_in(root) == [
        (
            f"{RESULTS}:1: the reports have 80 MiB, more than 64; "
            "remove the oldest reports; the history keeps their results"
        )
    ]


def test_a_folder_has_no_more_tests_than_a_report(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_reports, "MAX_TESTS", 2)
    later = report_text(report({}, {"name": "second"}, started="2026-01-03T00:00:00Z"))
    assert problems(tree, a=GOOD, b=later) == [
        (
            f"{RESULTS}/b.json:1: the reports up to this one have more than 2 tests; "
            "remove older reports or some tests"
        )
    ]
