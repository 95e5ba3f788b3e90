"""The comment on a pull request: its text, its memory, and how it is posted and updated."""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelerator_automation.github.api import GitHubError
from accelerator_automation.github.comments import HarmfulError, faults
from accelerator_automation.upstream.comment import (
    PREFIX,
    CommentAccess,
    CommentMemory,
    PlatformAnswer,
    comment_text,
    marker,
    memory_of_comment,
    merged_memory,
    update_comment,
)
from accelerator_automation.upstream.new_failures import NewFailure, ReportNews
from tests.automation.github_double import BOT, Fault, GitHubDouble
from tests.automation.upstream.scene import HEAD, NOW, NUMBER, UPSTREAM, VENDOR, change, client


def answer(id_: str = "example", broken: int = 1, **changed: object) -> PlatformAnswer:
    tests = [NewFailure(key=f"made-up/t{n}", outcome="failed", reason="why") for n in range(broken)]
    found = ReportNews(newly=tuple(tests[:20]), newly_broken=broken, tests=broken + 5, base=NOW)
    return PlatformAnswer.model_validate(
        {
            "accelerator": id_,
            "name": id_.title(),
            "head": HEAD,
            "repository": VENDOR,
            "run": 12,
            "news": found,
            **changed,
        }
    )


def test_a_comment_remembers_what_it_says() -> None:
    memory = CommentMemory(answers=(answer("a"), answer("b", 30, torch="2.14.0", late=True)))
    assert memory_of_comment(f"{marker(memory)}\n\nAny words.") == memory


def test_the_numbers_that_github_gives_runs_by_now_are_taken() -> None:
    memory = CommentMemory(answers=(answer(run=17_654_321_098),))
    assert memory_of_comment(marker(memory)) == memory


def test_another_comment_remembers_nothing() -> None:
    assert memory_of_comment("hello") == CommentMemory()
    memory = CommentMemory(answers=(answer(),))
    assert memory_of_comment(f" {marker(memory)}") == CommentMemory()


def bomb() -> str:
    text = b'{"answers": [' + b" " * 50_000_000 + b"]}"
    return base64.b64encode(zlib.compress(text, 9)).decode()


@pytest.mark.parametrize(
    "inside",
    ["", "x", "!!", "AAAA", base64.b64encode(zlib.compress(b"[]")).decode(), bomb()],
    ids=["empty", "short", "no base64", "no zlib", "another form", "bomb"],
)
def test_a_marker_that_cannot_be_read_is_written_anew(inside: str) -> None:
    assert memory_of_comment(f"{PREFIX}{inside} -->\n\nwords") == CommentMemory()


@given(st.text())
def test_whatever_stands_there_is_survived(text: str) -> None:
    assert memory_of_comment(f"{PREFIX}{text}") == CommentMemory()


PAGE = "https://github.com/vendor/plugin/actions/runs/12"


def test_the_comment_says_what_broke_beside_what_whom_to_ask_and_how_to_go_on() -> None:
    broken = NewFailure(
        key="operators/gelu?dtype=float32",
        outcome="wrong-result",
        reason="0.5 is not 0.4",
        command="accelerator-portal validate --device ex --test operators/gelu",
    )
    flaky = NewFailure(key="operators/erf", outcome="failed", bad=3, of=8)
    found = ReportNews(
        newly=(broken,),
        newly_broken=1,
        flaky=(flaky,),
        flaky_failing=1,
        red_already=14,
        known=1,
        tests=700,
        base=NOW,
    )
    memory = CommentMemory(answers=(answer(news=found, torch="2.14.0a0"),))
    assert comment_text(memory, {"example": ["owner", "other"]}) == (
        f"{marker(memory)}\n\n"
        "**New failures: `Example` 1 test.**\n\n"
        "Test results of out-of-tree platforms for this pull request. The platforms run these "
        "tests in their own CI; nobody else has verified the results. They don't block "
        "merging.\n\n"
        "- `Example` at `aaaaaaaaaaaa`: 683 passed, 1 newly failing, 16 failing otherwise, "
        f"[run]({PAGE})\n\n"
        "#### `Example`: new failures in 1 test\n\n"
        "At `aaaaaaaaaaaa` with torch `2.14.0a0`, reported by `vendor/plugin`, "
        f"[this run]({PAGE}): 700 tests. The base is the platform’s own runs up to 2026-11-21.\n\n"
        "- `operators/gelu?dtype=float32` wrong-result: `0.5 is not 0.4`\n\n"
        "Other results: 14 tests already failing on the base, 1 test with known issues. "
        "1 test failing, but flaky on the base: `operators/erf` failed in 3 of its last 8 runs.\n\n"
        "To reproduce the first failure:\n\n"
        "```bash\naccelerator-portal validate --device ex --test operators/gelu\n```\n\n"
        "Contact: `owner`, `other`.\n\n"
        "This comment is updated in place. To stop these comments on this pull request, add the "
        "label `no-accelerator-reports`. Platforms list expected failures in "
        "`known-issues.yaml`.\n"
    )


