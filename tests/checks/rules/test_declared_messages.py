from __future__ import annotations

import pytest

from tests.folders import FAQ, ProblemsAfter

ANSWER = "No, it is example data [@made-up].\n"


def faq(*messages: str, title: str = "Why?") -> str:
    block = "\n".join(messages)
    return f"\n## {title}\n\n```error\n{block}\n```\n\nBecause [@made-up].\n"


@pytest.mark.parametrize(
    "message",
    [
        "KeyError: 'state_dict'",
        "RuntimeError: UR error",
        "Exception: initialization \u2026",
        "AttributeError: misunderstanding",
    ],
)
def test_a_message_that_many_programs_have_is_refused(
    problems_after: ProblemsAfter, message: str
) -> None:
    (problem,) = problems_after((FAQ, ANSWER, ANSWER + faq(message)))
    assert problem == (
        f'{FAQ}:16: the message "{message}" is not specific; '
        "write at least 3 words of it, besides a name such as RuntimeError"
    )


@pytest.mark.parametrize(
    "message",
    [
        "ImportError: WRONG PACKAGE",
        "CUDNN_STATUS_NOT_INITIALIZED",
        "hipErrorNoBinaryForGpu",
        "RuntimeError: CUDA out of memory",
        "libfoo.so.\u2026: cannot open shared object file",
    ],
)
def test_a_specific_message_is_not(problems_after: ProblemsAfter, message: str) -> None:
    assert problems_after((FAQ, ANSWER, ANSWER + faq(message))) == []


def test_one_answer_declares_a_message(problems_after: ProblemsAfter) -> None:
    one = faq("Example out of memory", "EXAMPLE out of *memory*!")
    two = faq("example: out of memory.", title="How?")
    assert problems_after((FAQ, ANSWER, ANSWER + one + two)) == [
        (
            f'{FAQ}:25: the answer to "Why?" declares this message, too; '
            "leave it with the answer that solves it"
        )
    ]


@pytest.mark.parametrize("message", ["one two three " * 30, "one * two ... three \u2026 four *"])
def test_a_message_stays_short(problems_after: ProblemsAfter, message: str) -> None:
    (problem,) = problems_after((FAQ, ANSWER, ANSWER + faq(message)))
    assert problem == (
        f"{FAQ}:16: the message is too long or has too many parts that vary; "
        "use at most 300 characters and 3 of \u2026"
    )
