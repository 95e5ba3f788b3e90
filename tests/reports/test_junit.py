from __future__ import annotations

import dataclasses
import datetime as dt
import os
import tempfile
import xml.etree.ElementTree as ET
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports import reading
from accelerator_portal.reports.junit import junit_text, read_junit
from accelerator_portal.reports.reading import Found, Options
from accelerator_portal.reports.report import Environment, Report, Suite, TestEntry, Trigger
from tests.reports import drawn

SUITE = '<testsuites><testsuite name="pytest">{}</testsuite></testsuites>'


def read(tmp_path: Path, text: str | bytes, options: Options | None = None) -> Found:
    file = tmp_path / "results.xml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_junit(file, options or Options())


def said(tmp_path: Path, inside: str, attributes: str = "") -> dict[str, Any]:
    """What a test case with something inside says, but for suite and name."""
    case = f'<testcase classname="tests.test_x" name="test_a" {attributes}>{inside}</testcase>'
    (test,) = read(tmp_path, SUITE.format(case)).tests
    return test.model_dump(exclude_defaults=True, exclude={"suite", "name"}, mode="json")


def problems(tmp_path: Path, text: str | bytes, options: Options | None = None) -> list[str]:
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, text, options)
    return [str(problem) for problem in caught.value.problems]


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
    assert read(tmp_path, text) == Found(
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


@pytest.mark.parametrize(
    ("inside", "outcome", "raw", "reason"),
    [
        ('<failure message="ValueError: 1"/>', "failed", "failure", "ValueError: 1"),
        ("<failure>ValueError: 1</failure>", "failed", "failure", "ValueError: 1"),
        ('<failure type="MemoryError"/>', "out-of-memory", "failure", "MemoryError"),
        ('<failure type="AssertionError" message="1 != 2"/>', "wrong-result", "failure", "1 != 2"),
        ('<failure message="Failed: Timeout &gt;1s"/>', "timed-out", "failure", None),
        ('<failure message="[XPASS(strict)] old"/>', "passed", "failure", "[XPASS(strict)] old"),
        ('<error message="collection failure">x</error>', "test-broken", "error", None),
        ('<error message="failed on setup with x"/>', "infrastructure-error", "error", None),
        ('<error type="RuntimeError" message="x"/>', "failed", "error", "x"),
        (
            '<error type="RuntimeError" message="failed on setup with x"/>',
            "infrastructure-error",
            "error",
            "failed on setup with x",
        ),
        ('<error message="x">CUDA out of memory.</error>', "out-of-memory", "error", "x"),
        ("<error/>", "infrastructure-error", "error", "absent"),
        ('<skipped type="pytest.xfail" message="slow"/>', "skipped", "xfail", "slow"),
        ('<skipped type="pytest.xfail"/>', "skipped", "xfail", "It is expected to fail."),
        ("<skipped/>", "skipped", "skipped", "The file gives no reason."),
        ("<skipped>on purpose</skipped>", "skipped", "skipped", "on purpose"),
        ('<skipped message="x"/><failure message="y"/>', "failed", "failure", "y"),
    ],
)
def test_an_element_says_what_happened(
    tmp_path: Path, inside: str, outcome: str, raw: str, reason: str | None
) -> None:
    found = said(tmp_path, inside)
    assert (found["outcome"], found["raw_status"]) == (outcome, raw)
    if reason:
        assert found.get("reason", "absent") == reason


def test_a_test_of_googletest_that_was_not_run_says_so(tmp_path: Path) -> None:
    assert said(tmp_path, "", 'status="notrun"') == {
        "outcome": "not-run",
        "raw_status": "notrun",
        "reason": "The file gives no reason.",
    }


@pytest.mark.parametrize(
    ("inside", "retries"),
    [
        ('<rerun message="x"/><rerun message="x"/>', 2),  # PyTorch's runner
        ("<flakyFailure>x</flakyFailure>", 1),  # Surefire
        ("<rerunFailure/><failure/>", 1),
    ],
)
def test_attempts_before_the_last_are_counted(tmp_path: Path, inside: str, retries: int) -> None:
    assert said(tmp_path, inside)["metrics"] == {"retries": {"value": retries, "unit": "1"}}


def test_a_long_traceback_keeps_its_end_and_loses_its_colours(tmp_path: Path) -> None:
    text = "a line\n" * 20_000 + "#x1B[31mMemoryError#x1B[0m"
    found = said(tmp_path, f'<failure message="x">{text}</failure>')
    assert found["outcome"] == "out-of-memory"
    assert found["log_tail"].endswith("\na line\nMemoryError")
    assert len(found["log_tail"]) <= 4000


def test_what_a_failed_test_printed_stands_where_no_traceback_does(tmp_path: Path) -> None:
    printed = "<system-out>printed</system-out>"
    assert said(tmp_path, f'<failure message="x"/>{printed}')["log_tail"] == "printed"
    assert "log_tail" not in said(tmp_path, printed)


def test_a_test_for_the_accelerator_counts_before_that_for_the_processor(tmp_path: Path) -> None:
    cpu = '<testcase classname="TestXCPU" name="test_a_cpu"><failure message="x"/></testcase>'
    cuda = '<testcase classname="TestXCUDA" name="test_a_cuda"/>'
    for cases in (cpu + cuda, cuda + cpu):
        (test,) = read(tmp_path, SUITE.format(cases)).tests
        assert (test.name, test.outcome) == ("TestX::test_a", "passed")


def test_of_two_results_of_one_test_the_worse_counts(tmp_path: Path) -> None:
    bad = '<testcase classname="x" name="a"><failure message="bad"/></testcase>'
    clean = (
        '<testcase classname="x" name="a"><error message="failed on teardown with x"/></testcase>'
    )
    for cases in (bad + clean, clean + bad):
        (test,) = read(tmp_path, SUITE.format(cases)).tests
        assert (test.outcome, test.reason) == ("failed", "bad")


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
    found = read(tmp_path, text, Options("mine"))
    assert [suite.name for suite in found.suites] == ["mine"]
    assert {test.suite for test in found.tests} == {"mine"}


def test_a_case_without_a_suite_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, '<testsuites name="All"><testcase name="a"/></testsuites>')
    assert found == Found(
        (Suite(name="all", kind="unit"),), (TestEntry(suite="all", name="a", outcome="passed"),)
    )


