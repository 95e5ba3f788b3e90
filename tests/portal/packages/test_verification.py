"""Verifying whole platforms, with made-up answers instead of indexes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import pytest

from accelerator_portal.packages.uv_resolution import ResolutionQuestion, ResolutionResult
from accelerator_portal.packages.verdict_file import read_verdicts
from accelerator_portal.packages.verification import (
    ResolveQuestion,
    VerdictCounts,
    Verification,
    total_counts,
    verify_commands,
)
from tests.folders import EXAMPLE, Tree, loaded

DAY = dt.date(2026, 6, 1)


def pypi_answers(_asked: Sequence[ResolutionQuestion], _cache: Path) -> ResolveQuestion:
    """PyTorch's index is silent, PyPI has everything."""

    def answer(question: ResolutionQuestion) -> ResolutionResult:
        if any(call.index or call.backend for call in question.calls):
            return ResolutionResult("unchecked", why="the index did not answer")
        return ResolutionResult(
            "found", {"torch": question.calls[0].packages[0].partition("==")[2] or "1"}
        )

    return answer


def test_every_command_gets_a_verdict_and_the_file_stays_the_same(tree: Tree) -> None:
    root = tree(EXAMPLE)
    how = Verification(day=DAY, cache=root / ".cache", resolver=pypi_answers)
    told: list[VerdictCounts] = []
    found = verify_commands(root, loaded(root), how, on_progress=told.append)
    assert [str(one) for one in found] == ["example: 12 versions found, 14 not checked"]
    assert tuple(told) == found
    assert total_counts(found) is None
    file = root / "data/verdicts/example.json"
    before = file.read_bytes()
    assert verify_commands(root, loaded(root), how, ["example"]) == found
    assert file.read_bytes() == before
    verdicts = [
        verdict
        for by_python in read_verdicts(root, "example").values()
        for verdict in by_python.values()
    ]
    assert {verdict.why for verdict in verdicts} == {None, "the index did not answer"}
    assert {verdict.on for verdict in verdicts} == {DAY}


def test_only_the_platforms_that_are_named_are_verified(tree: Tree) -> None:
    root = tree(EXAMPLE)
    how = Verification(day=DAY, cache=root / ".cache", resolver=pypi_answers)
    assert verify_commands(root, loaded(root), how, ["another"]) == ()
    assert not (root / "data/verdicts").exists()


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"none": 1, "found": 2}, "2 versions found, 1 no such combination"),
        ({}, "no command of pip or uv"),
    ],
)
def test_the_total_is_that_of_several_platforms(counts: dict[str, int], words: str) -> None:
    both = total_counts([VerdictCounts("a", counts), VerdictCounts("b", {})])
    assert str(both) == f"2 platforms: {words}"
