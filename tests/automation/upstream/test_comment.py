from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelerator_automation.markdown_check import HarmfulError, faults
from accelerator_automation.upstream.comment import (
    CommentMemory,
    comment_text,
    marker,
    memory_of_comment,
)
from accelerator_automation.upstream.new_failures import NewFailure, ReportNews
from tests.automation.upstream.scene import NOW
from tests.automation.upstream.test_marker import answer

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
    assert f"`Example` at `aaaaaaaaaaaa`, [run]({PAGE})" in text


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