def test_what_is_mended_is_said_in_place() -> None:
    text = comment_text(CommentMemory(answers=(answer(broken=0),)), {})
    assert "\n\nNo new failures in the latest reports.\n" in text
    assert f"- `Example` at `aaaaaaaaaaaa`: 5 passed, [run]({PAGE})" in text


def test_the_page_of_a_report_is_linked() -> None:
    memory = CommentMemory(answers=(answer(broken=0, page=34),))
    text = comment_text(memory, {})
    assert f"5 passed, [report]({PAGE}/artifacts/34), [run]({PAGE})\n" in text
    assert memory_of_comment(text) == memory


def test_a_report_without_tests_or_a_base_says_so() -> None:
    empty = ReportNews(newly_broken=0, tests=0)
    text = comment_text(CommentMemory(answers=(answer(broken=0), answer("b", news=empty))), {})
    assert "platforms without a base have nothing to compare with" in text
    assert f"- `B` at `aaaaaaaaaaaa`: no tests, no base, [run]({PAGE})" in text


def test_forty_platforms_with_a_thousand_failures_each_fit() -> None:
    tests = tuple(
        NewFailure(
            key=f"s/{noise(n, 290)}", outcome="failed", reason=noise(n, 199), command="c" * 200
        )
        for n in range(20)
    )
    found = ReportNews(newly=tests, newly_broken=1000, tests=1000, base=NOW)
    memory = CommentMemory(answers=tuple(answer(f"p{n}", news=found) for n in range(40)))
    text = comment_text(memory, {f"p{n}": ["l" * 39] * 3 for n in range(40)})
    assert len(text) <= 60_000
    assert text.count("#### ") == 40
    assert "1,000 more (see the run)" in text or "999 more (see the run)" in text
    known = memory_of_comment(text)
    assert known is not None
    assert [one.news.newly_broken for one in known.answers] == [1000] * 40


def test_a_comment_that_cannot_be_short_enough_is_not_posted() -> None:
    found = ReportNews(newly=(), newly_broken=1000, tests=1000, base=NOW)
    answers = (
        answer(f"p{n}", news=found, name=noise(n, 40), repository=f"{noise(n, 39)}/{noise(n, 99)}")
        for n in range(40)
    )
    people = {f"p{n}": [f"{noise(m, 38)}" for m in range(50)] for n in range(40)}
    with pytest.raises(HarmfulError, match="more than 65,000 characters"):
        comment_text(CommentMemory(answers=tuple(answers)), people)


def noise(seed: int, length: int) -> str:
    """Text that cannot be packed."""
    found = "".join(hashlib.sha256(f"{seed} {n}".encode()).hexdigest() for n in range(8))
    return found[:length]


HOSTILE = [
    "@everybody",
    "#1 fixes GH-2",
    "<script>alert(1)</script>",
    "[x](https://example.org)",
    "![](https://example.org/x.png)",
    "`` ` ```\n```bash\n",
    "--> <!-- x",
    "https://example.org www.example.org",
    "$$x$$ \\",
    "\u202e\u200b\x1b[31m",
    "::error::x ##[command]",
    "~~~\n# x\n\n---\n| a | b |\n|---|---|",
]


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_can_do_nothing(words: str) -> None:
    one = NewFailure(key=words, outcome="failed", reason=words, command=words)
    found = ReportNews(newly=(one,), newly_broken=1, flaky=(one,), flaky_failing=1, tests=1)
    memory = CommentMemory(answers=(answer(news=found, name=words[:40], torch=words),))
    text = comment_text(memory, {"example": [words]})
    assert faults(text, marker(memory), [PAGE]) == []


@given(st.text(max_size=100))
@settings(max_examples=50)
def test_whatever_is_said_can_do_nothing(words: str) -> None:
    one = NewFailure(key=words, outcome="failed", reason=words, command=words)
    found = ReportNews(newly=(one,), newly_broken=1, tests=1)
    comment_text(CommentMemory(answers=(answer(news=found, torch=words),)), {"example": [words]})


PULL = f"repos/{UPSTREAM}/pulls/{NUMBER}"
NEXT = "d" * 40


def desk(double: GitHubDouble) -> CommentAccess:
    return CommentAccess(client(double), BOT, {})


def bodies(double: GitHubDouble) -> list[str]:
    return [str(one["body"]) for one in double.comments.get((UPSTREAM, NUMBER), [])]


def push(double: GitHubDouble, head: str) -> None:
    double.records[PULL]["head"]["sha"] = head


