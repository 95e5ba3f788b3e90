from __future__ import annotations

import pytest

from tests.folders import (
    ACCELERATOR,
    FAQ,
    GUIDE,
    INSTALL,
    ProblemsAfter,
)

CYRILLIC_C = "\u0441"
CYRILLIC_O = "\u043e"
GREEK_O = "\u03bf"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (ACCELERATOR, "vendor: Example Vendor", f"vendor: Example Vend{CYRILLIC_O}r"),
        (ACCELERATOR, "title: Example forum", f"title: Example f{GREEK_O}rum"),
        (INSTALL, 'image: "example/torch', f'image: "example/tor{CYRILLIC_C}h'),
        (GUIDE, "This is example", f"`pip install tor{CYRILLIC_C}h` is example"),
        (FAQ, "## Does it exist?", f"## D{CYRILLIC_O}es it exist?"),
    ],
)
def test_a_word_of_two_alphabets_is_named(
    path: str, old: str, new: str, problems_after: ProblemsAfter
) -> None:
    found = problems_after((path, old, new))
    assert len(found) == 1, found
    assert found[0].startswith(f"{path}:")
    assert "letters in one word; use one alphabet" in found[0]


@pytest.mark.parametrize("vendor", ["Электроника", "Škoda", "寒武纪 Cambricon", "µBench", "Ελλάδα"])
def test_words_of_one_alphabet_are_nobodys_business(
    vendor: str, problems_after: ProblemsAfter
) -> None:
    assert problems_after((ACCELERATOR, "vendor: Example Vendor", f"vendor: {vendor}")) == []


@pytest.mark.parametrize(
    "name", ["\u0441\u043e\u0440", "\uff23\uff35\uff24\uff21", "\U0001d402\U0001d414"]
)
def test_a_name_in_letters_that_only_look_latin_is_refused(
    name: str, problems_after: ProblemsAfter
) -> None:
    (found,) = problems_after((ACCELERATOR, "name: Example\n", f"name: {name}\n"))
    assert "has letters that look like Latin letters" in found