def test_parameters_of_all_tests_are_added_to_the_file_s_own(tmp_path: Path) -> None:
    text = SUITE.format('<testcase name="a[float32]"/><testcase name="b"/>')
    found = read(tmp_path, text, Options(parameters={"dtype": "int8", "mode": "eager"}))
    assert [test.parameters for test in found.tests] == [
        {"dtype": "float32", "mode": "eager"},
        {"dtype": "int8", "mode": "eager"},
    ]


@pytest.mark.parametrize("time", ["2026-03-01T10:00:00", "2026-03-01 10:00:00.0"])
def test_a_time_without_a_zone_is_read_as_utc_and_this_is_said(tmp_path: Path, time: str) -> None:
    found = read(tmp_path, f'<testsuite name="x" timestamp="{time}"/>')
    assert found.started == dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC)
    assert found.note == "The file's times name no time zone and are read as UTC."


@pytest.mark.parametrize("time", ["", "yesterday", "0001-01-01T00:00:00+23:00", "2026-13-01"])
def test_what_is_no_time_says_nothing(tmp_path: Path, time: str) -> None:
    found = read(tmp_path, f'<testsuite name="x" timestamp="{time}" time="1e300"/>')
    assert (found.started, found.finished, found.note) == (None, None, None)


FORMAT = "see the page of the report format"
NO_KIND = "input should be 'build', 'deploy', 'unit', 'operator' or 'model'"
NO_DOCTYPE = (
    "results.xml:1: the file has a document type (<!DOCTYPE …>);"
    " leave it out: test reports need none"
)
NO_ROOT = (
    "results.xml:1: the outermost element is <html>, not <testsuites>; name a file of JUnit XML"
)
NO_OUTCOME = (
    "results.xml:5: \"c\".outcome: input should be 'passed', 'executed', 'wrong-result',"
    " 'unsupported-operator', 'failed', 'crashed', 'timed-out', 'out-of-memory',"
    " 'infrastructure-error', 'test-broken', 'skipped' or 'not-run';"
    " see the page of the report format"
)
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuites>&b;</testsuites>'
ELSEWHERE = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>'
NO_XML = "results.xml:1: this is no XML: {}; write the file again"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            BOMB,
            NO_DOCTYPE,
        ),
        (
            ELSEWHERE,
            NO_DOCTYPE,
        ),
        ("", NO_XML.format("no element found")),
        ("plain words", NO_XML.format("syntax error")),
        ("<testsuites>", NO_XML.format("no element found")),
        ("<testsuites></testsuite>", NO_XML.format("mismatched tag")),
        ("<testsuites>&a;</testsuites>", NO_XML.format("undefined entity")),
        (b"<testsuites>\xff</testsuites>", NO_XML.format("not well-formed (invalid token)")),
        (b"<testsuites>\0</testsuites>", NO_XML.format("not well-formed (invalid token)")),
        (
            b'<?xml version="1.0" encoding="nobody"?><testsuites/>',
            "results.xml:1: the file names an encoding that is not known; save it as UTF-8",
        ),
        (
            b'<?xml version="1.0" encoding="utf-7"?><testsuites/>',
            "results.xml:1: the file names an encoding that is not known; save it as UTF-8",
        ),
        (
            "<html/>",
            NO_ROOT,
        ),
        (
            "<testsuites/>",
            "results.xml:1: the file holds no test suite; name a file of JUnit XML with results",
        ),
        (
            "<testsuites>" + "<a>" * 100,
            "results.xml:1: more than 50 elements stand in each other; write the file again",
        ),
        (
            SUITE.format("\n<testcase/>"),
            "results.xml:2: the test has no name; name it",
        ),
        (
            SUITE.format('\n\n<testcase name="a" time="nan"/>'),
            'results.xml:3: time="nan" is no number of seconds; write it like "1.25"',
        ),
        (
            SUITE.format('<testcase name="a" time="-1"/>'),
            'results.xml:1: time="-1" is no number of seconds; write it like "1.25"',
        ),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert problems(tmp_path, text) == [message]