def test_news_is_told_once(double: GitHubDouble) -> None:
    assert (
        update_comment(desk(double), change(), [answer()])
        == "A comment on pull request 7 was posted."
    )
    again = update_comment(desk(double), change(), [answer()])
    assert again == "The comment on pull request 7 is already up to date."
    (text,) = bodies(double)
    assert "**New failures: `Example` 1 test.**" in text
    assert len(double.said("POST", "comments")) == 1
    assert double.said("PATCH", "comments") == []


def test_good_results_are_told_too(double: GitHubDouble) -> None:
    update_comment(desk(double), change(), [answer(broken=0)])
    (text,) = bodies(double)
    assert "No new failures in the latest reports." in text
    assert "- `Example` at `aaaaaaaaaaaa`: 5 passed, " in text


def test_a_platform_that_wants_to_be_quiet_tells_new_failures_only(double: GitHubDouble) -> None:
    quiet = replace(desk(double), quiet={"example"})
    words = update_comment(quiet, change(), [answer(broken=0)])
    assert words == "No new failures in pull request 7: no comment posted."
    assert bodies(double) == []
    update_comment(quiet, change(), [answer()])
    update_comment(quiet, change(), [answer(broken=0)])  # what was told is corrected in place
    (text,) = bodies(double)
    assert "No new failures in the latest reports." in text


def test_another_platform_and_another_commit_renew_the_same_comment(double: GitHubDouble) -> None:
    update_comment(desk(double), change(), [answer()])
    update_comment(desk(double), change(), [answer("other", 3)])
    push(double, NEXT)
    words = update_comment(desk(double), change(head=NEXT), [answer(broken=0, head=NEXT)])
    assert words == "The comment on pull request 7 was updated."
    (text,) = bodies(double)
    assert "**New failures: `Other` 3 tests.**" in text
    assert "- `Example` at `dddddddddddd`: 5 passed, " in text


def test_what_is_of_an_older_commit_comes_too_late(double: GitHubDouble) -> None:
    push(double, NEXT)
    words = update_comment(desk(double), change(), [answer()])
    assert words == "Pull request 7 has a newer commit: no comment posted."
    assert bodies(double) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"state": "closed"}, "Pull request 7 is closed: no comment posted."),
        (
            {"labels": [{"name": "no-accelerator-reports"}]},
            "Pull request 7 has the label no-accelerator-reports: no comment posted.",
        ),
    ],
)
def test_closed_and_muted_pull_requests_hear_nothing(
    double: GitHubDouble, changed: dict[str, object], words: str
) -> None:
    double.records[PULL] |= changed
    assert update_comment(desk(double), change(), [answer()]) == words
    assert bodies(double) == []


def test_a_marker_that_somebody_else_wrote_is_not_believed(double: GitHubDouble) -> None:
    update_comment(desk(double), change(), [answer("other", 9)])
    double.comments[UPSTREAM, NUMBER][0]["user"] = {"login": "somebody"}
    update_comment(desk(double), change(), [answer()])
    theirs, own = bodies(double)
    assert "`Other`" in theirs
    assert "`Other`" not in own


def test_the_own_comment_is_found_behind_hundreds(double: GitHubDouble) -> None:
    double.comments[UPSTREAM, NUMBER] = [
        {"id": n, "user": {"login": "a"}, "body": "words"} for n in range(1, 251)
    ]
    update_comment(desk(double), change(), [answer()])
    update_comment(desk(double), change(), [answer(broken=2)])
    assert len(bodies(double)) == 251


def test_a_comment_whose_answer_is_lost_is_found_in_the_next_round(double: GitHubDouble) -> None:
    double.faults = [Fault("POST .*comments", 502, after=True)]
    with pytest.raises(GitHubError):
        update_comment(desk(double), change(), [answer()])
    words = update_comment(desk(double), change(), [answer()])
    assert words == "The comment on pull request 7 is already up to date."
    assert len(bodies(double)) == 1


def test_a_comment_of_ours_that_was_edited_is_written_anew(double: GitHubDouble) -> None:
    update_comment(desk(double), change(), [answer()])
    double.comments[UPSTREAM, NUMBER][0]["body"] = "<!-- accelerator-portal:upstream x -->"
    update_comment(desk(double), change(), [answer()])
    (text,) = bodies(double)
    assert "**New failures: `Example` 1 test.**" in text


def test_memory_keeps_one_answer_of_each_platform() -> None:
    before = CommentMemory(answers=(answer("b"), answer("a")))
    news = [answer("b", 0), answer("c", 0), answer("d", 2, head=HEAD)]
    after = merged_memory(before, news, {"b", "c"})
    assert [(one.accelerator, one.news.newly_broken) for one in after.answers] == [
        ("a", 1),
        ("b", 0),
        ("d", 2),
    ]
    many = merged_memory(CommentMemory(), [answer(f"p{n}", n + 1) for n in range(50)])
    assert min(one.news.newly_broken for one in many.answers) == 11
