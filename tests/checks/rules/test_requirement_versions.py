from __future__ import annotations

import pytest

from tests.folders import COMPATIBILITY, INSTALL, ProblemsAfter

ROW = '{torch: "1.9.1", variant: ex1, lifecycle'


@pytest.mark.parametrize(
    ("needs", "fine"),
    [
        ("6", False),
        (">=5.1", False),
        ("5", True),
        (">=4", True),
        ("any", True),
    ],
)
def test_a_requirement_does_not_admit_less_than_the_rows_need(
    needs: str, problems_after: ProblemsAfter, *, fine: bool
) -> None:
    row = f'{{torch: "1.9.1", variant: ex1, needs: {{Example driver: "{needs}"}}, lifecycle'
    problems = problems_after((COMPATIBILITY, ROW, row))
    assert (problems == []) == fine
    for problem in problems:
        assert problem.startswith(f'{INSTALL}:11: ">=5" allows Example driver 5, but the rows')


def test_rows_of_another_variant_do_not_count(problems_after: ProblemsAfter) -> None:
    first = '{torch: "1.10.0", variant: ex2, source'
    row = '{torch: "1.10.0", variant: ex2, needs: {Example driver: "9"}, source'
    assert problems_after((COMPATIBILITY, first, row)) == []


@pytest.mark.parametrize(("os", "fine"), [("windows", True), ("linux", False)])
def test_rows_of_another_system_do_not_count(
    os: str, problems_after: ProblemsAfter, *, fine: bool
) -> None:
    row = f'{{torch: "1.9.1", variant: ex1, os: [{os}], needs: {{Example driver: "6"}}, lifecycle'
    assert (problems_after((COMPATIBILITY, ROW, row)) == []) == fine  # it is required on Linux