def kept(value: str) -> str:
    return f'<properties><property name="accelerator-portal" value="{value}"/></properties>'


def test_every_fault_is_named(tmp_path: Path) -> None:
    cases = (
        '\n<testcase name="a" time="x"/>',
        '\n<testcase name=""/>',
        f'\n<testcase name="b">{kept("[]")}</testcase>',
        f'\n<testcase name="c">{kept("{&quot;outcome&quot;: 1}")}</testcase>',
        f'\n<testcase name="d">{kept("[" * 100_000)}</testcase>',
    )
    assert problems(tmp_path, SUITE.format("".join(cases))) == [
        'results.xml:2: time="x" is no number of seconds; write it like "1.25"',
        "results.xml:3: the test has no name; name it",
        'results.xml:4: the property "accelerator-portal" is no JSON object; remove it',
        NO_OUTCOME,
        'results.xml:6: the property "accelerator-portal" is no JSON object; remove it',
    ]


def test_a_suite_that_a_person_names_is_an_id(tmp_path: Path) -> None:
    assert problems(tmp_path, "<testsuites/>", Options("My Ops")) == [
        'results.xml:1: "My Ops" is no name of a suite; write "my-ops"'
    ]


def test_a_file_that_is_too_big_is_not_even_opened(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    file.touch()
    os.truncate(file, 500 * 1024**2)  # no block of it is on the disk
    with pytest.raises(ProblemsError) as caught:
        read_junit(file, Options())
    assert str(caught.value) == (
        "results.xml:1: the file has 500 MiB, more than 128; split it by suite"
    )


def test_a_tag_without_an_end_is_refused_before_it_costs_time(tmp_path: Path) -> None:
    case = '<testcase name="a"><failure message="{}">text</failure></testcase>'
    (test,) = read(tmp_path, SUITE.format(case.format("x" * 1024**2))).tests
    assert test.outcome == "failed"
    assert problems(tmp_path, SUITE.format(case.format("x" * 4 * 1024**2))) == [
        "results.xml:1: one tag has more than 2 MiB; shorten its message"
    ]


def test_too_many_suites_are_refused(tmp_path: Path) -> None:
    text = f"<testsuites>{'<testsuite/>' * 100_000}</testsuites>"
    assert problems(tmp_path, text) == [
        "results.xml:1: the file has more than 100,000 suites; split it"
    ]


def test_what_a_suite_says_beyond_the_format_is_passed_over(tmp_path: Path) -> None:
    text = (
        '<testsuite name="x"><properties><property value="a"/><property name="b">c</property>'
        "</properties><system-out>printed</system-out><failure>x</failure></testsuite>"
    )
    assert read(tmp_path, text) == Found((Suite(name="x", kind="unit"),), ())


def test_a_suite_with_faults_is_refused(tmp_path: Path) -> None:
    broken = kept("{&quot;kind&quot;: &quot;odd&quot;, &quot;planned&quot;: -1}")
    run = kept("{&quot;started&quot;: &quot;0001-01-01T00:00:00+23:00&quot;}")
    text = (
        f'<testsuites><testsuite name="x">{broken}</testsuite>\n<testsuite name="y">'
        f"{run.replace('-portal', '-portal.run')}</testsuite></testsuites>"
    )
    assert problems(tmp_path, text) == [
        f'results.xml:1: "x".kind: {NO_KIND}; {FORMAT}',
        f'results.xml:1: "x".planned: input should be greater than or equal to 0; {FORMAT}',
        f'results.xml:2: "y".started: value error, the moment lies outside the calendar; {FORMAT}',
    ]


def test_too_many_tests_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accelerator_portal.reports.imported_tests.MAX_TESTS", 2)
    assert reading.MAX_TESTS == 500_000
    cases = "".join(f'<testcase name="{name}"/>' for name in "abcd")
    assert problems(tmp_path, SUITE.format(cases)) == [
        "results.xml:1: the file has more than 2 tests; split it by suite"
    ]


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_any_file_is_read_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for text in (data, b"<testsuites><testsuite>" + data + b"</testsuite></testsuites>"):
            file = Path(folder, "results.xml")
            file.write_bytes(text)
            with suppress(ProblemsError):
                assert read_junit(file, Options()).suites


@given(drawn.reports())
def test_a_report_comes_back_whole(report: Report) -> None:
    """But for the order of tests: JUnit writes suite by suite."""
    order = {suite.name: number for number, suite in enumerate(report.suites)}
    tests = sorted(report.tests, key=lambda test: order[test.suite])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results.xml")
        file.write_bytes(junit_text(report).encode())
        found = read_junit(file, Options())
    assert found == dataclasses.replace(drawn.of(report), tests=tuple(tests))


def test_what_junit_has_a_word_for_is_said_in_it() -> None:
    report = Report(
        schema_version=1,
        accelerator="made-up",
        kind="self-reported",
        trigger=Trigger(kind="nightly"),
        started=dt.datetime(2026, 3, 1, 10, tzinfo=dt.UTC),
        environment=Environment(torch="2.10.0"),
        suites=(Suite(name="ops", kind="unit"),),
        tests=(
            TestEntry(
                suite="ops",
                name="TestX::test_a",
                parameters={"dtype": "float32"},
                outcome="wrong-result",
                duration_s=1.5,
                reason="not <close>",
                log_tail="line\nline",
            ),
            TestEntry(suite="ops", name="TestX::test_b", outcome="test-broken"),
            TestEntry(suite="ops", name="TestX::test_c", outcome="not-run", reason="later"),
            TestEntry(suite="ops", name="test_d", outcome="passed"),
        ),
    )
    suite = ET.fromstring(junit_text(report))[0]  # noqa: S314 - written here
    assert suite.attrib == {
        "name": "ops",
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
        "time": "1.500",
        "timestamp": "2026-03-01T10:00:00+00:00",
    }
    cases = suite.findall("testcase")
    assert [case.attrib for case in cases] == [
        {"classname": "TestX", "name": "test_a[float32]", "time": "1.500000"},
        {"classname": "TestX", "name": "test_b"},
        {"classname": "TestX", "name": "test_c"},
        {"classname": "ops", "name": "test_d"},
    ]
    failure = cases[0].find("failure")
    assert failure is not None
    assert failure.attrib == {"message": "not <close>", "type": "wrong-result"}
    assert failure.text == "line\nline"
    # Nothing stands twice: what JUnit says itself is not kept beside it.
    assert [len(case.findall("properties")) for case in cases] == [0, 0, 0, 0]
