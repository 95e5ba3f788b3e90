"""Checks the error messages that answers in `faq.md` declare."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog
from accelerator_portal.checks.rule import rule
from accelerator_reports.files.problem import Problem

_MAX_CHARACTERS = 300
_MAX_VARYING_PARTS = 3
# A message is specific if it has as many words, or a long name with as many characters.
_MIN_WORDS = 3
_MIN_NAME_CHARACTERS = 12

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
                other_title = first_title if first_title != section.title else None
                for what, remedy in _message_faults(message.text, words, other_title):
                    yield Problem(faq.path, message.line, what, remedy)


def _message_faults(
    text: str, words: list[str], other_title: str | None
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a declared message, and the fix.

    `words` are the words of the message without general names such as `RuntimeError`. `other_title`
    is the title of an earlier answer that declares the same message, or None.
    """
    if not _is_specific(words):
        remedy = f"write at least {_MIN_WORDS} words of it, besides a name such as RuntimeError"
        yield f'the message "{text[:60]}" is not specific', remedy
    elif other_title is not None:
        what = f'the answer to "{other_title[:60]}" declares this message, too'
        yield what, "declare it only in the answer that solves the problem"
    if len(text) > _MAX_CHARACTERS or len(_VARYING_PART.findall(text)) > _MAX_VARYING_PARTS:
        limits = f"{_MAX_CHARACTERS} characters and {_MAX_VARYING_PARTS} varying parts (\u2026)"
        what = "the message is too long or has too many parts that vary"
        yield what, f"use at most {limits}"


def _is_specific(words: list[str]) -> bool:
    return (
        len(words) >= _MIN_WORDS
        or any(len(word) >= _MIN_NAME_CHARACTERS and _LONG_NAME.match(word) for word in words)
        or (len(words) > 1 and any(_CODE.fullmatch(word) for word in words))
    )
