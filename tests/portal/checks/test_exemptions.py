"""Exceptions accept a problem for a time, and are reported when they are of no use."""

from __future__ import annotations

import datetime as dt

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.checks import run_checks
from tests.folders import EXAMPLE, GUIDE, Tree, edited

EXCEPTIONS = "data/exceptions.yaml"
WRONG = (GUIDE, "This is", "[x](http://example.org) This is")
TODAY = dt.date(2026, 6, 1)


def left(tree: Tree, exception: str, *, wrong: bool = True) -> list[str]:
    files = edited(WRONG) if wrong else dict(EXAMPLE)
    text = "exceptions:\n"
    for one in exception.split("; "):
        text += f"  - {{path: {GUIDE}, reason: Made up., {one}}}\n"
    catalog, problems = load_catalog(tree(files | {EXCEPTIONS: text}))
    assert catalog is not None
    assert problems == []
    return [f"{p.path}: {p.what}" for p in run_checks(catalog, TODAY)]


def test_an_exception_accepts_the_problem(tree: Tree) -> None:
    assert left(tree, "rule: text-links, expires: 2026-06-01") == []


def test_it_may_name_words_of_the_message(tree: Tree) -> None:
    assert left(tree, "rule: text-links, says: http://example.org, expires: 2026-06-01") == []
    assert len(left(tree, "rule: text-links, says: elsewhere, expires: 2026-06-01")) == 2


LINK, ENDED = (
    f"{GUIDE}: the link to",
    f"{EXCEPTIONS}: the exception for {GUIDE} ended on 2026-05-31",
)
NEEDLESS = f"{EXCEPTIONS}: {GUIDE} does not need this exception any more"


@pytest.mark.parametrize(
    ("exception", "wrong", "words"),
    [
        ("rule: text-links, expires: 2026-05-31", True, [LINK, ENDED]),
        ("rule: text-links, expires: 2026-06-01", False, [NEEDLESS]),
        (
            "rule: text-link, expires: 2026-06-01",
            True,
            [LINK, f'{EXCEPTIONS}: there is no rule "text-link"'],
        ),
        (
            "rule: text-links, expires: 2026-05-31; rule: text-links, expires: 2026-06-01",
            True,
            [NEEDLESS],
        ),
    ],
)
def test_an_exception_of_no_use_is_a_problem(
    exception: str, words: list[str], tree: Tree, *, wrong: bool
) -> None:
    found = left(tree, exception, wrong=wrong)
    assert len(found) == len(words)
    for told, start in zip(found, words, strict=True):
        assert told.startswith(start)


def test_an_exception_for_a_deleted_folder_is_not_needed(tree: Tree) -> None:
    gone = "accelerators/gone/guide.md"
    text = f"{{path: {gone}, rule: text-links, reason: Made up., expires: 2026-06-01}}"
    root = tree({**EXAMPLE, EXCEPTIONS: f"exceptions: [{text}]\n"})
    catalog, _ = load_catalog(root)
    assert catalog is not None
    (found,) = run_checks(catalog, TODAY)
    assert found.what == f"{gone} does not need this exception any more"
    (root / gone).parent.mkdir()  # a folder that cannot be read may still need it
    catalog, _ = load_catalog(root)
    assert catalog is not None
    assert list(run_checks(catalog, TODAY)) == []
