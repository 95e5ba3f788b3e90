from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.formats.junit import read_junit
from accelerator_portal.reports.reading import ImportResult, Options
from accelerator_portal.reports.report import Suite
from tests.reports.junit_files import SUITE, problems, read

NO_DOCTYPE = "results.xml:1: the file has a document type (<!DOCTYPE …>); remove it; test reports do not use one"
NO_ROOT = "results.xml:1: the outermost element is <html>, not <testsuites>; use a JUnit XML file"
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuites>&b;</testsuites>'
ELSEWHERE = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>'
NO_XML = "results.xml:1: invalid XML: {}; create the file again"


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
            "results.xml:1: the file has an unknown encoding; save it as UTF-8",
        ),
        (
            b'<?xml version="1.0" encoding="utf-7"?><testsuites/>',
            "results.xml:1: the file has an unknown encoding; save it as UTF-8",
        ),
        (
            "<html/>",
            NO_ROOT,
        ),
        (
            "<testsuites/>",
            "results.xml:1: the file contains no test suite; use a JUnit XML file with results",
        ),
        (
            "<testsuites>" + "<a>" * 100,
            "results.xml:1: more than 50 nested elements; create the file again",
        ),
        (
            SUITE.format("\n<testcase/>"),
            "results.xml:2: the test has no name; name it",
        ),
        (
            SUITE.format('\n\n<testcase name="a" time="nan"/>'),
            'results.xml:3: time="nan" is not a number of seconds; use a format like "1.25"',
        ),
        (
            SUITE.format('<testcase name="a" time="-1"/>'),
            'results.xml:1: time="-1" is not a number of seconds; use a format like "1.25"',
        ),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    found = problems(tmp_path, text)
    assert [re.sub(r"(invalid XML) in column \d+", r"\1", problem) for problem in found] == [
        message
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
    assert read(tmp_path, text) == ImportResult((Suite(name="x", kind="unit"),), ())


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_any_file_is_read_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for text in (data, b"<testsuites><testsuite>" + data + b"</testsuite></testsuites>"):
            file = Path(folder, "results.xml")
            file.write_bytes(text)
            with suppress(ProblemsError):
                assert read_junit(file, Options()).suites
