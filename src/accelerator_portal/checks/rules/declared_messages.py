"""Checks the error messages that answers in `faq.md` declare."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.checks.rule import rule

# The most characters and varying parts of a message; the fewest words, or letters of a long name,
# that make it specific.
LONGEST, MOST_PARTS, WORDS, NAME = 300, 3, 3, 12

_VARYING_PART = re.compile(r"\u2026|\*|\.{3}")
_GENERAL_ERROR_NAME = re.compile(
    r"\b(?:(?:Runtime|Value|Type|Key|Index|Attribute|Assertion|OS)?Error|Exception)\b"
)
_WORD = re.compile(r"[a-zA-Z0-9_]{2,}")
_CODE = re.compile(r"[A-Z][A-Z0-9][0-9]{4}")  # such as EZ9999
_LONG_NAME = re.compile(r"[a-zA-Z0-9]{1,80}(?:_|[a-z](?=[A-Z]))")


@rule()
def declared_messages(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """An error message in an `error` block of `faq.md` is specific, and only one answer has it.

    When a reader pastes such a message, its answer opens. A message must have at least three words
    besides names such as `RuntimeError`, or a long name such as `CUDNN_STATUS_NOT_INITIALIZED`, or
    an error code such as `EZ9999` and another word.
    """
    for faq in catalog.faq_files:
        title_by_message: dict[str, str] = {}
        for section in faq.sections:
            for message in section.messages:
                words = _WORD.findall(_GENERAL_ERROR_NAME.sub(" ", message.text))
                first_title = title_by_message.setdefault(" ".join(words).lower(), section.title)
                if not _is_specific(words):
                    what = f'the message "{message.text[:60]}" is not specific'
                    remedy = (
                        f"write at least {WORDS} words of it, besides a name such as RuntimeError"
                    )
                    yield Problem(faq.path, message.line, what, remedy)
                elif first_title != section.title:
                    what = f'the answer to "{first_title[:60]}" declares this message, too'
                    remedy = "declare it only in the answer that solves the problem"
                    yield Problem(faq.path, message.line, what, remedy)
                if (
                    len(message.text) > LONGEST
                    or len(_VARYING_PART.findall(message.text)) > MOST_PARTS
                ):
                    what = "the message is too long or has too many parts that vary"
                    remedy = (
                        f"use at most {LONGEST} characters and {MOST_PARTS} varying parts (\u2026)"
                    )
                    yield Problem(faq.path, message.line, what, remedy)


def _is_specific(words: list[str]) -> bool:
    return (
        len(words) >= WORDS
        or any(len(word) >= NAME and _LONG_NAME.match(word) for word in words)
        or (len(words) > 1 and any(_CODE.fullmatch(word) for word in words))
    )
