from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.site.site_file import to_root
from accelerator_portal.site.text_formats import grouped_number, prose_list, python_range
from accelerator_reports.files.wording import count
from tests.portal.site.test_commands_table import pythons

VERSIONS = st.builds("3.{}{}".format, st.integers(0, 30), st.sampled_from(["", "t"]))


@pytest.mark.parametrize(
    ("versions", "text"),
    [
        (["3.13"], "3.13"),
        (["3.12", "3.13"], "3.12–3.13"),
        (["3.9", "3.10", "3.11"], "3.9–3.11"),
        (["3.10", "3.12", "3.13"], "3.10, 3.12–3.13"),
        (["3.13t", "3.13", "3.14t", "3.14"], "3.13–3.14, 3.13t, 3.14t"),
        (["3.13", "3.13"], "3.13"),
        (["3.13t"], "3.13t"),
        ([], ""),
    ],
)
def test_python_versions_in_few_characters(versions: list[str], text: str) -> None:
    assert python_range(versions) == text


@given(st.sets(VERSIONS, min_size=1))
def test_a_range_says_exactly_its_versions(versions: set[str]) -> None:
    assert set(pythons(python_range(versions))) == versions


@given(st.lists(VERSIONS, min_size=1))
def test_a_range_does_not_depend_on_order_or_repetition(versions: list[str]) -> None:
    assert python_range(versions) == python_range(sorted(set(versions), reverse=True))


@pytest.mark.parametrize(
    ("words", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_words_are_listed_as_a_person_does(words: list[str], text: str) -> None:
    assert prose_list(words) == text


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("index.md", "./"),
        ("get-started.md", "../"),
        ("compute-platforms/index.md", "../"),
        ("compute-platforms/cuda.md", "../../"),
        ("a/b/c/index.md", "../../../"),
    ],
)
def test_the_way_from_a_page_to_the_root(path: str, root: str) -> None:
    assert to_root(path) == root


def test_a_number_has_its_noun() -> None:
    assert [count(n, "error") for n in (0, 1, 2)] == ["0 errors", "1 error", "2 errors"]


def test_thousands_stand_apart() -> None:
    assert [grouped_number(n) for n in (0, 999, 1_000, 1_234_567)] == [
        "0",
        "999",
        "1,000",
        "1,234,567",
    ]
