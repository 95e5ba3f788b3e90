from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult, with_entry_counts
from accelerator_reports.report import Suite, TestEntry
from tests.reports.junit_files import SUITE, read


def test_a_file_of_pytest_is_read(tmp_path: Path) -> None:
    """Made up, in pytest's form."""
    text = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="1"
  tests="3" time="2.5" timestamp="2026-03-01T10:00:00+01:00" hostname="somewhere">
<testcase classname="tests.test_x.TestX" name="test_a[cuda-float32]" time="1.25" />
<testcase classname="tests.test_x.TestX" name="test_b[3]" time="0.5"><failure
  message="AssertionError: Scalars are not close!">Traceback
E   AssertionError: Scalars are not close!</failure></testcase>
<testcase classname="tests.test_x" name="test_c" time="0"><skipped type="pytest.skip"
  message="needs two cards">tests/test_x.py:3: needs two cards</skipped></testcase>
</testsuite></testsuites>"""
    start = dt.datetime(2026, 3, 1, 9, tzinfo=dt.UTC)
    assert read(tmp_path, text) == ImportResult(
        suites=(Suite(name="pytest", kind="unit"),),
        tests=(
            TestEntry(
                suite="pytest",
                name="tests.test_x.TestX::test_a",
                parameters={"dtype": "float32"},
                outcome="passed",
                duration_s=1.25,
            ),
            TestEntry(
                suite="pytest",
                name="tests.test_x.TestX::test_b",
                parameters={"case": "3"},
                outcome="wrong-result",
                raw_status="failure",
                duration_s=0.5,
                reason="AssertionError: Scalars are not close!",
                log_tail="Traceback\nE   AssertionError: Scalars are not close!",
            ),
            TestEntry(
                suite="pytest",
                name="tests.test_x::test_c",
                outcome="skipped",
                raw_status="skipped",
                duration_s=0,
                reason="needs two cards",
            ),
        ),
        started=start,
        finished=start + dt.timedelta(seconds=2.5),
    )


def test_a_test_for_the_accelerator_counts_before_that_for_the_processor(tmp_path: Path) -> None:
    cpu = '<testcase classname="TestXCPU" name="test_a_cpu"><failure message="x"/></testcase>'
    cuda = '<testcase classname="TestXCUDA" name="test_a_cuda"/>'
    for cases in (cpu + cuda, cuda + cpu):
        (test,) = read(tmp_path, SUITE.format(cases)).tests
        assert (test.name, test.outcome) == ("TestX::test_a", "passed")


def test_suites_are_named_by_the_file_or_by_a_person(tmp_path: Path) -> None:
    case = '<testcase classname="x" name="{}"/>'
    text = (
        '<testsuites><testsuite name="outer"><testsuite name="My Ops">'
        f'{case.format("a")}</testsuite></testsuite><testsuite name="測試">{case.format("b")}'
        '</testsuite><testsuite name="empty"/></testsuites>'
    )
    found = read(tmp_path, text)
    assert [suite.name for suite in found.suites] == ["my-ops", "results", "empty"]
    assert [test.suite for test in found.tests] == ["my-ops", "results"]
    found = read(tmp_path, text, ImportOptions("mine"))
    assert [suite.name for suite in found.suites] == ["mine"]
    assert {test.suite for test in found.tests} == {"mine"}


def test_in_a_suite_that_a_person_names_the_suites_of_the_file_stay_in_the_names(
    tmp_path: Path,
) -> None:
    suites = "".join(
        f'<testsuite name="{name}"><testcase classname="{name}" name="adds"/></testsuite>'
        for name in ("Ops", "Other")
    )
    text = f"<testsuites>{suites}</testsuites>"
    assert [test.name for test in read(tmp_path, text).tests] == ["adds", "adds"]
    found = read(tmp_path, text, ImportOptions("ops"))
    assert [test.name for test in found.tests] == ["adds", "Other::adds"]


def test_a_case_without_a_suite_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, '<testsuites name="All"><testcase name="a"/></testsuites>')
    assert found == ImportResult(
        (Suite(name="all", kind="unit"),), (TestEntry(suite="all", name="a", outcome="passed"),)
    )


@pytest.mark.parametrize("time", ["2026-03-01T10:00:00", "2026-03-01 10:00:00.0"])
def test_a_time_without_a_zone_is_read_as_utc_and_this_is_said(tmp_path: Path, time: str) -> None:
    found = read(tmp_path, f'<testsuite name="x" timestamp="{time}"/>')
    assert found.started == dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC)
    assert found.note == "The times in the file have no time zone. They are read as UTC."


@pytest.mark.parametrize(
    "time",
    [
        "",
        "yesterday",
        "0001-01-01T00:00:00",
        "1970-01-01T00:00:00Z",
        "9999-12-31T23:00:00-23:00",
        "2026-13-01",
    ],
)
def test_what_is_no_time_says_nothing(tmp_path: Path, time: str) -> None:
    found = read(tmp_path, f'<testsuite name="x" timestamp="{time}" time="1e300"/>')
    assert (found.started, found.finished, found.note) == (None, None, None)


def test_what_one_test_lacks_leaves_the_others(tmp_path: Path) -> None:
    cases = "".join(
        f'\n<testcase name="{name}" time="{time}"/>'
        for name, time in (("a", "1,234.5"), ("b", "-1"), ("c", "0,123"), ("d", "12,5"), ("", "1"))
    )
    found = read(tmp_path, SUITE.format(cases))
    assert [(test.name, test.duration_s) for test in found.tests] == [
        ("a", 1234.5), ("b", None), ("c", None), ("d", None)
    ]  # fmt: skip
    assert list(map(str, found.warnings)) == [
        'results.xml:3: time="-1" is not a number of seconds; use a format like "1.25"',
        'results.xml:4: time="0,123" is not a number of seconds; use a format like "1.25"',
        'results.xml:5: time="12,5" is not a number of seconds; use a format like "1.25"',
        "results.xml:6: the test has no name; name it",
    ]
    assert with_entry_counts(found.note, found.entries) == (
        "3 invalid values left out. Entries read: 5. Taken: 4. Left out: 1 without a name."
    )


def test_tests_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    cases = '<testcase name="a"/><testcase name="a"><failure/></testcase>'
    found = read(tmp_path, f'<testsuite name="x">{cases}</testsuite>')
    assert [(t.name, t.outcome) for t in found.tests] == [("a", "failed"), ("a (2)", "passed")]


@pytest.mark.parametrize(
    ("head", "tests", "outcomes"),
    [
        ('name="pytest" tests="3"', 3, {"a": "failed", "b": "passed", "c": "test-broken"}),
        ('name="pytest" tests="50"', 3, {"a": "failed", "b": "passed"}),  # it counts subtests
        ('name="x" tests="3"', 7, {"a": "failed", "a (2)": "passed", "a (3)": "passed"}),
    ],
)
def test_the_last_attempt_of_pytest_rerunfailures_counts(
    tmp_path: Path, head: str, tests: int, outcomes: dict[str, str]
) -> None:
    """With pytest-xdist, other tests are between the attempts."""
    case = '<testcase name="{}">{}</testcase>'.format
    broken = case("c", "") + case("c", '<error message="collection failure"/>')
    cases = case("a", "") + case("b", "") + case("a", "") + case("a", "<failure/>") + case("b", "")
    found = read(tmp_path, f"<testsuite {head}>{cases}{broken}</testsuite>").tests
    assert len(found) == tests
    assert {t.name: t.outcome for t in found}.items() >= outcomes.items()
    retries = {t.name: m.value for t in found for m in t.metrics.values()}
    assert retries == ({"a": 2, "b": 1, "c": 1} if tests == 3 else {})


def test_a_suite_that_counts_more_than_it_has_is_a_warning(tmp_path: Path) -> None:
    inner = '<testsuite name="a" tests="3" failures="1" errors="1"><testcase name="x"/></testsuite>'
    found = read(tmp_path, f'<testsuites tests="3" failures="2">{inner}</testsuites>')
    assert found.note == "The file counts 2 failures and 2 tests that it does not contain."
    assert list(map(str, found.warnings)) == [
        (
            "results.xml:1: the suite counts 2 failures and 2 tests that it does not contain; "
            "create the file again, with all results"
        )
    ]
    subtests = SUITE.replace(">{}", ' tests="3">{}').format('<testcase name="x"/>')
    assert read(tmp_path, subtests).warnings == ()


@pytest.mark.parametrize("classname", ["a.B", ""])  # GoogleTest names neither
def test_a_class_that_failed_is_a_test_of_its_name(tmp_path: Path, classname: str) -> None:
    case = f'<testcase name="" classname="{classname}"><failure/></testcase>'
    found = read(tmp_path, f'<testsuite name="a.B">{case}</testsuite>')
    assert [(test.name, test.outcome) for test in found.tests] == [("a.B", "failed")]


@pytest.mark.parametrize("name", ["a." * 30 + "{}", "Tést{}", "測{}試"])
def test_a_class_stays_in_the_name_where_the_suite_does_not_tell_it(
    tmp_path: Path, name: str
) -> None:
    names = [name.format(part) for part in "XY"]
    suite = '<testsuite name="{0}"><testcase classname="{0}" name="a"/></testsuite>'.format
    for files in (names, reversed(names)):
        found = read(tmp_path, f"<testsuites>{''.join(map(suite, files))}</testsuites>")
        assert {test.name for test in found.tests} == {f"{name}::a" for name in names}


def test_the_time_of_the_run_is_no_part_of_a_suites_name(tmp_path: Path) -> None:
    case = '<testcase classname="a.T" name="b"/>'
    found = read(tmp_path, f'<testsuite name="a.T-20261129112557">{case}</testsuite>')
    assert [(test.suite, test.name) for test in found.tests] == [("a-t", "b")]


def test_a_file_of_pytorchs_ci_names_the_file_of_a_test_beside_its_class(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        SUITE.format(
            '<testcase classname="TestTorch" name="test_copy" file="test_torch.py"/>'
            '<testcase classname="TestOpsCUDA" name="test_add_cuda_float32" file="nn/test_ops.py"/>'
        ),
    )
    assert [(test.name, dict(test.parameters)) for test in found.tests] == [
        ("test_torch.TestTorch::test_copy", {}),
        ("nn.test_ops.TestOps::test_add", {"dtype": "float32"}),
    ]
