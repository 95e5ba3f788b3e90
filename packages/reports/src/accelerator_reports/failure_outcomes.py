"""Chooses a failed test's outcome from its message, else its traceback, else its error's type."""

from __future__ import annotations

import re

from accelerator_reports.failure_texts import outcome_of_text, without_colors
from accelerator_reports.outcomes import Outcome
from accelerator_reports.shortened_text import (
    MAX_TEXT_LENGTH,
    shortened_text,
    without_lone_surrogates,
)

NO_REASON = "The file states no reason."
EXPECTED_FAILURE_REASON = "It is expected to fail."

_STRICT_XPASS = re.compile(r"\A\s*(?=\[XPASS\(strict\)\])")
_SETUP_OR_TEARDOWN = re.compile(
    r"\bfailed on (?:setup|teardown)\b|\Atest (?:setup|teardown) failure\b|\Ainternal error\Z"
)


def failure_outcome(message: str, text: str) -> Outcome:
    """Return the outcome of a failed test, from its `message` or else its traceback (`text`).

    The outcome is, for example, `out-of-memory`. It is `failed` if neither `message` nor `text`
    describes another outcome.
    """
    return outcome_of_text(message) or outcome_of_text(text) or "failed"


def error_outcome(message: str, text: str, *, is_setup: bool = False) -> Outcome:
    """Return the outcome of an error, from its `message` or else its traceback (`text`).

    If neither describes an outcome, it is `infrastructure-error` for an error in setup or teardown,
    which `is_setup` or the message states, and for an error of pytest itself. Otherwise, it is
    `failed`: most frameworks report an exception that a test raises as an error.
    """
    if outcome := outcome_of_text(message) or outcome_of_text(text):
        return outcome
    is_setup = is_setup or _SETUP_OR_TEARDOWN.search(message) is not None
    return "infrastructure-error" if is_setup else "failed"


def reason(text: str) -> str | None:
    """Return the message `text` as the reason of a test's outcome; None if it is empty.

    Terminal colors are removed, and the message is shortened to `MAX_TEXT_LENGTH` characters. What
    pytest writes about a test that passed unexpectedly is put into words.
    """
    return shortened_text(_STRICT_XPASS.sub("Unexpected pass: ", without_colors(text)))


def log_tail(text: str) -> str | None:
    """Return the last lines of a log, at most `MAX_TEXT_LENGTH` characters; None if it is empty."""
    text = without_lone_surrogates(without_colors(text)).strip()
    if len(text) <= MAX_TEXT_LENGTH:
        return text or None
    tail = text[-MAX_TEXT_LENGTH:]
    _, newline, whole_lines = tail.partition("\n")
    return whole_lines if newline and whole_lines else tail
