from __future__ import annotations

import os
from pathlib import Path

import pytest

from accelerator_reports.file_reading import ImportOptions, ImportResult
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.formats.junit import read_junit
from accelerator_reports.report import Suite
from tests.reports.junit_files import SUITE, problems, read


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<testsuites/>", "1: the file contains no test suite; use a JUnit XML file with results"),
        (SUITE.format('\n\n<testcase name=""/>'), "3: the test has no name; name it"),
        (
            b"<testsuites>\n\xf6",
            (
                "2: invalid XML in column 1: byte 0xf6 is not UTF-8; "
                "save the file as UTF-8, or state its encoding"
            ),
        ),
        (
            b"<testsuites>\n\0",
            (
                "2: invalid XML in column 1: XML may not contain the character U+0000; "
                "remove the character"
            ),
        ),
        (
            "<testsuites>&#x1b;",
            (
                "1: invalid XML in column 13: reference to invalid character number; "
                "remove the character"
            ),
        ),
        (
            '<?xml version="1.0" encoding="utf-16"?><testsuites/>',
            (
                "1: invalid XML in column 31: encoding specified in XML declaration is incorrect; "
                'correct encoding="…" in the first line'
            ),
        ),
        (
            "<testsuites/>\n<testsuites/>",
            (
                "2: invalid XML in column 1: junk after document element; "
                "move the rest to another file"
            ),
        ),
        (
            "\n<?xml version='1.0'?><testsuites/>",
            (
                "2: invalid XML in column 1: XML or text declaration not at start of entity; "
                "remove what is before <?xml, also spaces"
            ),
        ),
        *(
            (
                SUITE.format(f'<testcase name="a">\n<{tag} name="b"/></testcase>'),
                f"2: <{tag}> is inside a <testcase>; move it out of the test",
            )
            for tag in ("testcase", "testsuite")
        ),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert problems(tmp_path, text) == [f"results.xml:{message}"]


def test_a_file_that_is_too_big_is_not_even_opened(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    file.touch()
    os.truncate(file, 500 * 1024**2)  # no block of it is on the disk
    with pytest.raises(ProblemsError) as caught:
        read_junit(file, ImportOptions())
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


def test_an_error_of_a_suite_is_a_test_of_its_name(tmp_path: Path) -> None:
    text = '<testsuites><testsuite name="a.B"><error>x</error></testsuite></testsuites>'
    found = read(tmp_path, text)
    assert [suite.name for suite in found.suites] == ["a-b"]
    assert [(test.name, test.outcome) for test in found.tests] == [("a.B", "failed")]


def test_what_a_suite_says_beyond_the_format_is_passed_over(tmp_path: Path) -> None:
    text = (
        '<testsuite name="x"><properties><property value="a"/><property name="b">c</property>'
        "</properties><system-out>printed</system-out><skipped>x</skipped></testsuite>"
    )
    assert read(tmp_path, text) == ImportResult((Suite(name="x", kind="unit"),), ())
