from __future__ import annotations

import datetime as dt

import pytest

from accelerator_reports.known_issues import issue_matches_test, outdated_issues
from accelerator_reports.test_ids import identity_of
from tests.portal.results.made_up import known_failure
from tests.reports.examples import report

DAY = dt.date(2026, 3, 1)
F32 = {"dtype": "float32", "mode": "inference"}


@pytest.mark.parametrize(
    ("changes", "met"),
    [
        ({}, True),
        ({"test": "made-up/first?dtype=float32"}, True),
        ({"test": "made-up/first?dtype=float32&mode=inference"}, True),
        ({"test": "made-up/first?dtype=float16"}, False),
        ({"test": "made-up/firs"}, False),
        ({"test": "made-up"}, False),
        ({"test": "made up/first"}, False),
        ({"test": None, "glob": "made-up/*"}, True),
        ({"test": None, "glob": "made-up/first"}, False),
        ({"test": None, "glob": "*dtype=float32*"}, True),
    ],
)
def test_a_key_names_a_test_and_what_it_leaves_open_does_not_matter(
    changes: dict[str, object],
    met: bool,  # noqa: FBT001 - a parameter
) -> None:
    (test,) = report({"parameters": F32}).tests
    assert issue_matches_test(known_failure(**changes), identity_of(test)) == met


def test_brackets_in_a_pattern_are_brackets_of_a_name() -> None:
    (test,) = report({"name": "test_a.py::test_x[bf16]"}).tests
    issue = known_failure(test=None, glob="made-up/test_a.py::test_x[bf16]*")
    assert issue_matches_test(issue, identity_of(test))
    other = known_failure(test=None, glob="made-up/test_a.py::test_x[bf16][?]*")
    assert not issue_matches_test(other, identity_of(test))


@pytest.mark.parametrize(
    ("changes", "outcome", "why"),
    [
        ({}, "failed", []),
        ({}, "passed", ["passes now"]),
        ({"expires": "2026-03-01"}, "failed", ["expired"]),
        ({"test": "made-up/other"}, "failed", ["matches nothing"]),
        ({"test": "made-up/other", "action": "skip"}, "failed", []),
        ({"test": "another-suite/first"}, "failed", []),
        ({"test": None, "glob": "another-*/*"}, "failed", []),
        ({"test": None, "glob": "made-*/other"}, "failed", ["matches nothing"]),
        ({"test": None, "glob": "*other"}, "failed", ["matches nothing"]),
    ],
)
def test_what_has_expired_or_passes_now_is_found(
    changes: dict[str, object], outcome: str, why: list[str]
) -> None:
    newest = report({"outcome": outcome})
    assert [
        found.why for found in outdated_issues([known_failure(**changes)], newest.tests, DAY)
    ] == why


def test_without_a_run_only_the_day_counts() -> None:
    issues = [known_failure(), known_failure(expires="2026-01-01")]
    assert [found.why for found in outdated_issues(issues, (), DAY)] == ["expired"]


@pytest.mark.parametrize(
    ("named", "met", "why"),
    [
        ({"test": "acme/kernels/first"}, True, ["passes now"]),
        ({"test": "acme%2Fkernels/first"}, True, ["passes now"]),
        ({"test": None, "glob": "acme/kernels/*"}, True, ["passes now"]),
        ({"test": None, "glob": "acme/others/*"}, False, []),
        ({"test": None, "glob": "acme/*d"}, False, ["matches nothing"]),
        ({"test": "acme/kernels/second"}, False, ["matches nothing"]),
        ({"test": "torchbench/first"}, False, []),
        ({"test": None, "glob": "torchbench/*"}, False, []),
    ],
)
def test_a_vendors_own_suite_is_named_as_people_write_it(
    named: dict[str, object],
    met: bool,  # noqa: FBT001 - a parameter
    why: list[str],
) -> None:
    suites = [{"name": "acme/kernels", "kind": "unit"}]
    tests = report({"suite": "acme/kernels"}, suites=suites).tests
    assert issue_matches_test(known_failure(**named), identity_of(tests[0])) is met
    outdated = outdated_issues([known_failure(**named)], tests, DAY.replace(month=4))
    assert [one.why for one in outdated] == why
