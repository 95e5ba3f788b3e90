"""Where a test stands depends on its suite and its own name, and on nothing else."""

from __future__ import annotations

import pytest

from accelerator_portal.site.results.results_view import (
    address_of,
    anchor_of,
    evidence_suffix,
    initial,
)


def test_a_test_stands_on_the_page_of_its_initial() -> None:
    assert address_of("operators", "Add") == f"operators/tests/a/#{anchor_of('Add')}"
    assert address_of("operators", "__add__").startswith("operators/tests/0/#")
    assert address_of("unknown", "Bert").startswith("unknown/tests/b/#")


def test_a_result_has_a_place_of_its_own() -> None:
    places = [
        evidence_suffix("", "run", ""),
        evidence_suffix("", "run", "eager, float32"),
        evidence_suffix("inference", "run", "eager, float32"),
        evidence_suffix("inference", "run-2", "eager, float32"),
    ]
    assert places[2] == ".inference.run.eager-float32"
    assert len(set(places)) == len(places)


@pytest.mark.parametrize(
    ("name", "letter"),
    [
        *(("a", "a"), ("Z", "z"), ("1", "0"), ("é", "0"), ("İ", "0"), ("test_a", "t")),
        *(("test_torch.TestTorch::test_copy", "c"), ("a::Test::b", "b"), ("a::test_", "0")),
    ],
)
def test_an_initial_is_a_letter_or_0(name: str, letter: str) -> None:
    assert initial(name) == letter


def test_names_that_differ_in_signs_only_have_ids_of_their_own() -> None:
    assert anchor_of("a.b") != anchor_of("a-b") != anchor_of("a_b")
    assert anchor_of("a b-c") != anchor_of("a-b c")
