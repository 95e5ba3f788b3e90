from __future__ import annotations

import datetime as dt
import time
from typing import Any

import pytest

from accelerator_reports.report_file import (
    KnownNames,
    name_warnings,
    report_problems,
    with_full_suite_names,
    with_imported_suite_names,
)
from accelerator_reports.suite_names import SuiteNames
from tests.portal.catalog.suites import suite
from tests.reports.examples import report

SUITE = suite("model", "BertTiny", "ResNetTiny")
KNOWN = KnownNames(
    frozenset({"example", "other"}),
    {"known": SUITE},
    frozenset({"example/kernels"}),
    {"example/gpu-kernels": "example/kernels"},
)
NAMES = SuiteNames(frozenset({"known"}), KNOWN.aliases)
NOW = dt.datetime(2026, 11, 23, tzinfo=dt.timezone.utc)
MODEL = {"name": "known", "kind": "model"}


def warned(*tests: dict[str, Any], **changes: Any) -> list[str]:  # noqa: ANN401 - any field
    found = list(name_warnings(report(*tests, **changes), "r.json", KNOWN, 10))
    assert {problem.level for problem in found} <= {"warning"}
    return [str(problem) for problem in found]


def of_suite(name: str) -> list[str]:
    return warned({"suite": name}, suites=[{"name": name, "kind": "unit"}])


@pytest.mark.parametrize("name", ["example/kernels", "pytorch-tests", "deploy"])
def test_a_declared_suite_is_no_news(name: str) -> None:
    assert of_suite(name) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kernels2", ('no vendor folder declares the suite "example/kernels2"; '
         'declare it with a title and a link in accelerator.yaml, under suites; if it is '
         '"example/kernels" under a new name, add the name to its aliases there')),
        ("knwon", ('no vendor folder declares the suite "example/knwon"; '
         'did you mean "known"? If it is your own suite, declare it in accelerator.yaml')),
        ("other/kernels", ('no vendor folder declares the suite "other/kernels"; '
         'write "example/kernels", unless the platforms share the suite')),
    ],
)  # fmt: skip
def test_an_undeclared_suite_is_welcome_and_told(name: str, words: str) -> None:
    assert of_suite(name) == [f"r.json:1: {words}"]


def test_a_test_that_the_suite_does_not_have_is_told_with_the_nearest() -> None:
    tests = [{"suite": "known", "name": "BertTiny"}, {"suite": "known", "name": "BertTini"}]
    assert warned(*tests, suites=[MODEL]) == [
        'r.json:11: "known" has no test "BertTini"; did you mean "BertTiny"?'
    ]


@pytest.mark.parametrize(
    ("kind", "name", "device"),
    [("unit", "EPLB on MI250", "MI250"), ("unit", "test_cuda_graphs", None),
     ("operator", "add.cuda", "cuda"), ("model", "npuzzle", None)],
)  # fmt: skip
def test_hardware_in_a_name_is_told(kind: str, name: str, device: str | None) -> None:
    known = KnownNames(KNOWN.accelerators)
    made = report({"name": name}, suites=[{"name": "made-up", "kind": kind}])
    found = [str(problem) for problem in name_warnings(made, "r.json", known, 10)]
    words = f'r.json:10: the name "{name}" contains a device ("{device}"); '
    assert found == ([f"{words}remove the device from test names"] if device else [])


def test_of_a_suite_of_its_own_a_vendor_names_tests_as_it_likes() -> None:
    suites = [{"name": "example/kernels", "kind": "operator"}]
    assert warned({"suite": "example/kernels", "name": "add.npu on 910B"}, suites=suites) == []


def test_a_hundred_thousand_unknown_tests_are_told_in_a_moment() -> None:
    names = suite("model", *(f"operator_{n}" for n in range(2_000)))
    made = report({"suite": "known", "name": "x"}, suites=[MODEL])
    (one,) = made.tests
    tests = tuple(one.model_copy(update={"name": f"oprator_{n}"}) for n in range(100_000))
    many = made.model_copy(update={"tests": tests})
    begun = time.process_time()
    found = list(name_warnings(many, "r.json", KnownNames(KNOWN.accelerators, {"known": names})))
    assert time.process_time() - begun < 5
    assert len(found) == 21
    assert "99,980 more tests" in str(found[-1])


def test_an_undeclared_suite_bears_the_name_of_its_platform() -> None:
    made = report({"suite": "pytest"}, suites=[{"name": "pytest", "kind": "unit"}])
    full = with_full_suite_names(made, NAMES)
    assert [one.name for one in full.suites] == ["example/pytest"]
    assert [test.suite for test in full.tests] == ["example/pytest"]


@pytest.mark.parametrize("name", ["known", "pytorch-tests", "other/kernels"])
def test_other_names_stay(name: str) -> None:
    made = report({"suite": name}, suites=[{"name": name, "kind": "unit"}])
    assert with_full_suite_names(made, NAMES) is made


@pytest.mark.parametrize("name", ["gpu-kernels", "example/gpu-kernels"])
def test_a_suite_under_an_alias_gets_the_name_of_its_declaration(name: str) -> None:
    made = report({"suite": name}, suites=[{"name": name, "kind": "unit"}])
    for full in (with_full_suite_names(made, NAMES), with_imported_suite_names(made, KNOWN)):
        assert [one.name for one in full.suites] == ["example/kernels"]
        assert [test.suite for test in full.tests] == ["example/kernels"]
    assert of_suite(name) == []


def test_a_suite_under_both_names_in_one_report_is_refused() -> None:
    suites = [{"name": name, "kind": "unit"} for name in ("example/kernels", "gpu-kernels")]
    full = with_full_suite_names(report({"suite": "gpu-kernels"}, suites=suites), NAMES)
    assert 'the suite "example/kernels" is listed twice in suites' in "".join(
        map(str, report_problems(full, "r.json", KNOWN, NOW))
    )


@pytest.mark.parametrize(
    ("name", "full"),
    [("tests/unit", "example/tests-unit"), ("other/kernels", "other/kernels"),
     ("known", "known"), ("pytest", "example/pytest")],
)  # fmt: skip
def test_a_folder_of_a_test_tool_is_no_vendor(name: str, full: str) -> None:
    made = report({"suite": name}, suites=[{"name": name, "kind": "unit"}])
    assert with_imported_suite_names(made, KNOWN).suites[0].name == full
