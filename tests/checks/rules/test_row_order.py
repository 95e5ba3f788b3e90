from __future__ import annotations

from tests.folders import COMPATIBILITY, INSTALL, ProblemsAfter

ROWS = 'torch: "1.10.0", variant: ex2'


def test_rows_stand_newest_first_by_pep_440(problems_after: ProblemsAfter) -> None:
    """As texts, 1.9 would be newer than 1.10."""
    swapped = [
        (COMPATIBILITY, 'torch: "1.10.0"', 'torch: "x"'),
        (COMPATIBILITY, 'torch: "1.9.1"', 'torch: "1.10.0"'),
        (COMPATIBILITY, 'torch: "x"', 'torch: "1.9.1"'),
    ]
    assert problems_after(*swapped) == [
        f'{COMPATIBILITY}:8: torch "1.10.0" is listed below 1.9.1; list newest versions first'
    ]


def test_variants_stand_newest_first_by_their_numbers(problems_after: ProblemsAfter) -> None:
    more = """\
variants:
  - {id: rocm7.2, name: A}
  - {id: rocm7.14, name: B}
  - {id: cu99, name: C}
"""
    problems = problems_after((INSTALL, "variants:\n", more))
    assert (
        f'{INSTALL}:8: "rocm7.14" is listed below rocm7.2; list newest versions first' in problems
    )
    assert not [problem for problem in problems if 'cu99" stands' in problem]
