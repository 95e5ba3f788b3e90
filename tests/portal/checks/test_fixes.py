"""A fix changes its own words and nothing else, and only where that is certain."""

from __future__ import annotations

from accelerator_portal.checks.rule import fixed_text
from accelerator_reports.files.problem import Fix, Problem


def problem(line: int, old: str, new: str, path: str = "a") -> Problem:
    return Problem(path, line, "made up", "made up", fix=Fix(old, new))


def test_a_fix_changes_its_own_words_and_keeps_line_ends() -> None:
    text, done = fixed_text("a: 1.10\r\nb: 1.10\r\n", [problem(2, "1.10", '"1.10"')])
    assert text == 'a: 1.10\r\nb: "1.10"\r\n'
    assert len(done) == 1


def test_what_stands_twice_or_not_at_all_is_left_to_a_person() -> None:
    problems = [problem(1, "x", "y"), problem(2, "z", "y"), problem(9, "x", "y")]
    text, done = fixed_text("x x\nx\n", problems)
    assert (text, done) == ("x x\nx\n", [])


def test_two_fixes_of_a_line_are_both_made() -> None:
    text, done = fixed_text("[1.0, 2.0]", [problem(1, "1.0", '"1.0"'), problem(1, "2.0", '"2.0"')])
    assert text == '["1.0", "2.0"]'
    assert len(done) == 2
