from __future__ import annotations

import base64
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_automation.upstream.comment import (
    PREFIX,
    CommentMemory,
    PlatformAnswer,
    marker,
    memory_of_comment,
)
from accelerator_automation.upstream.new_failures import NewFailure, ReportNews
from tests.automation.upstream.scene import HEAD, VENDOR


def answer(id_: str = "example", broken: int = 1, **changed: object) -> PlatformAnswer:
    tests = [NewFailure(key=f"made-up/t{n}", outcome="failed", reason="why") for n in range(broken)]
    found = ReportNews(newly=tuple(tests[:20]), newly_broken=broken, tests=broken + 5)
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
