from __future__ import annotations

import pytest

from tests.folders import RELEASES, Edit, ProblemsAfter

EX2_LINUX = "{variant: ex2, os: linux, arch: [x86_64]}"
EX1_WINDOWS = '      - {variant: ex1, os: windows, arch: [x86_64], python: ["3.12"]}\n'
ORDER = "list newest versions first"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([(RELEASES, '"1.9.1"', '"1.11.0"')], [f"21: 1.11.0 is listed below 1.10.0; {ORDER}"]),
        ([(RELEASES, '"1.9.1"', '"1.10.0"')], [f"21: 1.10.0 is listed below 1.10.0; {ORDER}"]),
        (
            [(RELEASES, f"    - {EX2_LINUX}\n", f"    - {EX2_LINUX}\n" * 2)],
            ["10: ex2 for linux x86_64 is listed twice; remove one of the two"],
        ),
        (
            [(RELEASES, "arch: [x86_64, aarch64], on", "arch: [x86_64, aarch64, aarch64], on")],
            ["17: ex2 for linux aarch64 is listed twice; remove one of the two"],
        ),
        (
            [(RELEASES, EX1_WINDOWS, f"{EX1_WINDOWS}    images:\n" + f"      - {EX2_LINUX}\n" * 2)],
            ["22: ex2 for linux x86_64 is listed twice; remove one of the two"],
        ),
        ([(RELEASES, '"1.9.1"', '"1.9.1.post1"')], []),
    ],
)
def test_releases_stand_once_and_the_newest_first(
    edits: list[Edit], expected: list[str], problems_after: ProblemsAfter
) -> None:
    found = problems_after(*edits)
    assert [p for p in found if p.startswith(RELEASES)] == [f"{RELEASES}:{e}" for e in expected]
