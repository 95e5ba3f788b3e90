"""Where a test stands depends on its suite's kind and its own name, and on nothing else."""

from __future__ import annotations

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.suite_file import SuiteFile
from accelerator_portal.site.result_addresses import address_of, anchor_of, initial


@pytest.fixture
def operators() -> Catalog:
    """A catalogue that is made up: a suite of operators and one of models."""
    said = {
        "title": "Made up",
        "description": "Made up.",
        "url": "https://example.org/",
        "tests": ["add"],
        "source": ["made-up"],
        "sources": {
            "made-up": {"url": "https://example.org/", "title": "Made up", "read": "2026-11-21"}
        },
    }
    suites = {
        kind: SuiteFile.model_validate(said | {"kind": kind}) for kind in ("operator", "model")
    }
    return Catalog(platforms=(), releases=None, defaults=None, files={}, suites=suites)  # type: ignore[arg-type]


def test_operators_stand_on_the_page_of_their_initial(operators: Catalog) -> None:
    assert address_of(operators, "operator", "Add") == f"operator/tests/a/#{anchor_of('Add')}"
    assert address_of(operators, "operator", "__add__").startswith("operator/tests/0/#")


def test_models_stand_on_one_page(operators: Catalog) -> None:
    assert address_of(operators, "model", "Bert") == f"model/tests/#{anchor_of('Bert')}"
    assert address_of(operators, "unknown", "Bert").startswith("unknown/tests/#")


@pytest.mark.parametrize(
    ("name", "letter"), [("a", "a"), ("Z", "z"), ("1", "0"), ("é", "0"), ("İ", "0")]
)
def test_an_initial_is_a_letter_or_0(name: str, letter: str) -> None:
    assert initial(name) == letter


def test_names_that_differ_in_signs_only_have_ids_of_their_own() -> None:
    assert anchor_of("a.b") != anchor_of("a-b") != anchor_of("a_b")
    assert anchor_of("a b-c") != anchor_of("a-b c")
