from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports import gathering as module
from accelerator_portal.reports.gathering import Gathering, lines_of, shortened

FILE = Path("somewhere/example.csv")
TEST: dict[str, Any] = {"suite": "example", "name": "m", "outcome": "passed"}


def said(gathering: Gathering) -> list[str]:
    with pytest.raises(ProblemsError) as error:
        gathering.done()
    return [str(problem) for problem in error.value.problems]


def test_tests_come_in_the_order_of_the_file() -> None:
    gathering = Gathering(FILE)
    for name in ("b", "a", "c"):
        gathering.add(1, TEST | {"name": name})
    assert [test.name for test in gathering.done()] == ["b", "a", "c"]


def test_a_double_is_named_with_its_first_line() -> None:
    gathering = Gathering(FILE)
    gathering.add(2, TEST)
    gathering.add(3, TEST | {"parameters": {"dtype": "float32"}})
    gathering.add(4, TEST | {"outcome": "failed"})
    assert said(gathering) == [
        (
            'example.csv:4: "m" stands twice with the same parameters, first in line 2; '
            "keep one of the two"
        )
    ]


def test_what_can_be_no_test_is_named() -> None:
    gathering = Gathering(FILE)
    gathering.add(2, TEST | {"name": ""})
    gathering.add(3, TEST | {"parameters": {"D type": "float32"}})
    remedy = "see the page of the report format"
    assert said(gathering) == [
        f"example.csv:2: name: string should have at least 1 character; {remedy}",
        (
            "example.csv:3: parameters.D type: string should match pattern "
            f"'^[a-z0-9]+(?:[-_.][a-z0-9]+)*$'; {remedy}"
        ),
    ]


def test_of_very_many_faults_a_hundred_are_shown() -> None:
    gathering = Gathering(FILE)
    for line in range(1, 203):
        gathering.fault(line, "example", "none")
    messages = said(gathering)
    assert len(messages) == 101
    assert "example.csv:1: 102 more faults; mend those above first" in messages


def test_a_file_full_of_faults_is_not_read_to_its_end() -> None:
    gathering = Gathering(FILE)
    for line in range(1, 10_100):
        gathering.fault(line, "example", "none")
    with pytest.raises(ProblemsError) as error:
        gathering.fault(10_100, "example", "none")
    messages = [str(problem) for problem in error.value.problems]
    assert len(messages) == 101
    assert (
        "example.csv:1: 10,000 more faults, and the rest was not read; mend those above first"
        in messages
    )


def test_a_file_with_too_many_tests_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TESTS", 2)
    gathering = Gathering(FILE)
    gathering.add(2, TEST | {"name": "a"})
    gathering.add(3, TEST | {"name": "b"})
    with pytest.raises(ProblemsError) as error:
        gathering.add(4, TEST | {"name": "c"})
    assert str(error.value) == "example.csv:4: the file has more than 2 tests; split it by suite"


def test_what_can_be_no_suite_is_refused() -> None:
    with pytest.raises(ProblemsError) as error:
        Gathering(FILE).suite("My Suite", "model")
    assert str(error.value) == (
        'example.csv:1: "My Suite" can be no name of a suite; '
        "use lower-case letters, digits and single - _ . between them"
    )


@given(st.text(max_size=60), st.integers(5, 40))
def test_a_shortened_text_is_never_too_long(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert len(short or "") <= limit
    assert short == (text.strip() or None) or len(text.strip()) > limit


@given(st.text(alphabet="ab\r\n\u2028", max_size=40))
def test_lines_are_the_text_and_end_where_editors_end_them(text: str) -> None:
    lines = list(lines_of(FILE, text))
    assert "".join(lines) == text
    assert all(line.find("\n") in {-1, len(line) - 1} for line in lines)


def test_a_very_long_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 5)
    with pytest.raises(ProblemsError) as error:
        list(lines_of(FILE, "1234\n12345\n"))
    assert str(error.value) == (
        "example.csv:2: the line has 6 characters, more than 5; "
        "write the file again, one result a line"
    )
