from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_automation.github.comments import HarmfulError, notices
from accelerator_automation.site_change_comment import (
    MARKER,
    difference_comment,
    failure_comment,
)
from accelerator_portal.site.difference import Difference, Item, PartDifference
from tests.automation.made_up import RUN_PAGE, run
from tests.portal.site.drawn_differences import differences, texts

ABOUT = (
    f"Built from commit `123456789012` by [this run]({RUN_PAGE}). The artifact `preview` is a "
    "preview of the site. The content comes from the pull request and has not been reviewed.\n"
)

PAGES = PartDifference(
    id="",
    name="Pages",
    change="changed",
    items=(Item(section="pages", change="gone", name="/x/"),),
)


def test_it_says_first_what_readers_see_then_whose_folders_they_are() -> None:
    difference = Difference(pages=PAGES)
    assert difference_comment(run(), difference, ["`a` is new."]) == (
        f"{MARKER}\n\nReaders will see 1 changed page.\n\n- `a` is new.\n\n### Pages\n\n- Removed: `/x/`"
        f"\n\n{ABOUT}"
    )


def test_a_failed_commit_is_told_with_the_run() -> None:
    text = failure_comment(run(conclusion="failure"))
    assert "Commit `123456789012` did not pass the check" in text
    assert f"[this run]({RUN_PAGE}) lists every problem" in text


@given(differences, st.lists(texts, max_size=3), texts)
def test_no_text_of_anybody_makes_a_comment_that_must_not_be_posted(
    difference: Difference, folders: list[str], author: str
) -> None:
    said = notices({folder: [author[::-1]] for folder in folders[1:]}, folders, author)
    assert difference_comment(run(), difference, said).startswith(MARKER)


def test_what_slips_through_is_stopped_at_last() -> None:
    with pytest.raises(HarmfulError, match='"@" is not in a code span'):
        difference_comment(run(), Difference(), ["@everybody"])
