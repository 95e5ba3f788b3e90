from __future__ import annotations

import pytest

from accelerator_automation.github.api import GitHubError
from accelerator_automation.site_change_comment import MARKER, post_comment
from tests.automation.made_up import (
    FORK,
    HEAD,
    HOME,
    NUMBER,
    MadeUpGitHub,
    archive,
    comment,
    left,
    pull,
    run,
)

COMMENTS = f"repos/{HOME}/issues/{NUMBER}/comments"
NOTHING = "No reader will see a difference."


def test_the_first_run_posts_a_comment() -> None:
    api = MadeUpGitHub(left())
    assert post_comment(api, run(), {}) == "A comment on pull request 5 was posted."
    ((method, path, text),) = api.sent
    assert (method, path) == ("POST", COMMENTS)
    assert text.startswith(f"{MARKER}\n\n{NOTHING}\n")


def test_later_runs_renew_it() -> None:
    others = (comment(1, "hello"), comment(2, login="somebody"), comment(3), comment(4))
    api = MadeUpGitHub(left(), comments=others)
    assert post_comment(api, run(), {}) == "The comment on pull request 5 was updated."
    ((method, path, _),) = api.sent
    assert (method, path) == ("PATCH", f"repos/{HOME}/issues/comments/3")


def test_the_comment_is_found_on_later_pages() -> None:
    many = tuple(comment(n, "x", "a") for n in range(1, 251))
    api = MadeUpGitHub(left(), comments=(*many, comment(999)))
    post_comment(api, run(), {})
    assert api.sent[0][:2] == ("PATCH", f"repos/{HOME}/issues/comments/999")


def test_the_author_is_measured_by_the_base() -> None:
    api = MadeUpGitHub(left(), changed=("accelerators/xpu/accelerator.yaml", "README.md"))
    post_comment(api, run(), {"xpu": ["owner"]})
    notice = "The author, `somebody`, is not a maintainer of `accelerators/xpu/`: `owner`."
    assert f"\n\n- {notice}\n\n" in api.sent[0][2]


def test_a_folder_that_is_moved_away_is_touched_too() -> None:
    api = MadeUpGitHub(left())
    moved = {"filename": "x", "previous_filename": "accelerators/xpu/faq.md"}
    api.answers[f"repos/{HOME}/pulls/{NUMBER}/files"] = [moved]
    post_comment(api, run(), {"xpu": ["owner"]})
    assert "not a maintainer of `accelerators/xpu/`" in api.sent[0][2]


def test_a_difference_of_another_form_hides_no_notice() -> None:
    api = MadeUpGitHub(left({"new": 1}), changed=("accelerators/xpu/faq.md",))
    post_comment(api, run(), {"xpu": ["owner"]})
    text = api.sent[0][2]
    assert "cannot be shown" in text
    assert "is not a maintainer of `accelerators/xpu/`" in text


def test_a_failed_run_renews_a_comment_and_posts_none() -> None:
    fresh, told = (MadeUpGitHub({"number": "5"}, comments=c) for c in ((), (comment(3),)))
    assert post_comment(fresh, run(conclusion="failure"), {}).startswith("No comment posted")
    post_comment(told, run(conclusion="failure"), {})
    assert fresh.sent == []
    assert "did not pass the check" in told.sent[0][2]


@pytest.mark.parametrize(
    "changed",
    [
        {"event": "push"},
        {"event": "pull_request_target"},
        {"conclusion": "cancelled"},
        {"conclusion": None},
    ],
)
def test_other_runs_are_passed_over(changed: dict[str, object]) -> None:
    api = MadeUpGitHub(left())
    assert post_comment(api, run(**changed), {}).startswith("No comment needed")
    assert api.sent == []


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"head": {"sha": "0" * 40, "repo": {"full_name": FORK}}}, "a newer commit"),
        ({"head": {"sha": HEAD, "repo": {"full_name": "a/b"}}}, "a different repository"),
        ({"head": {"sha": HEAD, "repo": None}}, "a different repository"),
        ({"base": {"sha": HEAD, "repo": {"full_name": FORK}}}, "does not target this repository"),
        ({"state": "closed"}, "is closed"),
    ],
)
def test_the_number_must_be_that_of_the_run(changed: dict[str, object], reason: str) -> None:
    """Else an author could write into the pull request of somebody else."""
    api = MadeUpGitHub(left(), pulls={NUMBER: pull(**changed)})
    assert reason in post_comment(api, run(), {})
    assert api.sent == []


def test_a_run_of_a_repository_that_is_gone_is_passed_over() -> None:
    api = MadeUpGitHub(left())
    assert "a different repository" in post_comment(api, run(head_repository=None), {})


def test_a_number_of_no_pull_request_is_an_error_of_githubs() -> None:
    with pytest.raises(GitHubError, match="pulls/6: Not Found"):
        post_comment(MadeUpGitHub(left(number="6")), run(), {})


@pytest.mark.parametrize(
    ("files", "artifact", "reason"),
    [
        (b"no archive", {}, "cannot be read"),
        (archive(left(number="x")), {}, "contains no pull request number"),
        (b"", {"size_in_bytes": 10**9}, "more than 4,194,304 bytes"),
        (b"", {"expired": True}, "0 artifacts"),
        (b"", {"name": "other"}, "0 artifacts"),
    ],
)
def test_a_hostile_artifact_posts_nothing(
    files: bytes, artifact: dict[str, object], reason: str
) -> None:
    api = MadeUpGitHub(files, artifact=artifact)
    assert reason in post_comment(api, run(), {})
    assert api.sent == []
