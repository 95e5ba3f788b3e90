"""Recognizes files that are not in a readable format, to say what they are and how to convert them.

CI systems collect many kinds of files in one folder. A message that names the kind saves a search.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Kind = tuple[str, str]
"""What a file is, in words that follow `the file is`, and what to do instead."""

JUNIT_RUN = "run the tests with an option or plugin that writes JUnit XML, and import that file"
_PYTEST_RUN = "run pytest with --junit-xml results.xml, and import that file"
_JUNIT_LOGGER = "run dotnet test with the package JunitXml.TestLogger, and import its file"

_KINDS_BY_XML_ROOT: Mapping[str, Kind] = {
    "test-run": ("NUnit 3 XML", "convert it with nunit3-junit.xslt of NUnit's nunit-transforms"),
    "test-results": ("NUnit 2 XML", "convert it with nunit2-junit.xslt, or use NUnit 3"),
    "test-suite": ("NUnit XML or Allure 1 XML", "convert it to JUnit XML"),
    "assemblies": ("xUnit.net XML", f"run xunit.console with -junit, or {_JUNIT_LOGGER}"),
    "assembly": ("xUnit.net XML", f"run xunit.console with -junit, or {_JUNIT_LOGGER}"),
    "TestRun": ("a TRX file of Visual Studio", f"convert it with trx2junit, or {_JUNIT_LOGGER}"),
    "Site": ("CTest's own XML", "run ctest with --output-junit results.xml"),
    "testng-results": ("TestNG XML", "import the files of TestNG's folder junitreports"),
    "robot": ("Robot Framework XML", "run rebot --xunit results.xml on it"),
    "Catch2TestRun": ("Catch2 XML", "run the tests with --reporter junit"),
    "Catch": ("Catch2 XML", "run the tests with --reporter junit"),
    "doctest": ("doctest XML", "run the tests with --reporters=junit"),
    "TestLog": ("Boost.Test XML", "run the tests with --log_format=JUNIT"),
    "TestResult": ("Boost.Test XML", "run the tests with --log_format=JUNIT"),
    "TestCase": ("Qt Test XML", "run the tests with -o results.xml,junitxml"),
    "testExecutions": ("SonarQube's generic test data", JUNIT_RUN),
    "testrun": ("IntelliJ IDEA XML", JUNIT_RUN),
    "phpunit": ("PHPUnit XML", "run phpunit with --log-junit results.xml"),
    "Result": ("XML of Android's Tradefed", JUNIT_RUN),
    "coverage": ("a coverage report, not test results", JUNIT_RUN),
    "checkstyle": ("a Checkstyle report, not test results", JUNIT_RUN),
    "html": ("an HTML page, not test results", JUNIT_RUN),
}

# A JSON object, or the first object in a list or of several lines, with these keys is of this kind.
_KINDS_BY_JSON_KEYS: Sequence[tuple[frozenset[str], Kind]] = tuple(
    (frozenset(keys.split()), kind)
    for keys, kind in (
        (
            "schema_version accelerator tests",
            ("a report in this project's format", "use it as it is, without an import"),
        ),
        ("Action Package", ("the output of go test -json", "convert it with go-junit-report")),
        (
            "numTotalTests testResults",
            ("the JSON of Jest or Vitest", "use jest-junit, or vitest --reporter=junit"),
        ),
        (
            "suites config errors",
            ("the JSON of Playwright", "run playwright test --reporter=junit"),
        ),
        ("stats tests passes failures", ("the JSON of Mocha", "use mocha-junit-reporter")),
        ("exitcode summary", ("the JSON of pytest-json-report", _PYTEST_RUN)),
        ("$report_type", ("the log of pytest-reportlog", _PYTEST_RUN)),
        (
            "classname workflow_run_attempt",
            (
                "a list of test cases that PyTorch's CI uploads",
                "import the XML files in the job's artifact test-reports-….zip",
            ),
        ),
        (
            "date failed passed skipped",
            ("the report.json of ONNX's backend scoreboard", _PYTEST_RUN),
        ),
        ("keyword elements", ("the JSON of Cucumber", "run cucumber with --format junit")),
        (
            "testsuites disabled",
            ("GoogleTest's JSON", "use --gtest_output=xml:results.xml"),
        ),
        ("type event test_count", ("the JSON of Rust's libtest", "use cargo nextest's JUnit XML")),
        ("historyId status", ("a result file of Allure", JUNIT_RUN)),
        ("benchmarks context", ("the JSON of Google Benchmark, not test results", JUNIT_RUN)),
        ("benchmarks machine_info", ("the JSON of pytest-benchmark, not test results", JUNIT_RUN)),
        ("benchmark metric", ("records of PyTorch's benchmark database", "import the CSV file")),
        ("runs $schema", ("a SARIF file, not test results", JUNIT_RUN)),
    )
)

_TO_UTF8 = "save it as UTF-8"
_UNPACK = "unpack it, and import the file in it"
_KINDS_BY_START: Mapping[bytes, Kind] = {
    b"\x1f\x8b": ("compressed with gzip", _UNPACK),
    b"BZh": ("compressed with bzip2", _UNPACK),
    b"\xfd7zXZ": ("compressed with xz", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("compressed with Zstandard", _UNPACK),
    b"PK\x03\x04": ("a ZIP archive", _UNPACK),
    b"%PDF": ("a PDF document, not test results", JUNIT_RUN),
    b"\x89PNG": ("an image, not test results", JUNIT_RUN),
    b"SQLite format 3": ("an SQLite database, not test results", JUNIT_RUN),
    b"version https://git-lfs": ("a pointer of Git LFS, not the file itself", "run git lfs pull"),
    **dict.fromkeys((b"\xff\xfe\0\0", b"\0\0\xfe\xff"), ("in UTF-32", _TO_UTF8)),
    **dict.fromkeys((b"\xff\xfe", b"\xfe\xff"), ("in UTF-16", _TO_UTF8)),
}
_KINDS_BY_FIRST_LINE: Sequence[tuple[re.Pattern[bytes], Kind]] = (
    (
        re.compile(rb"TAP version|(?:not )?ok \d|\d+\.\.\d+\s"),
        ("TAP output", "convert it with tap-junit"),
    ),
    (
        re.compile(rb"(?:test|time|success|failure|error|skip|xfail): .*\n|\xb3[\x20-\x2f]"),
        ("probably the output of SubUnit", "convert it with subunit2junitxml"),
    ),
    (
        re.compile(rb"(?:dev[;\t])?name[;\t]|Test ID[;\t]"),
        ("CSV with semicolons or tabs", "separate its values with commas"),
    ),
    (
        re.compile(rb",(?:(?:dev,)?name|Test ID),"),
        ("CSV with a column without a name", "remove it, in pandas with index=False"),
    ),
)

_HTML_STARTS = (b"<!doctype html", b"<html")
_MOST_KEYS = 6


def kind_of_bytes(start: bytes) -> Kind | None:
    """Return what a file with this beginning is, if it is an archive, a binary file or the like."""
    if not start.strip():
        return "empty", "create it again"
    for mark, kind in _KINDS_BY_START.items():
        if start.startswith(mark):
            return kind
    if start.lstrip()[:20].lower().startswith(_HTML_STARTS):
        return _KINDS_BY_XML_ROOT["html"]
    if b"\0" in start and not start.startswith((b"<", b"{", b"[")):
        return "a binary file, not test results", JUNIT_RUN
    kinds = (kind for pattern, kind in _KINDS_BY_FIRST_LINE if pattern.match(start))
    return next(kinds, None)


def kind_of_xml(root: str) -> Kind | None:
    """Return what an XML file with this outermost element is; None if it is not known."""
    return _KINDS_BY_XML_ROOT.get(root.rpartition(":")[2])


def kind_of_json(data: object) -> Kind:
    """Return what a JSON file is, whose value, or the value of whose first line, is `data`."""
    first: Any = data[0] if isinstance(data, list) and data else data
    if not isinstance(first, dict):
        return "JSON without the keys of any known format", JUNIT_RUN
    for keys, kind in _KINDS_BY_JSON_KEYS:
        if keys <= first.keys():
            return kind
    some_keys = ", ".join(json.dumps(key[:40]) for key in list(first)[:_MOST_KEYS])
    return f"JSON of an unknown format, with the keys {some_keys or 'of none'}", JUNIT_RUN
