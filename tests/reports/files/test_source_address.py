from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from accelerator_reports.files.sources import Source, link_to_passage, points_to_branch

FILE = "https://github.com/pytorch/xla/blob/41398bf/docs/source/learn/troubleshoot.md"
PAGE = "https://example.org/page"


@pytest.mark.parametrize(
    ("url", "lines", "words", "address"),
    [
        (FILE, "14", None, f"{FILE}?plain=1#L14"),
        (FILE, "14-16", None, f"{FILE}?plain=1#L14-L16"),
        ("https://github.com/a/b/blob/c/d.py", "3", None, "https://github.com/a/b/blob/c/d.py#L3"),
        (
            "https://gitlab.com/a/b/-/blob/c/d.md", "3-5", None,
            "https://gitlab.com/a/b/-/blob/c/d.md#L3-5",
        ),
        (PAGE, None, "one-word, two & more", f"{PAGE}#:~:text=one%2Dword%2C%20two%20%26%20more"),
        (f"{PAGE}#here", None, "words", f"{PAGE}#here:~:text=words"),
        (FILE, None, "words", FILE),
        (PAGE, None, None, PAGE),
    ],
)  # fmt: skip
def test_a_source_opens_at_the_decisive_place(
    url: str, lines: str | None, words: str | None, address: str
) -> None:
    assert link_to_passage(url, lines, words) == address


@given(st.text(min_size=1, max_size=200))
def test_any_words_stand_in_the_address_and_end_nothing(words: str) -> None:
    head, _, encoded = link_to_passage(
        PAGE, None, words.encode("utf-8", "ignore").decode()
    ).partition("=")
    if head.endswith("text"):
        assert unquote(encoded) == words.encode("utf-8", "ignore").decode()
        assert not set(encoded) & set("#&,-<>\"' ")


def source(**more: str) -> Source:
    return Source.model_validate({"title": "T", "read": "2026-01-02", **more})


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"url": PAGE, "lines": "3"}, "lines need the address of a file in a repository"),
        ({"package": "torch", "quote": "x"}, "a quote needs a url, not a package"),
        ({"url": FILE, "lines": "0"}, "pattern"),
        ({"url": FILE, "lines": "3-"}, "pattern"),
    ],
)
def test_a_place_that_the_site_has_no_address_for_is_refused(
    fields: dict[str, str], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        source(**fields)


@pytest.mark.parametrize(
    ("url", "moving"),
    [
        (FILE, False),
        ("https://github.com/pytorch/pytorch/blob/main/RELEASE.md", True),
        ("https://github.com/pytorch/pytorch/commits/main/RELEASE.md", True),
        ("https://raw.githubusercontent.com/a/b/main/c.json", True),
        ("https://raw.githubusercontent.com/a/b/v0.26.0/c.md", False),
        ("https://github.com/ROCm/ROCm/blob/roc-2.0.0/README.md", False),
        ("https://github.com/a/b/blob/v1.2.0-rc3/README.md", False),
        ("https://github.com/a/b/blob/v0.25.1-dev/README.md", True),
        ("https://gitcode.com/a/b/blob/master/README.md", True),
        ("https://gitlab.com/a/b/-/blob/master/README.md", True),
        ("https://huggingface.co/a/b/blob/main/c.json", True),
        ("https://huggingface.co/docs/transformers/v5.10.2/x", False),
        ("https://github.com/a/b/issues/12", False),
        ("https://github.com/a/b/releases/tag/v2", False),
        (PAGE, False),
    ],
)
def test_a_branch_moves_and_a_commit_or_a_tag_does_not(url: str, moving: bool) -> None:  # noqa: FBT001 - a parameter
    assert points_to_branch(url) is moving


def test_a_package_has_no_address() -> None:
    assert source(package="torch").address is None
    assert source(url=FILE, lines="14").address == f"{FILE}?plain=1#L14"
