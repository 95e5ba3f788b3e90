"""Chooses a failed test's outcome from its message, else its traceback, else its error's type."""

from __future__ import annotations

import re

from accelerator_reports.failure_texts import outcome_of_text, without_colors
from accelerator_reports.outcomes import Outcome
from accelerator_reports.shortened_text import MAX_TEXT_LENGTH, shortened_text

NO_REASON = "The file states no reason."
EXPECTED_FAILURE_REASON = "It is expected to fail."

_EXCEPTION = re.compile(r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception)")
_STRICT_XPASS = re.compile(r"\A\s*(?=\[XPASS\(strict\)\])")
_SETUP_OR_TEARDOWN = re.compile(r"\bfailed on (?:setup|teardown)\b")


def failure_outcome(message: str, text: str) -> Outcome:
    """Return the outcome of a failed test, from its `message` or else its traceback (`text`).

    The outcome is, for example, `out-of-memory`. It is `failed` if neither `message` nor `text`
    describes another outcome.
    """
    return outcome_of_text(message) or outcome_of_text(text) or "failed"


def error_outcome(message: str, text: str, kind: str = "") -> Outcome:
    """Return the outcome of an error, from its `message` or else its traceback (`text`).

    If neither describes an outcome, `kind`, the type of the error, decides. If it is an exception
    such as `ValueError`, and no setup or teardown failed, the outcome is `failed`: unittest reports
    exceptions of tests as errors. Otherwise, it is `infrastructure-error`: pytest reports only
    failed fixtures as errors.
    """
    if outcome := outcome_of_text(message) or outcome_of_text(text):
        return outcome
    is_raised_by_test = _EXCEPTION.fullmatch(kind) and not _SETUP_OR_TEARDOWN.search(message)
    return "failed" if is_raised_by_test else "infrastructure-error"


def reason(text: str) -> str | None:
    """Return the message `text` as the reason of a test's outcome; None if it is empty.

    Terminal colors are removed, and the message is shortened to `MAX_TEXT_LENGTH` characters. What
    pytest writes about a test that passed unexpectedly is put into words.
    """
    return shortened_text(_STRICT_XPASS.sub("Unexpected pass: ", without_colors(text)))


def log_tail(text: str) -> str | None:
    """Return the last lines of a log, at most `MAX_TEXT_LENGTH` characters; None if it is empty."""
    text = without_colors(text).strip()
    if len(text) <= MAX_TEXT_LENGTH:
        return text or None
    tail = text[-MAX_TEXT_LENGTH:]
    _, newline, whole_lines = tail.partition("\n")
    return whole_lines if newline and whole_lines else tail
